/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/libraries/onednn_steps.c - what follows a sum, in the order in which oneDNN does it: a bias in
 * the sum's type, a scale of integer sums, post-ops in f32, and a conversion that rounds and saturates.
 *
 * In:   the epilogue of a work, whose types it names.
 * Out:  the handle's bias, scale and steps, which are what remains for post-ops. */
#include <stdint.h>
#include <math.h>

#include "base/err.h"
#include "bench/contest/libraries/onednn.h"

/* Does V run over the channels of the result, and over nothing else? */
static bool along_channels(const struct work *w, const struct view *v)
{
	int channel = work_channel_dim(w);

	for (int i = 0; i < v->ndim; i++)
		if (v->dim[i].extent != (i == channel ? w->y.view.dim[i].extent : 1))
			return false;
	return true;
}

static void drop(struct epilogue_vec *steps, int i)
{
	for (steps->n--; i < steps->n; i++)
		steps->at[i] = steps->at[i + 1];
}

/* Between roundings all is f32; that to a float is the last one, or left out. */
static void drop_float_casts(struct epilogue_vec *steps)
{
	for (int i = steps->n - 1; i >= 0; i--)
		if (steps->at[i].kind == EPILOGUE_CAST && dtype_is_float(steps->at[i].to))
			drop(steps, i);
}

static bool is_whole_number(double v)
{
	return isinf(v) || v == rint(v);
}

/* Is it the same whether values are rounded before or behind E? (But for those half way between two.) */
static bool commutes_with_rounding(const struct epilogue *e)
{
	switch (e->kind) {
	case EPILOGUE_CLIP:
		return is_whole_number(e->alpha) && is_whole_number(e->beta);
	case EPILOGUE_LINEAR:
		return e->alpha == 1 && is_whole_number(e->beta);
	case EPILOGUE_RELU:
		return e->alpha == 0;
	default:
		return false;
	}
}

/* round, a shift, a clip and a cast to bytes, as the library converts. -1 and a message where it is another
 * conversion. */
static int take_conversion(struct epilogue_vec *steps)
{
	enum dtype to = steps->at[steps->n - 1].to;
	const double low = to == DTYPE_I8 ? INT8_MIN : 0, high = to == DTYPE_I8 ? INT8_MAX : UINT8_MAX;
	int round = steps->n - 2;

	if (to != DTYPE_I8 && to != DTYPE_U8)
		return err_set("oneDNN has no conversion to %s", dtype_name(to));
	while (round >= 0 && commutes_with_rounding(&steps->at[round]))
		round--;
	if (round < 0 || steps->at[round].kind != EPILOGUE_ROUND)
		return err_set("oneDNN rounds where it converts to %s", dtype_name(to));
	drop(steps, steps->n - 1);
	drop(steps, round);
	struct epilogue *last = steps->n > 0 ? &steps->at[steps->n - 1] : NULL;

	if (!last || last->kind != EPILOGUE_CLIP || last->alpha < low || last->beta > high)
		return err_set("oneDNN saturates where it converts to %s", dtype_name(to));
	if (last->alpha == low && last->beta == high)
		drop(steps, steps->n - 1);
	return 0;
}

/* A factor of integer sums: a number, or a constant for each channel. */
static void take_scale(struct onednn *h)
{
	struct epilogue *first = &h->steps.at[0];

	if (h->task->work->sum != DTYPE_I32 || h->steps.n == 0)
		return;
	if (first->kind == EPILOGUE_LINEAR && first->beta == 0) {
		h->scale = first->alpha;
		drop(&h->steps, 0);
	} else if (first->kind == EPILOGUE_MUL && first->operand.op->kind == OP_CONST &&
		   first->operand.op->tensor.dtype == DTYPE_F32 &&
		   along_channels(h->task->work, &first->operand.view)) {
		h->scales = arena_memdup(h->arena, &first->operand, sizeof(first->operand));
		drop(&h->steps, 0);
	}
}

static void take_bias(struct onednn *h)
{
	const struct epilogue *first = &h->steps.at[0];

	if (h->steps.n == 0 || first->kind != EPILOGUE_ADD ||
	    !along_channels(h->task->work, &first->operand.view))
		return;
	h->bias = arena_memdup(h->arena, &first->operand, sizeof(first->operand));
	drop(&h->steps, 0);
}

/* Steps that no post-op does. */
static int check_steps(const struct epilogue_vec *steps)
{
	for (int i = 0; i < steps->n; i++) {
		const struct epilogue *e = &steps->at[i];

		if (e->kind == EPILOGUE_CAST || e->kind == EPILOGUE_ROUND)
			return err_set("oneDNN has no %s between others", epilogue_name(e->kind));
		if (e->operand.op && onednn_type(e->operand.op->tensor.dtype) == dnnl_data_type_undef)
			return err_set("oneDNN adds and multiplies no %s",
				       dtype_name(e->operand.op->tensor.dtype));
	}
	return 0;
}

int onednn_steps(struct onednn *h)
{
	const struct epilogue_vec *all = &h->task->work->epilogue;

	for (int i = 0; i < all->n; i++)
		vec_push(h->arena, &h->steps, all->at[i]);
	take_bias(h);
	drop_float_casts(&h->steps);
	take_scale(h);
	if (h->steps.n > 0 && h->steps.at[h->steps.n - 1].kind == EPILOGUE_CAST &&
	    take_conversion(&h->steps) < 0)
		return -1;
	return check_steps(&h->steps);
}
