/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/scratchpads.c - operands of intrinsics are in the scratchpads that have them.
 *
 * Requires: intrinsics that were proved.
 * Provides: where a target names scratchpads for operands, each local buffer is in one of them: what an intrinsic
 *           reads or adds to in its own, the others with the sums, which vectors are computed with. No scratchpad has
 *           more than there is room for at any place; what has is refused. What vectors are computed with is as wide as
 *           sums.
 * Keeps:    everything else. Other targets' programs stay as they are. */
#include "schedule/intrinsic_term.h"
#include "schedule/pass/pass.h"

struct scratch {
	struct program *p;
	size_t used[SCOPE_COUNT];	/* bytes of what is alive */
	bool full[SCOPE_COUNT];		/* more was than there is room for */
	struct buffer_vec widened;	/* what were bytes */
	const char *why;
};

/* B is to be in SCOPE, and in no other. */
static void put(struct scratch *s, struct buffer *b, enum memory_scope scope)
{
	if (b->kind != BUFFER_LOCAL)
		s->why = "an operand of an intrinsic is in no scratchpad";
	else if (b->scratchpad && b->scratchpad != scope)
		s->why = "operands of an intrinsic would be in one scratchpad and in another";
	b->scratchpad = scope;
}

static void put_operands(struct scratch *s, const struct nest *group)
{
	const struct operand_scopes *scopes = s->p->target->operands;

	for (const struct nest *lanes = group->body; lanes; lanes = lanes->next)
		for (const struct nest *store = lanes->body; store; store = store->next) {
			struct intrinsic_term term;

			if (!intrinsic_operands(group->intrinsic, store->value, &term)) {
				s->why = "what is to be an intrinsic is no product of its types";
				return;
			}
			put(s, buffer_of(term.a->tensor), scopes->a);
			put(s, buffer_of(term.b->tensor), scopes->b);
			put(s, store->buffer, scopes->sum);
		}
}

static void find_operands(struct scratch *s, const struct nest *n)
{
	for (; n; n = n->next) {
		if (n->intrinsic)
			put_operands(s, n);
		else
			find_operands(s, n->body);
		find_operands(s, n->other);
	}
}

/* --- what is narrower than sums */

/* A buffer beside the sums, and the one with elements as wide that stands for it. */
struct widened {
	const struct buffer *from;
	struct buffer *to;
	bool within;	/* its elements stay within 8 bits, for nothing is added up in them */
};

/* WIDE, an element that was of 8 bits: it is within them, and this says so. */
static const struct expr *limited(struct arena *a, const struct expr *wide)
{
	const struct expr *above = expr_binary(a, EXPR_MAX, wide, expr_const(a, wide->dtype, INT8_MIN));

	return expr_binary(a, EXPR_MIN, above, expr_const(a, wide->dtype, INT8_MAX));
}

/* E, of 8 bits, as wide as WIDE; what limited() says of an element that was widened is not said there. */
static const struct expr *widened(const struct scratch *s, const struct expr *e, enum dtype wide)
{
	const struct expr *load = e->kind == EXPR_CAST ? e->arg[0] : e;

	for (int i = 0; i < 2 && (load->kind == EXPR_MIN || load->kind == EXPR_MAX); i++)
		load = load->arg[0];
	for (int i = 0; i < s->widened.n && load->kind == EXPR_LOAD; i++)
		if (load->tensor == &s->widened.at[i]->tensor && expr_equal(e->arg[0], limited(s->p->arena, load)))
			return load;
	return expr_cast(s->p->arena, wide, e);
}

static const struct expr *widen_load(struct arena *a, const struct expr *e, void *user)
{
	const struct widened *w = user;
	bool cast = e->kind == EXPR_CAST && e->dtype == w->to->tensor.dtype && e->arg[0]->kind == EXPR_LOAD;
	const struct expr *load = cast ? e->arg[0] : e;

	if (load->kind != EXPR_LOAD || load->tensor != &w->from->tensor)
		return e->loads ? NULL : e;
	const struct expr *wide = expr_load(a, &w->to->tensor, load->index);

	if (w->within)
		return cast ? wide : expr_cast(a, e->dtype, limited(a, wide));
	const struct expr *bytes = expr_cast(a, load->dtype, wide);

	return cast ? expr_cast(a, e->dtype, bytes) : bytes;
}

