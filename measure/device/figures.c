/* SPDX-License-Identifier: Apache-2.0 */
/* measure/device/figures.c - the measured part of a device: probed, or read where an earlier probe is
 * kept; of a synthetic one made up. */
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "measure/device/device.h"
#include "measure/device/probe.h"
#include "measure/device/probe_cache.h"
#include "measure/device/probe_isa.h"
#include "measure/device/register_probe.h"
#include "measure/timing/calm.h"
#include "measure/timing/fixed.h"

enum { CACHE_FILE_LIMIT = 1 << 20 };

/* So many looks at the fixed kernel that somebody beside, who stays for 10 to 200 ms, has left some of them alone. */
#define FIXED_MS 300.0

/* A synthetic core: what a current server core does, in round numbers. */
static const double synthetic_fixed_us = 50;
static const double synthetic_ghz = 3.0, synthetic_mem_one = 12, synthetic_mem_all = 40, synthetic_l3_share = 2;
static const int64_t synthetic_cache[DEVICE_CACHES] = {32 << 10, 1 << 20, 16 << 20};

/* Two multiply-adds and two loads of a vector a cycle, as wide cores have them. */
static void synthetic_measure(struct device *d)
{
	struct device_measured *m = &d->measured;
	double n = d->threads, bytes = d->own->vector_bytes;
	double l1 = 2 * bytes * synthetic_ghz, l2 = bytes * synthetic_ghz / 2;
	double mem = synthetic_mem_one * n;

	for (int i = 0; i < TARGET_COUNT; i++) {
		if (target_at(i)->vector_bytes > d->own->vector_bytes)
			continue;
		m->peak[i].one = 2 * 2 * target_lanes(target_at(i), sizeof(float)) * synthetic_ghz;
		m->peak[i].all = m->peak[i].one * n;
	}
	m->l1 = (struct device_rate){l1, l1 * n};
	m->l2 = (struct device_rate){l2, l2 * n};
	m->mem.one = synthetic_mem_one;
	m->mem.all = mem < synthetic_mem_all ? mem : synthetic_mem_all;
	m->l3 = (struct device_rate){ synthetic_l3_share * m->mem.one, synthetic_l3_share * m->mem.all };
	m->noise = 1;
	for (int i = 0; i < DEVICE_CACHES; i++) {
		int64_t claimed = d->caches[i].claimed;

		d->caches[i].probed = claimed ? claimed : synthetic_cache[i];
	}
}

/* What the fixed kernel takes at the nominal clock; where that is not known, what it took. */
static double nominal_us(const struct device_measured *m)
{
	double us = m->fixed_chains * m->chain_ns * 1e-3;

	return us > 0 ? us : m->fixed_us;
}

int device_probe(struct device *d)
{
	memset(&d->measured, 0, sizeof(d->measured));
	if (d->synthetic)
		synthetic_measure(d);
	else if (probe_caches(d) < 0 || probe_rates(d) < 0)
		return -1;
	d->measured.threads = d->threads;
	d->measured.when = d->synthetic ? 0 : clock_wall();
	d->measured.fixed_us = d->synthetic ? synthetic_fixed_us : probe_fixed_us(0);
	d->measured.fixed_chains = d->synthetic ? 0 : fixed_in_chains(FIXED_MS);
	d->fixed_us = nominal_us(&d->measured);
	d->measured.valid = true;
	return 0;
}

struct device *device_synthetic(struct arena *a, const char *text)
{
	struct device *d = device_describe(a, text);

	if (d && device_probe(d) < 0)
		return NULL;
	return d;
}

static struct usage usage_now(struct arena *a)
{
	return (struct usage){ cpu_time_now(a, NULL), cpu_time_ours() };
}

/* Times the fixed kernel. True where it shows that the device is not what it was when M was probed:
 * it is faster, or it is slower though nobody else uses it. */
