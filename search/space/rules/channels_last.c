/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/rules/channels_last.c - sums over windows of each channel, where rows are short: channels are lanes, of a copy of the data that
 * has them last and of sums that are stored so; beside lanes along the rows.
 *
 * Both ways images are transposed in registers, all places of one behind the other (schedule/pass/transpose.c). */
#include "base/integer.h"
#include "search/space/expression/reads.h"
#include "search/space/level.h"
#include "search/space/sketch.h"
#include "te/index/domain.h"

/* Terms of a sum that lanes along the rows have to leave empty for each result: transposing it and its data takes 13 of them, 319 cycles for
 * the 49 of an image of 7x7. With 32 left empty kernels took 0.53 of the time, with 15 as long or longer (docs/performance.md). */
enum { TRANSPOSED_TERMS = 16 };

/* The data of a sum, all that it reads but constants, and where they have its channel. */
struct channel_search {
	const struct state *s;
	const struct axis *channel;
	int data;	/* stage; -1: none yet */
	int dim;
	bool other;	/* there are more, or they have it elsewhere, or as lanes */
};

/* The dim of LOAD whose index is AXIS; -1: there is none, or AXIS moves another, too. */
static int dim_along(const struct expr *load, const struct axis *axis)
{
	int along = -1;

	for (int d = 0; d < load->tensor->ndim; d++) {
		if (!expr_uses_axis(load->index[d], axis))
			continue;
		if (load->index[d]->kind != EXPR_AXIS || along >= 0)
			return -1;
		along = d;
	}
	return along;
}

static bool find_data(const struct expr *e, void *user)
{
	struct channel_search *c = user;

	if (e->kind != EXPR_LOAD)
		return true;
	int stage = state_stage_of(c->s, e->tensor);

	if (stage_is_constant(c->s->stages.at[stage]))
		return true;
	int dim = dim_along(e, c->channel);

	c->other |= dim < 0 || dim == e->tensor->ndim - 1 || e->tensor->dtype != DTYPE_F32 ||
		    (c->data >= 0 && (c->data != stage || c->dim != dim));
	c->data = stage;
	c->dim = dim;
	return true;
}

/* Do rows of OP's results leave enough of LANES empty? */
static bool has_short_rows(const struct op *op, int lanes)
{
	int64_t row = op->tensor.shape[op->tensor.ndim - 1];

	return op_terms(op) * (double)(ceil_div(row, lanes) * lanes - row) >= (double)(TRANSPOSED_TERMS * row);
}

/* The dim of OP whose elements have sums of their own, and enough of them for LANES; -1: there is none. */
static int channel_of(const struct state *s, const struct op *op, int lanes, struct channel_search *out)
{
	for (int d = 0; d < op->tensor.ndim - 1; d++) {
		*out = (struct channel_search){ .s = s, .channel = op->space[d], .data = -1 };
		expr_visit(op->body, find_data, out);
		if (op->tensor.shape[d] >= lanes && out->data >= 0 && !out->other)
			return d;
	}
	return -1;
}

static bool applies(const struct sketch *s, int stage)
{
	const struct stage *g = s->state->stages.at[stage];

	return sketch_may_derive_reduction(s, stage)
	    && !g->is_of_tiles		/* places of a tile are no channels */
	    && g->op.tensor.dtype == DTYPE_F32 && g->op.tensor.ndim >= 3
	    && reads_window_along(&g->op, g->op.tensor.ndim - 1);
}

/* What STAGE alone reads is computed in it: padding, as a rule. False where a step is refused. */
static bool inline_sources(struct sketch *s, int stage)
{
	for (int i = sketch_place(s, stage) - 1; i >= 0; i--) {
		int source = s->state->order.at[i], reader;

		if (state_consumers(s->state, source, &reader, 1) == 1 && reader == stage && rule_inline.applies(s, source) &&
		    !sketch_add(s, step_inline(source), ROLE_FIXED))
			return false;
	}
	return true;
}

/* Dims of T in the order in which they are stored with dim LAST behind the others. */
static struct arrangement dims_with_last(const struct tensor *t, int last)
{
	struct arrangement how = { .n = 0 };

	for (int d = 0; d < t->ndim; d++)
		if (d != last)
			how.at[how.n++] = (struct stored_dim){ d, 0 };
	how.at[how.n++] = (struct stored_dim){ last, 0 };
	return how;
}

static bool copy_data(struct sketch *s, int data, int reader, int dim)
{
	const struct tensor *t = s->state->stages.at[data]->tensor;
	const struct arrangement how = dims_with_last(t, dim);
	int dims[TENSOR_MAX_DIMS];

	for (int d = 0; d < how.n; d++)
		dims[d] = how.at[d].dim;
	return sketch_add(s, step_cache_read(data, reader, dims, how.n), ROLE_FIXED);
}

/* Results are transposed in vectors of CHANNELS, with all places behind that dim as one loop around. */
static bool transpose_results(struct sketch *s, int stage, int channel)
{
	int ndim = s->state->stages.at[stage]->op.tensor.ndim;
	int places[TENSOR_MAX_DIMS], n = 0, blocks, lanes;
	struct level all = { .n = 0 };

	if (!sketch_locate(s, stage, ROLE_STRIP) || !sketch_split(s, stage, channel, 0, ROLE_VECTOR, &blocks, &lanes))
		return false;
	for (int d = 0; d < channel; d++)
		level_push(&all, d);
	level_push(&all, blocks);
	for (int d = channel + 1; d < ndim; d++) {
		level_push(&all, d);
		places[n++] = d;
	}
	level_push(&all, lanes);
	return sketch_reorder(s, stage, &all, ROLE_FIXED) && (n < 2 || sketch_add(s, step_fuse(stage, places, n), ROLE_FIXED)) &&
	       sketch_add(s, step_annotate(stage, lanes, ANNOTATION_VECTOR), ROLE_FIXED);
}

static void apply(struct sketcher *k, const struct sketch *s, int stage)
{
	struct sketch *next = sketch_copy(k->arena, s);
	const struct target *target = k->aim.target;
	int axis[TENSOR_MAX_DIMS], sums = stage, results = fusible_consumer(s->state, stage, axis);
	struct channel_search data;
	int lanes = target_lanes(target, dtype_bytes(DTYPE_F32));

	if (target->operands || !has_short_rows(&s->state->stages.at[stage]->op, lanes) || !inline_sources(next, stage))
		return;
	int channel = channel_of(next->state, &next->state->stages.at[stage]->op, lanes, &data);

	if (channel < 0)
		return;
	for (int d = 0; results >= 0 && d < next->state->stages.at[stage]->op.tensor.ndim; d++)
		if (axis[d] != d)
			return;
	if (results < 0) {
		results = stage;
		sums = next->state->stages.n;
		if (!sketch_add(next, step_cache_write(stage), ROLE_FIXED))
			return;
	}
	int accumulators = next->state->stages.n;

	if (!sketch_add(next, step_cache_write(sums), ROLE_FIXED) || !transpose_results(next, results, channel))
		return;
	const struct arrangement how = dims_with_last(next->state->stages.at[sums]->tensor, channel);

	if (sketch_add(next, step_order(sums, &how), ROLE_FIXED) && copy_data(next, data.data, accumulators, data.dim))
		sketch_emit(k, next, sketch_place(next, results));
}

const struct rule rule_channels_last = {
	.name = "channels-last",
	.applies = applies,
	.apply = apply,
};
