/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/measure/test_measure.c - builder, fill, tolerance, buffers, timing and the ordinary way of a
 * trial. Misbehaving kernels are in tests/fault. No time is asserted. */
#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/file.h"
#include "base/quantile.h"
#include "codegen/team.h"
#include "measure/runner/buffer.h"
#include "measure/runner/counters.h"
#include "measure/runner/fill.h"
#include "measure/timing/pin.h"
#include "measure/process/process.h"
#include "measure/runner/runner.h"
#include "measure/runner/verify.h"
#include "schedule/text/nest_text.h"
#include "search/kernel_text.h"
#include "tests/kernel_text.h"

static void test_status_names(void **state)
{
	enum trial_status s;

	(void)state;
	for (int i = 0; i < TRIAL_STATUS_COUNT; i++) {
		assert_true(trial_status_parse(trial_status_name((enum trial_status)i), &s));
		assert_int_equal(s, i);
		assert_true(strlen(trial_status_meaning(s)) > 0);
	}
	assert_false(trial_status_parse("fine", &s));
}

static void test_fill(void **state)
{
	enum { COUNT = 5000 };
	_Alignas(8) char a[COUNT * 8], b[COUNT * 8];

	(void)state;
	for (int t = 0; t < DTYPE_COUNT; t++) {
		size_t bytes = COUNT * dtype_bytes((enum dtype)t);
		double low = 1e9, high = -1e9;

		fill_random((enum dtype)t, a, COUNT, 0, 0, 11, 0);
		fill_random((enum dtype)t, b, COUNT, 0, 0, 11, 0);
		assert_memory_equal(a, b, bytes);
		fill_random((enum dtype)t, b, COUNT, 0, 0, 11, 1);
		assert_memory_not_equal(a, b, bytes);
		for (int i = 0; i < COUNT; i++) {
			low = fmin(low, dtype_load((enum dtype)t, a, i));
			high = fmax(high, dtype_load((enum dtype)t, a, i));
		}
		if (dtype_is_float((enum dtype)t))
			assert_true(low >= -1 && low < -0.99 && high <= 1 && high > 0.99);
		else	/* both ends are reached */
			assert_true(low == (t == DTYPE_U8 || t == DTYPE_BOOL ? 0 : -4) &&
				    high == (t == DTYPE_BOOL ? 1 : t == DTYPE_U8 ? 8 : 4));
	}
}

static void test_verify(void **state)
{
	float want[3] = { 1, NAN, INFINITY }, got[3] = { 1, NAN, INFINITY };
	float bound[3] = { 1e-6f, NAN, NAN };

	(void)state;
	assert_int_equal(verify_settle(DTYPE_F32, want, bound, 3), 2);
	assert_int_equal(verify_worst(DTYPE_F32, got, want, bound, 3), -1);
	got[0] = NAN;
	assert_int_equal(verify_worst(DTYPE_F32, got, want, bound, 3), 0);
	got[0] = 1 + 2e-6f;
	assert_int_equal(verify_worst(DTYPE_F32, got, want, bound, 3), 0);
	got[0] = 1 + 5e-7f;
	got[1] = 0;
	assert_int_equal(verify_worst(DTYPE_F32, got, want, bound, 3), 1);
	got[1] = NAN;
	got[2] = 3e38f;
	assert_int_equal(verify_worst(DTYPE_F32, got, want, bound, 3), 2);
	/* One large output hides nothing elsewhere. */
	float apart[2] = { 1e8f, 1e-3f }, zeroed[2] = { 1e8f, 0 }, bounds[2] = { 10, 1e-9f };

	assert_int_equal(verify_worst(DTYPE_F32, zeroed, apart, bounds, 2), 1);

	int64_t big[2] = { INT64_C(1) << 60, 4 }, near[2] = { (INT64_C(1) << 60) + 1, 4 };
	float none[3] = { 0 };

	assert_int_equal(verify_worst(DTYPE_I64, near, big, none, 2), 0);
	int8_t bytes[3] = { 1, -2, 3 }, other[3] = { 1, -2, 4 };

	assert_int_equal(verify_worst(DTYPE_I8, other, bytes, none, 3), 2);
	assert_int_equal(verify_worst(DTYPE_I8, bytes, bytes, none, 3), -1);
}

