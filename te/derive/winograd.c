/* SPDX-License-Identifier: Apache-2.0 */
/* te/derive/winograd.c - the ops of a derivation, one after the other. */
#include "te/derive/winograd.h"

#include "base/integer.h"
#include "te/derive/channels_last.h"
#include "te/derive/rows.h"
#include "te/limits.h"

static const struct axis *place(const struct derive_work *d, int i)
{
	return d->op->space[d->sum.dim[i].space];
}

/* Is the last tile of window dim I smaller than the others? */
static bool is_ragged(const struct derive_work *d, int i)
{
	return d->last[i] < d->m;
}

/* Is TILE, an axis, not the last one? */
static const struct expr *is_whole(struct derive_work *d, const struct expr *tile)
{
	return expr_binary(d->a, EXPR_LT, tile, expr_int(d->a, tile->axis->hi - 1));
}

/* Which row or column of the transform of window dim I. */
static const struct expr *add_row_axis(struct derive_work *d, struct new_axes *axes, int i)
{
	return derive_axis(d, axes, "u", place(d, i)->name, d->by[i].data.rows);
}

/* Which tile of window dim I. */
static const struct expr *add_tile_axis(struct derive_work *d, struct new_axes *axes, int i)
{
	return derive_axis(d, axes, "t", place(d, i)->name, ceil_div(place(d, i)->hi, d->m));
}

/* An axis that runs over dim I of what LOAD reads. */
static const struct expr *add_dim_axis(struct derive_work *d, struct new_axes *axes,
				       const struct expr *load, int i)
{
	const struct expr *index = load->index[i];
	const char *name = index->kind == EXPR_AXIS ? index->axis->name
						    : arena_printf(d->a, "d%d", i);

	return derive_axis(d, axes, "", name, load->tensor->shape[i]);
}

/* T at INDEX, where dim DIM is at AT, in the type of what is computed. */
static const struct expr *element(struct derive_work *d, const struct tensor *t,
				  const struct expr *const *index, int dim, const struct expr *at)
{
	const struct expr *moved[TENSOR_MAX_DIMS];

	memcpy(moved, index, (size_t)t->ndim * sizeof(*index));
	moved[dim] = at;
	return expr_cast(d->a, d->dtype, expr_load(d->a, t, moved));
}

/* Is dim I of the weight the taps of one of the first N window dims? */
static bool is_transformed(const struct derive_work *d, int i, int n)
{
	for (int k = 0; k < n; k++)
		if (d->sum.dim[k].weight == i)
			return true;
	return false;
}

/* FROM, the weight with the first WHICH window dims transformed: one more of them. */
static const struct tensor *transform_weight(struct derive_work *d, const struct tensor *from,
					     int which, const char *name)
{
	const struct expr *index[TENSOR_MAX_DIMS], *x[TRANSFORM_MOST];
	const struct window_dim *w = &d->sum.dim[which];
	struct new_axes axes = { 0 };
	int ndim = 0, taps = 0;

	for (; ndim < which; ndim++)
		index[ndim] = add_row_axis(d, &axes, ndim);
	const struct expr *row = add_row_axis(d, &axes, which);

	for (int i = 0; i < d->sum.weight->tensor->ndim; i++) {
		if (i == w->weight)
			taps = ndim++;
		else if (!is_transformed(d, i, which))
			index[ndim++] = add_dim_axis(d, &axes, d->sum.weight, i);
	}
	for (int k = 0; k < w->taps; k++)
		x[k] = element(d, from, index, taps, expr_int(d->a, k));
	return &derive_op(d, derive_name(d, name), &axes, axes.n,
		       transform_row(d->a, &d->by[which].weight, x, row))
			->tensor;
}

/* The axis that runs over dim I of the data: tiles, where it is one of the first N window dims, else places. */
static const struct expr *add_data_axis(struct derive_work *d, struct new_axes *axes, int i, int n)
{
	for (int k = 0; k < d->sum.n; k++) {
		if (d->sum.dim[k].data != i)
			continue;
		return k < n ? add_tile_axis(d, axes, k)
			     : derive_axis(d, axes, "", place(d, k)->name,
					d->sum.data->tensor->shape[i]);
	}
	return add_dim_axis(d, axes, d->sum.data, i);
}

/* FROM at INDEX, where dim DIM is at element I of tile TILE, STEP elements behind the last one; 0 where the last one that
 * reads it, LAST, has more than there is. */
static const struct expr *tile_element(struct derive_work *d, const struct tensor *from,
				       const struct expr *const *index, int dim,
				       const struct expr *tile, int64_t last, int64_t step, int i)
{
	const struct expr *at = expr_add(d->a, expr_mul(d->a, tile, step), expr_int(d->a, i));
	const struct expr *value = element(d, from, index, dim, at);
	int64_t extent = from->shape[dim];

	if (last * step + i < extent)
		return value;
	return expr_select(d->a, expr_binary(d->a, EXPR_LT, at, expr_int(d->a, extent)), value,
			   expr_const(d->a, d->dtype, 0));
}

