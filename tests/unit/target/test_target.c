/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/target/test_target.c - the table of targets, what compilers make of them, whose records are whose. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/file.h"
#include "db/db.h"
#include "measure/build/compiler.h"
#include "measure/build/toolchain.h"
#include "measure/device/device.h"
#include "schedule/text/step_text.h"
#include "search/guess.h"
#include "te/operator.h"
#include "te/text/text.h"
#include "tests/built.h"
#include "tests/fixture/db_fixture.h"
#include "tests/skip.h"

static void test_table(void **state)
{
	(void)state;
	for (int i = 0; i < TARGET_COUNT; i++) {
		const struct target *t = target_at(i);

		assert_ptr_equal(target_named(t->name), t);	/* so no two have one name */
		assert_ptr_equal(target_of_isa(t->isa), t);
		char toolchain[128];

		snprintf(toolchain, sizeof(toolchain), "cc -O2" TARGET_MARK "%s", t->name);
		assert_ptr_equal(target_of_toolchain(toolchain, NULL), t);
		assert_ptr_equal(target_of_toolchain("cc -O2", t), t);
		assert_int_equal(target_number(t), i);
		assert_true(t->vector_bytes >= 16 && (t->vector_bytes & (t->vector_bytes - 1)) == 0);
		assert_true(t->vector_registers >= 8);
		assert_true(t->operands || t->scope_bytes[SCOPE_REGISTERS] >=
			    (size_t)t->vector_bytes * (size_t)t->vector_registers);
		assert_true(t->scope_bytes[SCOPE_STACK] <= t->scope_bytes[SCOPE_WORKSPACE]);
		assert_true(t->statements > 0 && t->frame_bytes > 0);
		assert_true(target_binds(t, ANNOTATION_NONE));
		assert_true(t->costs->pipes > 0 && (t->operands || (t->costs->operation > 0 && t->costs->load > 0)));
		assert_true(target_lanes(t, 4) == t->vector_bytes / 4);
		assert_true(*t->summary);
	}
}

static void test_here(void **state)
{
	const struct target *own = target_here();

	(void)state;
	assert_true(own->runs());
	assert_true(target_is_own(own));
	assert_true(target_generic.runs());
	for (int i = 0; i < target_number(own); i++)
		assert_false(target_at(i)->runs());
	assert_false(target_is_foreign(&target_generic));
	assert_false(target_is_foreign(own));
	assert_true(target_is_foreign(&target_aarch64_neon) != target_is_foreign(&target_x86_64_avx2));
	assert_ptr_equal(target_choose(own->name), own);
	assert_null(target_named("avx3"));
	assert_null(target_choose("avx3"));
	assert_non_null(strstr(err_get(), "avx3"));
	for (int i = 0; i < TARGET_COUNT; i++) {
		if (!strstr(err_get(), target_at(i)->name))
			fail_msg("not listed: %s", target_at(i)->name);
	}
	for (int i = 0; i < TARGET_COUNT; i++)
		if (!target_at(i)->runs()) {
			assert_null(target_choose(target_at(i)->name));
			assert_non_null(strstr(err_get(), target_at(i)->operands ? "--device vdla" : own->name));
		}
}

/* A target that lacks a kind of loop gets no program that has one. */
static void test_bindings(void **state)
{
	struct arena *a = arena_new();
	struct target serial = target_generic;
	struct dag *d = dag_parse(a, "x.te", "input X: f32[8]\nY[i] = X[i] + 1\n");
	struct state *s = state_parse(a, d, "steps", "parallel Y i");
	const char *why = NULL;

	(void)state;
	assert_non_null(s);
	assert_non_null(lower(a, s, &target_generic, &why));
	serial.bindings[ANNOTATION_PARALLEL] = NULL;
	assert_null(lower(a, s, &serial, &why));
	assert_non_null(strstr(why, "loops"));
	arena_free(a);
}

/* The best guess for a product of matrices, which fills the vectors. */
static const char *kernel_source(struct arena *a, const struct target *t)
{
	struct device *d = device_synthetic(a, "synthetic:l2:1(size=1MiB) core:1 pu:1");
	const struct task *task = task_new(a, operator_build(a, "matmul:m=64,n=64,k=64"), "product", 1);
	struct guess g;

	d->target = t;
	struct aim aim = aim_of(d, 1, CACHE_WARM);

	assert_true(task_guess(a, task, &aim, &g));
	return g.source;
}

static const char *disassembly(struct arena *a, const char *object)
{
	const char *text = arena_printf(a, "%s.s", object);
	size_t size;

	if (system(arena_printf(a, "objdump -d %s > %s", object, text)) != 0)
		return NULL;
	char *all = file_read(a, text, 1 << 24, &size);

	remove(text);
	return all;
}

