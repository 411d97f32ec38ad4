/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/pipeline.c - vectors of the next turn are loaded before this turn computes.
 *
 * Requires: vectors; what they compute alike shared.
 * Provides: a loop that asks for it has all vectors that its turns load in variables: the first turn's are loaded before it;
 *           each turn loads the next one's, computes by its own, and hands over; the last turn is behind the loop. No loop asks any more.
 *           Of versions of a loop, at edges, those stay as they are of which a turn does anything but compute vectors into registers, or
 *           of which registers do not hold what two turns load; where that is all of them, the program is refused.
 * Keeps:    results, in every bit: the order of sums is the same. */
#include "base/integer.h"
#include "schedule/pass/vectors/lanes.h"
#include "schedule/pass/pass.h"
#include "schedule/pass/vectors/variables.h"

enum {
	MAX_LOADS = 16,
	MAX_AROUND = 8,		/* loops around a load, in the body */
};

/* A vector, or as many as written-out loops around go over. */
struct early_load {
	const struct expr *load;
	const struct nest *around[MAX_AROUND];	/* loops that move it, the lanes last */
	int n;
	struct buffer *now, *next;
};

struct pipelining {
	struct program *p;
	struct arena *a;
	const struct axis *turn;
	const struct nest *path[MAX_AROUND];
	int depth;
	struct early_load load[MAX_LOADS];
	int loads;
	const struct buffer *sums[MAX_LOADS];
	int n_sums;
	const char *why;
};

/* --- what is loaded */

static bool moves_by_lanes(const struct pipelining *l, const struct expr *e)
{
	const struct nest *vector = l->path[l->depth - 1];
	struct linear at;

	return e->dtype == DTYPE_F32 && !buffer_of(e->tensor)->registers && expr_uses_axis(e, l->turn) &&
	       lanes_offset(l->a, e->tensor, e->index, &at) && !lanes_bent(&at, vector->axis) &&
	       linear_coef(&at, vector->axis) == 1 && vector->axis->hi - vector->axis->lo == vector->lanes;
}

static bool is_load(const struct early_load *x, const struct expr *e)
{
	return x->load == e || expr_equal(x->load, e);
}

static bool find_load(const struct expr *e, void *user)
{
	struct pipelining *l = user;

	if (e->kind != EXPR_LOAD || !moves_by_lanes(l, e))
		return e->kind != EXPR_SELECT && e->kind != EXPR_LOAD;	/* what a select reads may be there for one case alone */
	for (int i = 0; i < l->loads; i++)
		if (is_load(&l->load[i], e))
			return false;
	if (l->loads == MAX_LOADS) {
		l->why = "a turn loads more than can be pipelined";
		return false;
	}
	struct early_load *x = &l->load[l->loads++];

	x->load = e;
	for (int i = 0; i < l->depth; i++)
		if (expr_uses_axis(e, l->path[i]->axis))
			x->around[x->n++] = l->path[i];
	return false;
}

static void add_sum(struct pipelining *l, const struct buffer *b)
{
	for (int i = 0; i < l->n_sums; i++)
		if (l->sums[i] == b)
			return;
	if (!b->registers || l->n_sums == MAX_LOADS)
		l->why = "a turn of the pipelined loop does not compute into registers alone";
	else
		l->sums[l->n_sums++] = b;
}

static void find_loads(struct pipelining *l, const struct nest *list)
{
	for (const struct nest *n = list; n && !l->why; n = n->next) {
		bool lanes = l->depth > 0 && l->path[l->depth - 1]->annotation == ANNOTATION_VECTOR;
		bool loop = n->kind == NEST_LOOP && !n->intrinsic && n->turns == TURNS_PLAIN && l->depth < MAX_AROUND &&
			    (n->annotation == ANNOTATION_VECTOR || n->annotation == ANNOTATION_UNROLL);

		if (n->kind == NEST_STORE && lanes) {
			add_sum(l, n->buffer);
			expr_visit_once(n->value, find_load, l);
		} else if (loop) {
			l->path[l->depth++] = n;
			find_loads(l, n->body);
			l->depth--;
		} else {
			l->why = "a turn of the pipelined loop does more than compute vectors";
		}
	}
}

/* --- registers */

static int64_t vectors_of(const struct early_load *x)
{
	int64_t all = 1;

	for (int i = 0; i < x->n - 1; i++)
		all *= x->around[i]->axis->hi - x->around[i]->axis->lo;
	return all;
}

