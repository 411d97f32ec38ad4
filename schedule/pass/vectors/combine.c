/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/vectors/combine.c - vectors of a reduction: several are combined lane by lane, and what comes of them to the
 * element, whose lanes the emitter combines. */
#include "schedule/pass/vectors/combine.h"

#include "schedule/mask.h"

/* So many vectors are combined before the lanes of one are: chosen so that the eight instructions of the latter
 * are the lesser part. */
enum { MAX_TOGETHER = 8 };

struct register_reads {
	const struct vectorizer *in;
	const struct axis *axis;
	int lanes;
	bool whole;	/* each is one variable */
};

static bool check_registers(const struct expr *e, void *user)
{
	struct register_reads *r = user;

	if (e->kind == EXPR_LOAD && buffer_of(e->tensor)->registers && expr_uses_axis(e, r->axis))
		r->whole &= lanes_are_variable(r->in, buffer_of(e->tensor), e->index, r->axis, r->lanes);
	return r->whole && e->loads;
}

/* What the store in loop N combines in the turns of AXIS, BEHIND of them later; what is beyond the end adds nothing.
 * NULL where that would have to be asked lane by lane. */
static const struct expr *vector_term(const struct vectorizer *in, const struct nest *n,
				      const struct axis *axis, int64_t behind)
{
	struct arena *a = in->a;
	enum dtype t = n->body->buffer->tensor.dtype;
	const struct expr *nothing = expr_const(a, t, reducer_identity(n->body->reducer, t));
	const struct expr *turn = expr_add(a, expr_axis(a, axis), expr_int(a, behind));
	const struct nest *store = nest_copy(a, n->body, &n->axis, &turn, 1);
	const struct expr *term = store ? store->value : nothing;	/* a store that adds nothing is left out */
	struct register_reads registers = { in, axis, (int)(axis->hi - axis->lo), true };
	struct mask m;

	if (axis->hi + behind <= n->axis->hi)
		return term;
	expr_visit(term, check_registers, &registers);
	term = expr_select(a, expr_binary(a, EXPR_LT, turn, expr_int(a, n->axis->hi)), term, nothing);
	return registers.whole && n->border != BORDER_PARTITION && mask_of_select(a, in->target, term, axis, &m)
		       ? term
		       : NULL;
}

/* Loop N combines its turns to one element: those from AT on as one vector of LANES, which is several combined
 * lane by lane first; *END becomes the turn behind them. NULL where that is not so much as one vector. */
static struct nest *combine_vectors(const struct vectorizer *in, const struct nest *n, int64_t at, int lanes,
				    int64_t *end)
{
	const struct expr *term[MAX_TOGETHER];
	const struct axis *axis = axis_part(in->a, n->axis, at, at + lanes);
	enum expr_kind combine = reducer_combine(n->body->reducer);
	int terms = 0;

	while (terms < MAX_TOGETHER && at + (int64_t)terms * lanes < n->axis->hi &&
	       (term[terms] = vector_term(in, n, axis, (int64_t)terms * lanes)))
		terms++;
	if (terms == 0)
		return NULL;
	*end = at + (int64_t)terms * lanes;
	for (int step = 1; step < terms; step *= 2)
		for (int i = 0; i + step < terms; i += 2 * step)
			term[i] = expr_binary(in->a, combine, term[i], term[i + step]);
	struct nest *store = arena_memdup(in->a, n->body, sizeof(*store));
	struct nest *loop = arena_memdup(in->a, n, sizeof(*loop));

	store->value = term[0];
	loop->next = NULL;
	loop->axis = axis;
	loop->lanes = lanes;
	loop->body = store;
	return loop;
}

/* Does loop N combine its turns to one element, and do nothing else? */
static bool is_combination(const struct nest *n)
{
	const struct nest *store = n->body;

	return store && !store->next && store->kind == NEST_STORE && store_combines_lanes(store, n->axis);
}

struct nest *combine_turns(const struct vectorizer *v, const struct nest *n, int64_t *end)
{
	struct nest *first = NULL, *next;

	if (!is_combination(n))
		return NULL;
	int lanes = target_lanes(v->target, dtype_bytes(n->body->buffer->tensor.dtype));

	while (lanes / 2 >= n->axis->hi - n->axis->lo)
		lanes /= 2;
	while (lanes > 1 && *end < n->axis->hi && (next = combine_vectors(v, n, *end, lanes, end)))
		first = nest_append(first, next);
	return first;
}
