/* SPDX-License-Identifier: Apache-2.0 */
/* graph/shape_view.c - shapes of operators whose result's shape is an operand or attribute. */
#include <math.h>
#include <string.h>

#include "base/err.h"
#include "graph/infer.h"

int shape_shape(struct infer *x)
{
	const struct type *in = infer_arg(x, 0);
	int64_t rank = in->rank;

	x->out[0].dtype = DTYPE_I64;
	x->out[0].rank = 1;
	x->out[0].dim[0] = dim_unknown();
	if (rank == RANK_UNKNOWN)
		return 0;
	int64_t start = call_int(x->call, "start", 0);
	int64_t end = call_int(x->call, "end", rank);

	start = start < -rank ? 0 : start < 0 ? start + rank : start > rank ? rank : start;
	end = end < -rank ? 0 : end < 0 ? end + rank : end > rank ? rank : end;
	x->out[0].dim[0] = dim_number(end > start ? end - start : 0);
	return 0;
}

int shape_size(struct infer *x)
{
	x->out[0] = type_tensor(DTYPE_I64, 0, NULL);
	return 0;
}

int shape_range(struct infer *x)
{
	x->out[0].dtype = infer_arg(x, 0)->dtype;
	x->out[0].rank = 1;
	x->out[0].dim[0] = dim_unknown();
	int n[3];
	const int64_t *start = infer_ints(x, 0, &n[0]);
	const int64_t *limit = infer_ints(x, 1, &n[1]);
	const int64_t *step = infer_ints(x, 2, &n[2]);

	if (!start || !limit || !step)
		return 0;
	if (n[0] != 1 || n[1] != 1 || n[2] != 1 || *step == 0)
		return infer_error(x, "start, limit and delta must be single, delta not 0");
	__int128 room = (__int128)*limit - *start;
	__int128 count = room / *step + (room % *step != 0 && (room < 0) == (*step < 0));

	x->out[0].dim[0] = dim_number(count < 0		      ? 0
				      : count > GRAPH_MAX_DIM ? GRAPH_MAX_DIM + 1
							      : (int64_t)count);
	return 0;
}

/* A type whose dims are the values of operand I; ranks and dims unknown where these are. */
static int shape_from(struct infer *x, int i, struct type *out)
{
	int n;
	const int64_t *shape = infer_ints(x, i, &n);
	const struct type *t = infer_arg(x, i);

	if (!shape) {
		if (t->rank == 1 && dim_is_known(t->dim[0]) && t->dim[0].n <= GRAPH_MAX_RANK) {
			out->rank = (int)t->dim[0].n;
			for (int j = 0; j < out->rank; j++)
				out->dim[j] = dim_unknown();
		}
		return 0;
	}
	if (n > GRAPH_MAX_RANK)
		return infer_error(x, "a result of rank %d (at most %d)", n, GRAPH_MAX_RANK);
	out->rank = n;
	for (int j = 0; j < n; j++)
		out->dim[j] = dim_number(shape[j]);
	return 0;
}

int shape_constant_of_shape(struct infer *x)
{
	int n;
	const int64_t *shape = infer_ints(x, 0, &n);

	for (int i = 0; i < n; i++)
		if (shape[i] < 0)
			return infer_error(x, "a dim of %lld", (long long)shape[i]);
	const struct attr *value = call_attr(x->call, "value");

	x->out[0].dtype = DTYPE_F32;
	if (value && value->kind == ATTR_TENSOR) {
		x->out[0].dtype = value->tensor->type.dtype;
		if (type_count(&value->tensor->type) != 1)
			return infer_error(x, "its value must be a single element");
	}
	return shape_from(x, 0, &x->out[0]);
}

