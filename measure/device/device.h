/* SPDX-License-Identifier: Apache-2.0 */
/* measure/device/device.h - the machine that kernels are tuned for: what it says of itself, and what
 * a probe found.
 *
 * In:   /proc, cgroups and hwloc, or a synthetic topology for tests; then a few seconds of probing.
 * Out:  one struct device.
 * Holds: the described part is the same at each call on a machine; the fingerprint depends on it
 * alone, never on measured figures, host name, affinity or quota. */
#ifndef HONE_MEASURE_DEVICE_DEVICE_H
#define HONE_MEASURE_DEVICE_DEVICE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hash.h"
#include "costmodel/register_kernels.h"
#include "target/target.h"

enum {
	DEVICE_CACHES = 3,	/* L1d, L2, L3: caches[level - 1] */
	DEVICE_POINTS = 64,	/* of the latency curve, at most */
	/* A week: updates of firmware and system move rates, and so do new neighbours of a guest. */
	DEVICE_KEPT_S = 7 * 24 * 60 * 60,
	/* More threads than any machine has; who gives more has mistyped. */
	DEVICE_MAX_THREADS = 65536,
};

/* Twice the usual moves of a clock. */
#define DEVICE_MOVED 0.1

struct device_cache {
	int64_t claimed;	/* bytes, as hwloc has it; 0: says nothing. A guest may see its host's */
	int64_t probed;		/* bytes that one core can use, by latency; 0: not probed or none */
	int line;		/* bytes, claimed */
	int pus;		/* hardware threads that share one, claimed */
};

/* A rate with one thread, and with one thread on each of device_measured.threads cores. */
struct device_rate {
	double one, all;
};

struct device_point {
	int64_t bytes;		/* size of the set */
	double ns;		/* a dependent load in it */
};

struct device_measured {
	bool valid;
	int threads;			/* that `all` stands for */
	int64_t when;			/* seconds since 1970 */
	/* f32 multiply-add, GFLOP/s (one is two operations), by target_number(); 0: not known */
	struct device_rate peak[TARGET_COUNT];
	struct device_rate l1, l2, l3, mem;	/* reading, GB/s (1e9), each thread its own data; l3 is 0 where there is none or it is not known */
	/* By target_number(), of those that kernels were made for here; one whose spread is 0 is not known. */
	struct register_kernels kernels[TARGET_COUNT];
	double noise;			/* p90 / p10 of a fixed kernel's time, 1 thread; 1 is quiet */
	struct device_point points[DEVICE_POINTS];
	int n_points;
	double fixed_us;		/* probe_fixed_us() then; 0: not known */
	double fixed_chains;		/* measure/timing/fixed.h; 0: not known */
	double chain_ns;		/* a chain, when the peak of its own target was reached: the nominal clock; 0: not known */
};

struct device {
	/* described */
	const char *name;		/* for people: model, cores, isa */
	const char *model;		/* as the kernel prints it */
	const char *vendor;
	int family, model_number, stepping;
	const char *flags;		/* the ISA extensions that matter to kernels, sorted */
	const struct target *own;	/* the widest that it runs */
	int packages, cores, pus;	/* of the machine */
	struct device_cache caches[DEVICE_CACHES];
	char fingerprint[HASH_TEXT];	/* of the device class: the key of its records */
	bool synthetic;

	/* what this process may use; not in the fingerprint */
	int threads;			/* cores by affinity, cpuset and cgroup quota: at least 1 */
	double quota;			/* CPUs that the cgroup grants; 0: no limit */
	const int *cpus;		/* OS numbers of usable CPUs, one of each core first */
	int n_cpus;
	/* What the fixed kernel takes at the clock that times are given at: that of the probed peak, so that a share of it is one; where that is
	 * not known what it took when it was probed; 0: nothing is known. */
	double fixed_us;
	/* What kernels are made for: its own, unless somebody sets another that it runs. Records of another
	 * are told apart by their toolchain (device_mark()). */
	const struct target *target;

	struct device_measured measured;
};

/* The described part; milliseconds. SYNTHETIC is NULL for this machine, else
 * "synthetic:TOPOLOGY [isa=NAME]" with hwloc's synthetic topology text, for example
 * "synthetic:l3:1(size=8MiB) l2:2(size=1MiB) core:1 pu:1 isa=avx2" (avx512 where none is named).
 * NULL and a message where hwloc or the text fails. */
struct device *device_describe(struct arena *a, const char *synthetic);

/* Fills d->measured; a few seconds of all usable cores. A synthetic device gets fixed, plausible
 * figures at once. -1 and a message where memory or threads are refused. */
int device_probe(struct device *d);

/* As device_probe, with the register kernels of d->target where a compiler makes some, but takes the figures of an earlier call on this fingerprint and number of
 * threads from $XDG_CACHE_HOME/hone (or ~/.cache/hone) unless FRESH, or unless they have expired:
 * they are older than DEVICE_KEPT_S, or the fixed kernel has become faster by DEVICE_MOVED, or slower
 * while nobody else uses the cores. A cache that cannot be read or written costs the time of a probe and is no
 * error. */
int device_load_or_probe(struct device *d, bool fresh);
/* The same for those who measure nothing: figures that have not expired are taken as they are, and
 * d->fixed_us stays 0. */
int device_recall_or_probe(struct device *d);

/* device_describe and device_probe of a synthetic device: what tests tune for. */
struct device *device_synthetic(struct arena *a, const char *text);

/* What toolchains of D's target are told apart by: its name, or "" where it is the device's own. */
const char *device_mark(const struct device *d);
/* What compilers here make code for: NULL, this machine's own, where D's target is the device's own. */
const struct target *device_code(const struct device *d);

/* Rates for THREADS threads, between one and all by linear interpolation. GFLOP/s, of multiply-adds of D's
 * target; GB/s. */
double device_peak(const struct device *d, int threads);
double device_mem_rate(const struct device *d, int threads);
/* GB/s of the third level for THREADS threads together; twice memory's where it was not probed, 0 where there is none. */
double device_l3_rate(const struct device *d, int threads);

/* GB/s at which THREADS threads together read BYTES that they share out, from the
 * first level that holds them. */
double device_read_rate(const struct device *d, double bytes, int threads);

/* Bytes of cache LEVEL (1..3) to plan with: probed, else claimed, else 0. */
int64_t device_cache_bytes(const struct device *d, int level);
/* The level of the last cache; 1 where none is known. */
int device_last_cache(const struct device *d);

/* All of it; a new reference. */
json_t *device_json(const struct device *d);
/* The device that JSON (device_json's form) tells of, in A; its usable cores are left out. NULL and
 * a message where it is not that. */
struct device *device_parse(struct arena *a, const json_t *json);
/* 0 where every figure is one that a machine can have; else -1 and a message that names it. */
int device_check(const struct device *d);
/* OWN is the device's own target, whose peak must be known. */
int device_measured_check(const struct device_measured *m, const struct target *own);
/* What DESCRIPTION, a text of device_json's form, calls the device, in A; "" where it does not. */
const char *device_name_in(struct arena *a, const char *description);
/* The measured part out of device_json's form; -1 and a message where it is not that. */
int device_measured_parse(const json_t *json, struct device_measured *out,
			  int64_t probed[DEVICE_CACHES]);

#endif
