/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/races.c - proves that threads do not meet.
 *
 * Requires: a nest whose loops are not split yet: a proof goes by the whole of a loop.
 * Provides: the turns of a parallel loop, and of one of virtual threads, write different elements; what cannot be proved is refused.
 * Keeps:    everything. */
#include "schedule/pass/pass.h"
#include "te/index/index.h"

/* What is bound on the way from a parallel loop to a store inside it. */
struct path {
	struct arena *scratch;
	const struct axis *parallel;
	const struct nest *at[64];
	int n;
	const struct axis *same[16];	/* known to agree in the two turns that are compared */
	int nsame;
};

static bool is_same(const struct path *p, const struct axis *axis)
{
	for (int i = 0; i < p->nsame; i++)
		if (p->same[i] == axis)
			return true;
	return false;
}

/* May E have different values in two turns, of one or of two turns of the parallel loop? */
static bool varies(const struct path *p, const struct expr *e)
{
	if (!is_same(p, p->parallel) && expr_uses_axis(e, p->parallel))
		return true;
	for (int i = 0; i < p->n; i++) {
		const struct nest *n = p->at[i];

		if (n->axis && !is_same(p, n->axis) && expr_uses_axis(e, n->axis) &&
		    (n->kind != NEST_LET || varies(p, n->value)))
			return true;
	}
	return false;
}

/* Different values of AXIS give different values of E, whatever the axes inside are. */
static bool separates(const struct path *p, const struct expr *e, const struct axis *axis)
{
	struct linear l;
	struct range rest = { 0, 0 };

	if (!linear_from(p->scratch, e, &l))
		return false;
	int64_t coef = linear_coef(&l, axis);

	for (int i = 0; i < l.n; i++) {
		struct linear one = { .n = 1, .term = { l.term[i] } };
		struct range r = linear_range(&one);

		if (l.term[i].atom->kind == EXPR_AXIS && l.term[i].atom->axis == axis)
			continue;
		if (expr_uses_axis(l.term[i].atom, axis))
			return false;
		if (!varies(p, l.term[i].atom))
			continue;
		rest.lo += r.lo;
		rest.hi += r.hi;
	}
	return coef != 0 && rest.hi - rest.lo < (coef < 0 ? -coef : coef);
}

/* Is all inside N under t < a || X < END, where LEAST is min(t, a)? */
static bool ends_short(const struct nest *n, const struct expr *least, const struct expr *x, int64_t end)
{
	const struct expr *e = n->kind == NEST_IF && !n->other ? n->value : NULL;
	int64_t own;

	return e && e->kind == EXPR_OR && e->arg[0]->kind == EXPR_LT && e->arg[1]->kind == EXPR_LT &&
	       expr_equal(e->arg[0]->arg[0], least->arg[0]) && expr_equal(e->arg[0]->arg[1], least->arg[1]) &&
	       expr_equal(e->arg[1]->arg[0], x) && expr_is_int(e->arg[1]->arg[1], &own) && own <= end;
}

/* The part of L that varies; false where AXIS is in it. */
static bool varying(const struct path *p, const struct linear *l, const struct axis *axis, struct linear *out)
{
	*out = (struct linear){ .n = 0 };
	for (int i = 0; i < l->n; i++) {
		if (expr_uses_axis(l->term[i].atom, axis))
			return false;
		if (varies(p, l->term[i].atom))
			out->term[out->n++] = l->term[i];
	}
	return true;
}

/* The same of tiles of two sizes: E = n * t + min(t, a) + x with 0 <= x <= n, and x < n but for t < a. Then E is less in a
 * tile than in any behind it, and different values of AXIS are different tiles. */
static bool separates_tiles(const struct path *p, const struct expr *e, const struct axis *axis)
{
	struct linear all, t, x;
	const struct expr *least = NULL;

	if (!linear_from(p->scratch, e, &all))
		return false;
	for (int i = 0; i < all.n; i++)
		if (all.term[i].atom->kind == EXPR_MIN && all.term[i].coef == 1)
			least = all.term[i].atom;
	if (!least || !separates(p, least->arg[0], axis) || !linear_from(p->scratch, least->arg[0], &t))
		return false;
	int64_t n = linear_coef(&all, axis) / linear_coef(&t, axis);

	if (!linear_add_expr(p->scratch, &all, least, -1) || !linear_add(&all, &t, -n) ||
	    !varying(p, &all, axis, &x) || linear_range(&x).lo < 0 || linear_range(&x).hi > n)
		return false;
	const struct expr *turn = linear_expr(p->scratch, &x);

	for (int i = 0; i < p->n; i++)
		if (ends_short(p->at[i], least, turn, n))
			return true;
	return false;
}