/* Of the elements that say something: off by 3 and 4 of 30 and 40, a tenth. */
static void test_verify_rms(void **state)
{
	float want[5] = { 30, 40, INFINITY, 1000, 0 }, got[5] = { 33, 36, 1, 1, 0 };
	float bound[5] = { 9, 9, 9, INFINITY, 9 }, zero[2] = { 0 };

	(void)state;
	assert_true(fabs(verify_rms(DTYPE_F32, got, want, bound, 5) - .1) < 1e-12);
	assert_true(verify_rms(DTYPE_F32, want, want, bound, 5) == 0);
	assert_true(verify_rms(DTYPE_F32, got, zero, bound, 2) == 0);
}

/* Whatever the reference has at an element, and however wide its bound: what nobody wrote shows. */
static void test_poison(void **state)
{
	static const double values[] = { 0, 1, -1, 127, NAN, INFINITY };
	static const float bounds[] = { 0, 1, INFINITY };
	_Alignas(8) char want[8], got[8], bound[8];

	(void)state;
	for (int t = 0; t < DTYPE_COUNT; t++)
		for (size_t v = 0; v < 6; v++)
			for (int b = 0; b < 3; b++) {
				dtype_store((enum dtype)t, want, 0, values[v]);
				dtype_store(error_bound_type((enum dtype)t), bound, 0, bounds[b]);
				verify_settle((enum dtype)t, want, bound, 1);
				verify_poison((enum dtype)t, got, want, 1);
				assert_int_equal(verify_worst((enum dtype)t, got, want, bound, 1),
						 0);
			}
}

static void test_buffer(void **state)
{
	static const size_t sizes[] = { 0, 1, 63, 64, 4096, 4097, 100000 };
	struct guarded_buffer b;
	int64_t at;

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		assert_true(buffer_map(&b, sizes[i], -1, 0, false));
		assert_int_equal((uintptr_t)b.data % BUFFER_ALIGN, 0);
		buffer_poison(&b);
		assert_true(buffer_intact(&b, &at));
		if (sizes[i] % BUFFER_ALIGN) {
			b.data[sizes[i]] = 0;
			assert_false(buffer_intact(&b, &at));
			assert_int_equal(at, sizes[i]);
		}
		buffer_unmap(&b);
	}
	assert_false(buffer_map(&b, SIZE_MAX - 100, -1, 0, false));
}

/* Memory that was read-only and held other bytes is as good as new; of another size it is given back. */
static void test_buffer_again(void **state)
{
	struct guarded_buffer b, spare;
	int64_t at;

	(void)state;
	assert_true(buffer_map(&spare, 10000, -1, 0, false));
	buffer_poison(&spare);
	buffer_writable(&spare, false);
	const char *map = spare.map;

	assert_true(buffer_map_again(&b, 9001, &spare));
	assert_ptr_equal(b.map, map);
	assert_null(spare.map);
	assert_int_equal((uintptr_t)b.data % BUFFER_ALIGN, 0);
	buffer_poison(&b);
	assert_true(buffer_intact(&b, &at));
	b.data[9001] = 0;
	assert_false(buffer_intact(&b, &at));
	assert_int_equal(at, 9001);

	assert_true(buffer_map_again(&spare, 20000, &b));
	assert_null(b.map);
	buffer_poison(&spare);
	assert_true(buffer_intact(&spare, &at));
	buffer_unmap(&spare);
}

static void test_median(void **state)
{
	double v[] = { 5, 1, 4, 2 };

	(void)state;
	assert_true(median(v, 0) == 0);
	assert_true(median(v, 3) == 4);
	assert_true(median((double[]){ 5, 1, 4, 2 }, 4) == 3);
}

/* Timing without a runner: the protocol's bookkeeping, whatever the times are. */
static int32_t two_phases(void)
{
	return 2;
}

static void spin(int32_t phase, void *const *args, void *workspace, int32_t thread, int32_t threads)
{
	int *count = args[0];

	(void)workspace, (void)thread, (void)threads;
	for (int i = 0; i < *(int *)args[1]; i++)
		__asm__ volatile("" : : "r"(i));
	*count += phase;
}

