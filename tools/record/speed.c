/* SPDX-License-Identifier: Apache-2.0 */
/* tools/record/speed.c - a record's sitting, and how much of its time memory explains. */
#include "tools/record/speed.h"

#include <string.h>

#include "measure/device/calibration.h"

/* The share of R's time that went into reading and writing its arguments, where no cache had them. */
static double memory_share(const struct query *q, const struct task *t, const struct db_record *r,
			   const struct db_calibration *then)
{
	double bytes = dag_bytes(t->dag);
	bool fits = bytes <= (double)device_cache_bytes(q->device, DEVICE_CACHES) ||
		    bytes <= (double)device_cache_bytes(q->device, DEVICE_CACHES - 1);

	if (cache_state_alone(r->cache) == CACHE_COLD_WEIGHTS && fits)
		bytes = dag_constant_bytes(t->dag);
	else if (cache_state_alone(r->cache) != CACHE_COLD && fits)
		return 0;
	return calibration_memory(then, bytes, r->time_us, r->threads);
}

int speed_scale(const struct query *q, const struct task *t, const struct db_record *r,
		double fixed_us, const struct db_calibration *now, double *scale)
{
	struct db_sitting s;
	int found = r->sitting ? db_sitting(q->db, q->arena, r->sitting, 0, &s) : 0;

	struct db_calibration then = found > 0 ? s.calibration : (struct db_calibration){ 0 };

	if (fixed_us > 0)
		then.fixed_us = fixed_us;
	*scale = calibration_scale(&then, now, memory_share(q, t, r, &then), r->threads);
	return found < 0 ? -1 : 0;
}
