/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/nest_copy.c - copies of nests, and what is below a node, said once in the node: so searches
 * pass by what has no conditions. */
#include "schedule/nest.h"
#include "te/index/index.h"

static bool add_compared(const struct expr *e, void *user)
{
	bool of_indices = (e->kind == EXPR_LT || e->kind == EXPR_LE) && e->arg[0]->dtype == DTYPE_I64;

	*(uint32_t *)user |= of_indices ? e->axes : 0;
	return e->compares && !of_indices;
}

/* Bits of the axes in comparisons of indices in E. */
static uint32_t compared(const struct expr *e)
{
	uint32_t axes = 0;

	if (e && e->compares)
		expr_visit_once(e, add_compared, &axes);
	return axes;
}

static void survey_node(struct nest *n);

void nest_survey(struct nest *nest)
{
	for (; nest; nest = nest->next)
		survey_node(nest);
}

/* Adds to N what the list BELOW has. */
static void add_below(struct nest *n, const struct nest *below)
{
	for (; below; below = below->next) {
		n->stores += below->stores;
		n->compared |= below->compared;
		n->fills &= below->fills;
	}
}

static void survey_node(struct nest *n)
{
	nest_survey(n->body);
	nest_survey(n->other);
	n->stores = n->kind == NEST_STORE;
	n->compared = compared(n->value);
	n->fills = n->kind != NEST_STORE ||
		   (n->buffer->kind == BUFFER_LOCAL && n->reducer == REDUCE_NONE);
	add_below(n, n->body);
	add_below(n, n->other);
}

/* --- terms */

bool store_combines_lanes(const struct nest *n, const struct axis *axis)
{
	enum dtype t = n->buffer->tensor.dtype;

	if (n->reducer == REDUCE_NONE || (t != DTYPE_F32 && t != DTYPE_F64))
		return false;
	for (int d = 0; d < n->buffer->tensor.ndim; d++)
		if (expr_uses_axis(n->index[d], axis))
			return false;
	return true;
}

/* The store to memory that is all there is in the vector loop in N; NULL: it is not so, or N is no loop for that. */
static const struct nest *store_of_block(const struct nest *n)
{
	const struct nest *v = n->body, *s = v && v->kind == NEST_LOOP && !v->next ? v->body : NULL;
	bool ordinary = n->annotation == ANNOTATION_NONE || n->annotation == ANNOTATION_UNROLL;

	return ordinary && s && v->annotation == ANNOTATION_VECTOR && s->kind == NEST_STORE && !s->next &&
			       !s->buffer->registers
		       ? s
		       : NULL;
}

bool nest_is_block(const struct nest *n)
{
	const struct nest *s = store_of_block(n);

	return s && s->buffer->tensor.dtype == DTYPE_F32 && n->axis->hi - n->axis->lo <= n->body->lanes;
}

bool nest_is_of_words(const struct nest *n)
{
	const struct nest *s = store_of_block(n), *v = n->body;

	return s && s->reducer == REDUCE_NONE && s->buffer->tensor.dtype != DTYPE_BOOL && n->axis->hi - n->axis->lo > 1 &&
	       dtype_bytes(s->buffer->tensor.dtype) * (size_t)(n->axis->hi - n->axis->lo) == dtype_bytes(DTYPE_I32) &&
	       v->axis->hi - v->axis->lo == v->lanes;
}

bool term_is_neutral(const struct expr *e, enum reducer r)
{
	if (e->kind == EXPR_CAST)
		return term_is_neutral(e->arg[0], r) && r == REDUCE_SUM;
	if (e->kind == EXPR_MUL)
		return r == REDUCE_SUM && (term_is_neutral(e->arg[0], r) || term_is_neutral(e->arg[1], r));
	double identity = reducer_identity(r, e->dtype);

	if (e->kind == EXPR_INT)
		return (double)e->i <= identity && (double)e->i >= identity;
	return e->kind == EXPR_FLOAT && e->f <= identity && e->f >= identity;
}