static void test_timing(void **state)
{
	int count = 0, work = 20000;
	void *args[] = { &count, &work };
	const struct callable spinning = { .phases = two_phases, .part = spin };
	struct timed k = { .call = &spinning, .args = args, .threads = 1 };
	struct timing t = { .min_ms = 1, .max_ms = 5, .threads = 1 };
	struct series *s = malloc(sizeof(*s));
	struct timing_result r;

	(void)state;
	assert_true(timing_measure(s, &t, k, 0));
	series_end(s, &r);
	assert_true(s->n >= 3 && s->n <= SAMPLES_MAX && count >= s->n * s->repeats);
	assert_true(r.time_us > 0);
	/* Against a limit no kernel meets, one sample is enough. */
	assert_false(timing_measure(s, &t, k, 1e-6));
	assert_int_equal(s->n, 1);
	assert_true(race_deadline_us(0) == 0);
	assert_true(race_deadline_us(1e6) > 1e6);
	k.evicted = &(struct evicted){ .n = 1, .at = { { &work, sizeof(work) } } };
	assert_true(timing_measure(s, &t, k, 0));
	assert_int_equal(s->repeats, 1);
	assert_int_equal(work, 20000);	/* it is in memory still */
	k.handed_on = k.evicted;
	k.evicted = NULL;
	assert_true(timing_measure(s, &t, k, 0));
	assert_int_equal(s->repeats, 1);
	assert_int_equal(work, 20000);
	k.handed_on = NULL;
	t.flush = flush_new(1 << 20, 0);
	assert_non_null(t.flush);
	assert_true(timing_measure(s, &t, k, 0));
	assert_int_equal(s->repeats, 1);
	free(s);
}

static void test_counters(void **state)
{
	struct counters *c = counters_new();
	struct counter out[COUNTERS_MAX];

	(void)state;
	assert_true(counters_present(c) + counters_absent(c) > 0);
	for (int i = 0; i < counters_absent(c); i++)
		assert_true(strlen(counters_absent_reason(c, i)) > 0);
	if (counters_present(c) > 0) {
		assert_int_equal(counters_start(c), 0);
		assert_int_equal(counters_stop(c, out, COUNTERS_MAX), counters_present(c));
		assert_string_equal(out[0].name, counters_name(c, 0));
	}
	counters_free(c);
}

static void test_pin(void **state)
{
	struct arena *a = arena_new();

	(void)state;
	assert_null(pin_new("zero"));
	assert_null(pin_new("100000"));
	struct pin *p = pin_new(NULL);

	assert_non_null(p);
	assert_null(pin_process(a, p, getpid(), 100000));
	assert_non_null(strstr(err_get(), "100000 threads"));
	pin_free(p);
	arena_free(a);
}

/* Every compiler at hand. */
static void check_compiler(const char *cc)
{
	struct build_pool_options o = { .cc = cc, .flags = " -DTWO=2  -DONE=1 " };
	struct build_pool *b = build_pool_new(&o);
	struct arena *a = arena_new();
	struct trial t[2] = {
		{ .source = "#include <math.h>\nint function(void *const *a)\n"
			    "{ return (int)expf(*(float *)a[0]) + ONE + TWO; }\n" },
		{ .source = "#error no way\n" },
	};

	assert_non_null(b);
	assert_non_null(strstr(build_pool_toolchain(b), "-O2"));
	assert_non_null(strstr(build_pool_toolchain(b), "-DTWO=2"));
	assert_int_equal(build_all(a, b, t, 2), 0);
	assert_int_equal(t[0].status, TRIAL_PENDING);
	assert_int_equal(access(t[0].object, R_OK), 0);
	assert_int_equal(t[1].status, TRIAL_BUILD_ERROR);
	assert_non_null(strstr(t[1].text, "no way"));
	assert_null(t[1].object);
	const char *object = t[0].object;

	trial_discard(&t[0]);
	assert_int_equal(access(object, F_OK), -1);
	arena_free(a);
	build_pool_free(b);
}

static void test_builder(void **state)
{
	(void)state;
	check_compiler("gcc");
	if (system("clang --version >/dev/null 2>&1") == 0)
		check_compiler("clang");
	assert_null(build_pool_new(&(struct build_pool_options){ .cc = "no-such-cc" }));
	assert_non_null(strstr(err_get(), "no-such-cc"));
	assert_null(build_pool_new(&(struct build_pool_options){ .flags = "-mno-such-flag" }));
	assert_non_null(strstr(err_get(), "mno-such-flag"));
}

/* A kernel whose helpers, type and macro have the names of its neighbours' too, one of which is another with the number
 * of the first kernel behind it, and which answers NUMBER. */