static bool fits(const struct pipelining *l)
{
	int64_t all = PIPELINE_SPARE_REGISTERS, bytes = l->p->target->vector_bytes;

	for (int i = 0; i < l->loads; i++)
		all += 2 * vectors_of(&l->load[i]);
	for (int i = 0; i < l->n_sums; i++)
		all += ceil_div((int64_t)tensor_bytes(&l->sums[i]->tensor), bytes);
	return all <= l->p->target->vector_registers;
}

static struct nest *load_turn(const struct pipelining *l, const struct early_load *x, struct buffer *b, const struct expr *turn)
{
	const struct expr *value = expr_simplify_with(l->a, x->load, &l->turn, &turn, 1);

	return variables_fill(l->a, b, x->around, x->n, value);
}

/* --- the loop */

static const struct expr *from_variable(struct arena *a, const struct expr *e, void *user)
{
	const struct pipelining *l = user;

	for (int i = 0; e->kind == EXPR_LOAD && i < l->loads; i++)
		if (is_load(&l->load[i], e))
			return variables_load(a, l->load[i].now, l->load[i].around, l->load[i].n);
	return e->kind == EXPR_SELECT || !e->loads ? e : NULL;
}

static void read_variables(struct pipelining *l, struct nest *list)
{
	for (struct nest *n = list; n; n = n->next) {
		if (n->kind == NEST_STORE)
			n->value = expr_rewrite(l->a, n->value, from_variable, l);
		read_variables(l, n->body);
	}
}

/* The nodes in the place of N, a loop with its loads found. */
static struct nest *rewrite(struct pipelining *l, struct nest *n)
{
	const struct axis *axis = axis_part(l->a, n->axis, n->axis->lo, n->axis->hi - 1);
	const struct expr *turn = expr_axis(l->a, axis), *last = expr_int(l->a, n->axis->hi - 1);
	const struct expr *after = expr_add(l->a, turn, expr_int(l->a, 1));
	struct nest *first = NULL, *early = NULL, *over = NULL, *loop = arena_memdup(l->a, n, sizeof(*n));

	for (int i = 0; i < l->loads; i++) {
		struct early_load *x = &l->load[i];

		first = nest_append(first, variables_new(l->a, "now", x->around, x->n, &x->now));
		first = nest_append(first, load_turn(l, x, x->now, expr_int(l->a, n->axis->lo)));
		early = nest_append(early, variables_new(l->a, "next", x->around, x->n, &x->next));
		early = nest_append(early, load_turn(l, x, x->next, after));
		over = nest_append(over, variables_fill(l->a, x->now, x->around, x->n,
							variables_load(l->a, x->next, x->around, x->n)));
	}
	read_variables(l, n->body);
	loop->axis = axis;
	loop->next = NULL;
	loop->body = nest_append(early, nest_append(nest_copy(l->a, n->body, &n->axis, &turn, 1), over));
	return nest_append(first, nest_append(loop, nest_copy(l->a, n->body, &n->axis, &last, 1)));
}

static struct nest *pipeline(struct program *p, struct nest *n, const char **why)
{
	struct pipelining l = { .p = p, .a = p->arena, .turn = n->axis };

	n->pipelined = false;
	if (n->annotation != ANNOTATION_NONE || n->axis->hi - n->axis->lo < PIPELINE_LEAST_TURNS)
		l.why = "the pipelined loop has no turns one behind the other";
	find_loads(&l, n->body);
	if (!l.why && l.loads == 0)
		l.why = "the pipelined loop loads no vectors of its own";
	if (!l.why && !fits(&l))
		l.why = "registers do not hold what two turns load";
	if (l.why)
		*why = l.why;
	return l.why ? NULL : rewrite(&l, n);
}

/* Of the loops of LIST; WHY says what the last one lacks that cannot be. */
static bool pipeline_list(struct program *p, struct nest **list, const char **why)
{
	bool any = false;

	for (struct nest **hole = list; *hole;) {
		struct nest *n = *hole, *next = n->next;
		struct nest *made = n->pipelined ? pipeline(p, n, why) : NULL;

		if (!made) {
			any |= pipeline_list(p, &n->body, why);
			any |= pipeline_list(p, &n->other, why);
			hole = &n->next;
			continue;
		}
		any = true;
		*hole = made;
		while (*hole)
			hole = &(*hole)->next;
		*hole = next;
	}
	return any;
}

bool nest_pass_pipeline(struct program *p, const char **why)
{
	const char *lacks = NULL;

	if (pipeline_list(p, &p->body, &lacks) || !lacks)
		return true;
	*why = lacks;
	return false;
}
