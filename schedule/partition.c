/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/partition.c - moves conditions out of loops by splitting the loops' ranges.
 *
 * Requires: a nest whose conditions are comparisons of linear forms.
 * Provides: where a condition changes its value at a point of a loop's range, the loop is split
 *           there; tails and borders become loops of their own, the main part has no condition.
 * Keeps:    what is computed, and its order within a stage. */
#include "schedule/nest.h"
#include "te/index.h"

/* Copies of a loop's body grow the code; past these bounds conditions stay where they are. */
enum { MAX_CUTS = 8, MAX_STORES = 96 };

/* --- copying */

struct copy {
	struct arena *a;
	struct from_vec VEC(const struct axis *) from;
	struct to_vec VEC(const struct expr *) to;
};

static const struct expr *copy_expr(struct copy *c, const struct expr *e)
{
	if (c->from.n == 0)
		return e;
	return expr_simplify(c->a, expr_substitute(c->a, e, c->from.at, c->to.at, c->from.n));
}

static void bind(struct copy *c, const struct axis *from, const struct expr *to)
{
	vec_push(c->a, &c->from, from);
	vec_push(c->a, &c->to, to);
}

/* A new axis in the place of OLD, with the range given. */
static const struct axis *bind_axis(struct copy *c, const struct axis *old, int64_t lo, int64_t hi)
{
	struct axis *axis = arena_memdup(c->a, old, sizeof(*old));

	axis->lo = lo;
	axis->hi = hi;
	bind(c, old, hi - lo == 1 ? expr_int(c->a, lo) : expr_axis(c->a, axis));
	return axis;
}

static struct nest *copy_list(struct copy *c, const struct nest *n);

static struct nest *copy_node(struct copy *c, const struct nest *n)
{
	struct nest *out = arena_memdup(c->a, n, sizeof(*n));

	out->next = NULL;
	if (n->value)
		out->value = copy_expr(c, n->value);
	if (n->kind == NEST_IF && out->value->kind == EXPR_INT)
		return copy_list(c, out->value->i ? n->body : n->other);
	if (n->kind == NEST_STORE) {
		out->index = arena_many(c->a, const struct expr *, n->buffer->tensor.ndim);
		for (int i = 0; i < n->buffer->tensor.ndim; i++)
			out->index[i] = copy_expr(c, n->index[i]);
		return out;
	}
	if (n->axis)
		out->axis = bind_axis(c, n->axis, n->axis->lo, n->axis->hi);
	out->body = copy_list(c, n->body);
	out->other = copy_list(c, n->other);
	if (n->axis)
		c->from.n = --c->to.n;
	if (!out->body && !out->other && n->kind != NEST_ALLOC)
		return NULL;	/* all of it was conditional */
	return out;
}

static struct nest *copy_list(struct copy *c, const struct nest *n)
{
	struct nest *first = NULL;
	struct nest **hole = &first;

	for (; n; n = n->next) {
		*hole = copy_node(c, n);
		while (*hole)
			hole = &(*hole)->next;
	}
	return first;
}

struct nest *nest_copy(struct arena *a, const struct nest *nest, const struct axis *const *from,
		       const struct expr *const *to, int n)
{
	struct copy c = { .a = a };

	for (int i = 0; i < n; i++)
		bind(&c, from[i], to[i]);
	return copy_list(&c, nest);
}

/* --- where conditions change */

