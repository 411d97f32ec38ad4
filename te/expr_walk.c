/* SPDX-License-Identifier: Apache-2.0 */
/* te/expr_walk.c - walks over expressions: comparing, counting, rewriting. */
#include "te/expr.h"

#include <assert.h>

bool expr_equal(const struct expr *x, const struct expr *y)
{
	if (x == y)
		return true;
	if (x->kind != y->kind || x->dtype != y->dtype || x->axes != y->axes)
		return false;
	switch (x->kind) {
	case EXPR_INT:
		return x->i == y->i;
	case EXPR_FLOAT:
		return memcmp(&x->f, &y->f, sizeof(x->f)) == 0;
	case EXPR_AXIS:
		return x->axis == y->axis;
	case EXPR_LOAD:
		if (x->tensor != y->tensor)
			return false;
		for (int i = 0; i < x->tensor->ndim; i++)
			if (!expr_equal(x->index[i], y->index[i]))
				return false;
		return true;
	default:
		for (int i = 0; i < expr_kind_arity(x->kind); i++)
			if (!expr_equal(x->arg[i], y->arg[i]))
				return false;
		return true;
	}
}

void expr_visit(const struct expr *e, bool (*visit)(const struct expr *e, void *user), void *user)
{
	if (!visit(e, user))
		return;
	if (e->kind == EXPR_LOAD)
		for (int i = 0; i < e->tensor->ndim; i++)
			expr_visit(e->index[i], visit, user);
	for (int i = 0; i < expr_kind_arity(e->kind); i++)
		expr_visit(e->arg[i], visit, user);
}

/* Is it worth to note what has been done with E? As the elements that the rows of a transform are sums of, it may be
 * at several places. */
static bool is_shared(const struct expr *e)
{
	return e->loads && (e->kind == EXPR_LOAD || e->kind == EXPR_CAST || e->kind == EXPR_SELECT);
}

/* A power of two: enough for the rows of a transform, as few as are cleared in no time. */
enum { NOTED = 64 };

/* What was visited, by address, as far as it is still there. */
struct visit_once {
	bool (*visit)(const struct expr *e, void *user);
	void *user;
	const struct expr *seen[NOTED];
};

static void visit_once(struct visit_once *v, const struct expr *e)
{
	if (is_shared(e)) {
		const struct expr **seen = &v->seen[expr_slot(e, NOTED)];

		if (*seen == e)
			return;
		*seen = e;
	}
	if (!v->visit(e, v->user))
		return;
	int n = e->kind == EXPR_LOAD ? e->tensor->ndim : expr_kind_arity(e->kind);
	const struct expr *const *arg = e->kind == EXPR_LOAD ? e->index : e->arg;

	for (int i = 0; i < n; i++)
		visit_once(v, arg[i]);
}

void expr_visit_once(const struct expr *e, bool (*visit)(const struct expr *e, void *user), void *user)
{
	struct visit_once v;	/* no initializer: it is large */

	if (!e->loads || e->kind == EXPR_LOAD) {
		expr_visit(e, visit, user);
		return;
	}
	v.visit = visit;
	v.user = user;
	memset(v.seen, 0, sizeof(v.seen));
	visit_once(&v, e);
}

struct node_tally {
	const struct tensor *tensor;	/* NULL: any node counts */
	int64_t n;
};

static bool tally_node(const struct expr *e, void *user)
{
	struct node_tally *t = user;

	t->n += !t->tensor || (e->kind == EXPR_LOAD && e->tensor == t->tensor);
	return !t->tensor || e->loads;
}

static int64_t count(const struct expr *e, const struct tensor *t)
{
	struct node_tally tally = { .tensor = t };

	expr_visit(e, tally_node, &tally);
	return tally.n;
}

int64_t expr_size(const struct expr *e)
{
	return count(e, NULL);
}

int64_t expr_loads(const struct expr *e, const struct tensor *t)
{
	return count(e, t);
}

static const struct expr *rebuild(struct arena *a, const struct expr *e,
				  const struct expr *const *arg)
{
	switch (expr_kind_arity(e->kind)) {
	case 1:
		return e->kind == EXPR_CAST ? expr_cast(a, e->dtype, arg[0])
					    : expr_unary(a, e->kind, arg[0]);
	case 2:
		return expr_binary(a, e->kind, arg[0], arg[1]);
	default:
		return expr_select(a, arg[0], arg[1], arg[2]);
	}
}

