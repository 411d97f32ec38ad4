/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/combine/axes.c - dims that are combined, and walks over places. */
#include "graph/op/combine/axes.h"

int axes_infer(const struct infer *x, int rank, const int64_t *axis, int n, struct axis_set *out)
{
	*out = (struct axis_set){ .rank = rank };
	for (int i = 0; i < n; i++) {
		int at;

		if (infer_axis(x, axis[i], rank, &at) < 0)
			return -1;
		out->over[at] = true;
	}
	return 0;
}

int axes_eval(const struct eval *x, int rank, const int64_t *axis, int n, struct axis_set *out)
{
	*out = (struct axis_set){ .rank = rank };
	for (int i = 0; i < n; i++) {
		int at;

		if (eval_axis(x, axis[i], rank, &at) < 0)
			return -1;
		out->over[at] = true;
	}
	return 0;
}

struct axis_set axes_all(int rank)
{
	struct axis_set all = { .rank = rank };

	for (int i = 0; i < rank; i++)
		all.over[i] = true;
	return all;
}

struct axis_set axes_one(int rank, int axis)
{
	struct axis_set one = { .rank = rank };

	one.over[axis] = true;
	return one;
}

int axes_left(const struct axis_set *axes, const int64_t *dim, bool keep, int64_t *out)
{
	int n = 0;

	for (int i = 0; i < axes->rank; i++)
		if (!axes->over[i] || keep)
			out[n++] = axes->over[i] ? 1 : dim[i];
	return n;
}

struct walk walk_over(const struct axis_set *axes, const int64_t *dim, bool combined)
{
	struct walk w = { .count = 1 };
	int64_t stride = shape_count(axes->rank, dim);

	for (int i = 0; i < axes->rank; i++) {
		stride = dim[i] ? stride / dim[i] : 0;
		if (axes->over[i] != combined || dim[i] == 1)
			continue;
		w.count *= dim[i];
		if (w.rank && w.stride[w.rank - 1] == stride * dim[i]) {
			w.dim[w.rank - 1] *= dim[i];
			w.stride[w.rank - 1] = stride;
			continue;
		}
		w.dim[w.rank] = dim[i];
		w.stride[w.rank++] = stride;
	}
	return w;
}

int64_t walk_at(const struct walk *w, int64_t i)
{
	int64_t offset = 0;

	for (int d = w->rank - 1; d >= 0 && i; d--) {
		offset += i % w->dim[d] * w->stride[d];
		i /= w->dim[d];
	}
	return offset;
}

int64_t walk_run(const struct walk *w)
{
	return w->rank && w->stride[w->rank - 1] == 1 ? w->dim[w->rank - 1] : 1;
}
