/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/borders.c - moves conditions out of loops by splitting the loops' ranges.
 *
 * Requires: a nest whose conditions are comparisons of linear forms.
 * Provides: where a condition changes its value at a point of a loop's range, the loop is split
 *           there; tails and borders become loops of their own, the main part has no condition.
 * Keeps:    what is computed, and its order within a stage. */
#include "base/integer.h"
#include "schedule/pass/pass.h"
#include "te/index.h"

/* Copies of a loop's body grow the code; past these bounds conditions stay where they are. */
enum { MAX_CUTS = 8, MAX_STORES = 96 };

/* --- where conditions change */

struct cuts {
	struct arena *a;
	const struct axis *axis;
	struct inner_vec VEC(const struct axis *) inner;	/* bound on the way to the condition */
	const struct nest *body;	/* of the loop */
	struct local_vec VEC(const struct buffer *) locals;	/* allocated inside, once asked for */
	bool knows_locals;
	int n;
	int64_t at[MAX_CUTS];
};

static void add_cut(struct cuts *c, int64_t at)
{
	int i = 0;

	if (at <= c->axis->lo || at >= c->axis->hi)
		return;
	while (i < c->n && c->at[i] < at)
		i++;
	if ((i < c->n && c->at[i] == at) || c->n == MAX_CUTS)
		return;
	for (int j = c->n++; j > i; j--)
		c->at[j] = c->at[j - 1];
	c->at[i] = at;
}

struct outer_search {
	const struct cuts *cuts;
	bool found;
};

static bool find_outer(const struct expr *e, void *user)
{
	struct outer_search *s = user;

	if (e->kind != EXPR_AXIS)
		return !s->found;
	for (int i = 0; i < s->cuts->inner.n; i++)
		if (s->cuts->inner.at[i] == e->axis)
			return true;
	s->found = true;
	return false;
}

/* True where all axes of E are bound inside the loop. */
static bool is_inner(const struct cuts *c, const struct expr *e)
{
	struct outer_search s = { c, false };

	expr_visit(e, find_outer, &s);
	return !s.found;
}

/* The points at which coef * axis + rest >= 0 becomes certain, or certainly false. */
static void cut_comparison(struct cuts *c, const struct expr *e)
{
	struct linear l;

	if (e->arg[0]->dtype != DTYPE_I64 || !expr_uses_axis(e, c->axis) ||
	    !linear_from(c->a, e->arg[1], &l) || !linear_add_expr(c->a, &l, e->arg[0], -1))
		return;
	int64_t coef = linear_coef(&l, c->axis);
	struct range rest = { l.constant - (e->kind == EXPR_LT), l.constant - (e->kind == EXPR_LT) };

	if (coef == 0)
		return;
	for (int i = 0; i < l.n; i++) {
		if (l.term[i].atom->kind == EXPR_AXIS && l.term[i].atom->axis == c->axis)
			continue;
		if (!is_inner(c, l.term[i].atom))
			return;		/* an outer loop decides */
		rest = range_add(rest, term_range(&l, i));
	}
	if (coef > 0) {
		add_cut(c, ceil_div(-rest.lo, coef));
		add_cut(c, ceil_div(-rest.hi, coef));
	} else {
		add_cut(c, floor_div(rest.lo, -coef) + 1);
		add_cut(c, floor_div(rest.hi, -coef) + 1);
	}
}

static bool cut_expr(const struct expr *e, void *user)
{
	if (e->kind == EXPR_LT || e->kind == EXPR_LE)
		cut_comparison(user, e);
	return e->compares;
}

static void find_locals(struct cuts *c, const struct nest *n)
{
	for (; n; n = n->next) {
		if (n->kind == NEST_ALLOC)
			vec_push(c->a, &c->locals, n->buffer);
		find_locals(c, n->body);
		find_locals(c, n->other);
	}
}

/* Are all stores of node N to buffers that are allocated inside the loop? */
static bool stays_inside(const struct cuts *c, const struct nest *n)
{
	if (n->kind == NEST_STORE) {
		for (int i = 0; i < c->locals.n; i++)
			if (n->buffer == c->locals.at[i])
				return true;
		return false;
	}
	for (const struct nest *m = n->body; m; m = m->next)
		if (!stays_inside(c, m))
			return false;
	for (const struct nest *m = n->other; m; m = m->next)
		if (!stays_inside(c, m))
			return false;
	return true;
}