static bool tells(struct path *p, const struct nest *store, const struct axis *axis);

/* Let REMAINDER has what let QUOTIENT leaves out of the same value, or more. */
static bool completes(const struct nest *quotient, const struct nest *remainder)
{
	const struct expr *q = quotient->value;
	const struct expr *r = remainder->value;
	int64_t by, mod;

	return remainder->kind == NEST_LET && r->kind == EXPR_MOD &&
	       expr_is_int(q->arg[1], &by) && expr_is_int(r->arg[1], &mod) && mod >= by &&
	       expr_equal(q->arg[0], r->arg[0]);
}

/* The element tells X, and where X agrees, Y: as digits of a number do. */
static bool tells_both(struct path *p, const struct nest *store, const struct axis *x,
		       const struct axis *y)
{
	if (p->nsame == 16 || !tells(p, store, x))
		return false;
	p->same[p->nsame++] = x;
	bool both = tells(p, store, y);

	p->nsame--;
	return both;
}

/* The store's element tells the value of let N, and by that (and its remainder) that of AXIS. */
static bool tells_by_let(struct path *p, const struct nest *store, const struct nest *n,
			 const struct axis *axis)
{
	if (n->value->kind != EXPR_DIV)
		return separates(p, n->value, axis) && tells(p, store, n->axis);
	for (int i = 0; i < p->n && separates(p, n->value->arg[0], axis); i++)
		if (completes(n, p->at[i]))
			return tells_both(p, store, n->axis, p->at[i]->axis) ||
			       tells_both(p, store, p->at[i]->axis, n->axis);
	return false;
}

/* The store's element tells the value of AXIS: by an index of its own, or by way of lets. */
static bool tells(struct path *p, const struct nest *store, const struct axis *axis)
{
	if (axis->hi - axis->lo <= 1)
		return true;
	for (int i = 0; i < store->buffer->tensor.ndim; i++)
		if (separates(p, store->index[i], axis) || separates_tiles(p, store->index[i], axis))
			return true;
	for (int i = 0; i < p->n; i++)
		if (p->at[i]->kind == NEST_LET && tells_by_let(p, store, p->at[i], axis))
			return true;
	return false;
}

static bool is_allocated(const struct path *p, const struct buffer *b)
{
	for (int i = 0; i < p->n; i++)
		if (p->at[i]->kind == NEST_ALLOC && p->at[i]->buffer == b)
			return true;
	return false;
}

static bool check_stores(struct path *p, const struct nest *n, const struct axis *parallel)
{
	int depth = p->n;

	for (; n; n = n->next) {
		int here = p->n;

		if (n->kind == NEST_STORE && !is_allocated(p, n->buffer) &&
		    !tells(p, n, parallel))
			return false;
		if (p->n == 64)
			return false;
		p->at[p->n++] = n;
		if (!check_stores(p, n->body, parallel) || !check_stores(p, n->other, parallel))
			return false;
		if (n->kind != NEST_ALLOC)	/* that one lasts to the end of the block */
			p->n = here;
	}
	p->n = depth;
	return true;
}

static bool check_parallel(struct arena *scratch, const struct nest *loop)
{
	struct path p = { .scratch = scratch, .parallel = loop->axis };

	return check_stores(&p, loop->body, loop->axis);
}

static bool check_loops(struct arena *scratch, const struct nest *n)
{
	for (; n; n = n->next) {
		bool apart = n->kind == NEST_LOOP &&
			     (n->annotation == ANNOTATION_PARALLEL || n->annotation == ANNOTATION_VTHREAD);

		if (apart && !check_parallel(scratch, n))
			return false;
		if (!check_loops(scratch, n->body) || !check_loops(scratch, n->other))
			return false;
	}
	return true;
}

bool nest_pass_races(struct program *p, const char **why)
{
	struct arena *scratch = arena_new();
	bool ok = check_loops(scratch, p->body);

	arena_free(scratch);
	if (!ok)
		*why = "turns of a parallel loop may write the same element";
	return ok;
}