#define NEIGHBOUR(number)                                                                          \
	"#include <stddef.h>\n#include <stdint.h>\n#define ANSWER " #number "\n"                     \
	"typedef float pair __attribute__((vector_size(8)));\n"                                     \
	"static inline int32_t helper(int32_t x)\n{ return x + ANSWER; }\n"                         \
	"static inline int32_t helper_0(int32_t x)\n{ return helper(x); }\n" KERNEL_PROTOTYPE       \
	"\n{ *(int32_t *)args[0] = helper_0(0); }\n" NO_WORKSPACE NOTHING_PACKED

enum { NEIGHBOURS = 7, BROKEN = 2 };

static int32_t answer_of(const struct trial *t)
{
	void *object = dlopen(t->object, RTLD_NOW | RTLD_LOCAL);
	struct callable kernel;
	int32_t answer = 0;

	assert_non_null(object);
	assert_int_equal(callable_find(&kernel, object, trial_symbol(t)), 0);
	callable_call(&kernel, 1, (void *[]){ &answer }, NULL);
	dlclose(object);
	return answer;
}

/* Those that share a compiler are what they would be alone; one that breaks it is told from them. */
static void test_together(void **state)
{
	struct build_pool *b = build_pool_new(&(struct build_pool_options){ .jobs = 1 });
	struct arena *a = arena_new();
	struct trial t[NEIGHBOURS] = {
		{ .source = NEIGHBOUR(10) }, { .source = NEIGHBOUR(11) }, { .source = "#error broken\n" },
		{ .source = NEIGHBOUR(13) }, { .source = NEIGHBOUR(14) }, { .source = NEIGHBOUR(15) },
		{ .source = NEIGHBOUR(16) },
	};
	int shared = 0;

	(void)state;
	assert_non_null(b);
	assert_int_equal(build_together(a, b, t, NEIGHBOURS), 0);
	for (int i = 0; i < NEIGHBOURS; i++) {
		if (i == BROKEN) {
			assert_int_equal(t[i].status, TRIAL_BUILD_ERROR);
			assert_non_null(strstr(t[i].text, "broken"));
			continue;
		}
		assert_int_equal(t[i].status, TRIAL_PENDING);
		assert_int_equal(answer_of(&t[i]), 10 + i);
		shared += t[i].symbol != NULL;
		trial_discard(&t[i]);	/* which takes nothing from the others */
	}
	assert_int_equal(shared, 4);	/* of three runs, of three and two and two, those without the broken one */
	arena_free(a);
	build_pool_free(b);
}

/* Both kernels have functions of the prelude, whose names must stay apart. */
static void test_together_with_functions(void **state)
{
	static const char text[] =
		"target generic\ninput X: f32[9, 6]\ninput H: bf16[2, 4]\ninput B: u8[4, 4]\n"
		"output Y: f32[6, 9]\noutput P: bf16[4, 2]\noutput Q: u8[4, 4]\n"
		"interleaved for r in 0..2\n\tvector for c in 0..4 of 4\n\t\tP[c, r] = H[r, c]\n"
		"interleaved for r in 0..4\n\tvector for c in 0..4 of 4\n\t\tQ[c, r] = u8(f32(B[r, c]) * 0.5)\n"
		"transposed for x in 0..4\n\tvector for c in 0..4 of 4\n\t\tY[x, c] = X[c, x]\n"
		"transposed for x in 0..4\n\tvector for c in 0..4 of 4\n\t\tY[c, x + 4] = X[x + 4, c]\n"
		"vector for c in 0..4 of 4\n\tY[c, 8] = X[8, c]\n"
		"vector for c in 0..4 of 4\n\tY[4, c] = X[c, 4]\n"
		"vector for c in 0..3 of 4\n\tY[5, c] = X[c, 5] + X[8, 5]\n";
	static const char *const compilers[] = { NULL, "gcc" };	/* NULL: the first choice */
	struct arena *a = arena_new();
	struct program *p = program_parse(a, "blocks", text);

	(void)state;
	if (!p)
		fail_msg("%s", err_get());
	for (int k = 0; k < 2; k++) {
		struct build_pool *b = build_pool_new(&(struct build_pool_options){ .jobs = 1, .cc = compilers[k] });
		struct trial t[4] = { 0 };

		assert_non_null(b);
		for (int i = 0; i < 4; i++)
			t[i].source = program_source(a, p, NULL);
		assert_non_null(strstr(t[0].source, "transpose_copy_f32x4(Y"));
		assert_non_null(strstr(t[0].source, "transpose_store_f32x4(Y"));
		assert_non_null(strstr(t[0].source, "= pairs_i32x4("));
		assert_non_null(strstr(t[0].source, "= quads_i32x4("));
		assert_int_equal(build_together(a, b, t, 4), 0);
		for (int i = 0; i < 4; i++) {
			assert_int_equal(t[i].status, TRIAL_PENDING);
			assert_non_null(t[i].symbol);
			trial_discard(&t[i]);
		}
		build_pool_free(b);
	}
	arena_free(a);
}