/* Is each element of B, from N on, what was stored there or the greatest or least of that? */
static bool stays_within(const struct nest *n, const struct buffer *b)
{
	for (; n; n = n->next)
		if ((n->kind == NEST_STORE && n->buffer == b && (n->reducer == REDUCE_SUM || n->reducer == REDUCE_PROD)) ||
		    !stays_within(n->body, b) || !stays_within(n->other, b))
			return false;
	return true;
}

static void widen_list(struct scratch *s, const struct widened *w, struct nest *n)
{
	for (; n; n = n->next) {
		if (n->value && n->value->loads)
			n->value = expr_rewrite(s->p->arena, n->value, widen_load, (void *)(uintptr_t)w);
		if (n->kind == NEST_STORE && n->buffer == w->from)
			n->value = widened(s, n->value, w->to->tensor.dtype);
		if (n->buffer == w->from)
			n->buffer = w->to;
		widen_list(s, w, n->body);
		widen_list(s, w, n->other);
	}
}

/* Vectors are computed with in the type of sums alone: what is narrower is widened where it is stored there. */
static void widen(struct scratch *s, struct nest *list)
{
	for (struct nest *n = list; n; n = n->next) {
		const struct buffer *b = n->kind == NEST_ALLOC ? n->buffer : NULL;

		if (b && b->kind == BUFFER_LOCAL && b->scratchpad == s->p->target->operands->sum &&
		    b->tensor.dtype == DTYPE_I8) {
			struct widened w = { b, arena_memdup(s->p->arena, b, sizeof(*b)), stays_within(n, b) };

			w.to->tensor.dtype = DTYPE_I32;
			if (w.within)
				vec_push(s->p->arena, &s->widened, w.to);
			widen_list(s, &w, n);
		}
		widen(s, n->body);
		widen(s, n->other);
	}
}

/* --- room */

static void choose_rest(struct scratch *s, struct nest *n)
{
	for (; n; n = n->next) {
		if (n->kind == NEST_ALLOC && n->buffer->kind == BUFFER_LOCAL && !n->buffer->scratchpad)
			n->buffer->scratchpad = s->p->target->operands->sum;
		choose_rest(s, n->body);
		choose_rest(s, n->other);
	}
}

static void allocate(struct scratch *s, const struct buffer *b)
{
	if (!b->scratchpad)
		return;
	s->used[b->scratchpad] += tensor_bytes(&b->tensor) * (size_t)(b->copies > 1 ? b->copies : 1);
	if (s->used[b->scratchpad] > s->p->target->scope_bytes[b->scratchpad])
		s->full[b->scratchpad] = true;
}

static void measure(struct scratch *s, const struct nest *n)
{
	size_t before[SCOPE_COUNT];

	memcpy(before, s->used, sizeof(before));
	for (; n; n = n->next) {
		if (n->kind == NEST_ALLOC)
			allocate(s, n->buffer);
		measure(s, n->body);
		measure(s, n->other);
	}
	memcpy(s->used, before, sizeof(before));	/* they end with their block */
}

/* Whatever is in SCOPE is there once. */
static void keep_once(struct nest *n, enum memory_scope scope)
{
	for (; n; n = n->next) {
		if (n->kind == NEST_ALLOC && n->buffer->scratchpad == scope)
			n->buffer->copies = 0;
		keep_once(n->body, scope);
		keep_once(n->other, scope);
	}
}

/* Copies are left out where they do not fit. */
static void make_fit(struct scratch *s)
{
	for (int pass = 0; pass < 2; pass++) {
		memset(s->full, 0, sizeof(s->full));
		measure(s, s->p->body);
		for (enum memory_scope scope = 0; scope < SCOPE_COUNT; scope++) {
			if (s->full[scope] && pass == 1)
				s->why = "a scratchpad has too little room";
			if (s->full[scope])
				keep_once(s->p->body, scope);
		}
	}
}

bool nest_pass_scratchpads(struct program *p, const char **why)
{
	struct scratch s = { .p = p };

	if (!p->target->operands)
		return true;
	find_operands(&s, p->body);
	if (!s.why) {
		choose_rest(&s, p->body);
		widen(&s, p->body);
		make_fit(&s);
	}
	if (s.why)
		*why = s.why;
	return !s.why;
}
