/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/scratchpads.c - operands of intrinsics are in the scratchpads that have them.
 *
 * Requires: intrinsics that were proved.
 * Provides: where a target names scratchpads for operands, each local buffer is in one of them: what an intrinsic
 *           reads or adds to in its own, the others with the sums, which vectors are computed with. No scratchpad has
 *           more than there is room for at any place; what has is refused.
 * Keeps:    everything else. Other targets' programs stay as they are. */
#include "schedule/intrinsic_term.h"
#include "schedule/pass/pass.h"

struct scratch {
	struct program *p;
	size_t used[SCOPE_COUNT];	/* bytes of what is alive */
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

static void allocate(struct scratch *s, struct buffer *b)
{
	if (b->kind != BUFFER_LOCAL)
		return;
	if (!b->scratchpad)
		b->scratchpad = s->p->target->operands->sum;
	s->used[b->scratchpad] += tensor_bytes(&b->tensor);
	if (s->used[b->scratchpad] > s->p->target->scope_bytes[b->scratchpad])
		s->why = "a scratchpad has too little room";
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

bool nest_pass_scratchpads(struct program *p, const char **why)
{
	struct scratch s = { .p = p };

	if (!p->target->operands)
		return true;
	find_operands(&s, p->body);
	if (!s.why)
		measure(&s, p->body);
	if (s.why)
		*why = s.why;
	return !s.why;
}
