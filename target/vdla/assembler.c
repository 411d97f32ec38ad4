/* SPDX-License-Identifier: Apache-2.0 */
/* target/vdla/assembler.c - prints programs of a VDLA. */
#include "target/vdla/assembler.h"

static void print_walk(struct text *out, const char *name, const struct vdla_walk *w)
{
	text_printf(out, " %s %d+%d,%d", name, w->base, w->stride[0], w->stride[1]);
}

static void print_vector(struct text *out, const struct vdla_vector *v)
{
	text_printf(out, "alu %s %dx%d", vdla_alu_name(v->op), v->count[0], v->count[1]);
	print_walk(out, "destination", &v->destination);
	if (v->immediate)
		text_printf(out, " number %d", (int)v->number);
	else
		print_walk(out, "source", &v->source);
}

static void print_gemm(struct text *out, const struct vdla_gemm *g)
{
	text_printf(out, "gemm%s %dx%d", g->reset ? " reset" : "", g->count[0], g->count[1]);
	print_walk(out, "sum", &g->sum);
	if (g->reset)
		return;
	print_walk(out, "input", &g->input);
	print_walk(out, "weight", &g->weight);
}

static void print_transfer(struct text *out, const char *name, const struct vdla_transfer *t)
{
	text_printf(out, "%s %s %d memory %lld %dx%d every %lld", name, vdla_scratchpad_name(t->scratchpad), t->entry,
		    (long long)t->address, t->rows, t->columns, (long long)t->row_stride);
	if (t->form == VDLA_NARROW)
		text_puts(out, " narrow");
	if (t->before[0] || t->before[1] || t->after[0] || t->after[1])
		text_printf(out, " zeros %d,%d,%d,%d", t->before[0], t->before[1], t->after[0], t->after[1]);
}

static void print_tokens(struct text *out, const char *verb, bool before, bool behind)
{
	if (before || behind)
		text_printf(out, " %s%s%s", verb, before ? " before" : "", behind ? " behind" : "");
}

void vdla_instruction_print(struct text *out, const struct vdla_instruction *i)
{
	switch (i->op) {
	case VDLA_LOAD:
		print_transfer(out, "load", &i->transfer);
		break;
	case VDLA_STORE:
		print_transfer(out, "store", &i->transfer);
		break;
	case VDLA_GEMM:
		print_gemm(out, &i->gemm);
		break;
	case VDLA_ALU:
		print_vector(out, &i->vector);
		break;
	case VDLA_OPS:
		break;
	}
	print_tokens(out, "pop", i->pop_before, i->pop_behind);
	print_tokens(out, "push", i->push_before, i->push_behind);
}