static bool has_moved(struct arena *a, const struct device_measured *m)
{
	struct usage before = usage_now(a);
	double now_us = probe_fixed_us(m->fixed_us);
	struct usage after = usage_now(a);
	struct disturbance others = calm_compare(&before, &after);

	if (now_us < (1 - DEVICE_MOVED) * m->fixed_us)
		return true;
	return now_us > (1 + DEVICE_MOVED) * m->fixed_us && !calm_is_disturbed(&others);
}

static bool is_young(const struct device_measured *m)
{
	int64_t age = clock_wall() - m->when;

	return age >= 0 && age <= DEVICE_KEPT_S;
}

/* The clock, the third level where PROBED has one that gives a rate, and the peaks of all targets that run here: figures that an earlier hone kept
 * may lack some. */
static bool knows_all(const struct device_measured *m, const int64_t probed[DEVICE_CACHES])
{
	if (m->fixed_chains <= 0 || m->chain_ns <= 0 || (m->l3.one <= 0 && probe_l3_set(probed[1], probed[2], 1) > 0))
		return false;
	for (int i = 0; i < TARGET_COUNT; i++)
		if (target_at(i)->runs() && m->peak[i].one <= 0)
			return false;
	return true;
}

/* False where there are no figures for this device and number of threads that still hold; all that
 * are not too old are, where DOUBT is false. */
static bool load(struct arena *a, struct device *d, const char *path, bool doubt)
{
	struct device_measured m;
	int64_t probed[DEVICE_CACHES];
	size_t size = 0;
	char *text = access(path, R_OK) == 0 ? file_read(a, path, CACHE_FILE_LIMIT, &size) : NULL;
	json_t *json = text ? json_loadb(text, size, 0, NULL) : NULL;
	bool fits = json && device_measured_parse(json, &m, probed) == 0 && m.threads == d->threads &&
		    knows_all(&m, probed);

	fits = fits && is_young(&m) && !(doubt && has_moved(a, &m));
	if (fits) {
		d->measured = m;
		d->fixed_us = doubt ? nominal_us(&m) : 0;
		for (int i = 0; i < DEVICE_CACHES; i++)
			d->caches[i].probed = probed[i];
	}
	json_decref(json);
	return fits;
}

static void save(const struct device *d, const char *folder, const char *path)
{
	json_t *json = device_json(d);
	char *text = json_dumps(json, JSON_INDENT(2) | JSON_REAL_PRECISION(6));

	if (!text)
		die("out of memory");
	/* not written: the next call probes again */
	if (dir_make(folder) == 0)
		file_write(path, text, strlen(text));
	free(text);
	json_decref(json);
}

/* Times the register kernels of D's target where they are not known; true where they are now. Without a compiler for
 * them the prior counts instructions. */
static bool find_kernels(struct device *d)
{
	struct register_kernels *k = &d->measured.kernels[target_number(d->target)];

	return k->spread <= 0 && register_probe(d->target, (double)device_cache_bytes(d, 1), k) == 0;
}

/* As device_load_or_probe(); FRESH and DOUBT say which of the kept figures hold. */
static int find_figures(struct device *d, bool fresh, bool doubt)
{
	struct arena *a = arena_new();
	char *folder = dir_cache(a);
	char *path = NULL;
	bool keep = folder && !d->synthetic && probe_is_optimized();
	int rc = 0;

	if (keep)
		path = arena_printf(a, "%s/device-%s-%d.json", folder, d->fingerprint, d->threads);
	bool known = keep && !fresh && load(a, d, path, doubt);

	if (!known)
		rc = device_probe(d);
	if (rc == 0 && keep && ((doubt && find_kernels(d)) || !known))
		save(d, folder, path);
	arena_free(a);
	return rc;
}

int device_load_or_probe(struct device *d, bool fresh)
{
	return find_figures(d, fresh, true);
}

int device_recall_or_probe(struct device *d)
{
	return find_figures(d, false, false);
}
