/* SPDX-License-Identifier: Apache-2.0 */
/* te/derive/channels_last.c - copies of a derivation's data and result in another order of dims. */
#include "te/derive/channels_last.h"

/* Which of N dims is dim I where CHANNELS was moved behind all others. */
static int moved_from(int i, int n, int channels)
{
	if (i < channels)
		return i;
	return i < n - 1 ? i + 1 : channels;
}

/* Where dim I of N is then. */
static int moved_to(int i, int n, int channels)
{
	if (i < channels)
		return i;
	return i > channels ? i - 1 : n - 1;
}

/* The dim of the data that is summed over along no window. */
static int data_channels(const struct window_sum *sum)
{
	const struct expr *load = sum->data;
	bool is_windowed = false;

	for (int k = 0; k < sum->n; k++)
		is_windowed |= sum->dim[k].data == tensor_innermost(load->tensor);
	for (int i = load->tensor->ndim - 1; is_windowed && i >= 0; i--)
		if (load->index[i]->kind == EXPR_AXIS && load->index[i]->axis->reduce)
			return i;
	return -1;
}

/* The dim of the result that the data does not move along. */
static int output_channels(const struct window_sum *sum, const struct op *op)
{
	bool is_windowed = false;

	for (int k = 0; k < sum->n; k++)
		is_windowed |= sum->dim[k].space == tensor_innermost(&op->tensor);
	for (int i = op->tensor.ndim - 1; is_windowed && i >= 0; i--)
		if (!expr_uses_axis(sum->data, op->space[i]))
			return i;
	return -1;
}

bool channels_last_data(struct derive_work *d)
{
	const struct expr *load = d->sum.data, *index[TENSOR_MAX_DIMS], *read[TENSOR_MAX_DIMS];
	const struct tensor *from = load->tensor;
	int n = from->ndim, channels = data_channels(&d->sum);
	struct new_axes axes = { 0 };

	if (channels < 0)
		return false;
	for (int i = 0; i < n; i++) {
		int dim = moved_from(i, n, channels);

		index[dim] = derive_axis(d, &axes, "", arena_printf(d->a, "d%d", dim), from->shape[dim]);
		read[i] = load->index[dim];
	}
	const struct op *copy = derive_op(d, derive_name(d, "X"), &axes, n, expr_load(d->a, from, index));

	d->sum.data = expr_load(d->a, &copy->tensor, read);
	for (int k = 0; k < d->sum.n; k++)
		d->sum.dim[k].data = moved_to(d->sum.dim[k].data, n, channels);
	return true;
}

int channels_last_output(struct derive_work *d)
{
	int n = d->op->tensor.ndim, channels = output_channels(&d->sum, d->op);

	if (channels < 0)
		return -1;
	struct op *moved = arena_memdup(d->a, d->op, sizeof(*d->op));

	moved->space = arena_many(d->a, struct axis *, n);
	for (int i = 0; i < n; i++) {
		moved->space[i] = d->op->space[moved_from(i, n, channels)];
		moved->tensor.shape[i] = moved->space[i]->hi;
	}
	d->op = moved;
	for (int k = 0; k < d->sum.n; k++)
		d->sum.dim[k].space = moved_to(d->sum.dim[k].space, n, channels);
	return channels;
}

void channels_last_undo(struct derive_work *d, const struct tensor *y, const struct op *op, int channels)
{
	const struct expr *index[TENSOR_MAX_DIMS];
	struct new_axes axes = { 0 };
	int n = op->tensor.ndim;

	for (int i = 0; i < n; i++)
		index[moved_to(i, n, channels)] =
			derive_axis(d, &axes, "", op->space[i]->name, op->space[i]->hi);
	derive_op(d, op->tensor.name, &axes, n, expr_load(d->a, y, index));
}
