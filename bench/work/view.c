/* SPDX-License-Identifier: Apache-2.0 */
/* bench/work/view.c - dimensions made of parts. */
#include "bench/work/view.h"

#include <assert.h>

int64_t tensor_stride(const struct tensor *t, int dim)
{
	int64_t stride = 1;

	for (int i = dim + 1; i < t->ndim; i++)
		stride *= t->shape[i];
	return stride;
}

void view_add_dim(struct view *v)
{
	assert(v->ndim < TENSOR_MAX_DIMS);
	v->dim[v->ndim++] = (struct view_dim){ .extent = 1 };
}

void view_add_part(struct view *v, int dim)
{
	struct view_dim *d = &v->dim[v->ndim - 1];

	assert(d->n < VIEW_MAX_PARTS);
	d->part[d->n++] = (struct view_part){ dim, v->tensor->shape[dim],
					      tensor_stride(v->tensor, dim) };
	d->extent *= v->tensor->shape[dim];
}

int64_t view_count(const struct view *v)
{
	int64_t n = 1;

	for (int i = 0; i < v->ndim; i++)
		n *= v->dim[i].extent;
	return n;
}

bool view_dim_stride(const struct view_dim *d, int64_t *stride)
{
	int64_t expected = 0;

	*stride = 0;
	for (int i = d->n - 1; i >= 0; i--) {
		const struct view_part *p = &d->part[i];

		if (p->extent == 1)
			continue;
		if (expected == 0)
			*stride = p->stride;
		else if (p->stride != expected)
			return false;
		expected = p->stride * p->extent;
	}
	return true;
}

int64_t view_dim_offset(const struct view_dim *d, int64_t i)
{
	int64_t offset = 0;

	for (int p = d->n - 1; p >= 0; p--) {
		offset += i % d->part[p].extent * d->part[p].stride;
		i /= d->part[p].extent;
	}
	return offset;
}

/* Gathers what lies at MEMORY from dimension DIM on; returns the end of it. */
static float *gather(const struct view *v, int dim, const float *memory, float *dense)
{
	if (dim == v->ndim) {
		*dense = *memory;
		return dense + 1;
	}
	for (int64_t i = 0; i < v->dim[dim].extent; i++)
		dense = gather(v, dim + 1, memory + view_dim_offset(&v->dim[dim], i), dense);
	return dense;
}

void view_gather(const struct view *v, const float *memory, float *dense)
{
	gather(v, 0, memory, dense);
}
