/* SPDX-License-Identifier: Apache-2.0 */
/* search/expect.c - a roofline, with the lanes that a kernel leaves empty. */
#include "search/expect.h"

#include <math.h>

/* Of the peak, where lanes are full: the median over the convolutions of resnet50 that the analytic
 * prior guessed (docs/performance.md). */
#define PEAK_SHARE 0.5

/* The part of its lanes that a vector loop over the last dim of T uses. */
static double lanes_used(const struct tensor *t, int vector_bytes)
{
	double lanes = vector_bytes / (double)dtype_bytes(t->dtype);
	double extent = t->ndim ? (double)t->shape[t->ndim - 1] : 1;

	return extent / (ceil(extent / lanes) * lanes);
}

double expect_us(const struct dag *d, const struct device *device, int threads)
{
	double bytes = 0, used = 1;

	for (int i = 0; i < d->ops.n; i++) {
		const struct op *op = d->ops.at[i];

		if (op->kind != OP_COMPUTE || op->output)
			bytes += (double)tensor_bytes(&op->tensor);
		if (op->kind == OP_COMPUTE && op->output)
			used = fmin(used, lanes_used(&op->tensor, device->vector_bytes));
	}
	if (!device->measured.valid)
		return 0;
	return fmax(dag_flop(d) * 1e-3 / (PEAK_SHARE * used * device_peak(device, threads)),
		    bytes * 1e-3 / device_mem_rate(device, threads));
}
