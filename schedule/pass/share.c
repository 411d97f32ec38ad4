/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/share.c - what several statements of a body compute alike is computed once.
 *
 * Requires: vectors.
 * Provides: vectors side by side that read, or compute, the same lanes have them from a variable of that vector, which
 *           is filled right before them (an allocation in registers).
 * Keeps:    results: nothing that is shared is stored to by them.
 *
 * A compiler cannot do it: behind a store it has to take it that memory, all that is read, may have changed. A row of
 * a derived convolution's transform is five to eight statements of five to eight vectors, which each read anew
 * (docs/performance.md). Branches of a select are left alone: what they read may be there under its condition only. */
#include "schedule/pass/pass.h"
#include "schedule/pass/vectors/variables.h"

/* Statements and values that are looked at together; more are another group, or stay as they are. */
enum { MAX_STATEMENTS = 16, MAX_VALUES = 128 };
/* Registers that are left to the rest of a statement; chosen: its sum, two operands and a constant. */
enum { SPARE_REGISTERS = 4 };

/* A value of the lanes, which may occur at several places. */
struct lane_value {
	const struct expr *expr;	/* the first of them */
	int arg[2];			/* values that it is computed from; -1: none */
	int uses;			/* places that need it, if all values are computed once */
	struct buffer *variable;	/* NULL: it is computed where it is needed */
};

struct sharing {
	struct program *p;
	const struct axis *axis;	/* the lanes: that of the first statement */
	struct nest *loop[MAX_STATEMENTS];
	int root[MAX_STATEMENTS];	/* the value of the loop's store */
	int loops;
	struct lane_value value[MAX_VALUES];
	int values;
	bool overflows;
	struct nest *filling;		/* the variables and what fills them */
};

/* --- which values are there */

/* Is E computed from its arguments in any place, so that these can be shared? */
static bool is_arithmetic(const struct expr *e)
{
	switch (e->kind) {
	case EXPR_ADD:
	case EXPR_SUB:
	case EXPR_MUL:
	case EXPR_DIV:
	case EXPR_MIN:
	case EXPR_MAX:
		return e->dtype == DTYPE_F32;
	default:
		return false;
	}
}

/* May V have a variable? Not a product: with the sum that it is a term of it is one instruction. */
static bool may_have_variable(const struct sharing *s, const struct lane_value *v)
{
	const struct expr *e = v->expr;

	return e->dtype == DTYPE_F32 && expr_uses_axis(e, s->axis) &&
	       (e->kind == EXPR_LOAD ? !buffer_of(e->tensor)->registers : v->arg[0] >= 0 && e->kind != EXPR_MUL);
}

/* One more place needs value I; what has no variable needs its arguments there again. */
static void add_use(struct sharing *s, int i)
{
	struct lane_value *v = &s->value[i];

	if (v->uses++ > 0 && !may_have_variable(s, v))
		for (int k = 0; k < 2 && v->arg[k] >= 0; k++)
			add_use(s, v->arg[k]);
}

static bool is_value(const struct lane_value *v, const struct expr *e, const int *arg)
{
	if (v->expr->kind != e->kind || v->expr->dtype != e->dtype || v->arg[0] != arg[0] || v->arg[1] != arg[1])
		return false;
	return arg[0] >= 0 || expr_equal(v->expr, e);
}

/* The value that E is. */
static int value_of(struct sharing *s, const struct expr *e)
{
	struct lane_value v = { e, { -1, -1 }, 0, NULL };

	if (is_arithmetic(e) && expr_uses_axis(e, s->axis))
		for (int k = 0; k < 2; k++)
			v.arg[k] = value_of(s, e->arg[k]);
	for (int i = 0; i < s->values; i++)
		if (is_value(&s->value[i], e, v.arg))
			return i;
	if (s->values == MAX_VALUES) {
		s->overflows = true;
		return 0;
	}
	s->value[s->values] = v;
	for (int k = 0; k < 2 && v.arg[k] >= 0; k++)
		add_use(s, v.arg[k]);
	return s->values++;
}

/* --- variables */

/* The loop of the lanes, that of the first statement. */
static const struct nest *const *lanes_of(const struct sharing *s)
{
	return (const struct nest *const *)&s->loop[0];
}

