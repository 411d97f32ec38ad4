/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/borders.c - moves conditions out of loops by splitting the loops' ranges.
 *
 * Requires: a nest whose conditions are comparisons of linear forms, buffers in registers marked.
 * Provides: where a condition changes its value at a point of a loop's range, the loop is split
 *           there; tails and borders become loops of their own, the main part has no condition.
 *           A written-out loop has the turns in which it does something.
 * Keeps:    what is computed, and its order within a stage. */
#include "schedule/mask.h"
#include "schedule/pass/indices/cuts.h"
#include "schedule/pass/pass.h"
#include "te/index/index.h"

/* Past this bound conditions stay where they are. */
enum { MAX_STORES = 96 };

/* Parts multiply at each loop that is split. */
struct partition {
	struct arena *a;
	const struct target *target;
	int copies;
	struct guarded_vec VEC(const struct axis *) guarded;	/* of loops that are to be guards */
	const char *why;	/* what was asked for cannot be done */
};

static struct nest *partition_list(struct partition *p, struct nest *nest);

/* Loop or let N for the values [lo, hi) of its axis alone; the body with what follows from that. */
static struct nest *narrowed(struct partition *p, const struct nest *n, int64_t lo, int64_t hi)
{
	struct arena *a = p->a;
	const struct axis *axis = axis_part(a, n->axis, lo, hi);

	if (n->border == BORDER_GUARD)
		vec_push(a, &p->guarded, axis);
	const struct expr *value = hi - lo == 1 ? expr_int(a, lo) : expr_axis(a, axis);
	struct nest *body = partition_list(p, nest_copy(a, n->body, &n->axis, &value, 1));

	if (!body || hi - lo == 1)
		return body;
	if (n->kind == NEST_LET && n->value->kind == EXPR_AXIS)	/* the range has done its work */
		return nest_copy(a, body, (const struct axis *const *)&axis, &n->value, 1);
	struct nest *out = arena_memdup(a, n, sizeof(*n));

	out->next = out->other = NULL;
	out->axis = axis;
	out->body = body;
	return out;
}

/* The same, as one copy of several: of a nest there are no more than a target allows statements, for each has one at least. */
static struct nest *segment(struct partition *p, const struct nest *n, int64_t lo, int64_t hi)
{
	if (p->copies++ < p->target->statements)
		return narrowed(p, n, lo, hi);
	p->why = "too many statements when unrolled";
	return NULL;
}

static struct nest *split_serial(struct partition *p, const struct nest *n, const struct cuts *c)
{
	struct nest *first = NULL;
	struct nest **hole = &first;
	int64_t lo = n->axis->lo;

	for (int i = 0; i <= c->n; i++) {
		int64_t hi = i < c->n ? c->at[i] : n->axis->hi;

		*hole = segment(p, n, lo, hi);
		while (*hole)
			hole = &(*hole)->next;
		lo = hi;
	}
	return first;
}

/* A let (or a parallel loop, by way of a let) cannot be split: it chooses among versions. */
static struct nest *choose_version(struct partition *p, const struct nest *let, const struct cuts *c,
				   int i, int64_t lo)
{
	if (i == c->n)
		return segment(p, let, lo, let->axis->hi);
	struct nest *branch = arena_one(p->a, struct nest);

	branch->kind = NEST_IF;
	branch->value = expr_binary(p->a, EXPR_LT, let->value, expr_int(p->a, c->at[i]));
	branch->body = segment(p, let, lo, c->at[i]);
	branch->other = choose_version(p, let, c, i + 1, c->at[i]);
	return branch->body || branch->other ? branch : NULL;
}

/* Versions of what is at PART, inside loop or let N. */
static void split_part(struct partition *p, const struct nest *n, struct nest **part,
		       const struct cuts *c)
{
	struct nest let = { .kind = NEST_LET, .axis = n->axis, .body = *part };
	struct nest *next = let.body->next;

	let.body->next = NULL;
	let.value = expr_axis(p->a, n->axis);
	*part = choose_version(p, &let, c, 0, n->axis->lo);
	while (*part)
		part = &(*part)->next;
	*part = next;
}

static struct nest *split_parallel(struct partition *p, struct nest *loop, const struct cuts *c)
{
	struct nest let = { .kind = NEST_LET, .axis = loop->axis, .body = loop->body };
	struct axis *turn = arena_memdup(p->a, loop->axis, sizeof(*turn));

	let.value = expr_axis(p->a, turn);
	loop->axis = turn;
	loop->body = choose_version(p, &let, c, 0, turn->lo);
	return loop->body ? loop : NULL;
}

/* Of what is split, has at most half lost its conditions? */
static bool gains_little(const struct cuts *c)
{
	int64_t longest = 0, lo = c->axis->lo;

	for (int i = 0; i <= c->n; i++) {
		int64_t hi = i < c->n ? c->at[i] : c->axis->hi;

		longest = hi - lo > longest ? hi - lo : longest;
		lo = hi;
	}
	return 2 * longest <= c->axis->hi - c->axis->lo;
}

