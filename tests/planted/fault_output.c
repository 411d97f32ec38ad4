/* SPDX-License-Identifier: Apache-2.0 */
/* tests/planted/fault_output.c - faults in what a kernel leaves in an output. */
#include <math.h>
#include <string.h>

#include "te/dtype.h"
#include "tests/planted/fault.h"

/* "Small" beside the greatest of an output. */
#define SMALL 0.02

static char *element(const struct tensor *t, void *data, int64_t i)
{
	return (char *)data + (size_t)i * dtype_bytes(t->dtype);
}

static void restore(const struct tensor *t, void *data, const void *stale, int64_t i)
{
	memcpy(element(t, data, i), (const char *)stale + (size_t)i * dtype_bytes(t->dtype),
	       dtype_bytes(t->dtype));
}

bool fault_nothing_done(struct rng *r, const struct tensor *t, void *data, const void *stale)
{
	(void)r;
	memcpy(data, stale, tensor_bytes(t));
	return true;
}

bool fault_all_zero(struct rng *r, const struct tensor *t, void *data, const void *stale)
{
	(void)r;
	(void)stale;
	memset(data, 0, tensor_bytes(t));
	return true;
}

bool fault_element_stale(struct rng *r, const struct tensor *t, void *data, const void *stale)
{
	restore(t, data, stale, rng_below(r, tensor_count(t)));
	return true;
}

bool fault_tail_stale(struct rng *r, const struct tensor *t, void *data, const void *stale)
{
	int64_t row = t->ndim ? t->shape[t->ndim - 1] : 1;
	int64_t tail = 1 + rng_below(r, row);

	for (int64_t i = 0; i < tensor_count(t); i++)
		if (i % row >= row - tail)
			restore(t, data, stale, i);
	return true;
}

bool fault_small_zeroed(struct rng *r, const struct tensor *t, void *data, const void *stale)
{
	double most = 0;
	bool any = false;

	(void)r;
	(void)stale;
	for (int64_t i = 0; i < tensor_count(t); i++)
		most = fmax(most, fabs(dtype_load(t->dtype, data, i)));
	for (int64_t i = 0; i < tensor_count(t); i++) {
		double v = dtype_load(t->dtype, data, i);

		if (v == 0 || !(fabs(v) < SMALL * most))
			continue;
		memset(element(t, data, i), 0, dtype_bytes(t->dtype));
		any = true;
	}
	return any;
}

bool fault_elements_exchanged(struct rng *r, const struct tensor *t, void *data, const void *stale)
{
	int64_t n = tensor_count(t);
	char kept[8];

	(void)stale;
	if (n < 2)
		return false;
	int64_t i = rng_below(r, n - 1);
	size_t size = dtype_bytes(t->dtype);

	memcpy(kept, element(t, data, i), size);
	memcpy(element(t, data, i), element(t, data, i + 1), size);
	memcpy(element(t, data, i + 1), kept, size);
	return true;
}

bool fault_row_repeated(struct rng *r, const struct tensor *t, void *data, const void *stale)
{
	int64_t row = t->ndim ? t->shape[t->ndim - 1] : 1, rows = tensor_count(t) / row;

	(void)stale;
	if (rows < 2)
		return false;
	int64_t i = 1 + rng_below(r, rows - 1);

	memcpy(element(t, data, i * row), element(t, data, (i - 1) * row),
	       (size_t)row * dtype_bytes(t->dtype));
	return true;
}

bool fault_element_not_finite(struct rng *r, const struct tensor *t, void *data, const void *stale)
{
	(void)stale;
	if (!dtype_is_float(t->dtype))
		return false;
	dtype_store(t->dtype, data, rng_below(r, tensor_count(t)),
		    rng_chance(r, 0.5) ? NAN : INFINITY);
	return true;
}

bool fault_element_off(struct rng *r, const struct tensor *t, void *data, const void *stale)
{
	int64_t i = rng_below(r, tensor_count(t));
	double v = dtype_load(t->dtype, data, i);

	(void)stale;
	/* a thousandth is less than what these types hold */
	if (t->dtype == DTYPE_F16 || t->dtype == DTYPE_BF16)
		v *= 1.05;
	else if (dtype_is_float(t->dtype))
		v *= 1.001;
	else
		v += 1;
	dtype_store(t->dtype, data, i, v);
	return true;
}
