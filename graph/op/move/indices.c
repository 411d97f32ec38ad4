/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/move/indices.c - indices that are data, checked before they are used. */
#include "graph/op/move/indices.h"

#include "graph/op/move/axes.h"

const int64_t *eval_indices(struct eval *x, int i, int64_t extent)
{
	const struct array *at = eval_array(x, i);
	int64_t *index = eval_scratch(x, (size_t)(at->count + 1) * sizeof(*index));

	element_get_i64(at->element, at->data, 0, at->count, index);
	for (int64_t j = 0; j < at->count; j++) {
		int64_t given = index[j];

		index[j] = index_among(given, extent);
		if (index[j] < 0) {
			eval_error(x, "index %lld of %lld", (long long)given, (long long)extent);
			return NULL;
		}
	}
	return index;
}

/* --- an index for each element */

int infer_indexed(const struct infer *x, const struct type *from, const struct type *at, int axis)
{
	if (!type_is_ranked(from) || !type_is_ranked(at))
		return 0;
	if (from->rank != at->rank)
		return infer_error(x, "indices of rank %d for rank %d", at->rank, from->rank);
	for (int i = 0; i < from->rank; i++)
		if (i != axis && from->dim[i].n >= 0 && at->dim[i].n > from->dim[i].n)
			return infer_error(x, "indices of extent %lld, beyond %lld",
					   (long long)at->dim[i].n, (long long)from->dim[i].n);
	return 0;
}

int eval_picks(struct eval *x, const struct array *from, struct element_picks *picks)
{
	const struct array *at = eval_array(x, 1);
	int64_t *stride = eval_scratch(x, GRAPH_MAX_RANK * sizeof(*stride));
	int axis;

	if (at->rank != from->rank)
		return eval_error(x, "indices of rank %d for rank %d", at->rank, from->rank);
	if (eval_axis(x, call_int(x->call, "axis"), from->rank, &axis) < 0)
		return -1;
	for (int i = 0; i < at->rank; i++)
		if (i != axis && at->dim[i] > from->dim[i])
			return eval_error(x, "indices of extent %lld, beyond %lld",
					  (long long)at->dim[i], (long long)from->dim[i]);
	dense_strides(from->rank, from->dim, stride);
	*picks = (struct element_picks){
		.index = eval_indices(x, 1, from->dim[axis]),
		.base = { .rank = at->rank, .dim = at->dim, .stride = stride },
		.stride = stride[axis],
	};
	stride[axis] = 0;
	return picks->index ? 0 : -1;
}

int64_t picks_next(struct element_picks *picks)
{
	int64_t place = picks->base.offset + *picks->index++ * picks->stride;

	odometer_next(&picks->base);
	return place;
}

/* --- rows of indices */

int infer_tuples(const struct infer *x, const struct type *from, const struct type *at, int64_t batch,
		 int64_t *depth)
{
	struct dim common;

	*depth = -1;
	if (batch < 0 || batch > GRAPH_MAX_RANK)
		return infer_error(x, "%lld batch dims", (long long)batch);
	if (!type_is_ranked(at))
		return 0;
	if (at->rank <= batch)
		return infer_error(x, "indices of rank %d behind %lld batch dims", at->rank,
				   (long long)batch);
	*depth = at->dim[at->rank - 1].n;
	if (!type_is_ranked(from))
		return 0;
	if (batch + (*depth < 0 ? 0 : *depth) > from->rank)
		return infer_error(x, "%lld indices for a tensor of rank %d", (long long)*depth,
				   from->rank);
	for (int i = 0; i < batch; i++)
		if (infer_agree(x, from->dim[i], at->dim[i], false, &common) < 0)
			return -1;
	return 0;
}

int eval_tuples(struct eval *x, const struct array *from, int batch, struct tuple_picks *picks)
{
	const struct array *at = eval_array(x, 1);
	int64_t stride[GRAPH_MAX_RANK], in_batch = 1;

	if (at->rank <= batch || from->rank < batch ||
	    at->dim[at->rank - 1] > from->rank - batch ||
	    memcmp(at->dim, from->dim, (size_t)batch * sizeof(at->dim[0])) != 0)
		return eval_error(x, "indices that do not fit rank %d", from->rank);
	int depth = (int)at->dim[at->rank - 1];

	picks->first = batch + depth;
	picks->count = shape_count(at->rank - 1, at->dim);
	picks->inner = shape_count(from->rank - picks->first, from->dim + picks->first);
	picks->offset = eval_scratch(x, (size_t)(picks->count + 1) * sizeof(*picks->offset));
	dense_strides(from->rank, from->dim, stride);
	for (int i = batch; i < at->rank - 1; i++)
		in_batch *= at->dim[i];
	for (int64_t i = 0; i < picks->count; i++) {
		picks->offset[i] = batch ? i / in_batch * stride[batch - 1] : 0;
		for (int d = 0; d < depth; d++) {
			int64_t given = array_int(at, i * depth + d);
			int64_t index = index_among(given, from->dim[batch + d]);

			if (index < 0)
				return eval_error(x, "index %lld of %lld", (long long)given,
						  (long long)from->dim[batch + d]);
			picks->offset[i] += index * stride[batch + d];
		}
	}
	return 0;
}