/* FROM, the data with the first WHICH window dims transformed: one more of them. */
static const struct tensor *transform_data(struct derive_work *d, const struct tensor *from,
					   int which, const char *name)
{
	const struct expr *index[TENSOR_MAX_DIMS], *x[TRANSFORM_MOST];
	struct new_axes axes = { 0 };
	int dim = which + d->sum.dim[which].data;
	int64_t step = d->m * d->sum.dim[which].stride;

	for (int i = 0; i < which; i++)
		index[i] = add_row_axis(d, &axes, i);
	const struct expr *row = add_row_axis(d, &axes, which);

	for (int i = 0; i < d->sum.data->tensor->ndim; i++)
		index[which + i] = add_data_axis(d, &axes, i, which + 1);
	const struct expr *tile = index[dim];
	int64_t last = tile->axis->hi - 1 - is_ragged(d, which);

	for (int i = 0; i < d->by[which].data.cols; i++)
		x[i] = tile_element(d, from, index, dim, tile, last, step, i);
	const struct expr *value = transform_row(d->a, &d->by[which].data, x, row);

	if (is_ragged(d, which))
		value = expr_select(d->a, is_whole(d, tile), value,
				    transform_row(d->a, &d->tail[which].data, x, row));
	return &derive_op(d, derive_name(d, name), &axes, axes.n, value)->tensor;
}

/* The axis that runs over space axis I of the op: tiles, where it is that of a window dim behind the first N. */
static const struct expr *add_space_axis(struct derive_work *d, struct new_axes *axes, int i, int n)
{
	for (int k = n; k < d->sum.n; k++)
		if (d->sum.dim[k].space == i)
			return add_tile_axis(d, axes, k);
	return derive_axis(d, axes, "", d->op->space[i]->name, d->op->space[i]->hi);
}

/* What reads dim I of the data, without taps: V has a tile for each place y of a window dim. */
static const struct expr *data_index(const struct derive_work *d, int i)
{
	for (int k = 0; k < d->sum.n; k++)
		if (d->sum.dim[k].data == i)
			return expr_axis(d->a, place(d, k));
	return d->sum.data->index[i];
}

/* V where it has a product in window dim I for ROW and TILE, else 0: a smaller tile has the first rows alone. */
static const struct expr *kept(struct derive_work *d, const struct expr *v, int i, const struct expr *row,
			       const struct expr *tile)
{
	const struct expr *first = expr_binary(d->a, EXPR_LT, row, expr_int(d->a, d->tail[i].data.rows));

	return expr_select(d->a, expr_binary(d->a, EXPR_OR, first, is_whole(d, tile)), v,
			   expr_const(d->a, d->dtype, 0));
}

/* The part of the products of window dim I that all tiles have: the last one less, where it is smaller. */
static double part_kept(const struct derive_work *d, int i)
{
	double tiles = (double)ceil_div(place(d, i)->hi, d->m);
	int gone = is_ragged(d, i) ? d->by[i].data.rows - d->tail[i].data.rows : 0;

	return 1 - gone / (tiles * d->by[i].data.rows);
}

/* The transformed V and U multiplied, and summed over all that are no taps. */
static const struct tensor *multiply(struct derive_work *d, const struct tensor *v,
				     const struct tensor *u)
{
	const struct axis *from[2 * TENSOR_MAX_DIMS];
	const struct expr *to[2 * TENSOR_MAX_DIMS];
	const struct expr *at_v[TENSOR_MAX_DIMS], *at_u[TENSOR_MAX_DIMS];
	const struct op *op = d->op;
	struct new_axes axes = { 0 };
	int n = 0, nv = d->sum.n, nu = d->sum.n;

	for (int i = 0; i < d->sum.n; i++)
		at_v[i] = at_u[i] = add_row_axis(d, &axes, i);
	for (int i = 0; i < op->tensor.ndim; i++) {
		from[n] = op->space[i];
		to[n++] = add_space_axis(d, &axes, i, 0);
	}
	int ndim = axes.n;

	for (int i = 0; i < op->nreduce; i++) {
		bool taps = false;

		for (int k = 0; k < d->sum.n; k++)
			taps |= d->sum.dim[k].reduce == i;
		from[n] = op->reduce[i];
		to[n++] = taps ? expr_int(d->a, 0)	/* nothing of V has it */
			       : derive_axis(d, &axes, "", op->reduce[i]->name, op->reduce[i]->hi);
	}
	for (int i = 0; i < d->sum.data->tensor->ndim; i++)
		at_v[nv++] = expr_substitute(d->a, data_index(d, i), from, to, n);
	for (int i = 0; i < d->sum.weight->tensor->ndim; i++)
		if (!is_transformed(d, i, d->sum.n))
			at_u[nu++] = expr_substitute(d->a, d->sum.weight->index[i], from, to, n);
	const struct expr *data = expr_load(d->a, v, at_v);

	for (int i = 0; i < d->sum.n; i++) {
		if (is_ragged(d, i))
			data = kept(d, data, i, at_v[i], to[d->sum.dim[i].space]);
		d->out->share *= part_kept(d, i);
	}
	d->out->product = d->out->n;
	return &derive_op(d, derive_name(d, "P"), &axes, ndim,
		       expr_binary(d->a, EXPR_MUL, data, expr_load(d->a, u, at_u)))
			->tensor;
}

