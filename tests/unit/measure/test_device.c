/* SPDX-License-Identifier: Apache-2.0 */
/* Devices: synthetic ones, the fingerprint, JSON, kept figures, probes (their sanity, no times). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <math.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/rng.h"
#include "measure/build/compiler.h"
#include "measure/device/cpuinfo.h"
#include "measure/device/device.h"
#include "measure/device/noise.h"
#include "measure/device/probe.h"
#include "measure/device/probe_cache.h"
#include "measure/device/probe_isa.h"

static void test_synthetic(void **state)
{
	struct arena *a = arena_new();
	struct device *d = device_synthetic(
		a, "synthetic:package:1 l3:1(size=8MiB) l2:2(size=1MiB) core:1 pu:2 isa=avx2");

	(void)state;
	assert_non_null(d);
	assert_ptr_equal(d->own, &target_x86_64_avx2);
	assert_ptr_equal(d->target, d->own);
	assert_int_equal(d->cores, 2);
	assert_int_equal(d->pus, 4);
	assert_int_equal(d->threads, 2);
	assert_int_equal(d->n_cpus, 4);
	/* one of each core first */
	assert_int_equal(d->cpus[0], 0);
	assert_int_equal(d->cpus[1], 2);
	assert_int_equal(d->cpus[2], 1);
	assert_int_equal(d->caches[0].claimed, 0);
	assert_int_equal(d->caches[1].claimed, 1 << 20);
	assert_int_equal(d->caches[2].claimed, 8 << 20);
	assert_true(device_cache_bytes(d, 1) > 0);
	assert_true(d->measured.valid);
	assert_true(device_peak(d, 1) > 0);
	assert_true(device_peak(d, 2) > device_peak(d, 1));
	assert_true(device_peak(d, 9) == device_peak(d, 2));
	assert_true(device_mem_rate(d, 2) >= device_mem_rate(d, 1));
	arena_free(a);
}

static void test_synthetic_refused(void **state)
{
	static const char *const wrong[] = {"core:2 pu:1", "synthetic:core:2 pu:1 isa=mmx",
					    "synthetic:", "synthetic:nonsense", ""};
	struct arena *a = arena_new();

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		err_set("%s", "");
		assert_null(device_synthetic(a, wrong[i]));
		assert_non_null(strstr(err_get(), "device '"));
	}
	arena_free(a);
}

static void test_fingerprint(void **state)
{
	static const char *const texts[] = {
		"synthetic:core:2 pu:1",
		"synthetic:core:2 pu:1 isa=avx2",
		"synthetic:core:4 pu:1",
		"synthetic:core:2 pu:2",
		"synthetic:l2:2(size=1MiB) core:1 pu:1",
		"synthetic:l2:2(size=2MiB) core:1 pu:1",
	};
	struct arena *a = arena_new();
	enum { N = sizeof(texts) / sizeof(texts[0]) };
	const char *prints[N];

	(void)state;
	for (int i = 0; i < N; i++) {
		struct device *d = device_describe(a, texts[i]);
		struct hash128 parsed;

		assert_non_null(d);
		assert_true(hash_parse(d->fingerprint, &parsed));
		prints[i] = d->fingerprint;
		assert_string_equal(prints[i], device_synthetic(a, texts[i])->fingerprint);
		for (int j = 0; j < i; j++)
			assert_string_not_equal(prints[i], prints[j]);
	}
	arena_free(a);
}

/* A set of each thread is beyond its second level, and half of the third holds one. */
static void test_sets_of_the_third_level(void **state)
{
	const int64_t mb = 1 << 20;

	(void)state;
	assert_int_equal(probe_l3_set(mb, 16 * mb, 1), 8 * mb);
	assert_int_equal(probe_l3_set(mb, 16 * mb, 2), 4 * mb);
	assert_int_equal(probe_l3_set(mb, 16 * mb, 32), 3 * mb / 2);
	assert_int_equal(probe_l3_set(mb, 5 * mb / 2, 1), 0);
	assert_int_equal(probe_l3_set(mb, 0, 1), 0);
}

