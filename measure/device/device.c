/* SPDX-License-Identifier: Apache-2.0 */
/* measure/device/device.c - the described part of a device: hwloc's topology, the processor, our share. */
#include "measure/device/device.h"

#include <hwloc.h>
#include <stdlib.h>
#include <time.h>

#include "base/err.h"
#include "measure/device/cpuinfo.h"
#include "measure/device/probe_isa.h"

static const char synthetic_prefix[] = "synthetic:";

/* Raise it where the fingerprint's input changes: records of before no longer fit. */
enum { FINGERPRINT_VERSION = 1 };

static int count(hwloc_topology_t t, hwloc_obj_type_t type)
{
	int n = hwloc_get_nbobjs_by_type(t, type);

	return n > 0 ? n : 1;
}

static void describe_caches(struct device *d, hwloc_topology_t t)
{
	static const hwloc_obj_type_t types[DEVICE_CACHES] = {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE,
							      HWLOC_OBJ_L3CACHE};

	for (int i = 0; i < DEVICE_CACHES; i++) {
		hwloc_obj_t obj = hwloc_get_obj_by_type(t, types[i], 0);

		if (!obj)
			continue;
		d->caches[i].claimed = (int64_t)obj->attr->cache.size;
		d->caches[i].line = (int)obj->attr->cache.linesize;
		d->caches[i].pus = hwloc_bitmap_weight(obj->cpuset);
	}
}

/* The PUs of ALLOWED into d->cpus: the first of each core, then the second of each, and on. */
static int list_cpus(struct arena *a, struct device *d, hwloc_topology_t t,
		     hwloc_const_cpuset_t allowed)
{
	int *cpus = arena_many(a, int, d->pus);
	int n_cores = 0;

	for (int smt = 0, more = 1; more; smt++) {
		more = 0;
		for (int c = 0; c < count(t, HWLOC_OBJ_CORE); c++) {
			hwloc_obj_t core = hwloc_get_obj_by_type(t, HWLOC_OBJ_CORE, (unsigned)c);
			hwloc_cpuset_t set = hwloc_bitmap_dup(core ? core->cpuset : allowed);
			int cpu = -1;

			hwloc_bitmap_and(set, set, allowed);
			for (int i = 0; i <= smt; i++) {
				cpu = hwloc_bitmap_next(set, cpu);
				if (cpu < 0)
					break;
			}
			hwloc_bitmap_free(set);
			if (cpu < 0 || d->n_cpus == d->pus)
				continue;
			cpus[d->n_cpus++] = cpu;
			n_cores += smt == 0;
			more = 1;
		}
	}
	d->cpus = cpus;
	return n_cores;
}

static void describe_topology(struct arena *a, struct device *d, hwloc_topology_t t)
{
	hwloc_cpuset_t allowed = hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(t));
	hwloc_cpuset_t bound = hwloc_bitmap_alloc();

	d->packages = count(t, HWLOC_OBJ_PACKAGE);
	d->cores = count(t, HWLOC_OBJ_CORE);
	d->pus = count(t, HWLOC_OBJ_PU);
	if (!d->synthetic && hwloc_get_cpubind(t, bound, HWLOC_CPUBIND_PROCESS) == 0)
		hwloc_bitmap_and(allowed, allowed, bound);
	d->threads = list_cpus(a, d, t, allowed);
	if (d->quota > 0 && d->quota < d->threads)
		d->threads = (int)d->quota; /* one more thread would be stopped now and then */
	if (d->threads < 1)
		d->threads = 1;
	describe_caches(d, t);
	hwloc_bitmap_free(allowed);
	hwloc_bitmap_free(bound);
}

static void fingerprint(struct device *d)
{
	struct hasher *h = hasher_new();

	hasher_int(h, FINGERPRINT_VERSION);
	hasher_int(h, d->synthetic);
	hasher_str(h, d->vendor);
	hasher_str(h, d->model);
	hasher_int(h, d->family);
	hasher_int(h, d->model_number);
	hasher_int(h, d->stepping);
	hasher_str(h, d->own->isa);
	hasher_str(h, d->flags);
	hasher_int(h, d->packages);
	hasher_int(h, d->cores);
	hasher_int(h, d->pus);
	for (int i = 0; i < DEVICE_CACHES; i++)
		hasher_int(h, d->caches[i].claimed);
	hash_text(hasher_end(h), d->fingerprint);
}