/* Value I, with shared ones from their variables. */
static const struct expr *rebuild(const struct sharing *s, int i)
{
	const struct lane_value *v = &s->value[i];

	if (v->variable)
		return variables_load(s->p->arena, v->variable, lanes_of(s), 1);
	if (v->arg[0] < 0)
		return v->expr;
	return expr_binary(s->p->arena, v->expr->kind, rebuild(s, v->arg[0]), rebuild(s, v->arg[1]));
}

/* Fills a variable with value I, before the statements. */
static void share(struct sharing *s, int i)
{
	struct buffer *variable;
	struct nest *alloc = variables_new(s->p->arena, "shared", lanes_of(s), 1, &variable);
	struct nest *filling = variables_fill(s->p->arena, variable, lanes_of(s), 1, rebuild(s, i));

	s->filling = nest_append(s->filling, nest_append(alloc, filling));
	s->value[i].variable = variable;
}

/* --- statements */

/* A vector of one store that only writes. */
static bool is_statement(const struct nest *n)
{
	const struct nest *store = n->kind == NEST_LOOP && n->annotation == ANNOTATION_VECTOR ? n->body : NULL;

	return store && store->kind == NEST_STORE && !store->next && !n->intrinsic &&
	       store->reducer == REDUCE_NONE;
}

/* Is N, which may be NULL, a statement with the lanes of FIRST? */
static bool is_next_statement(const struct nest *n, const struct nest *first)
{
	return n && is_statement(n) && n->lanes == first->lanes && n->axis->lo == first->axis->lo &&
	       n->axis->hi == first->axis->hi;
}

/* Does a statement store what a value reads? */
static bool reads_what_is_stored(const struct sharing *s)
{
	for (int i = 0; i < s->values; i++)
		for (int j = 0; j < s->loops; j++)
			if (s->value[i].arg[0] < 0 && expr_loads(s->value[i].expr, &s->loop[j]->body->buffer->tensor) > 0)
				return true;
	return false;
}

static void add_statement(struct sharing *s, struct nest *loop)
{
	const struct expr *lane = expr_axis(s->p->arena, s->axis);
	const struct expr *value = loop->body->value;

	if (loop->axis != s->axis)
		value = expr_substitute(s->p->arena, value, &loop->axis, &lane, 1);
	s->root[s->loops] = value_of(s, value);
	add_use(s, s->root[s->loops]);
	s->loop[s->loops++] = loop;
}

/* What the statements of S do, with what they share before them. */
static struct nest *share_values(struct sharing *s)
{
	int spare = s->p->target->vector_registers - SPARE_REGISTERS;

	for (int i = 0; i < s->values && spare > 0; i++)	/* a value stands behind those that it is computed from */
		if (s->value[i].uses > 1 && may_have_variable(s, &s->value[i])) {
			share(s, i);
			spare--;
		}
	for (int i = 0; s->filling && i < s->loops; i++) {
		struct nest *store = arena_memdup(s->p->arena, s->loop[i]->body, sizeof(*store));
		const struct expr *own = expr_axis(s->p->arena, s->loop[i]->axis);

		store->value = rebuild(s, s->root[i]);
		if (s->loop[i]->axis != s->axis)
			store->value = expr_substitute(s->p->arena, store->value, &s->axis, &own, 1);
		s->loop[i]->body = store;
	}
	return s->filling;
}

/* LIST, whose first nodes are statements of the same lanes: *REST becomes the last of them, and what they share is
 * given back. */
static struct nest *share_group(struct program *p, struct nest *list, struct nest **last)
{
	struct sharing s = { .p = p, .axis = list->axis };

	for (struct nest *n = list; is_next_statement(n, list) && s.loops < MAX_STATEMENTS; n = n->next) {
		add_statement(&s, n);
		*last = n;
	}
	return !s.overflows && !reads_what_is_stored(&s) ? share_values(&s) : NULL;
}

static struct nest *share_list(struct program *p, struct nest *list)
{
	struct nest *first = list;
	struct nest **hole = &first;

	while (*hole) {
		struct nest *n = *hole, *last = n;

		if (is_statement(n)) {
			if (is_next_statement(n->next, n))	/* most stand alone */
				*hole = nest_append(share_group(p, n, &last), n);
		} else if (n->annotation != ANNOTATION_VECTOR && !nest_is_whole(n)) {
			n->body = share_list(p, n->body);
			n->other = share_list(p, n->other);
		}
		hole = &last->next;
	}
	return first;
}

bool nest_pass_share(struct program *p, const char **why)
{
	(void)why;
	p->body = share_list(p, p->body);
	return true;
}