static void test_rate_of_the_level(void **state)
{
	struct arena *a = arena_new();
	const struct device *d = device_synthetic(a, "synthetic:l3:1(size=8MiB) l2:2(size=1MiB) l1:1(size=32KiB) core:1 pu:1");
	const struct device_measured *m = &d->measured;
	const double kb = 1 << 10, mb = 1 << 20;

	(void)state;
	assert_true(device_read_rate(d, 32 * kb, 1) == m->l1.one && device_read_rate(d, 64 * kb, 2) == m->l1.all);
	assert_true(device_read_rate(d, 33 * kb, 1) == m->l2.one && device_read_rate(d, 2 * mb, 2) == m->l2.all);
	assert_true(device_read_rate(d, 2 * mb, 1) == m->l3.one && device_read_rate(d, 8 * mb, 2) == m->l3.all);
	assert_true(device_read_rate(d, 9 * mb, 1) == m->mem.one && device_read_rate(d, 9 * mb, 2) == m->mem.all);
	arena_free(a);
}

static void test_json(void **state)
{
	struct arena *a = arena_new();
	struct device *d = device_synthetic(a, "synthetic:core:2 pu:1");
	struct device_measured back;
	int64_t probed[DEVICE_CACHES];

	(void)state;
	d->measured.n_points = 2;
	d->measured.points[1] = (struct device_point){8192, 1.5};

	json_t *json = device_json(d);
	char *text = json_dumps(json, 0);
	json_t *again = json_loads(text, 0, NULL);

	assert_true(json_equal(json, again));
	assert_string_equal(json_string_value(json_object_get(again, "fingerprint")),
			    d->fingerprint);
	assert_int_equal(device_measured_parse(again, &back, probed), 0);
	assert_true(memcmp(back.peak, d->measured.peak, sizeof(back.peak)) == 0);
	assert_true(back.mem.one == d->measured.mem.one);
	assert_int_equal(back.n_points, 2);
	assert_int_equal(back.points[1].bytes, 8192);
	assert_int_equal(probed[2], d->caches[2].probed);

	assert_true(back.l3.one == d->measured.l3.one && back.l3.all == d->measured.l3.all);

	/* as before the third level was probed */
	json_object_del(json_object_get(again, "measured"), "l3_gbs");
	assert_int_equal(device_measured_parse(again, &back, probed), 0);
	assert_true(back.l3.one == 0 && back.l3.all == 0);
	json_object_del(json_object_get(again, "measured"), "peak_gflops");
	assert_int_equal(device_measured_parse(again, &back, probed), -1);
	json_object_set_new(again, "measured", json_string("none"));
	assert_int_equal(device_measured_parse(again, &back, probed), -1);
	json_decref(json);
	json_decref(again);
	free(text);
	arena_free(a);
}

/* A description from elsewhere with figures that no machine has is refused by name. */
static void test_json_checked(void **state)
{
	static const struct {
		const char *path, *key;
		double value;
	} wrong[] = {
		{ NULL, "isa", 0 },		    { NULL, "threads", 0 },
		{ NULL, "cores", 1 << 30 },	    { "measured", "threads", -1 },
		{ "measured", "threads", 4294967296 + 1 }, { "measured", "noise", -1 },
	};
	struct arena *a = arena_new();
	const struct device *d = device_synthetic(a, "synthetic:core:2 pu:1");

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		json_t *json = device_json(d);
		json_t *o = wrong[i].path ? json_object_get(json, wrong[i].path) : json;
		bool whole = wrong[i].value == (double)(int64_t)wrong[i].value;

		assert_non_null(device_parse(a, json));
		json_object_set_new(o, wrong[i].key,
				    whole && strcmp(wrong[i].key, "noise") != 0
					    ? json_integer((json_int_t)wrong[i].value)
					    : json_real(wrong[i].value));
		assert_null(device_parse(a, json));
		if (!strstr(err_get(), wrong[i].key))
			fail_msg("%s = %g: %s", wrong[i].key, wrong[i].value, err_get());
		json_decref(json);
	}
	struct device slow = *d;

	slow.measured.l3 = (struct device_rate){ 0 };
	assert_int_equal(device_measured_check(&slow.measured, slow.own), 0);
	assert_true(device_l3_rate(&slow, 1) == 2 * device_mem_rate(&slow, 1));
	slow.measured.l3.one = 50;
	assert_int_equal(device_measured_check(&slow.measured, slow.own), -1);
	slow.measured.l3.all = 60;
	assert_int_equal(device_measured_check(&slow.measured, slow.own), 0);
	assert_true(device_l3_rate(&slow, 1) == 50);
	slow.measured.mem.one = 0;
	assert_int_equal(device_measured_check(&slow.measured, slow.own), -1);
	slow.measured.mem.one = (double)NAN;
	assert_int_equal(device_measured_check(&slow.measured, slow.own), -1);
	slow.caches[0] = (struct device_cache){ 0 };
	assert_int_equal(device_check(&slow), -1);
	arena_free(a);
}