/* Splits "synthetic:TOPOLOGY [isa=NAME]" and sets the ISA; the topology, or NULL and a message. */
static const char *synthetic_parse(struct arena *a, struct device *d, const char *text)
{
	size_t prefix = sizeof(synthetic_prefix) - 1;
	const char *isa = "avx512";

	if (strncmp(text, synthetic_prefix, prefix) != 0) {
		err_set("device '%s': a synthetic device starts with 'synthetic:', for example "
			"'synthetic:core:2 pu:1 isa=avx2'",
			text);
		return NULL;
	}

	char *topology = arena_strdup(a, text + prefix);
	char *at = strstr(topology, "isa=");

	if (at) {
		size_t n = strcspn(at + 4, " ");

		isa = arena_strndup(a, at + 4, n);
		memset(at, ' ', n + 4);
	}
	for (size_t n = strlen(topology); n > 0 && topology[n - 1] == ' '; n--)
		topology[n - 1] = '\0';

	d->own = d->target = target_of_isa(isa);
	if (!d->own) {
		err_set("device '%s': isa '%s' is unknown; avx512, avx2, sse4.2, neon and generic "
			"are known",
			text, isa);
		return NULL;
	}
	d->synthetic = true;
	d->vendor = "synthetic";
	d->model = "synthetic";
	d->flags = d->own->isa;
	return topology;
}

static void describe_here(struct arena *a, struct device *d)
{
	struct cpuinfo cpu = cpuinfo_read(a);

	d->own = d->target = target_here();
	d->vendor = cpu.vendor;
	d->model = cpu.model;
	d->family = cpu.family;
	d->model_number = cpu.model_number;
	d->stepping = cpu.stepping;
	d->flags = cpu.flags;
	d->quota = cgroup_quota("");
}

struct device *device_describe(struct arena *a, const char *synthetic)
{
	struct device *d = arena_one(a, struct device);
	const char *text = NULL;
	hwloc_topology_t t;

	if (!synthetic)
		describe_here(a, d);
	else if (!(text = synthetic_parse(a, d, synthetic)))
		return NULL;
	if (hwloc_topology_init(&t) < 0) {
		err_set("hwloc: cannot make a topology");
		return NULL;
	}
	if (text && hwloc_topology_set_synthetic(t, text) < 0) {
		err_set("device '%s': hwloc does not read this topology; 'synthetic:core:2 pu:1' "
			"is one that it reads",
			synthetic);
		hwloc_topology_destroy(t);
		return NULL;
	}
	/* the machine's cores, not those of today's cpuset: the fingerprint must not move */
	if (hwloc_topology_set_flags(t, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) < 0 ||
	    hwloc_topology_load(t) < 0) {
		err_set("hwloc: cannot read the topology of %s",
			synthetic ? synthetic : "this machine (is /sys mounted?)");
		hwloc_topology_destroy(t);
		return NULL;
	}
	describe_topology(a, d, t);
	hwloc_topology_destroy(t);
	d->name = arena_printf(a, "%s, %d core%s, %s", d->model, d->cores, d->cores == 1 ? "" : "s",
			       d->own->isa);
	fingerprint(d);
	return d;
}

static double between(struct device_rate rate, int all, int threads)
{
	if (threads <= 1 || all <= 1)
		return rate.one;
	if (threads >= all)
		return rate.all;
	return rate.one + (rate.all - rate.one) * (threads - 1) / (all - 1);
}

const char *device_mark(const struct device *d)
{
	return d->target == d->own ? "" : d->target->name;
}

const struct target *device_code(const struct device *d)
{
	return d->target == d->own ? NULL : d->target;
}

double device_peak(const struct device *d, int threads)
{
	struct device_rate rate = d->measured.peak[target_number(d->target)];

	if (rate.one <= 0) {	/* described before hone asked: as wide as it is */
		double share = (double)d->target->vector_bytes / d->own->vector_bytes;

		rate = d->measured.peak[target_number(d->own)];
		rate.one *= share;
		rate.all *= share;
	}
	return between(rate, d->measured.threads, threads);
}

double device_mem_rate(const struct device *d, int threads)
{
	return between(d->measured.mem, d->measured.threads, threads);
}

/* Where nothing was measured: one thread has been seen to read them 2.8 times as fast as memory (docs/performance.md), less where many cores
 * share one. */
#define L3_OVER_MEMORY 2

double device_l3_rate(const struct device *d, int threads)
{
	if (device_cache_bytes(d, 3) == 0)
		return 0;
	if (d->measured.l3.one > 0)
		return between(d->measured.l3, d->measured.threads, threads);
	return L3_OVER_MEMORY * device_mem_rate(d, threads);
}

double device_read_rate(const struct device *d, double bytes, int threads)
{
	if (bytes <= (double)device_cache_bytes(d, 1) * threads)
		return between(d->measured.l1, d->measured.threads, threads);
	if (bytes <= (double)device_cache_bytes(d, 2) * threads)
		return between(d->measured.l2, d->measured.threads, threads);
	if (bytes <= (double)device_cache_bytes(d, 3))
		return device_l3_rate(d, threads);
	return device_mem_rate(d, threads);
}

int64_t device_cache_bytes(const struct device *d, int level)
{
	const struct device_cache *c = &d->caches[level - 1];

	return c->probed ? c->probed : c->claimed;
}

int device_last_cache(const struct device *d)
{
	int level = DEVICE_CACHES;

	while (level > 1 && device_cache_bytes(d, level) == 0)
		level--;
	return level;
}
