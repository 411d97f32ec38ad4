/* SPDX-License-Identifier: Apache-2.0 */
/* search/campaign/traffic.c - bytes from memory, over the probed bandwidth. */
#include "search/campaign/traffic.h"

#include <math.h>

#include "te/eval.h"

double traffic_us(const struct dag *d, const struct aim *aim)
{
	double constants = 0, all = 0;

	for (int i = 0; i < d->ops.n; i++) {
		double bytes = dag_arg(d, d->ops.at[i]) < 0 ? 0 : (double)tensor_bytes(&d->ops.at[i]->tensor);

		all += bytes;
		constants += d->ops.at[i]->kind == OP_CONST ? bytes : 0;
	}
	double beyond = fmax(0, all - fmax(aim->l2_bytes, aim->l3_bytes));

	return fmax(beyond, aim->cold_weights ? constants : 0) / aim->mem_gbs * 1e-3;
}
