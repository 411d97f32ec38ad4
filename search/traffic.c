/* SPDX-License-Identifier: Apache-2.0 */
/* search/traffic.c - bytes from memory, over the probed bandwidth. */
#include "search/traffic.h"

#include <math.h>

double traffic_us(const struct dag *d, const struct aim *aim)
{
	double beyond = fmax(0, dag_bytes(d) - aim_last_cache(aim));

	return fmax(beyond, aim->cold_weights ? dag_constant_bytes(d) : 0) / aim->mem_gbs * 1e-3;
}
