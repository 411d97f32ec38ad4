/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fake/fake_compute.h - a code generator's part that computes: sums, products, relu and matrix products of
 * row-major f32, plainly, with nothing of hone but its installed header.
 *
 * Holds: a region with another operator, type or storage is not made ready. */
#ifndef HONE_TESTS_FAKE_FAKE_COMPUTE_H
#define HONE_TESTS_FAKE_FAKE_COMPUTE_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "include/hone_generator.h"

struct fake_handle {
	const struct hone_region *region;
	float **data;		/* by tensor */
	unsigned char *own;	/* by tensor: it is freed with the handle */
};

static inline int64_t fake_count(const struct hone_region_tensor *t)
{
	int64_t n = 1;

	for (int i = 0; i < t->rank; i++)
		n *= t->dim[i];
	return n;
}

/* Where element I of OUT comes from in X, which is broadcast to it. */
static inline int64_t fake_place(const struct hone_region_tensor *out, const struct hone_region_tensor *x,
				 int64_t i)
{
	int64_t place = 0, step = 1;

	for (int d = 0; d < x->rank; d++) {
		int64_t from = x->dim[x->rank - 1 - d], to = out->dim[out->rank - 1 - d];

		place += from == 1 ? 0 : i % to * step;
		step *= from;
		i /= to;
	}
	return place;
}

static inline int64_t fake_attr(const struct hone_region_call *c, const char *name)
{
	for (int i = 0; i < c->nattrs; i++)
		if (strcmp(c->attrs[i].name, name) == 0)
			return c->attrs[i].ints[0];
	return 0;
}

static inline void fake_matmul(const struct fake_handle *h, const struct hone_region_call *c)
{
	const struct hone_region_tensor *y = &h->region->tensors[c->output];
	const struct hone_region_tensor *a = &h->region->tensors[c->inputs[0]];
	int64_t ta = fake_attr(c, "trans_a"), tb = fake_attr(c, "trans_b"), n = y->dim[1], m = y->dim[0];
	int64_t depth = a->dim[ta ? 0 : 1];
	const float *p = h->data[c->inputs[0]], *q = h->data[c->inputs[1]];

	for (int64_t i = 0; i < m * n; i++) {
		float sum = 0;

		for (int64_t k = 0; k < depth; k++)
			sum += p[ta ? k * m + i / n : i / n * depth + k] *
			       q[tb ? i % n * depth + k : k * n + i % n];
		h->data[c->output][i] = sum;
	}
}

static inline void fake_pointwise(const struct fake_handle *h, const struct hone_region_call *c)
{
	const struct hone_region_tensor *t = h->region->tensors, *y = &t[c->output];

	for (int64_t i = 0; i < fake_count(y); i++) {
		float a = h->data[c->inputs[0]][fake_place(y, &t[c->inputs[0]], i)];
		float b = c->ninputs > 1 ? h->data[c->inputs[1]][fake_place(y, &t[c->inputs[1]], i)] : 0;

		h->data[c->output][i] = strcmp(c->op, "add") == 0 ? a + b
					: strcmp(c->op, "mul") == 0 ? a * b : fmaxf(a, 0);
	}
}

/* Why C is not computed; NULL: it is. */
static inline const char *fake_obstacle(const struct hone_region *r, const struct hone_region_call *c)
{
	static const char *const ops[] = { "add", "mul", "relu", "matmul" };
	const char *why = "no such operator";

	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		if (strcmp(c->op, ops[i]) == 0)
			why = NULL;
	if (!why && strcmp(c->op, "matmul") == 0 && r->tensors[c->output].rank != 2)
		why = "a product that is no matrix";
	for (int i = -1; i < c->ninputs && !why; i++) {
		const struct hone_region_tensor *t = &r->tensors[i < 0 ? c->output : c->inputs[i]];

		why = t->type != HONE_F32 ? "elements that are not f32"
		      : t->channels ? "images that are not row-major" : NULL;
	}
	return why;
}

static inline int fake_claims(const struct hone_region *r, char *why)
{
	for (int i = 0; i < r->ncalls; i++)
		if (fake_obstacle(r, &r->calls[i])) {
			strcpy(why, fake_obstacle(r, &r->calls[i]));
			return -1;
		}
	return 0;
}

static inline void fake_release(void *handle)
{
	struct fake_handle *h = handle;

	for (int i = 0; i < h->region->ntensors; i++)
		if (h->own[i])
			free(h->data[i]);
	free(h->data);
	free(h->own);
	free(h);
}

static inline int fake_init(const struct hone_region *r, const void *artifact, size_t size, int threads,
			    void **handle, char *why)
{
	struct fake_handle *h = calloc(1, sizeof(*h));

	(void)artifact, (void)size, (void)threads;
	if (!h || fake_claims(r, why) != 0) {
		free(h);
		return -1;
	}
	h->region = r;
	h->data = calloc((size_t)r->ntensors, sizeof(*h->data));
	h->own = calloc((size_t)r->ntensors, 1);
	for (int i = 0; i < r->ntensors; i++) {
		h->own[i] = !r->tensors[i].data;
		h->data[i] = r->tensors[i].data ? (float *)(uintptr_t)r->tensors[i].data
						: malloc((size_t)fake_count(&r->tensors[i]) * sizeof(float));
	}
	*handle = h;
	return 0;
}

static inline int fake_run(void *handle, const void *const *inputs, void *const *outputs, char *why)
{
	const struct fake_handle *h = handle;
	const struct hone_region *r = h->region;

	(void)why;
	for (int i = 0; i < r->ninputs; i++)
		memcpy(h->data[r->inputs[i]], inputs[i],
		       (size_t)fake_count(&r->tensors[r->inputs[i]]) * sizeof(float));
	for (int i = 0; i < r->ncalls; i++)
		(strcmp(r->calls[i].op, "matmul") == 0 ? fake_matmul : fake_pointwise)(h, &r->calls[i]);
	for (int i = 0; i < r->noutputs; i++)
		memcpy(outputs[i], h->data[r->outputs[i]],
		       (size_t)fake_count(&r->tensors[r->outputs[i]]) * sizeof(float));
	return 0;
}

#endif
