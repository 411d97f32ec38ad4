/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/placing/buffers.c - the buffers of a program, for the pass place: as large as the part of a stage that is
 * computed at a time, or as whole tiles and vectors of it. */
#include "schedule/narrow.h"
#include "schedule/pass/placing/place.h"
#include "te/index/index.h"

/* Do the lanes of G, which reduces nothing, run along dim D? */
static bool runs_in_lanes(const struct stage *g, int d)
{
	int last = g->leaves.n > 0 ? g->leaves.at[g->leaves.n - 1] : -1;

	return last >= 0 && g->iters.at[last].annotation == ANNOTATION_VECTOR &&
	       !op_is_reduction(&g->op) && stage_root_of(g, last) == d;
}

/* Rows that would end in several pieces of a vector have room for a whole one instead: what is behind their end is
 * never read, and what is read right behind a store that was no mask is there. */
static void widen_row(struct buffer *b, const struct target *target)
{
	int64_t *row = &b->tensor.shape[b->tensor.ndim - 1];
	int64_t whole = target_lanes(target, dtype_bytes(b->tensor.dtype));
	int64_t rest = *row % whole;

	while (whole >= 2 * rest && whole > 1)
		whole /= 2;
	if ((rest & (rest - 1)) != 0)
		*row += whole - rest;
}

/* Does an intrinsic read STAGE, which gathers nothing, and so its elements as they are? */
static bool is_operand(const struct state *s, int stage)
{
	int reader;

	return !op_is_reduction(&s->stages.at[stage]->op) && state_consumers(s, stage, &reader, 1) == 1 &&
	       stage_group(s->stages.at[reader]);
}

struct buffer *place_buffer(struct lowering *l, int stage, enum buffer_kind kind)
{
	const struct stage *g = l->s->stages.at[stage];
	struct buffer *b = arena_one(l->a, struct buffer);

	b->tensor = g->op.tensor;
	if (!is_operand(l->s, stage))
		b->tensor.dtype = narrow_held_as(g, kind);
	b->kind = kind;
	b->by_reader = g->packed;
	b->order = g->stored.n ? &g->stored : NULL;
	b->stage = stage;
	b->arg = -1;
	b->constant = g->op.kind == OP_CONST;
	for (int i = 0; i < b->tensor.ndim; i++)
		b->tensor.shape[i] = is_padded(g, i) ? expr_range(g->iters.at[i].value).hi + 1
						     : g->part[i];
	if (kind == BUFFER_LOCAL && b->tensor.ndim > 0 && !b->order && l->p->target->masked_loads &&
	    runs_in_lanes(g, b->tensor.ndim - 1))
		widen_row(b, l->p->target);
	return b;
}

void place_arguments(struct lowering *l)
{
	for (int pass = 0; pass < 2; pass++)	/* inputs, then outputs */
		for (int i = 0; i < l->s->dag->ops.n; i++) {
			const struct op *op = l->s->dag->ops.at[i];
			bool output = op->kind == OP_COMPUTE;

			if (output != (pass == 1) || (output && !op->output))
				continue;
			l->buffers[i] = place_buffer(l, i, output ? BUFFER_OUTPUT : BUFFER_INPUT);
			l->buffers[i]->arg = l->p->args.n;
			vec_push(l->a, &l->p->args, l->buffers[i]);
		}
}

/* Is B there in a run, for all loops? What packs alone use is not. */
static bool is_of_run(const struct lowering *l, const struct buffer *b)
{
	bool argument = false;

	for (int i = 0; i < l->p->args.n; i++)
		argument |= l->p->args.at[i] == b;
	return argument || (b->kind == BUFFER_TEMP && l->s->stages.at[b->stage]->place == PLACE_ROOT);
}

void place_prefetches(struct lowering *l, const struct stage *g, int iter, struct nest *loop)
{
	for (int i = 0; i < g->prefetches.n; i++) {
		const struct stage_prefetch *x = &g->prefetches.at[i];
		const struct buffer *b = l->buffers[x->read];

		if (x->iter != iter)
			continue;
		if (!b || !is_of_run(l, b))
			l->why = "what is prefetched is computed on the spot, or for packs";
		else
			vec_push(l->a, &loop->prefetches, (struct prefetch){ b, x->turns });
	}
}

void place_check_prefetches(struct lowering *l, const struct stage *g)
{
	for (int i = 0; i < g->prefetches.n; i++)
		if (stage_leaf(g, g->prefetches.at[i].iter) < 0)
			l->why = "the loop that prefetches is gone";
}