struct cuts {
	struct arena *a;
	const struct axis *axis;
	struct inner_vec VEC(const struct axis *) inner;	/* bound inside the loop */
	struct local_vec VEC(const struct buffer *) locals;	/* allocated inside the loop */
	int stores;
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

static bool is_outer_axis(const struct expr *e, void *user)
{
	struct cuts *c = user;

	if (e->kind != EXPR_AXIS)
		return true;
	for (int i = 0; i < c->inner.n; i++)
		if (c->inner.at[i] == e->axis)
			return true;
	c->axis = NULL;
	return false;
}

/* True where all axes of E are bound inside the loop. */
static bool is_inner(const struct cuts *c, const struct expr *e)
{
	struct cuts probe = *c;

	expr_visit(e, is_outer_axis, &probe);
	return probe.axis != NULL;
}

static int64_t ceil_div(int64_t x, int64_t y)
{
	return x >= 0 ? (x + y - 1) / y : -(-x / y);
}

static int64_t floor_div(int64_t x, int64_t y)
{
	return -ceil_div(-x, y);
}

/* The points at which coef * axis + rest >= 0 becomes certain, or certainly false. */
static void cut_comparison(struct cuts *c, const struct expr *e)
{
	const struct expr *minus = expr_binary(c->a, EXPR_SUB, e->arg[1], e->arg[0]);
	struct linear l;

	if (e->arg[0]->dtype != DTYPE_I64 || !linear_from(c->a, minus, &l))
		return;
	l.constant -= e->kind == EXPR_LT;
	int64_t coef = linear_coef(&l, c->axis);

	if (coef == 0)
		return;
	struct range rest = { l.constant, l.constant };

	for (int i = 0; i < l.n; i++) {
		struct linear one = { .n = 1, .term = { l.term[i] } };
		struct range r = linear_range(&one);

		if (l.term[i].atom->kind == EXPR_AXIS && l.term[i].atom->axis == c->axis)
			continue;
		if (!is_inner(c, l.term[i].atom))
			return;		/* an outer loop decides */
		rest.lo += r.lo;
		rest.hi += r.hi;
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
	return true;
}

static void find_inner(struct cuts *c, const struct nest *n)
{
	for (; n; n = n->next) {
		c->stores += n->kind == NEST_STORE;
		if (n->axis)
			vec_push(c->a, &c->inner, n->axis);
		if (n->kind == NEST_ALLOC)
			vec_push(c->a, &c->locals, n->buffer);
		find_inner(c, n->body);
		find_inner(c, n->other);
	}
}

/* Does node N do no more than fill local buffers, without reducing? */
static bool only_fills(const struct cuts *c, const struct nest *n)
{
	bool local = false;

	for (int i = 0; i < c->locals.n; i++)
		local |= n->buffer == c->locals.at[i];
	if (n->kind == NEST_STORE)
		return local && n->reducer == REDUCE_NONE;
	for (const struct nest *m = n->body; m; m = m->next)
		if (!only_fills(c, m))
			return false;
	for (const struct nest *m = n->other; m; m = m->next)
		if (!only_fills(c, m))
			return false;
	return true;
}

/* What fills a local buffer keeps its conditions: they are checked once for many uses, and copies of
 * all that uses the buffer would be a high price for dropping them. */
static void find_cuts(struct cuts *c, const struct nest *n)
{
	for (; n; n = n->next) {
		if (only_fills(c, n))
			continue;
		if (n->value)
			expr_visit(n->value, cut_expr, c);
		find_cuts(c, n->body);
		find_cuts(c, n->other);
	}
}

/* --- splitting */

/* Loop or let N for the values [lo, hi) of its axis alone; the body with what follows from that. */
static struct nest *segment(struct arena *a, const struct nest *n, int64_t lo, int64_t hi)
{
	struct copy c = { .a = a };
	const struct axis *axis = bind_axis(&c, n->axis, lo, hi);
	struct nest *body = partition_loops(a, copy_list(&c, n->body));

	if (!body || hi - lo == 1)
		return body;
	struct nest *out = arena_memdup(a, n, sizeof(*n));

	out->next = out->other = NULL;
	out->axis = axis;
	out->body = body;
	return out;
}

static struct nest *split_serial(struct arena *a, const struct nest *n, const struct cuts *c)
{
	struct nest *first = NULL;
	struct nest **hole = &first;
	int64_t lo = n->axis->lo;

	for (int i = 0; i <= c->n; i++) {
		int64_t hi = i < c->n ? c->at[i] : n->axis->hi;

		*hole = segment(a, n, lo, hi);
		while (*hole)
			hole = &(*hole)->next;
		lo = hi;
	}
	return first;
}

/* A let (or a parallel loop, by way of a let) cannot be split: it chooses among versions. */
static struct nest *choose_version(struct arena *a, const struct nest *let, const struct cuts *c,
				   int i, int64_t lo)
{
	if (i == c->n)
		return segment(a, let, lo, let->axis->hi);
	struct nest *branch = arena_one(a, struct nest);

	branch->kind = NEST_IF;
	branch->value = expr_binary(a, EXPR_LT, let->value, expr_int(a, c->at[i]));
	branch->body = segment(a, let, lo, c->at[i]);
	branch->other = choose_version(a, let, c, i + 1, c->at[i]);
	return branch->body || branch->other ? branch : NULL;
}

static struct nest *split_parallel(struct arena *a, struct nest *loop, const struct cuts *c)
{
	struct nest let = { .kind = NEST_LET, .axis = loop->axis, .body = loop->body };
	struct axis *turn = arena_memdup(a, loop->axis, sizeof(*turn));

	let.value = expr_axis(a, turn);
	loop->axis = turn;
	loop->body = choose_version(a, &let, c, 0, turn->lo);
	return loop->body ? loop : NULL;
}

static struct nest *partition_node(struct arena *a, struct nest *n)
{
	struct cuts c = { .a = a, .axis = n->axis };
	bool expands = n->kind == NEST_LOOP && n->annotation == ANNOTATION_UNROLL;

	if (n->axis && !expands) {	/* unrolled turns are decided one by one */
		find_inner(&c, n->body);
		find_cuts(&c, n->body);
	}
	if (c.n == 0 || c.stores * (c.n + 1) > MAX_STORES) {
		n->body = partition_loops(a, n->body);
		n->other = partition_loops(a, n->other);
		return n;
	}
	if (n->kind == NEST_LET)
		return choose_version(a, n, &c, 0, n->axis->lo);
	if (n->annotation == ANNOTATION_PARALLEL)
		return split_parallel(a, n, &c);
	return split_serial(a, n, &c);
}

struct nest *partition_loops(struct arena *a, struct nest *nest)
{
	struct nest *first = NULL;
	struct nest **hole = &first;

	while (nest) {
		struct nest *next = nest->next;

		nest->next = NULL;
		*hole = partition_node(a, nest);
		while (*hole)
			hole = &(*hole)->next;
		nest = next;
	}
	return first;
}