/* --- lists */

struct nest *nest_new(struct arena *a, enum nest_kind kind, struct nest *body)
{
	struct nest *n = arena_one(a, struct nest);

	n->kind = kind;
	n->body = body;
	return n;
}

bool nest_allocates(const struct nest *list)
{
	for (; list; list = list->next)
		if (list->kind == NEST_ALLOC)
			return true;
	return false;
}

struct nest *nest_append(struct nest *first, struct nest *rest)
{
	if (!first)
		return rest;
	struct nest *last = first;

	while (last->next)
		last = last->next;
	last->next = rest;
	return first;
}

/* --- copying */

/* FROM becomes TO. All other axes stay: one may be bound at several places, though never twice on a
 * path. */
struct copy {
	struct arena *a;
	const struct axis *const *from;
	const struct expr *const *to;
	int n;
	bool (*gone)(const struct nest *n, bool alone);	/* NULL: all is there */
};

static const struct expr *copy_expr(const struct copy *c, const struct expr *e)
{
	return expr_simplify_with(c->a, e, c->from, c->to, c->n);
}

static struct nest *copy_list(const struct copy *c, const struct nest *n);

/* The body of N, which is gone: one copy for all that are gone around a place, as each of its own would look at
 * what is inside once more. */
static struct nest *copy_body(const struct copy *c, const struct nest *n)
{
	const struct axis **from = arena_many(c->a, const struct axis *, c->n + 1);
	const struct expr **to = arena_many(c->a, const struct expr *, c->n + 1);
	struct copy inside = { c->a, from, to, c->n + 1, c->gone };

	for (int i = 0; i < c->n; i++) {
		from[i] = c->from[i];
		to[i] = c->to[i];
	}
	from[c->n] = n->axis;
	to[c->n] = expr_int(c->a, n->axis->lo);
	return copy_list(&inside, n->body);
}

static struct nest *copy_node(const struct copy *c, const struct nest *n)
{
	const struct expr *value = n->value ? copy_expr(c, n->value) : NULL;

	if (n->kind == NEST_IF && value->kind == EXPR_INT)
		return copy_list(c, value->i ? n->body : n->other);
	if (n->kind == NEST_STORE && n->reducer != REDUCE_NONE && term_is_neutral(value, n->reducer))
		return NULL;
	struct nest *out = arena_memdup(c->a, n, sizeof(*n));

	out->next = NULL;
	out->value = value;
	if (n->kind == NEST_STORE) {
		out->index = arena_many(c->a, const struct expr *, n->buffer->tensor.ndim);
		for (int i = 0; i < n->buffer->tensor.ndim; i++)
			out->index[i] = copy_expr(c, n->index[i]);
		out->compared = compared(value);
		return out;
	}
	out->body = copy_list(c, n->body);
	out->other = copy_list(c, n->other);
	if (!out->body && !out->other && n->kind != NEST_ALLOC && n->kind != NEST_PREFETCH)
		return NULL;	/* all of it was conditional */
	out->stores = 0;
	out->compared = compared(value);
	out->fills = true;
	add_below(out, out->body);
	add_below(out, out->other);
	return out;
}

static struct nest *copy_list(const struct copy *c, const struct nest *n)
{
	struct nest *first = NULL;
	struct nest **hole = &first;
	bool alone = n && !n->next;

	for (; n; n = n->next) {
		*hole = c->gone && c->gone(n, alone) ? copy_body(c, n) : copy_node(c, n);
		while (*hole)
			hole = &(*hole)->next;
	}
	return first;
}

struct nest *nest_copy(struct arena *a, const struct nest *nest, const struct axis *const *from,
		       const struct expr *const *to, int n)
{
	struct copy c = { a, from, to, n, NULL };

	return copy_list(&c, nest);
}

struct nest *nest_copy_without(struct arena *a, const struct nest *nest,
			       bool (*gone)(const struct nest *n, bool alone))
{
	struct copy c = { .a = a, .gone = gone };

	return copy_list(&c, nest);
}