/* A kept file is anyone's: whatever is in it is taken or refused, with no crash. Bytes of a good one
 * are overwritten at random. */
static void test_json_damaged(void **state)
{
	struct arena *a = arena_new();
	json_t *json = device_json(device_synthetic(a, "synthetic:core:2 pu:1"));
	char *text = json_dumps(json, 0), *damaged = strdup(text);
	size_t n = strlen(text);
	int cases = getenv("HONE_LONG") ? 300000 : 3000;
	struct rng rng = rng_seed(7);

	(void)state;
	for (int i = 0; i < cases; i++) {
		struct device_measured m;
		int64_t probed[DEVICE_CACHES];

		memcpy(damaged, text, n);
		for (int64_t k = 1 + rng_below(&rng, 4); k > 0; k--)
			damaged[rng_below(&rng, (int64_t)n)] =
				"0123456789-.e{}[],:\"nul"[rng_below(&rng, 23)];

		json_t *back = json_loads(damaged, 0, NULL);

		if (back)
			device_measured_parse(back, &m, probed);
		json_decref(back);
	}
	json_decref(json);
	free(text);
	free(damaged);
	arena_free(a);
}

static void test_cpuinfo(void **state)
{
	struct arena *a = arena_new();
	struct cpuinfo x86 = cpuinfo_parse(a, "processor\t: 0\nvendor_id\t: AuthenticAMD\n"
					      "cpu family\t: 25\nmodel\t\t: 97\n"
					      "model name\t: AMD Ryzen\nstepping\t: 2\n"
					      "flags\t\t: fpu fma avx2 xavx512f avx bmi1 tsc\n");
	struct cpuinfo arm = cpuinfo_parse(a, "processor : 0\nFeatures : fp asimd sve\n"
					      "CPU implementer : 0x41\nCPU part : 0xd40\n");
	struct cpuinfo none = cpuinfo_parse(a, "");

	(void)state;
	assert_string_equal(x86.vendor, "AuthenticAMD");
	assert_string_equal(x86.model, "AMD Ryzen");
	assert_int_equal(x86.family, 25);
	assert_int_equal(x86.model_number, 97);
	assert_int_equal(x86.stepping, 2);
	assert_string_equal(x86.flags, "avx avx2 fma");
	assert_string_equal(x86.extensions, "fma avx2 avx bmi1");
	assert_string_equal(arm.extensions, "fp asimd sve");
	assert_string_equal(none.extensions, "");
	assert_string_equal(arm.vendor, "0x41");
	assert_int_equal(arm.model_number, 0xd40);
	assert_string_equal(arm.flags, "asimd sve");
	assert_string_equal(none.model, "unknown");
	assert_string_equal(none.flags, "");
	arena_free(a);
}

static void put(struct arena *a, const char *root, const char *folder, const char *name,
		const char *text)
{
	char *dir = arena_printf(a, "%s/%s", root, folder);

	assert_int_equal(dir_make(dir), 0);
	assert_int_equal(file_write(arena_printf(a, "%s/%s", dir, name), text, strlen(text)), 0);
}

