/* SPDX-License-Identifier: Apache-2.0 */
/* measure/device/calibration.c - ratios of a few rates. */
#include "measure/device/calibration.h"

#include <math.h>

static void copy_rate(double to[2], struct device_rate from)
{
	to[0] = from.one;
	to[1] = from.all;
}

struct db_calibration calibration_of(const struct device *d)
{
	struct db_calibration c = { .fixed_us = d->fixed_us, .probed = d->measured.when };

	copy_rate(c.peak, d->measured.peak[target_number(d->own)]);
	copy_rate(c.l1, d->measured.l1);
	copy_rate(c.l2, d->measured.l2);
	copy_rate(c.mem, d->measured.mem);
	return c;
}

/* A over B; 1 where one of them is not known. */
static double ratio(double a, double b)
{
	return a > 0 && b > 0 ? a / b : 1;
}

double calibration_scale(const struct db_calibration *then, const struct db_calibration *now,
			 double memory, int threads)
{
	int i = threads > 1;
	double core = ratio(now->fixed_us, then->fixed_us);

	return (1 - memory) * core + memory * ratio(then->mem[i], now->mem[i]);
}

double calibration_memory(const struct db_calibration *then, double bytes, double us, int threads)
{
	double bytes_per_us = then->mem[threads > 1] * 1e3;

	return bytes_per_us > 0 && us > 0 ? fmin(1, bytes / bytes_per_us / us) : 0;
}

double calibration_drift(const struct db_calibration *then, const struct db_calibration *now,
			 const char **what)
{
	const struct {
		const char *name;
		double faster;	/* now's speed over then's */
	} all[] = {
		{ "a fixed kernel", ratio(then->fixed_us, now->fixed_us) },
		{ "peak rate", ratio(now->peak[0], then->peak[0]) },
		{ "reading the L1 cache", ratio(now->l1[0], then->l1[0]) },
		{ "reading the L2 cache", ratio(now->l2[0], then->l2[0]) },
		{ "reading memory", ratio(now->mem[0], then->mem[0]) },
	};
	double drift = 0;

	*what = "";
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (fabs(all[i].faster - 1) > fabs(drift)) {
			drift = all[i].faster - 1;
			*what = all[i].name;
		}
	return drift;
}
