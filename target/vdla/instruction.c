/* SPDX-License-Identifier: Apache-2.0 */
/* target/vdla/instruction.c - which instructions are legal. */
#include "target/vdla/instruction.h"

#include <stddef.h>

const char *const vdla_unit_names[VDLA_UNITS] = { "load", "compute", "store" };

/* Does W stay inside of S? */
static bool walk_fits(const struct vdla_machine *m, enum vdla_scratchpad s, const int count[VDLA_LOOPS],
		      const struct vdla_walk *w)
{
	int64_t last = w->base;

	for (int i = 0; i < VDLA_LOOPS; i++)
		last += (int64_t)(count[i] - 1) * w->stride[i];
	return last < vdla_entries(m, s);
}

static bool walk_is_none(const struct vdla_walk *w)
{
	return w->base == 0 && w->stride[0] == 0 && w->stride[1] == 0;
}

static const char outside[] = "an entry outside of its scratchpad";

static const char *gemm_fits(const struct vdla_machine *m, const struct vdla_gemm *g)
{
	return walk_fits(m, VDLA_ACCUMULATORS, g->count, &g->sum) && walk_fits(m, VDLA_INPUTS, g->count, &g->input)
			       && walk_fits(m, VDLA_WEIGHTS, g->count, &g->weight) ? NULL : outside;
}

static const char *vector_fits(const struct vdla_machine *m, const struct vdla_vector *v)
{
	if (v->immediate ? !walk_is_none(&v->source) : v->number != 0)
		return "a source and a number";
	if (v->immediate && vdla_alu_shifts(v->op) && (v->number < -31 || v->number > 31))
		return "a shift by more than 31 bits";
	return walk_fits(m, VDLA_ACCUMULATORS, v->count, &v->destination)
			       && walk_fits(m, VDLA_ACCUMULATORS, v->count, &v->source) ? NULL : outside;
}

static const char *transfer_fits(const struct vdla_machine *m, enum vdla_op op, const struct vdla_transfer *t)
{
	bool padded = t->before[0] || t->before[1] || t->after[0] || t->after[1];

	if (t->form == VDLA_NARROW && t->scratchpad != VDLA_ACCUMULATORS)
		return "a form that its scratchpad does not have";
	if (op == VDLA_STORE && (t->scratchpad != VDLA_ACCUMULATORS || padded || t->rows == 0))
		return "a store of what is no accumulators, with padding, or of no rows";
	if (vdla_transfer_entries(t) == 0)
		return "a transfer of nothing";
	return t->entry + vdla_transfer_entries(t) > vdla_entries(m, t->scratchpad) ? outside : NULL;
}

const char *vdla_fits(const struct vdla_machine *m, const struct vdla_instruction *i)
{
	const char *why = vdla_lacks_bits(m, i);

	if (why)
		return why;
	if (i->op == VDLA_LOAD && (i->pop_before || i->push_before))
		return "a token between load and what is before it";
	if (i->op == VDLA_STORE && (i->pop_behind || i->push_behind))
		return "a token between store and what is behind it";
	if (i->op == VDLA_LAUNCH)
		return i->pop_before || i->pop_behind || i->push_before || i->push_behind ? "a launch with tokens" : NULL;
	if (i->op == VDLA_GEMM)
		return gemm_fits(m, &i->gemm);
	return i->op == VDLA_ALU ? vector_fits(m, &i->vector) : transfer_fits(m, i->op, &i->transfer);
}
