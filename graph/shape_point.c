/* SPDX-License-Identifier: Apache-2.0 */
/* graph/shape_point.c - shapes of elementwise operators, normalizations and reductions. */
#include "base/err.h"
#include "graph/infer.h"

int shape_opaque(struct infer *x)
{
	(void)x;	/* keeps what the model declares */
	return 0;
}

int shape_same(struct infer *x)
{
	x->out[0] = *infer_arg(x, 0);
	return 0;
}

/* numpy's broadcasting of all operands from FIRST on; the element type is that of FIRST. */
static int broadcast(struct infer *x, int first)
{
	struct type all = *infer_arg(x, first);

	x->out[0].dtype = all.dtype;
	for (int i = first; i < x->call->nargs; i++) {
		const struct type *t = infer_arg(x, i);

		if (t->rank == RANK_UNKNOWN)
			return 0;
		int rank = all.rank > t->rank ? all.rank : t->rank;
		struct type next = { .dtype = all.dtype, .rank = rank };

		for (int j = 0; j < rank; j++) {
			struct dim one = dim_number(1);
			int p = j - (rank - all.rank);
			int q = j - (rank - t->rank);

			if (infer_join(x, p < 0 ? one : all.dim[p], q < 0 ? one : t->dim[q], true,
				       &next.dim[j]) < 0)
				return -1;
		}
		all = next;
	}
	x->out[0] = all;
	return 0;
}

int shape_broadcast(struct infer *x)
{
	const struct type *a = infer_arg(x, 0);
	const struct type *b = infer_arg(x, x->call->nargs - 1);

	if (a->dtype != DTYPE_COUNT && b->dtype != DTYPE_COUNT && a->dtype != b->dtype)
		return infer_error(x, "operands of %s and %s", dtype_name(a->dtype),
				   dtype_name(b->dtype));
	return broadcast(x, 0);
}

/* The exponent may be of another type. */
int shape_power(struct infer *x)
{
	return broadcast(x, 0);
}

int shape_compare(struct infer *x)
{
	if (broadcast(x, 0) < 0)
		return -1;
	x->out[0].dtype = DTYPE_BOOL;
	return 0;
}

int shape_where(struct infer *x)
{
	if (broadcast(x, 0) < 0)
		return -1;
	x->out[0].dtype = infer_arg(x, 1)->dtype;
	return 0;
}

int shape_cast(struct infer *x)
{
	/* ONNX's numbers of element types; those left out have no counterpart. */
	static const struct {
		int64_t onnx;
		enum dtype dtype;
	} types[] = {
		{ 1, DTYPE_F32 },  { 2, DTYPE_U8 },    { 3, DTYPE_I8 },
		{ 6, DTYPE_I32 },  { 7, DTYPE_I64 },   { 9, DTYPE_BOOL },
		{ 10, DTYPE_F16 }, { 11, DTYPE_F64 },  { 16, DTYPE_BF16 },
	};
	int64_t to = call_int(x->call, "to", 0);

	x->out[0] = *infer_arg(x, 0);
	x->out[0].dtype = DTYPE_COUNT;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (types[i].onnx == to)
			x->out[0].dtype = types[i].dtype;
	return 0;
}

int shape_batch_norm(struct infer *x)
{
	const struct type *in = infer_arg(x, 0);
	struct dim d;

	x->out[0] = *in;
	if (in->rank == RANK_UNKNOWN)
		return 0;
	if (in->rank < 2)
		return infer_error(x, "input of rank %d", in->rank);
	for (int i = 1; i < 5; i++) {
		const struct type *t = infer_arg(x, i);

		if (t->rank == RANK_UNKNOWN)
			continue;
		if (t->rank != 1)
			return infer_error(x, "operand %d has rank %d instead of 1", i, t->rank);
		if (infer_join(x, in->dim[1], t->dim[0], false, &d) < 0)
			return -1;
	}
	return 0;
}

int shape_layer_norm(struct infer *x)
{
	const struct type *in = infer_arg(x, 0);

	x->out[0] = *in;
	if (in->rank == RANK_UNKNOWN)
		return 0;
	int axis = infer_axis(x, call_int(x->call, "axis", -1), in->rank);

	if (axis < 0)
		return -1;
	for (int i = 1; i < x->nout && i < 3; i++) {	/* mean and inverse deviation */
		x->out[i] = *in;
		for (int j = axis; j < in->rank; j++)
			x->out[i].dim[j] = dim_number(1);
	}
	return 0;
}

int shape_dropout(struct infer *x)
{
	x->out[0] = *infer_arg(x, 0);
	if (x->nout > 1) {
		x->out[1] = x->out[0];
		x->out[1].dtype = DTYPE_BOOL;
	}
	return 0;
}

/* Dims of IN without those that are DROPped, or with them as 1. */
static void drop_dims(const struct type *in, const bool *drop, bool keep, struct type *out)
{
	out->rank = 0;
	for (int i = 0; i < in->rank; i++)
		if (!drop[i])
			out->dim[out->rank++] = in->dim[i];
		else if (keep)
			out->dim[out->rank++] = dim_number(1);
}

int shape_reduce(struct infer *x)
{
	const struct type *in = infer_arg(x, 0);
	bool drop[GRAPH_MAX_RANK] = { false };
	int n;
	const int64_t *axes = infer_list(x, "axes", 1, &n);

	x->out[0].dtype = in->dtype;
	if (in->rank == RANK_UNKNOWN || (!axes && call_arg(x->call, 1) != VALUE_NONE))
		return 0;
	if (n == 0 && call_int(x->call, "noop_with_empty_axes", 0)) {
		x->out[0] = *in;
		return 0;
	}
	for (int i = 0; i < in->rank; i++)
		drop[i] = n == 0;
	for (int i = 0; i < n; i++) {
		int axis = infer_axis(x, axes[i], in->rank);

		if (axis < 0)
			return -1;
		drop[axis] = true;
	}
	drop_dims(in, drop, call_int(x->call, "keepdims", 1) != 0, &x->out[0]);
	return 0;
}

int shape_arg_reduce(struct infer *x)
{
	const struct type *in = infer_arg(x, 0);
	bool drop[GRAPH_MAX_RANK] = { false };

	x->out[0].dtype = DTYPE_I64;
	if (in->rank == RANK_UNKNOWN)
		return 0;
	int axis = infer_axis(x, call_int(x->call, "axis", 0), in->rank);

	if (axis < 0)
		return -1;
	drop[axis] = true;
	drop_dims(in, drop, call_int(x->call, "keepdims", 1) != 0, &x->out[0]);
	return 0;
}