int shape_expand(struct infer *x)
{
	const struct type *in = infer_arg(x, 0);
	struct type want = type_unknown();

	x->out[0].dtype = in->dtype;
	if (shape_from(x, 1, &want) < 0)
		return -1;
	if (in->rank == RANK_UNKNOWN || want.rank == RANK_UNKNOWN)
		return 0;
	int rank = in->rank > want.rank ? in->rank : want.rank;

	x->out[0].rank = rank;
	for (int i = 0; i < rank; i++) {
		struct dim one = dim_number(1);
		int p = i - (rank - in->rank);
		int q = i - (rank - want.rank);

		if (infer_join(x, p < 0 ? one : in->dim[p], q < 0 ? one : want.dim[q], true,
			       &x->out[0].dim[i]) < 0)
			return -1;
	}
	return 0;
}

/* Fills in the one dim of OUT that was given as -1, so that the count of elements stays. */
static int solve_dim(struct infer *x, const struct type *in, struct type *out, int open)
{
	struct dim all = infer_product(in, 0, in->rank);
	int64_t others = 1;

	for (int i = 0; i < out->rank; i++)
		if (i != open && (!dim_is_known(out->dim[i]) ||
				  __builtin_mul_overflow(others, out->dim[i].n, &others)))
			return 0;
	if (open >= 0 && !dim_is_known(all) && others == 1)
		out->dim[open] = all;
	if (!dim_is_known(all))
		return 0;
	if (open >= 0 && others > 0 && all.n % others == 0)
		out->dim[open] = dim_number(all.n / others);
	else if (open >= 0 || all.n != others)
		return infer_error(x, "%lld elements do not fit the new shape", (long long)all.n);
	return 0;
}

int shape_reshape(struct infer *x)
{
	const struct type *in = infer_arg(x, 0);
	struct type *out = &x->out[0];
	bool zero = call_int(x->call, "allowzero", 0) != 0;
	bool known = false;
	int n, open = -1;

	out->dtype = in->dtype;
	if (shape_from(x, 1, out) < 0)
		return -1;
	known = infer_ints(x, 1, &n) != NULL;
	for (int i = 0; known && i < out->rank; i++) {
		struct dim *d = &out->dim[i];

		if (d->n == 0 && !zero) {
			if (in->rank != RANK_UNKNOWN && i >= in->rank)
				return infer_error(x, "dim %d is to be copied, there is none", i);
			*d = in->rank == RANK_UNKNOWN ? dim_unknown() : in->dim[i];
		} else if (d->n == -1 && open < 0) {
			open = i;
		} else if (d->n < 0) {
			return infer_error(x, "a new dim of %lld", (long long)d->n);
		}
	}
	if (!known || in->rank == RANK_UNKNOWN)
		return 0;
	return solve_dim(x, in, out, open);
}

int shape_flatten(struct infer *x)
{
	const struct type *in = infer_arg(x, 0);
	int64_t axis = call_int(x->call, "axis", 1);

	x->out[0].dtype = in->dtype;
	x->out[0].rank = 2;
	x->out[0].dim[0] = x->out[0].dim[1] = dim_unknown();
	if (in->rank == RANK_UNKNOWN)
		return 0;
	if (axis < -in->rank || axis > in->rank)
		return infer_error(x, "axis %lld of rank %d", (long long)axis, in->rank);
	int at = (int)(axis < 0 ? axis + in->rank : axis);

	x->out[0].dim[0] = infer_product(in, 0, at);
	x->out[0].dim[1] = infer_product(in, at, in->rank);
	return 0;
}