/* Parts that an expression has at several places are rewritten once and stay one. */
struct rewriting {
	struct arena *a;
	const struct expr *(*replace)(struct arena *a, const struct expr *e, void *user);
	void *user;
	bool shares;		/* there may be such parts */
	const struct expr *from[NOTED], *to[NOTED];	/* by address; as far as they are still there */
};

static const struct expr *rewrite(struct rewriting *r, const struct expr *e);

static const struct expr *rewrite_node(struct rewriting *r, const struct expr *e)
{
	const struct expr *other = r->replace(r->a, e, r->user);
	const struct expr *arg[TENSOR_MAX_DIMS];
	bool changed = false;

	if (other)
		return other;
	int n = e->kind == EXPR_LOAD ? e->tensor->ndim : expr_kind_arity(e->kind);
	const struct expr *const *old = e->kind == EXPR_LOAD ? e->index : e->arg;

	for (int i = 0; i < n; i++) {
		arg[i] = rewrite(r, old[i]);
		changed |= arg[i] != old[i];
	}
	if (!changed)
		return e;
	return e->kind == EXPR_LOAD ? expr_load(r->a, e->tensor, arg) : rebuild(r->a, e, arg);
}

static const struct expr *rewrite_noted(struct rewriting *r, const struct expr *e)
{
	unsigned at = expr_slot(e, NOTED);

	if (r->from[at] != e) {
		const struct expr *to = rewrite_node(r, e);

		r->from[at] = e;	/* only now: what is below may have had the same place */
		r->to[at] = to;
	}
	return r->to[at];
}

static const struct expr *rewrite(struct rewriting *r, const struct expr *e)
{
	return r->shares && is_shared(e) ? rewrite_noted(r, e) : rewrite_node(r, e);
}

const struct expr *expr_rewrite(struct arena *a, const struct expr *e,
				const struct expr *(*replace)(struct arena *a,
							      const struct expr *e, void *user),
				void *user)
{
	struct rewriting r;	/* no initializer: it is large */

	r.a = a;
	r.replace = replace;
	r.user = user;
	r.shares = e->loads && e->kind != EXPR_LOAD && e->kind != EXPR_CAST;
	if (r.shares)
		memset(r.from, 0, sizeof(r.from));
	return rewrite(&r, e);
}

struct substitution {
	const struct axis *const *from;
	const struct expr *const *to;
	int n;
	uint32_t axes;	/* the bits of FROM */
};

static const struct expr *replace_axis(struct arena *a, const struct expr *e, void *user)
{
	const struct substitution *s = user;

	(void)a;
	if (!(e->axes & s->axes))
		return e;
	if (e->kind != EXPR_AXIS)
		return NULL;
	for (int i = 0; i < s->n; i++)
		if (s->from[i] == e->axis)
			return s->to[i];
	return NULL;
}

const struct expr *expr_substitute(struct arena *a, const struct expr *e,
				   const struct axis *const *from, const struct expr *const *to,
				   int n)
{
	struct substitution s = { .from = from, .to = to, .n = n };

	for (int i = 0; i < n; i++)
		s.axes |= axis_bit(from[i]);
	return expr_rewrite(a, e, replace_axis, &s);
}

const struct expr *expr_cast_load(const struct expr *e)
{
	if (e->kind == EXPR_CAST)
		e = e->arg[0];
	return e->kind == EXPR_LOAD ? e : NULL;
}

bool expr_uses_axis(const struct expr *e, const struct axis *axis)
{
	if (!(e->axes & axis_bit(axis)))
		return false;
	if (e->kind == EXPR_AXIS)
		return e->axis == axis;
	int n = e->kind == EXPR_LOAD ? e->tensor->ndim : expr_kind_arity(e->kind);
	const struct expr *const *arg = e->kind == EXPR_LOAD ? e->index : e->arg;

	for (int i = 0; i < n; i++)
		if (expr_uses_axis(arg[i], axis))
			return true;
	return false;
}