/* Does node N do no more than fill buffers of the loop's body, without reducing? */
static bool only_fills(struct cuts *c, const struct nest *n)
{
	if (!n->fills)
		return false;
	if (!c->knows_locals)
		find_locals(c, c->body);
	c->knows_locals = true;
	return stays_inside(c, n);
}

/* The term of a reduction that is left out in some turns costs a jump there: that is no reason to split
 * the reduction. */
static bool stays(const struct cuts *c, const struct nest *n)
{
	return n->guard == GUARD_LOOP || (n->guard == GUARD_TILE && c->axis->reduce);
}

/* What fills a local buffer keeps its conditions: they are checked once for many uses, and copies of
 * all that uses the buffer would be a high price for dropping them. */
static void find_cuts(struct cuts *c, const struct nest *n)
{
	for (; n; n = n->next) {
		if (!(n->compared & axis_bit(c->axis)) || only_fills(c, n))
			continue;
		if (n->value && n->value->compares && !stays(c, n))
			expr_visit(n->value, cut_expr, c);
		if (n->axis)
			vec_push(c->a, &c->inner, n->axis);
		find_cuts(c, n->body);
		find_cuts(c, n->other);
		c->inner.n -= n->axis != NULL;
	}
}

static bool has_cuts(const struct cuts *c, struct nest *n)
{
	struct cuts own = { .a = c->a, .axis = c->axis, .body = c->body };
	struct nest *next = n->next;

	n->next = NULL;
	find_cuts(&own, n);
	n->next = next;
	return own.n > 0;
}

/* The node below LIST that has all the cuts while others beside it store: copies of it alone are enough.
 * NULL where there is none. */
static struct nest **cut_part(const struct cuts *c, struct nest **list)
{
	struct nest **part = NULL, **deeper = NULL;
	bool others = false;

	for (struct nest **hole = list; *hole; hole = &(*hole)->next) {
		bool cut = has_cuts(c, *hole);

		if (cut && part)
			return NULL;
		part = cut ? hole : part;
		others |= !cut && (*hole)->stores > 0;
	}
	if (part && (*part)->axis && (*part)->annotation < ANNOTATION_VECTOR)
		deeper = cut_part(c, &(*part)->body);
	return deeper ? deeper : others ? part : NULL;
}

/* --- splitting */

/* Parts multiply at each loop that is split. */
struct partition {
	struct arena *a;
	int copies;
};

/* More parts than any program that is not refused as too large has. */
enum { MAX_COPIES = 128 };

static struct nest *partition_list(struct partition *p, struct nest *nest);

/* Loop or let N for the values [lo, hi) of its axis alone; the body with what follows from that. */
static struct nest *segment(struct partition *p, const struct nest *n, int64_t lo, int64_t hi)
{
	struct arena *a = p->a;
	struct axis *axis = arena_memdup(a, n->axis, sizeof(*axis));

	if (p->copies++ >= MAX_COPIES)
		return NULL;
	axis->lo = lo;
	axis->hi = hi;
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

static struct nest *partition_node(struct partition *p, struct nest *n)
{
	struct cuts c = { .a = p->a, .axis = n->axis, .body = n->body };
	bool expands = n->kind == NEST_LOOP && n->annotation == ANNOTATION_UNROLL;
	int stores = 0;

	if (!n->compared)
		return n;
	if (n->axis && !expands)	/* unrolled turns are decided one by one */
		find_cuts(&c, n->body);
	for (const struct nest *below = n->body; below; below = below->next)
		stores += below->stores;
	bool splits = c.n > 0 && stores * (c.n + 1) <= MAX_STORES;
	struct nest **part = splits ? cut_part(&c, &n->body) : NULL;

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

bool pass_borders(struct program *program, const char **why)
{
	struct partition p = { .a = program->arena };

	nest_survey(program->body);
	program->body = partition_list(&p, program->body);
	if (p.copies > MAX_COPIES)
		*why = "too many statements when unrolled";
	return p.copies <= MAX_COPIES;
}