int shape_squeeze(struct infer *x)
{
	const struct type *in = infer_arg(x, 0);
	bool drop[GRAPH_MAX_RANK] = { false };
	int n;
	const int64_t *axes = infer_list(x, "axes", 1, &n);

	x->out[0].dtype = in->dtype;
	if (in->rank == RANK_UNKNOWN || (!axes && call_arg(x->call, 1) != VALUE_NONE))
		return 0;
	for (int i = 0; !axes && i < in->rank; i++) {
		if (!dim_is_known(in->dim[i]))
			return 0;
		drop[i] = in->dim[i].n == 1;
	}
	for (int i = 0; i < n; i++) {
		int axis = infer_axis(x, axes[i], in->rank);

		if (axis < 0)
			return -1;
		if (in->dim[axis].n > 1 || in->dim[axis].n == 0)
			return infer_error(x, "dim %d is %lld, not 1", axis,
					   (long long)in->dim[axis].n);
		drop[axis] = true;
	}
	x->out[0].rank = 0;
	for (int i = 0; i < in->rank; i++)
		if (!drop[i])
			x->out[0].dim[x->out[0].rank++] = in->dim[i];
	return 0;
}

int shape_unsqueeze(struct infer *x)
{
	const struct type *in = infer_arg(x, 0);
	bool added[GRAPH_MAX_RANK] = { false };
	int n;
	const int64_t *axes = infer_list(x, "axes", 1, &n);

	x->out[0].dtype = in->dtype;
	if (in->rank == RANK_UNKNOWN || !axes)
		return 0;
	int rank = in->rank + n;

	if (rank > GRAPH_MAX_RANK)
		return infer_error(x, "a result of rank %d (at most %d)", rank, GRAPH_MAX_RANK);
	for (int i = 0; i < n; i++) {
		int axis = infer_axis(x, axes[i], rank);

		if (axis < 0)
			return -1;
		if (added[axis])
			return infer_error(x, "axis %d twice", axis);
		added[axis] = true;
	}
	x->out[0].rank = rank;
	for (int i = 0, from = 0; i < rank; i++)
		x->out[0].dim[i] = added[i] ? dim_number(1) : in->dim[from++];
	return 0;
}

/* The factors of Upsample and Resize: an attribute, or the operand that is called scales. */
static const float *scales(const struct infer *x, int *n)
{
	const struct attr *attr = call_attr(x->call, "scales");
	int value = call_arg(x->call, x->call->op == OPER_UPSAMPLE || x->graph->opset < 11 ? 1 : 2);

	*n = 0;
	if (attr && attr->kind == ATTR_FLOATS) {
		*n = attr->n;
		return attr->floats;
	}
	if (value == VALUE_NONE)
		return NULL;
	const struct binding *b = &x->f->bindings.at[value];

	if (b->kind != BIND_CONST || b->type.dtype != DTYPE_F32 || b->type.rank != 1)
		return NULL;
	*n = b->type.dim[0].n > GRAPH_MAX_RANK ? GRAPH_MAX_RANK + 1 : (int)b->type.dim[0].n;
	return *n > 0 ? b->data : NULL;	/* an empty one stands for none */
}

int shape_resize(struct infer *x)
{
	const struct type *in = infer_arg(x, 0);
	int n, nsizes;
	const float *by = scales(x, &n);
	const int64_t *sizes = infer_ints(x, 3, &nsizes);

	x->out[0].dtype = in->dtype;
	if (in->rank == RANK_UNKNOWN)
		return 0;
	x->out[0].rank = in->rank;
	if ((by && n != in->rank) || (sizes && nsizes != in->rank))
		return infer_error(x, "%d scales and %d sizes for rank %d", n, nsizes, in->rank);
	for (int i = 0; i < in->rank; i++) {
		struct dim *d = &x->out[0].dim[i];

		*d = dim_unknown();
		if (sizes) {
			*d = dim_number(sizes[i]);
			if (sizes[i] < 1)
				return infer_error(x, "a size of %lld", (long long)sizes[i]);
		} else if (by && dim_is_known(in->dim[i])) {
			double size = floor((double)in->dim[i].n * (double)by[i]);

			if (!(size >= 1 && size <= (double)GRAPH_MAX_DIM))
				return infer_error(x, "a scale of %g", (double)by[i]);
			*d = dim_number((int64_t)size);
		} else if (by && by[i] == 1.0f) {
			*d = in->dim[i];
		}
	}
	return 0;
}