#define SUM(type, extra)                                                                           \
	"#include <stddef.h>\n#include <stdint.h>\n" KERNEL_PROTOTYPE "\n{\n"                      \
	"const " type " *A = args[0], *B = args[1]; " type " *C = args[2];\n"                      \
	"for (int i = 0; i < 100; i++) {\n" type " s = 0;\n"                                       \
	"for (int k = 0; k < 50; k++) s = (" type ")(s + A[i * 50 + k] * B[k]);\n"                 \
	"C[i] = s; " extra "}\n}\n" NO_WORKSPACE NOTHING_PACKED
/* With a bound that leaves room for additions in another order. */
#define SUM_REFERENCE(type, bound_type)                                                            \
	SUM(type, "((" bound_type " *)args[3])[i] = (" type ")0.5 > 0 ? 1e-5 : 0;")

static const char *const sums[DTYPE_COUNT] = {
	[DTYPE_F32] = SUM("float", ""),	   [DTYPE_F64] = SUM("double", ""),
	[DTYPE_I32] = SUM("int32_t", ""),  [DTYPE_I64] = SUM("int64_t", ""),
	[DTYPE_I8] = SUM("int8_t", ""),	   [DTYPE_U8] = SUM("uint8_t", ""),
};

static const char *const references[DTYPE_COUNT] = {
	[DTYPE_F32] = SUM_REFERENCE("float", "float"),
	[DTYPE_F64] = SUM_REFERENCE("double", "double"),
	[DTYPE_I32] = SUM_REFERENCE("int32_t", "float"),
	[DTYPE_I64] = SUM_REFERENCE("int64_t", "float"),
	[DTYPE_I8] = SUM_REFERENCE("int8_t", "float"),
	[DTYPE_U8] = SUM_REFERENCE("uint8_t", "float"),
};

static void check_type(struct arena *a, struct build_pool *b, struct runner *r, enum dtype t)
{
	const struct workload_arg args[] = {
		{ .name = "A", .dtype = t, .count = 5000, .role = ARG_INPUT },
		{ .name = "B", .dtype = t, .count = 50, .role = ARG_CONST },
		{ .name = "C", .dtype = t, .count = 100, .role = ARG_OUTPUT },
	};
	struct workload w = { .args = args, .n_args = 3, .seed = 3, .reduction = 50,
			      .reference = { references[t], references[t] }, .threads = 1, .min_ms = 0.5, .max_ms = 2 };
	struct trial trial = { .source = sums[t] };

	w.cache = t == DTYPE_F64 ? CACHE_COLD : t == DTYPE_I32 ? CACHE_COLD_WEIGHTS : CACHE_WARM;
	if (runner_set_workload(r, b, &w) != 0 || build_all(a, b, &trial, 1) < 0 ||
	    measure_all(a, r, &trial, 1) < 0)
		fail_msg("%s: %s", dtype_name(t), err_get());
	if (trial.status != TRIAL_OK)
		fail_msg("%s: %s", dtype_name(t), trial.text);
	assert_true(trial.n_samples >= 3 && trial.time_us > 0 && trial.build_ms > 0);
}

static void test_types(void **state)
{
	struct arena *a = arena_new();
	struct build_pool *b = build_pool_new(&(struct build_pool_options){ 0 });
	struct runner *r = runner_new(&(struct runner_options){ 0 });

	(void)state;
	assert_non_null(b);
	assert_non_null(r);
	for (int t = 0; t < DTYPE_COUNT; t++)
		if (sums[t])
			check_type(a, b, r, (enum dtype)t);
	runner_free(r);
	build_pool_free(b);
	arena_free(a);
}