static void test_quota(void **state)
{
	struct arena *a = arena_new();
	char *v2 = dir_temp(a), *v1 = dir_temp(a), *none = dir_temp(a);

	(void)state;
	assert_true(cgroup_quota(none) == 0);
	put(a, v2, "proc/self", "cgroup", "0::/job/step\n");
	put(a, v2, "sys/fs/cgroup/job/step", "cpu.max", "max 100000\n");
	assert_true(cgroup_quota(v2) == 0);
	put(a, v2, "sys/fs/cgroup/job", "cpu.max", "150000 100000\n");
	assert_true(cgroup_quota(v2) == 1.5);
	/* v1 in a container: the path is the host's, the limit lies at the mount */
	put(a, v1, "proc/self", "cgroup", "5:cpuset:/x\n4:cpu,cpuacct:/docker/0\n0::/\n");
	put(a, v1, "sys/fs/cgroup/cpu,cpuacct", "cpu.cfs_quota_us", "300000\n");
	put(a, v1, "sys/fs/cgroup/cpu,cpuacct", "cpu.cfs_period_us", "100000\n");
	assert_true(cgroup_quota(v1) == 3);
	dir_remove(v1);
	dir_remove(v2);
	dir_remove(none);
	arena_free(a);
}

/* 48 KB at 1 ns, 2 MB at 4, 8 MB at 30, memory at 100, in steps of an octave and a half. */
static void test_curve(void **state)
{
	static struct device d;
	struct device_measured *m = &d.measured;

	(void)state;
	for (int64_t octave = 4 << 10; octave <= 128 << 20; octave *= 2) {
		for (int64_t bytes = octave; bytes < 2 * octave; bytes += octave / 2) {
			double ns = bytes <= 48 << 10  ? 1
				    : bytes <= 2 << 20 ? 4
				    : bytes <= 8 << 20 ? 30
						       : 100;

			m->points[m->n_points++] = (struct device_point){bytes, ns};
		}
	}
	probe_read_curve(&d);
	assert_int_equal(d.caches[0].probed, 48 << 10);
	assert_int_equal(d.caches[1].probed, 2 << 20);
	assert_int_equal(d.caches[2].probed, 8 << 20);
	for (int i = 0; i < m->n_points; i++)
		m->points[i].ns = 2;	/* a machine that tells nothing */
	probe_read_curve(&d);
	for (int i = 0; i < DEVICE_CACHES; i++)
		assert_int_equal(d.caches[i].probed, 0);
}

/* Kept figures in which KEY says VALUE, which is taken, are not those of the device any more. */
static void expires(struct arena *a, const char *home, const char *key, json_t *value)
{
	struct device *d = device_describe(a, NULL);
	char *path = arena_printf(a, "%s/hone/device-%s-%d.json", home, d->fingerprint, d->threads);
	json_t *kept = json_load_file(path, 0, NULL);
	json_t *measured = json_object_get(kept, "measured");

	assert_non_null(measured);
	json_object_set_new(measured, "noise", json_real(12345));
	json_object_set_new(measured, key, value);
	assert_int_equal(json_dump_file(kept, path, 0), 0);
	json_decref(kept);
	assert_int_equal(device_load_or_probe(d, false), 0);
	assert_true(d->measured.noise != 12345);
}

