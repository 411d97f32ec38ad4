/* SPDX-License-Identifier: Apache-2.0 */
/* te/derive/strides/space_to_depth.c - finds windows with a stride and the channels they are summed over, and parts data and weight. */
#include "te/derive/strides/space_to_depth.h"

#include <string.h>

#include "base/integer.h"
#include "te/derive/window_sum.h"

/* A space axis whose windows move by more than one place. */
struct strided_window {
	int space, reduce;	/* y and k among the op's axes */
	struct window_reads window;	/* of the loads */
	int64_t phases;		/* p */
	int64_t taps;		/* of a window that is left */
};

struct strided_sum {
	const struct op *op;
	const struct expr *data, *weight;	/* the loads */
	int channel;	/* c among the op's reduce axes */
	int data_channel, weight_channel;	/* the dims that it moves */
	int n;
	struct strided_window dim[TENSOR_MAX_DIMS];
	int64_t phases;	/* of all dims */
};

/* The first reduce axis that both loads read as it is. */
static bool find_channel(struct strided_sum *sum)
{
	for (int i = 0; i < sum->op->nreduce; i++) {
		sum->channel = i;
		sum->data_channel = derived_dim_of(sum->data, sum->op->reduce[i]);
		sum->weight_channel = derived_dim_of(sum->weight, sum->op->reduce[i]);
		if (sum->data_channel >= 0 && sum->weight_channel >= 0)
			return true;
	}
	return false;
}

static bool is_strided(struct arena *a, const struct strided_sum *sum, int64_t taps, struct strided_window *d)
{
	const struct axis *y = sum->op->space[d->space], *k = sum->op->reduce[d->reduce];
	struct window_reads *w = &d->window;

	if (!window_find(a, sum->data, sum->weight, y, k, w) || w->stride < 2 || w->stride % w->dilation != 0)
		return false;
	d->phases = w->stride / w->dilation;
	d->taps = ceil_div(k->hi, d->phases);
	return d->taps >= taps;
}

static bool strided_sum_of(struct arena *a, const struct op *op, int64_t taps, struct strided_sum *out)
{
	const struct expr *e = op->body;
	struct strided_window d;

	if (op->kind != OP_COMPUTE || op->reducer != REDUCE_SUM || e->kind != EXPR_MUL || e->arg[0]->kind != EXPR_LOAD ||
	    e->arg[1]->kind != EXPR_LOAD)
		return false;
	for (int data = 0; data < 2; data++) {
		*out = (struct strided_sum){ .op = op, .data = e->arg[data], .weight = e->arg[1 - data], .phases = 1 };
		for (d.space = 0; d.space < op->tensor.ndim; d.space++)
			for (d.reduce = 0; d.reduce < op->nreduce; d.reduce++)
				if (is_strided(a, out, taps, &d)) {
					out->phases *= d.phases;
					out->dim[out->n++] = d;
				}
		if (out->n > 0 && find_channel(out))
			return true;
	}
	return false;
}

/* What place q and phase a of a part of what was read are there: element STEP q + NEXT a + FIRST of EXTENT. */
struct part_reads {
	int dim;
	int64_t places;		/* of the part */
	int64_t step, next, first, extent;
};

/* Window D of LOAD, one of SUM's. */
static struct part_reads part_reads_of(const struct strided_sum *sum, const struct expr *load, const struct strided_window *d)
{
	const struct window_reads *w = &d->window;

	if (load == sum->weight)
		return (struct part_reads){ w->weight, d->taps, d->phases, 1, 0, sum->op->reduce[d->reduce]->hi };
	return (struct part_reads){ w->data, sum->op->space[d->space]->hi + d->taps - 1, w->stride, w->dilation, w->offset,
				 load->tensor->shape[w->data] };
}