/* A race against an incumbent that nobody beats, a second look. */
static void test_race(void **state)
{
	struct arena *a = arena_new();
	struct build_pool *b = build_pool_new(&(struct build_pool_options){ 0 });
	struct runner *r = runner_new(&(struct runner_options){ 0 });
	struct trial t[3] = { { .source = sums[DTYPE_F32] }, { .source = sums[DTYPE_F32] },
			      { .source = SUM("float", "__asm__ volatile(\"\");") } };

	(void)state;
	check_type(a, b, r, DTYPE_F32);
	assert_int_equal(build_all(a, b, t, 3), 0);
	runner_set_incumbent(r, 0);
	assert_int_equal(measure_all(a, r, t, 1), 0);
	assert_int_equal(t[0].status, TRIAL_OK);
	runner_set_incumbent(r, 1e-6);
	assert_int_equal(measure_all(a, r, t, 2), 0);	/* t[0] has been measured: t[1] alone */
	assert_int_equal(t[1].status, TRIAL_LOST_RACE);
	assert_true(t[1].n_samples > 0 && t[1].time_us > 0 && t[1].text);
	/* An hour of work is not waited for, and the next one has a runner. */
	struct trial slow[2] = { { .source = SUM("float", "for (volatile int64_t k = 0; k < 1LL << 40; k++) {}") },
				 { .source = sums[DTYPE_F32] } };

	assert_int_equal(build_all(a, b, slow, 2), 0);
	assert_int_equal(measure_all(a, r, slow, 2), 0);
	assert_int_equal(slow[0].status, TRIAL_LOST_RACE);
	assert_non_null(strstr(slow[0].text, "did not end"));
	assert_int_equal(slow[1].status, TRIAL_LOST_RACE);
	assert_null(strstr(slow[1].text, "did not end"));
	assert_int_equal(remeasure(a, r, t, 3, 6), 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(t[i].status, TRIAL_OK);
		/* rounds that are disturbed are made up for */
		assert_in_range(t[i].n_samples, 6, 18);
		assert_int_equal(t[i].n_samples, t[0].n_samples);
	}
	runner_free(r);
	build_pool_free(b);
	arena_free(a);
}

/* Who was beside somebody all the time is measured once more; who was not is left as he is. */
static void test_never_alone(void **state)
{
	struct arena *a = arena_new();
	struct build_pool *b = build_pool_new(&(struct build_pool_options){ 0 });
	struct runner *r = runner_new(&(struct runner_options){ 0 });
	struct trial t[2] = { { .source = sums[DTYPE_F32] }, { .source = sums[DTYPE_F32] } };

	(void)state;
	check_type(a, b, r, DTYPE_F32);
	assert_int_equal(build_all(a, b, t, 2), 0);
	assert_int_equal(measure_all(a, r, t, 2), 0);
	t[0].time_us = t[1].time_us = 1e9;
	t[0].disturbed = t[0].n_samples - SERIES_LEAST + 1;
	t[1].disturbed = t[1].n_samples - SERIES_LEAST;
	assert_int_equal(measure_again(a, r, t, 2), 0);
	assert_int_equal(t[0].status, TRIAL_OK);
	assert_true(t[0].time_us < 1e9 && t[1].time_us == 1e9);
	runner_free(r);
	build_pool_free(b);
	arena_free(a);
}

static void test_outside_errors(void **state)
{
	(void)state;
	assert_null(runner_new(&(struct runner_options){ .path = "/nowhere/hone-runner" }));
	assert_non_null(strstr(err_get(), "/nowhere/hone-runner"));
	assert_null(runner_new(&(struct runner_options){ .cpus = "x" }));
	assert_null(build_pool_new(&(struct build_pool_options){ .workdir = "/proc/no/such" }));
	assert_non_null(strstr(err_get(), "/proc/no"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_status_names), cmocka_unit_test(test_fill),
		cmocka_unit_test(test_verify), cmocka_unit_test(test_verify_rms),
		cmocka_unit_test(test_poison),	     cmocka_unit_test(test_buffer),
		cmocka_unit_test(test_buffer_again),
		cmocka_unit_test(test_median),	     cmocka_unit_test(test_timing),
		cmocka_unit_test(test_counters),     cmocka_unit_test(test_pin),
		cmocka_unit_test(test_builder),	     cmocka_unit_test(test_types),
		cmocka_unit_test(test_together),
		cmocka_unit_test(test_together_with_functions),
		cmocka_unit_test(test_race),	     cmocka_unit_test(test_outside_errors),
		cmocka_unit_test(test_never_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