/* The real machine, once: probed, kept, and read back in place of a second probe. */
static void test_here(void **state)
{
	struct arena *a = arena_new();
	char *home = dir_temp(a);
	struct device *d = device_describe(a, NULL), *again = device_describe(a, NULL);

	(void)state;
	assert_non_null(home);
	setenv("XDG_CACHE_HOME", home, 1);
	assert_non_null(d);
	assert_string_equal(d->fingerprint, again->fingerprint);
	assert_true(d->threads >= 1 && d->threads <= d->cores && d->cores <= d->pus);
	assert_int_equal(device_load_or_probe(d, false), 0);
	assert_true(d->measured.valid);
	assert_int_equal(d->measured.threads, d->threads);
	for (int i = 0; i < TARGET_COUNT; i++) {
		struct device_rate peak = d->measured.peak[i];

		assert_true(target_at(i)->runs() ? peak.one > 0 && peak.all > 0 : peak.one == 0);
	}
	assert_true(d->measured.mem.one > 0 && d->measured.mem.all > 0);
	assert_true((d->measured.l3.one > 0) == (d->measured.l3.all > 0));
	assert_true(d->measured.noise >= 1);
	if (probe_is_optimized()) {	/* what is not kept is not timed */
		assert_true(d->measured.kernels[target_number(d->own)].spread >= 1);
		assert_true(register_best(&d->measured.kernels[target_number(d->own)], REGISTER_F32) > 0);
	}
	for (int i = 1; i < DEVICE_CACHES; i++) {
		if (d->caches[i].probed)
			assert_true(d->caches[i].probed > d->caches[i - 1].probed);
	}
	if (probe_is_optimized()) {
		/* one that is at another speed by now is probed again, rightly: then the first is to read that back */
		for (int i = 0; i < 10 && again->measured.when != d->measured.when; i++)
			assert_int_equal(device_load_or_probe(i % 2 ? d : again, false), 0);
		assert_true(again->measured.when == d->measured.when);
		assert_int_equal(again->measured.n_points, d->measured.n_points);
		assert_int_equal(again->caches[0].probed, d->caches[0].probed);
		assert_true(again->measured.kernels[target_number(d->own)].spread >= 1);
	}
	if (probe_is_optimized()) {
		/* times are given at the clock of the peak, however fast the core is now */
		assert_true(d->fixed_us > 0 && d->fixed_us == d->measured.fixed_chains * d->measured.chain_ns * 1e-3);
		assert_true(fabs(again->fixed_us / d->fixed_us - 1) < 1e-4);
		expires(a, home, "fixed_us", json_real(3 * d->measured.fixed_us));
		expires(a, home, "chain_ns", json_real(0));
		expires(a, home, "when", json_integer(clock_wall() - DEVICE_KEPT_S - 1));
	}
	dir_remove(home);
	arena_free(a);
}

/* A compiler that is not there, and a program that compiles nothing but exits with 0. */
static void test_compiler(void **state)
{
	struct arena *a = arena_new();
	struct compiler c;

	(void)state;
	assert_int_equal(compiler_check(a, "/nonexistent/cc", &c), 0);
	assert_null(c.version);
	assert_false(c.works);
	assert_non_null(c.why);
	assert_int_equal(compiler_check(a, "true", &c), 0);
	assert_false(c.works);
	assert_non_null(c.why);
	arena_free(a);
}

static void test_noise(void **state)
{
	struct noise n;

	(void)state;
	noise_measure(0.01, &n);
	assert_true(n.samples >= 1);
	assert_true(0 < n.min && n.min <= n.p10 && n.p10 <= n.median);
	assert_true(n.median <= n.p90 && n.p90 <= n.max);
	assert_true(n.steal >= 0 && n.steal <= 1);
	assert_true(n.beside >= 0 && n.beside <= 1);
}

static void test_noise_judged(void **state)
{
	struct arena *a = arena_new();
	struct noise quiet = { .p10 = 100, .p90 = 105 }, n = quiet;
	const char *reason;

	(void)state;
	assert_int_equal(noise_judge(a, &n, &reason), FITNESS_FIT);
	n.beside = 0.63;
	assert_int_equal(noise_judge(a, &n, &reason), FITNESS_NOISY);
	assert_non_null(strstr(reason, "63%"));
	n.steal = 0.3;
	assert_int_equal(noise_judge(a, &n, &reason), FITNESS_UNFIT);
	n = quiet;
	n.p90 = 120;
	assert_int_equal(noise_judge(a, &n, &reason), FITNESS_NOISY);
	n.p90 = 400;
	assert_int_equal(noise_judge(a, &n, &reason), FITNESS_UNFIT);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_synthetic), cmocka_unit_test(test_synthetic_refused),
		cmocka_unit_test(test_fingerprint), cmocka_unit_test(test_json), cmocka_unit_test(test_sets_of_the_third_level),
		cmocka_unit_test(test_rate_of_the_level),
		cmocka_unit_test(test_json_checked), cmocka_unit_test(test_json_damaged),
		cmocka_unit_test(test_cpuinfo), cmocka_unit_test(test_quota),
		cmocka_unit_test(test_curve), cmocka_unit_test(test_here),
		cmocka_unit_test(test_noise), cmocka_unit_test(test_noise_judged),
		cmocka_unit_test(test_compiler),
	};

	return cmocka_run_group_tests_name("device", tests, NULL, NULL);
}
