/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/registers.c - which local buffers live in registers.
 *
 * Requires: a nest whose loops are annotated.
 * Provides: buffer->registers, of those whose indices are numbers once lanes and written-out loops are.
 * Keeps:    the nest. */
#include "schedule/pass/pass.h"

/* The open loops, and how many were open where each local buffer was allocated. */
struct scope {
	struct {
		const struct axis *axis;
		bool expands;
	} loop[64];
	int loops;
	struct {
		struct buffer *buffer;
		int loops;
	} local[64];
	int locals;
};

struct register_check {
	const struct scope *scope;
	int from;	/* loops inside the allocation start here */
	bool holds;
};

static bool check_axis(const struct expr *e, void *user)
{
	struct register_check *c = user;

	if (e->kind != EXPR_AXIS)
		return c->holds && e->axes;
	bool expands = false;

	for (int i = c->from; i < c->scope->loops; i++)
		if (c->scope->loop[i].axis == e->axis)
			expands = c->scope->loop[i].expands;
	c->holds &= expands;
	return c->holds;
}

static void check_access(const struct scope *s, struct buffer *b, const struct expr *const *index)
{
	for (int i = s->locals - 1; b->registers && i >= 0; i--) {
		struct register_check c = { s, s->local[i].loops, true };

		if (s->local[i].buffer != b)
			continue;
		for (int d = 0; d < b->tensor.ndim; d++)
			expr_visit(index[d], check_axis, &c);
		b->registers &= c.holds;
		return;
	}
}

static void check_loads(const struct scope *s, const struct expr *e)
{
	if (!e->loads)
		return;
	if (e->kind == EXPR_LOAD)
		check_access(s, buffer_of(e->tensor), e->index);
	int n = e->kind == EXPR_LOAD ? e->tensor->ndim : expr_kind_arity(e->kind);
	const struct expr *const *arg = e->kind == EXPR_LOAD ? e->index : e->arg;

	for (int i = 0; i < n; i++)
		check_loads(s, arg[i]);
}

static void clear_registers(struct nest *n, size_t most)
{
	for (; n; n = n->next) {
		if (n->kind == NEST_ALLOC)
			n->buffer->registers = n->buffer->kind == BUFFER_LOCAL &&
					       tensor_bytes(&n->buffer->tensor) <= most;
		clear_registers(n->body, most);
		clear_registers(n->other, most);
	}
}

static void mark(struct scope *s, struct nest *n)
{
	int locals = s->locals;

	for (; n; n = n->next) {
		if (n->value)
			check_loads(s, n->value);
		if (n->kind == NEST_STORE)
			check_access(s, n->buffer, n->index);
		if (n->kind == NEST_ALLOC && s->locals < 64) {
			s->local[s->locals].buffer = n->buffer;
			s->local[s->locals++].loops = s->loops;
		} else if (n->kind == NEST_ALLOC) {
			n->buffer->registers = false;
		}
		bool pushes = n->axis && s->loops < 64;

		if (pushes) {
			s->loop[s->loops].axis = n->axis;
			s->loop[s->loops++].expands =
				n->kind == NEST_LOOP && n->annotation >= ANNOTATION_VECTOR;
		}
		mark(s, n->body);
		mark(s, n->other);
		s->loops -= pushes;
	}
	s->locals = locals;
}

bool nest_pass_registers(struct program *p, const char **why)
{
	struct scope s = { .loops = 0 };

	clear_registers(p->body, p->target->scope_bytes[SCOPE_REGISTERS]);
	mark(&s, p->body);
	(void)why;
	return true;
}
