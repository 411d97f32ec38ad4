/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/nest.c - printing programs, and which buffers live in registers. */
#include "schedule/nest.h"

#include "te/text.h"

/* No machine has more vector registers than 32 of 64 bytes; twice that leaves the compiler a
 * choice of what to spill, more makes an array the better place. */
enum { REGISTERS_MAX_BYTES = 2 * 32 * 64 };

const struct pack *program_pack(const struct program *p, int arg)
{
	for (int i = 0; i < p->packs.n; i++)
		if (p->packs.at[i]->input == arg)
			return p->packs.at[i];
	return NULL;
}

/* --- registers */

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

static void clear_registers(struct nest *n, bool value)
{
	for (; n; n = n->next) {
		if (n->kind == NEST_ALLOC)
			n->buffer->registers = value && n->buffer->kind == BUFFER_LOCAL &&
					       tensor_bytes(&n->buffer->tensor) <=
						       REGISTERS_MAX_BYTES;
		clear_registers(n->body, value);
		clear_registers(n->other, value);
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

void mark_registers(struct program *p)
{
	struct scope s = { .loops = 0 };

	clear_registers(p->body, true);
	mark(&s, p->body);
}

/* --- printing */

static const char *const annotation_text[] = {
	[ANNOTATION_NONE] = "",
	[ANNOTATION_PARALLEL] = "parallel ",
	[ANNOTATION_VECTOR] = "vector ",
	[ANNOTATION_UNROLL] = "unrolled ",
};

static void print_shape(struct text *t, const struct tensor *tensor)
{
	text_printf(t, "%s: %s[", tensor->name, dtype_name(tensor->dtype));
	for (int i = 0; i < tensor->ndim; i++)
		text_printf(t, "%s%jd", i ? ", " : "", (intmax_t)tensor->shape[i]);
	text_puts(t, "]");
}

/* A number in an index needs no type. */
static void print_index(struct text *t, const struct expr *const *index, int n)
{
	int64_t v;

	text_puts(t, "[");
	for (int i = 0; i < n; i++) {
		text_puts(t, i ? ", " : "");
		if (expr_is_int(index[i], &v))
			text_printf(t, "%jd", (intmax_t)v);
		else
			expr_print(t, index[i]);
	}
}

static void print_store(struct text *t, const struct nest *n)
{
	text_puts(t, n->buffer->tensor.name);
	print_index(t, n->index, n->buffer->tensor.ndim);
	switch (n->reducer) {
	case REDUCE_NONE:
		text_puts(t, "] = ");
		break;
	case REDUCE_SUM:
		text_puts(t, "] += ");
		break;
	case REDUCE_PROD:
		text_puts(t, "] *= ");
		break;
	case REDUCE_MAX:
	case REDUCE_MIN:
		text_printf(t, "] %s= ", reducer_name(n->reducer));
		break;
	}
	expr_print(t, n->value);
	text_puts(t, "\n");
}

static void print_list(struct text *t, const struct nest *n, int indent)
{
	for (; n; n = n->next) {
		text_indent(t, indent);
		switch (n->kind) {
		case NEST_LOOP:
			text_printf(t, "%sfor %s in %jd..%jd\n", annotation_text[n->annotation],
				    n->axis->name, (intmax_t)n->axis->lo, (intmax_t)n->axis->hi);
			break;
		case NEST_LET:
			text_printf(t, "let %s in %jd..%jd = ", n->axis->name,
				    (intmax_t)n->axis->lo, (intmax_t)n->axis->hi);
			expr_print(t, n->value);
			text_puts(t, "\n");
			break;
		case NEST_IF:
			text_puts(t, "if ");
			expr_print(t, n->value);
			text_puts(t, "\n");
			break;
		case NEST_ALLOC:
			text_puts(t, n->buffer->registers ? "registers " : "alloc ");
			print_shape(t, &n->buffer->tensor);
			text_puts(t, "\n");
			break;
		case NEST_STORE:
			print_store(t, n);
			break;
		}
		print_list(t, n->body, indent + 1);
		if (n->other) {
			text_indent(t, indent);
			text_puts(t, "else\n");
			print_list(t, n->other, indent + 1);
		}
	}
}

void program_print(struct text *t, const struct program *p)
{
	for (int i = 0; i < p->packs.n; i++) {
		const struct pack *k = p->packs.at[i];

		text_printf(t, "pack %s[", k->raw->name);
		for (int j = 0; j < k->loops.n; j++)
			text_printf(t, "%s%s < %jd", j ? ", " : "", k->loops.at[j]->name,
				    (intmax_t)k->loops.at[j]->hi);
		text_printf(t, "] = %s", k->raw->name);
		print_index(t, k->index, k->raw->ndim);
		text_puts(t, "]\n");
	}
	print_list(t, p->body, 0);
}
