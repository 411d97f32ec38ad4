/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/vectorize.c - vector loops become vectors.
 *
 * Requires: split loops, buffers in registers marked.
 * Provides: a vector loop has the turns of one vector (loop.lanes, a power of two no wider than a register)
 *           and nothing in it but stores that the vector form can do, and conditions around them that are masks;
 *           what has no vector form is a written-out loop over its lanes. The node of a buffer in registers says how its variables lie (alloc.layout).
 * Keeps:    results, and the order of stores to one element. */
#include "schedule/mask.h"
#include "schedule/pass/lanes.h"
#include "schedule/pass/pass.h"
#include "te/index/index.h"

static struct nest *vectorize_list(struct vectorizer *v, struct nest *list);

/* --- from a list to where a vector can be */

/* A vector loop's head: its axis has the turns of one vector. */
struct vector_head {
	const struct vectorizer *in;
	const struct nest *loop;
	const struct axis *axis;
	int lanes;
};

static struct nest *new_loop(const struct vector_head *v, enum annotation annotation,
			     struct nest *body)
{
	struct nest *n = arena_memdup(v->in->a, v->loop, sizeof(*n));

	n->next = NULL;
	n->axis = v->axis;
	n->annotation = annotation;
	n->lanes = annotation == ANNOTATION_VECTOR ? v->lanes : 0;
	n->body = body;
	return n;
}

/* Are the stores under condition N, which differs from lane to lane, vectors under a mask? */
static bool is_masked(const struct vector_head *v, const struct nest *n)
{
	struct mask m;

	if (n->kind != NEST_IF ||
	    !mask_of_branch(v->in->a, v->in->target, n, v->axis, &m))
		return false;
	for (const struct nest *s = n->body; s; s = s->next)
		if (!lanes_store(v->in, s, v->axis, v->lanes))
			return false;
	return true;
}

static struct nest *sink_list(const struct vector_head *v, struct nest *list);

/* Node N, alone, with the vector inside of it; NULL where it is a store that vectors can do. */
static struct nest *sink_node(const struct vector_head *v, struct nest *n)
{
	bool lanes_differ = n->value && expr_uses_axis(n->value, v->axis);

	if (n->kind == NEST_STORE)
		return lanes_store(v->in, n, v->axis, v->lanes)
			       ? NULL
			       : new_loop(v, ANNOTATION_UNROLL, n);
	if (lanes_differ)
		return is_masked(v, n) ? NULL : new_loop(v, ANNOTATION_UNROLL, n);
	n->body = sink_list(v, n->body);
	n->other = sink_list(v, n->other);
	return n;
}

static struct nest *sink_list(const struct vector_head *v, struct nest *list)
{
	struct nest *first = NULL, *run = NULL;	/* stores side by side are in one loop */
	struct nest **hole = &first;

	while (list) {
		struct nest *n = list;

		list = n->next;
		n->next = NULL;
		struct nest *own = sink_node(v, n);

		if (!own && run) {
			nest_append(run->body, n);
			continue;
		}
		run = own ? NULL : new_loop(v, ANNOTATION_VECTOR, n);
		*hole = own ? own : run;
		hole = &(*hole)->next;
	}
	return first;
}

/* --- vectors of a reduction */

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
	struct axis *axis = arena_memdup(in->a, n->axis, sizeof(*axis));
	enum expr_kind combine = reducer_combine(n->body->reducer);
	int terms = 0;

	axis->lo = at;
	axis->hi = at + lanes;
	while (terms < MAX_TOGETHER && at + (int64_t)terms * lanes < n->axis->hi &&
	       (term[terms] = vector_term(in, n, axis, (int64_t)terms * lanes)))
		terms++;
	if (terms == 0)
		return NULL;
	*end = at + (int64_t)terms * lanes;
	for (int step = 1; step < terms; step *= 2)
		for (int i = 0; i + step < terms; i += 2 * step)
			term[i] = expr_binary(in->a, combine, term[i], term[i + step]);
	const struct vector_head v = { in, n, axis, lanes };
	struct nest *store = arena_memdup(in->a, n->body, sizeof(*store));

	store->value = term[0];
	return new_loop(&v, ANNOTATION_VECTOR, store);
}

/* --- pieces of a loop */

/* The body of loop N for turns [at, at + lanes) of it. */
static struct nest *piece(const struct vectorizer *in, const struct nest *n, int64_t at, int lanes)
{
	struct axis *axis = arena_memdup(in->a, n->axis, sizeof(*axis));

	axis->lo = at;
	axis->hi = at + lanes < n->axis->hi ? at + lanes : n->axis->hi;
	const struct expr *value = lanes == 1 ? expr_int(in->a, at) : expr_axis(in->a, axis);
	struct nest *body = nest_copy(in->a, n->body, &n->axis, &value, 1);
	const struct vector_head v = { in, n, axis, lanes };

	return lanes == 1 ? body : sink_list(&v, body);
}

/* Does loop N combine its turns to one element, and do nothing else? */
static bool is_combination(const struct nest *n)
{
	const struct nest *store = n->body;

	return store && !store->next && store->kind == NEST_STORE && store_combines_lanes(store, n->axis);
}

/* Turns of loop N, which is a combination, from the first to *END. */
static struct nest *combine_turns(const struct vectorizer *v, const struct nest *n, int64_t *end)
{
	int lanes = target_lanes(v->target, dtype_bytes(n->body->buffer->tensor.dtype));
	struct nest *first = NULL, *next;

	while (lanes / 2 >= n->axis->hi - n->axis->lo)
		lanes /= 2;
	while (lanes > 1 && *end < n->axis->hi && (next = combine_vectors(v, n, *end, lanes, end)))
		first = nest_append(first, next);
	return first;
}

static struct nest *vectorize_loop(const struct vectorizer *v, const struct nest *n)
{
	int64_t at = n->axis->lo;
	struct nest *first = is_combination(n) ? combine_turns(v, n, &at) : NULL;

	while (at < n->axis->hi) {
		int lanes = lanes_from(v, n, at);

		first = nest_append(first, piece(v, n, at, lanes));
		at += lanes;
	}
	return first;
}

static struct nest *vectorize_list(struct vectorizer *v, struct nest *list)
{
	struct nest *first = NULL;
	struct nest **hole = &first;
	int open = v->open.n;

	while (list) {
		struct nest *n = list;

		if (n->kind == NEST_ALLOC && n->buffer->registers)
			lanes_lay_out(v, n);
		list = n->next;
		n->next = NULL;
		if (n->kind == NEST_LOOP && n->annotation == ANNOTATION_VECTOR) {
			n = vectorize_loop(v, n);
		} else {
			n->body = vectorize_list(v, n->body);
			n->other = vectorize_list(v, n->other);
		}
		*hole = n;
		while (*hole)
			hole = &(*hole)->next;
	}
	v->open.n = open;
	return first;
}

bool nest_pass_vectorize(struct program *p, const char **why)
{
	struct vectorizer v = { .a = p->arena, .target = p->target };

	(void)why;
	p->body = vectorize_list(&v, p->body);
	return true;
}