/* FROM, the products with the first WHICH window dims back in the place of tiles: one more of them. */
static const struct tensor *transform_output(struct derive_work *d, const struct tensor *from,
					     int which, const char *name)
{
	const struct expr *index[TENSOR_MAX_DIMS], *x[TRANSFORM_MOST];
	const struct transform *t = &d->by[which].output;
	struct new_axes axes = { 0 };
	int n = 1;

	for (int i = which + 1; i < d->sum.n; i++)
		index[n++] = add_row_axis(d, &axes, i);
	int at = n + d->sum.dim[which].space;

	for (int i = 0; i < d->op->tensor.ndim; i++)
		index[n++] = add_space_axis(d, &axes, i, which + 1);
	const struct expr *m = expr_int(d->a, d->m);
	const struct expr *row = expr_binary(d->a, EXPR_MOD, index[at], m);

	index[at] = expr_binary(d->a, EXPR_DIV, index[at], m);
	for (int u = 0; u < t->cols; u++)
		x[u] = element(d, from, index, 0, expr_int(d->a, u));
	return &derive_op(d, name, &axes, axes.n, transform_row(d->a, t, x, row))->tensor;
}

/* Is there room for a dim more for each that is transformed? */
static bool dims_fit(const struct derive_work *d)
{
	int64_t dims = most(d->sum.data->tensor->ndim, d->sum.weight->tensor->ndim);

	return most(dims, d->op->tensor.ndim) + d->sum.n <= TENSOR_MAX_DIMS;
}

/* Transforms are up to COOK_TOOM_PRODUCTS^2 as large as what they are of: no count overflows. */
static bool elements_fit(const struct derived *out)
{
	for (int i = 0; i < out->n; i++)
		if (tensor_count(&out->op[i]->tensor) > ELEMENTS_MAX)
			return false;
	return true;
}

static bool refuse(const char **why, const char *reason)
{
	if (why)
		*why = reason;
	return false;
}

/* The matrices of all window dims; no tail amplifies more than the whole. False where RAGGED is asked for and no tile is
 * smaller than others. */
static bool choose_matrices(struct derive_work *d, bool ragged)
{
	bool is_one = false;

	d->out->amplification = d->out->share = 1;
	for (int i = 0; i < d->sum.n; i++) {
		const struct window_dim *w = &d->sum.dim[i];
		int64_t left = place(d, i)->hi % d->m;

		d->last[i] = ragged && left > 0 ? left : d->m;
		if (is_ragged(d, i))
			cook_toom_ragged(d->m, left, w->taps, w->stride, &d->by[i], &d->tail[i]);
		else
			d->by[i] = cook_toom(d->m, w->taps, w->stride);
		is_one |= is_ragged(d, i);
		d->out->amplification *= cook_toom_amplification(&d->by[i]);
	}
	return is_one == ragged;
}

bool winograd_derive(struct arena *a, const struct op *op, struct winograd_tiles tiles, struct derived *out, const char **why)
{
	struct derive_work d = { .a = a, .op = op, .m = tiles.m, .out = out };

	memset(out, 0, sizeof(*out));
	if (!window_sum_of(a, op, tiles.m, &d.sum, why))
		return false;
	if (tiles.one_dim && d.sum.n < 2)
		return refuse(why, "one dim alone has windows that tiles suit");
	if (tiles.one_dim)
		d.sum.n = 1;
	if (!dims_fit(&d))
		return refuse(why, "its tensors have too many dims: transforms add to them");
	if (!choose_matrices(&d, tiles.ragged))
		return refuse(why, "tiles of as many outputs fill its dims");
	d.dtype = dtype_arithmetic(op->tensor.dtype);
	const struct tensor *u = d.sum.weight->tensor, *v = d.sum.data->tensor;
	int last = d.sum.n - 1, channels = channels_last_output(&d);

	for (int i = 0; i <= last; i++)
		u = transform_weight(&d, u, i, i == last ? "U" : "U1");
	out->weights = out->n;
	if (channels_last_data(&d))
		v = d.sum.data->tensor;
	for (int i = 0; i <= last; i++)
		v = transform_data(&d, v, i, i == last ? "V" : "V1");
	const struct tensor *y = multiply(&d, v, u);

	for (int i = 0; i <= last; i++)
		y = transform_output(&d, y, i,
				     i < last ? derive_name(&d, "Y1")
				     : channels >= 0 ? derive_name(&d, "Y")
						     : op->tensor.name);
	if (channels >= 0)
		channels_last_undo(&d, y, op, channels);
	struct op *end = out->op[out->n - 1];

	end->body = expr_cast(a, op->tensor.dtype, end->body);
	end->tensor.dtype = op->tensor.dtype;
	end->output = op->output;
	return elements_fit(out) || refuse(why, "its transforms would be too large");
}