/* What target T is built from and what comes out of it. */
static void check_code(struct arena *a, const char *cc, const struct target *t)
{
	struct build_pool *b = build_pool_new(&(struct build_pool_options){.target = t, .cc = cc});

	if (!b)
		fail_msg("%s for %s: %s", cc, t->name, err_get());
	const char *text = build_pool_toolchain(b), *flags = build_pool_flags(a, b);
	struct trial trial = { .source = kernel_source(a, t) };

	assert_string_equal(toolchain_mark(text), target_is_own(t) ? "" : t->name);
	if (t->march && !target_is_own(t) && !strstr(flags, t->march))
		fail_msg("%s for %s: %s", cc, t->name, flags);
	if (!t->march && !target_is_own(t))
		assert_null(strstr(flags, "-march"));
	built_all(a, b, &trial, 1);
	const char *code = disassembly(a, trial.object);

	if (!code) {
		skip_part(t->name, "no objdump (Debian: binutils)");
	} else if (t->arch && strcmp(t->arch, "x86_64") == 0) {
		/* the width that is meant, and none beyond */
		assert_true(!!strstr(code, "%zmm") == (t->vector_bytes == 64));
		assert_true(!!strstr(code, "%ymm") || t->vector_bytes != 32);
		assert_false(strstr(code, "%ymm") && t->vector_bytes < 32);
		assert_true(!!strstr(code, "vfmadd") == (t->vector_bytes >= 32));
		assert_false(strstr(code, "%ymm16") && t->vector_bytes < 64);
	}
	trial_discard(&trial);
	build_pool_free(b);
}

static void test_code(void **state)
{
	static const char *const compilers[] = { "gcc", "clang" };

	(void)state;
	for (size_t i = 0; i < sizeof(compilers) / sizeof(*compilers); i++) {
		struct arena *a = arena_new();
		struct compiler c;

		assert_int_equal(compiler_check(a, compilers[i], &c), 0);
		if (!c.works)
			skip_part(compilers[i], c.why);
		for (int k = 0; c.works && k < TARGET_COUNT; k++)
			if (!target_is_foreign(target_at(k)))
				check_code(a, compilers[i], target_at(k));
		arena_free(a);
	}
}

/* A compiler of this machine knows no flags of another's. */
static void test_foreign(void **state)
{
	const struct target *foreign = target_is_foreign(&target_aarch64_neon) ? &target_aarch64_neon
									       : &target_x86_64_avx2;

	(void)state;
	assert_null(build_pool_new(&(struct build_pool_options){ .target = foreign, .cc = "gcc" }));
	assert_non_null(strstr(err_get(), foreign->name));
	assert_non_null(strstr(err_get(), foreign->march));
}

/* Peaks by target; those of another are not the device's own. */
static void test_device(void **state)
{
	struct arena *a = arena_new();
	struct device *d = device_synthetic(a, "synthetic:core:2 pu:1 isa=avx512");
	double own = device_peak(d, 1);

	(void)state;
	assert_string_equal(device_mark(d), "");
	d->target = &target_x86_64_avx2;
	assert_string_equal(device_mark(d), "x86-64-avx2");
	assert_true(device_peak(d, 1) == own / 2);
	/* described by a hone that asked for its own alone */
	d->measured.peak[TARGET_x86_64_avx2] = (struct device_rate){ 0 };
	assert_true(device_peak(d, 1) == own / 2);
	assert_true(device_peak(d, 2) == own);
	arena_free(a);
}

static void append(struct db *db, int64_t task, int64_t device, const char *toolchain, double us)
{
	struct db_record r = { .task = task, .device = device, .toolchain = db_toolchain(db, toolchain),
			       .steps = "", .status = TRIAL_OK, .samples = &us, .n_samples = 1,
			       .time_us = us, .threads = 1, .others = -1 };

	if (db_append(db, &(struct db_batch){ .records = &r, .n = 1 }) < 0)
		fail_msg("%s", err_get());
}

/* Each target finds its own records, and hears of the others. */
static void test_records(void **state)
{
	static const struct {
		const char *target;
		double us;
		int64_t skipped;
	} wants[] = { { NULL, 1, 0 }, { "", 3, 2 }, { "x86-64-avx2", 2, 2 }, { "generic", 1, 2 },
		      { "x86-64-avx512", 0, 3 } };
	struct arena *a = arena_new();
	char *folder = dir_temp(a);
	struct db *db = db_open(arena_printf(a, "%s/t.db", folder), DB_WRITE);

	(void)state;
	assert_non_null(db);
	int64_t task = db_task(db, &(struct db_task){ .key = KEY_A, .name = "mm", .text = FIXTURE_TEXT, .flop = 2e6 });
	int64_t device = db_device(db, "d", "{}");

	append(db, task, device, "cc -march=native", 3);
	append(db, task, device, "cc -march=x86-64-v3" TARGET_MARK "x86-64-avx2", 2);
	append(db, task, device, "cc" TARGET_MARK "generic", 1);
	for (size_t i = 0; i < sizeof(wants) / sizeof(*wants); i++) {
		const struct db_want want = { .task_key = KEY_A, .target = wants[i].target };
		struct db_skipped skipped;
		struct db_record best = { 0 };

		assert_int_equal(db_best(db, a, &want, &best), wants[i].us > 0);
		assert_true(best.time_us == wants[i].us);
		assert_int_equal(db_skipped(db, a, &want, &skipped), 0);
		assert_int_equal(skipped.n, wants[i].skipped);
		assert_true(skipped.n == 0 || strstr(skipped.why, "for another target"));
	}
	db_close(db);
	dir_remove(folder);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),	cmocka_unit_test(test_here),
		cmocka_unit_test(test_bindings), cmocka_unit_test(test_code),
		cmocka_unit_test(test_foreign), cmocka_unit_test(test_device),
		cmocka_unit_test(test_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
