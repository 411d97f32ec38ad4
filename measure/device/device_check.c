/* SPDX-License-Identifier: Apache-2.0 */
/* measure/device/device_check.c - whether a description of a device can be one: it may come from anybody's
 * file, and what follows divides by its figures and sizes loops with them. */
#include <math.h>

#include "base/err.h"
#include "measure/device/device.h"

/* Far beyond any machine, and far from where products of them overflow. */
#define BYTES_MAX 1e15
#define RATE_MAX 1e9	/* GFLOP/s, GB/s, ns */
enum { UNITS_MAX = 1 << 16 };

struct figure {
	const char *name;
	double value, low, high;
};

static int check_all(const struct figure *f, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!(f[i].value >= f[i].low && f[i].value <= f[i].high))	/* NaN is neither */
			return err_set("device JSON: %s is %g, not in %g..%g; describe the device "
				       "anew with hone doctor --fresh", f[i].name, f[i].value,
				       f[i].low, f[i].high);
	return 0;
}

#define COUNT(x) (sizeof(x) / sizeof((x)[0]))

int device_measured_check(const struct device_measured *m, const struct target *own)
{
	const double least = 1e-9;	/* what is divided by: a synthetic device may be slow */
	const struct figure figures[] = {
		{ "measured.threads", m->threads, 1, UNITS_MAX },
		{ "l1_gbs.one", m->l1.one, least, RATE_MAX },
		{ "l1_gbs.all", m->l1.all, least, RATE_MAX },
		{ "l2_gbs.one", m->l2.one, least, RATE_MAX },
		{ "l2_gbs.all", m->l2.all, least, RATE_MAX },
		{ "l3_gbs.one", m->l3.one, 0, RATE_MAX },
		{ "l3_gbs.all", m->l3.all, m->l3.one > 0 ? least : 0, RATE_MAX },
		{ "mem_gbs.one", m->mem.one, least, RATE_MAX },
		{ "mem_gbs.all", m->mem.all, least, RATE_MAX },
		{ "noise", m->noise, 0, RATE_MAX },
	};

	for (int i = 0; i < TARGET_COUNT; i++) {
		const struct figure peak[] = {
			{ "peak_gflops.one", m->peak[i].one, least, RATE_MAX },
			{ "peak_gflops.all", m->peak[i].all, least, RATE_MAX },
		};

		if ((m->peak[i].one != 0 || target_at(i) == own) && check_all(peak, COUNT(peak)) < 0)
			return -1;
	}
	for (int i = 0; i < m->n_points; i++) {
		const struct figure point[] = {
			{ "latency_ns (bytes)", (double)m->points[i].bytes, 0, BYTES_MAX },
			{ "latency_ns", m->points[i].ns, 0, RATE_MAX },
		};

		if (check_all(point, COUNT(point)) < 0)
			return -1;
	}
	return check_all(figures, COUNT(figures));
}

static int check_cache(const struct device *d, int level)
{
	const struct device_cache *c = &d->caches[level - 1];
	const struct figure figures[] = {
		{ "claimed_bytes", (double)c->claimed, 0, BYTES_MAX },
		{ "probed_bytes", (double)c->probed, 0, BYTES_MAX },
		{ "line_bytes", c->line, 0, UNITS_MAX },
		{ "shared_by", c->pus, 0, UNITS_MAX },
		/* The last level may be missing. */
		{ "size of a cache", (double)device_cache_bytes(d, level),
		  level < DEVICE_CACHES, BYTES_MAX },
	};

	return check_all(figures, COUNT(figures));
}

int device_check(const struct device *d)
{
	const struct figure figures[] = {
		{ "packages", d->packages, 1, UNITS_MAX },
		{ "cores", d->cores, 1, UNITS_MAX },
		{ "pus", d->pus, 1, UNITS_MAX },
		{ "threads", d->threads, 1, UNITS_MAX },
	};

	if (check_all(figures, COUNT(figures)) < 0)
		return -1;
	for (int level = 1; level <= DEVICE_CACHES; level++)
		if (check_cache(d, level) < 0)
			return -1;
	return 0;
}
