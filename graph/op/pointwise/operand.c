/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/pointwise/operand.c - reads operands that are repeated along dims. */
#include "graph/op/pointwise/operand.h"

#include <string.h>

struct broadcast broadcast_of(struct arena *a, const struct array *from, enum compute c, int rank,
			      const int64_t *dim)
{
	struct broadcast b = { .from = from, .compute = c,
			       .block = arena_alloc(a, BLOCK * sizeof(double)) };
	int skip = rank - from->rank;
	int64_t inside = from->count;	/* elements of FROM in one step of the dim before */

	for (int i = 0; i < rank; i++) {
		int64_t own = i < skip ? 1 : from->dim[i - skip];

		inside = own ? inside / own : 0;
		int64_t stride = own == 1 ? 0 : inside;
		int last = b.rank - 1;

		if (dim[i] == 1)
			continue;
		if (last >= 0 && b.stride[last] == stride * dim[i]) {
			b.dim[last] *= dim[i];
			b.stride[last] = stride;
			continue;
		}
		b.dim[b.rank] = dim[i];
		b.stride[b.rank++] = stride;
	}
	return b;
}

/* N elements from AT on, or that one N times. */
static void copy_run(const struct broadcast *b, int64_t at, int64_t stride, int64_t n, void *out)
{
	compute_get(b->compute, b->from->element, b->from->data, at, stride ? n : 1, out);
	if (stride)
		return;
	if (compute_bytes(b->compute) == sizeof(uint32_t))
		for (int64_t i = 1; i < n; i++)
			((uint32_t *)out)[i] = *(uint32_t *)out;
	else
		for (int64_t i = 1; i < n; i++)
			((uint64_t *)out)[i] = *(uint64_t *)out;
}

static void copy_runs(const struct broadcast *b, int64_t first, int n, char *out)
{
	int64_t at[GRAPH_MAX_RANK], offset = 0, rest = first;
	int last = b->rank - 1;

	for (int d = last; d >= 0; d--) {
		at[d] = rest % b->dim[d];
		rest /= b->dim[d];
		offset += at[d] * b->stride[d];
	}
	while (n > 0) {
		int64_t run = b->dim[last] - at[last] < n ? b->dim[last] - at[last] : n;

		copy_run(b, offset, b->stride[last], run, out);
		out += (size_t)run * compute_bytes(b->compute);
		n -= (int)run;
		at[last] += run;
		offset += run * b->stride[last];
		for (int d = last; d > 0 && at[d] == b->dim[d]; d--) {
			offset += b->stride[d - 1] - at[d] * b->stride[d];
			at[d] = 0;
			at[d - 1]++;
		}
	}
}

const void *broadcast_read(struct broadcast *b, int64_t first, int n)
{
	const struct array *from = b->from;
	bool whole = b->rank == 0 || (b->rank == 1 && b->stride[0] == 1);

	if (whole && n == BLOCK && compute_holds(b->compute, from->element))
		return (const char *)from->data + (size_t)first * compute_bytes(b->compute);
	if (whole)
		compute_get(b->compute, from->element, from->data, first, n, b->block);
	else if (b->rank > 1)
		copy_runs(b, first, n, b->block);
	else if (first == 0)	/* one element: every block is alike */
		copy_run(b, 0, 0, BLOCK, b->block);
	return b->block;
}