/* Is N to be a guard, or a let of what is one? */
static bool is_guard(const struct partition *p, const struct nest *n)
{
	bool guard = n->border == BORDER_GUARD;

	for (int i = 0; i < p->guarded.n && n->kind == NEST_LET; i++)
		guard |= expr_uses_axis(n->value, p->guarded.at[i]);
	return guard;
}

/* Where loop or let N is split. A guard is a jump in each turn, or a mask: where it would be a jump for each lane of
 * a store, there are versions all the same. A reduction over a window, as wide as a filter, keeps what can be a mask:
 * its turns are too few to have copies. */
static void find_cuts(const struct partition *p, struct cuts *c, const struct nest *n)
{
	c->of = is_guard(p, n) ? CUTS_OF_LANES : CUTS_OF_ALL;
	cuts_find(c, n->body);
	if (c->n == 0 || c->of != CUTS_OF_ALL || n->border != BORDER_OPEN || !n->axis->reduce || !gains_little(c))
		return;
	c->n = 0;
	c->of = CUTS_BUT_MASKS;
	cuts_find(c, n->body);
}

/* Are the turns of N, a loop or a let, not to be split? Those that are written out are decided one by one. */
static bool stays_whole(struct partition *p, const struct nest *n)
{
	bool loop = n->kind == NEST_LOOP;
	bool masked = loop && n->annotation == ANNOTATION_VECTOR && n->border != BORDER_PARTITION &&
		      mask_serves(p->a, p->target, n->body, n->axis);

	if (n->border == BORDER_MASK && !masked)
		p->why = "a condition on lanes cannot be a mask";
	return masked || (loop && n->annotation == ANNOTATION_UNROLL);
}

/* Is N written out around one condition that only some of its turns fulfil, [lo, hi)? */
static bool is_idle_at_ends(struct partition *p, const struct nest *n, int64_t *lo, int64_t *hi)
{
	const struct nest *branch = n->body;
	struct mask m;

	if (n->kind != NEST_LOOP || n->annotation != ANNOTATION_UNROLL || !branch || branch->next ||
	    branch->kind != NEST_IF || branch->other || !mask_of(p->a, branch->value, n->axis, &m) ||
	    m.when || m.lo->kind != EXPR_INT || m.hi->kind != EXPR_INT)
		return false;
	*lo = m.lo->i;
	*hi = m.hi->i;
	return n->axis->lo < *lo || *hi < n->axis->hi;
}

static struct nest *partition_node(struct partition *p, struct nest *n)
{
	int64_t lo, hi;

	if (is_idle_at_ends(p, n, &lo, &hi))	/* vectors inside of it are decided for the turns that are left */
		return lo < hi ? narrowed(p, n, lo, hi) : NULL;
	struct cuts c = { .a = p->a, .target = p->target, .axis = n->axis, .body = n->body };
	int stores = 0;

	if (!n->compared)
		return n;
	if (n->border == BORDER_GUARD)
		vec_push(p->a, &p->guarded, n->axis);
	if (n->axis && !stays_whole(p, n))
		find_cuts(p, &c, n);
	for (const struct nest *below = n->body; below; below = below->next)
		stores += below->stores;
	bool splits = c.n > 0 &&
		      (n->border == BORDER_PARTITION || stores * (c.n + 1) <= MAX_STORES);
	struct nest **part = splits ? cuts_part(&c, &n->body) : NULL;

	if (part)
		split_part(p, n, part, &c);
	if (part)
		nest_survey(n->body);
	if (part || !splits) {
		n->body = partition_list(p, n->body);
		n->other = partition_list(p, n->other);
		return n;
	}
	if (n->kind == NEST_LET)
		return choose_version(p, n, &c, 0, n->axis->lo);
	if (n->annotation == ANNOTATION_PARALLEL)
		return split_parallel(p, n, &c);
	return split_serial(p, n, &c);
}

static struct nest *partition_list(struct partition *p, struct nest *nest)
{
	struct nest *first = NULL;
	struct nest **hole = &first;

	while (nest) {
		struct nest *next = nest->next;

		nest->next = NULL;
		*hole = partition_node(p, nest);
		while (*hole)
			hole = &(*hole)->next;
		nest = next;
	}
	return first;
}

bool nest_pass_borders(struct program *program, const char **why)
{
	struct partition p = { .a = program->arena, .target = program->target };
	struct nest *nest = program->body, *next;

	nest_survey(nest);
	program->body = NULL;
	for (; nest; nest = next) {
		next = nest->next;
		nest->next = NULL;
		p.copies = 0;
		program->body = nest_append(program->body, partition_list(&p, nest));
	}
	if (p.why)
		*why = p.why;
	return !p.why;
}
