/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/guard.c - terms that add nothing are not computed.
 *
 * Requires: a nest whose loops are not split yet.
 * Provides: where a term of a reduction is its neutral value unless a condition holds, as one that is
 *           multiplied by a zero of padding, the statement is under that condition instead, and the
 *           condition is as far out as it goes: behind the innermost loop that moves it.
 * Keeps:    results, as long as what is multiplied by a zero is finite: weights are taken to be. */
#include "schedule/pass/pass.h"
#include "te/index/index.h"

/* Conditions on a path; more stay where they are. */
enum { MAX_CONDITIONS = 16 };

/* What a node is under, and may go further out. */
struct conditions {
	const struct expr *at[MAX_CONDITIONS];
	int n;
};

struct guarding {
	struct arena *a;
	/* Around this place: those that are lanes, those that are written out, or follow from such. */
	struct axis_stack VEC(const struct axis *) lanes;
	struct axis_stack written;
};

/* --- terms */

static bool uses_one_of(const struct expr *e, const struct axis_stack *axes)
{
	for (int i = 0; i < axes->n; i++)
		if (expr_uses_axis(e, axes->at[i]))
			return true;
	return false;
}

/* Takes the parts of the conjunction E that are the same in all lanes and of indices alone; what is left
 * of it, NULL: nothing. */
static const struct expr *take(const struct guarding *g, struct conditions *c, const struct expr *e)
{
	if (e->kind == EXPR_AND) {
		const struct expr *x = take(g, c, e->arg[0]), *y = take(g, c, e->arg[1]);

		return x && y ? expr_binary(g->a, EXPR_AND, x, y) : x ? x : y;
	}
	if (e->loads || uses_one_of(e, &g->lanes) || c->n == MAX_CONDITIONS)
		return e;
	c->at[c->n++] = e;
	return NULL;
}

/* Term E of a reduction by R without the conditions without which it is neutral: C gets them. */
static const struct expr *bare(const struct guarding *g, struct conditions *c, const struct expr *e,
			       enum reducer r)
{
	if (e->kind == EXPR_SELECT && term_is_neutral(e->arg[2], r)) {
		const struct expr *left = take(g, c, e->arg[0]);
		const struct expr *value = bare(g, c, e->arg[1], r);

		return left ? expr_select(g->a, left, value, e->arg[2]) : value;
	}
	if (r != REDUCE_SUM)
		return e;
	if (e->kind == EXPR_CAST && e->arg[0]->dtype != DTYPE_BOOL)
		return expr_cast(g->a, e->dtype, bare(g, c, e->arg[0], r));
	if (e->kind == EXPR_MUL)
		return expr_binary(g->a, EXPR_MUL, bare(g, c, e->arg[0], r),
				   bare(g, c, e->arg[1], r));
	return e;
}

/* --- the way out */

static struct nest *under(const struct guarding *g, const struct expr *condition, struct nest *body)
{
	struct nest *n = arena_one(g->a, struct nest);

	n->kind = NEST_IF;
	n->value = condition;
	n->body = body;
	n->guard = uses_one_of(condition, &g->written) ? GUARD_TILE : GUARD_LOOP;
	return n;
}

static struct nest *guard_list(struct guarding *g, struct nest *list, struct conditions *c);

/* Puts what of C AXIS moves, or all of it where AXIS is NULL, around BODY. */
static struct nest *wrap(const struct guarding *g, struct conditions *c, const struct axis *axis,
			 struct nest *body)
{
	int kept = 0;

	for (int i = c->n - 1; i >= 0; i--)
		if (!axis || expr_uses_axis(c->at[i], axis))
			body = under(g, c->at[i], body);
	for (int i = 0; i < c->n; i++)
		if (axis && !expr_uses_axis(c->at[i], axis))
			c->at[kept++] = c->at[i];
	c->n = kept;
	return body;
}

/* Does N open an axis that is, or follows from, one of AXES, or a loop annotated AS? */
static bool opens(const struct nest *n, const struct axis_stack *axes, enum annotation as)
{
	return n->kind == NEST_LOOP ? n->annotation == as
				    : n->kind == NEST_LET && uses_one_of(n->value, axes);
}

/* What is inside N; C gets what may go further out. */
static void guard_inside(struct guarding *g, struct nest *n, struct conditions *c)
{
	struct conditions other = { .n = 0 };
	bool lanes = opens(n, &g->lanes, ANNOTATION_VECTOR);
	bool written = lanes || opens(n, &g->written, ANNOTATION_UNROLL);

	if (lanes)
		vec_push(g->a, &g->lanes, n->axis);
	if (written)
		vec_push(g->a, &g->written, n->axis);
	n->body = guard_list(g, n->body, c);
	if (n->other || n->axis)
		n->body = wrap(g, c, n->other ? NULL : n->axis, n->body);
	n->other = guard_list(g, n->other, &other);
	n->other = wrap(g, &other, NULL, n->other);
	g->lanes.n -= lanes;
	g->written.n -= written;
}

/* Node N, alone. */
static struct nest *guard_node(struct guarding *g, struct nest *n, struct conditions *c)
{
	if (n->kind != NEST_STORE)
		guard_inside(g, n, c);
	else if (n->reducer != REDUCE_NONE)
		n->value = bare(g, c, n->value, n->reducer);
	return n;
}

/* Conditions leave a list that is one node; of several each keeps its own. */
static struct nest *guard_list(struct guarding *g, struct nest *list, struct conditions *c)
{
	struct nest *first = NULL;
	struct nest **hole = &first;

	if (list && !list->next)
		return guard_node(g, list, c);
	while (list) {
		struct conditions own = { .n = 0 };
		struct nest *next = list->next;

		list->next = NULL;
		list = guard_node(g, list, &own);
		*hole = wrap(g, &own, NULL, list);
		hole = &(*hole)->next;
		list = next;
	}
	return first;
}

bool nest_pass_guard(struct program *p, const char **why)
{
	struct guarding g = { .a = p->arena };
	struct conditions c = { .n = 0 };

	(void)why;
	p->body = guard_list(&g, p->body, &c);
	p->body = wrap(&g, &c, NULL, p->body);
	return true;
}