/* The axes of what takes the place of what LOAD reads; dim CHANNEL has all phases. */
static void add_dims(struct arena *a, const struct strided_sum *sum, const struct expr *load, int channel, struct new_axes *axes,
		     const struct expr **index)
{
	for (int d = 0; d < load->tensor->ndim; d++) {
		int64_t extent = load->tensor->shape[d] * (d == channel ? sum->phases : 1);

		for (int i = 0; i < sum->n; i++) {
			struct part_reads r = part_reads_of(sum, load, &sum->dim[i]);

			extent = r.dim == d ? r.places : extent;
		}
		index[d] = new_axes_add(a, axes, "", derived_dim_name(a, load, d), extent);
	}
}

/* Takes the phase of D off *CHANNEL, of which it is the innermost part. */
static const struct expr *take_phase(struct arena *a, const struct strided_window *d, const struct expr **channel)
{
	const struct expr *phases = expr_int(a, d->phases), *whole = *channel;

	*channel = expr_binary(a, EXPR_DIV, whole, phases);
	return expr_binary(a, EXPR_MOD, whole, phases);
}

/* What LOAD reads with its phases in dim CHANNEL, 0 where it has none; the next op of OUT. */
static const struct tensor *part(struct arena *a, const struct strided_sum *sum, const struct expr *load, int channel,
				 const char *suffix, struct derived *out)
{
	const struct expr *index[TENSOR_MAX_DIMS], *inside = NULL;
	struct new_axes axes = { 0 };

	add_dims(a, sum, load, channel, &axes, index);
	for (int i = sum->n - 1; i >= 0; i--) {
		const struct strided_window *d = &sum->dim[i];
		struct part_reads r = part_reads_of(sum, load, d);
		const struct expr *phase = expr_mul(a, take_phase(a, d, &index[channel]), r.next);
		const struct expr *at = expr_add(a, expr_add(a, expr_mul(a, index[r.dim], r.step), phase), expr_int(a, r.first));

		index[r.dim] = at;
		if ((r.places - 1) * r.step + (d->phases - 1) * r.next + r.first >= r.extent)
			inside = expr_and(a, inside, expr_binary(a, EXPR_LT, at, expr_int(a, r.extent)));
	}
	const struct expr *value = expr_load(a, load->tensor, index);

	if (inside)
		value = expr_select(a, inside, value, expr_const(a, load->tensor->dtype, 0));
	return &derived_add(a, out, arena_printf(a, "%s_%s", sum->op->tensor.name, suffix), &axes, axes.n, value)->tensor;
}

/* The op over WEIGHT and DATA. */
static void add_sum(struct arena *a, const struct strided_sum *sum, const struct tensor *data, const struct tensor *weight,
		    struct derived *out)
{
	const struct op *op = sum->op;
	const struct expr *at[TENSOR_MAX_DIMS];
	int64_t turns[TENSOR_MAX_DIMS];

	for (int i = 0; i < op->nreduce; i++)
		turns[i] = op->reduce[i]->hi * (i == sum->channel ? sum->phases : 1);
	memcpy(at, sum->data->index, (size_t)data->ndim * sizeof(*at));
	for (int i = 0; i < sum->n; i++) {
		const struct strided_window *d = &sum->dim[i];

		turns[d->reduce] = d->taps;
		at[d->window.data] = expr_add(a, expr_axis(a, op->space[d->space]), expr_axis(a, op->reduce[d->reduce]));
	}
	out->product = out->n;
	derived_end(a, out, op, turns,
		    expr_binary(a, EXPR_MUL, expr_load(a, data, at), expr_load(a, weight, sum->weight->index)));
}

bool space_to_depth_derive(struct arena *a, const struct op *op, int64_t taps, struct derived *out, const char **why)
{
	struct strided_sum sum;

	memset(out, 0, sizeof(*out));
	if (taps < SPACE_TO_DEPTH_LEAST || !strided_sum_of(a, op, taps, &sum)) {
		if (why)
			*why = "it sums up no products over channels and windows that move by a stride and have as many taps behind it";
		return false;
	}
	const struct tensor *weight = part(a, &sum, sum.weight, sum.weight_channel, "W", out);
	const struct tensor *data = part(a, &sum, sum.data, sum.data_channel, "X", out);

	out->weights = 1;
	add_sum(a, &sum, data, weight, out);
	return true;
}
