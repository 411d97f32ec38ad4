/* SPDX-License-Identifier: Apache-2.0 */
/* tests/runner_fixture.h - a runner with a task of two inputs and two outputs, and kernels for it
 * that are right but for what a test adds. */
#ifndef HONE_TESTS_RUNNER_FIXTURE_H
#define HONE_TESTS_RUNNER_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "measure/runner/runner.h"
#include "tests/kernel_text.h"

/* C ends at its guard page; D has 4 bytes of canary before its own. */
enum { N = 1024, M = 1007 };

#define HEAD                                                                                       \
	"#include <stdint.h>\n#include <stddef.h>\n#include <stdlib.h>\n"                          \
	"#include <string.h>\n#include <unistd.h>\n#include <pthread.h>\n"                         \
	"#include <fcntl.h>\n#include <signal.h>\n#include <sys/socket.h>\n"                      \
	"#include <sys/prctl.h>\n"                                                               \
	"enum { N = 1024, M = 1007 };\n"                                                           \
	"static int calls;\nstatic volatile int zero;\n"                                           \
	KERNEL_PROTOTYPE "\n{\n"                                                                  \
	"float *A = args[0], *B = args[1], *C = args[2], *D = args[3];\n"                          \
	"calls++; (void)calls;\n"                                                                  \
	"int from = N * thread / threads, to = N * (thread + 1) / threads;\n"                      \
	"for (int i = from; i < to; i++) C[i] = A[i] * B[i];\n"                                    \
	"for (int i = from; i < to && i < M; i++) D[i] = A[i] + B[i];\n"

/* What each thread does behind its part; other functions follow. */
#define KERNEL_ALONE(body) HEAD body "\n}\n"
#define KERNEL(body) KERNEL_ALONE(body) NO_WORKSPACE NOTHING_PACKED
/* The bounds behind the outputs: one rounding. */
#define REFERENCE(body)                                                                            \
	KERNEL("float *EC = args[4], *ED = args[5];\n"                                             \
	       "for (int i = 0; i < N; i++) EC[i] = 6e-8f * (C[i] < 0 ? -C[i] : C[i]);\n"          \
	       "for (int i = 0; i < M; i++) ED[i] = 6e-8f * (D[i] < 0 ? -D[i] : D[i]);\n" body)

static struct {
	struct arena *arena;
	struct build_pool *builder;
	struct runner *runner;
} all;

static const struct workload_arg args[] = {
	{ "A", DTYPE_F32, N, ARG_INPUT, { { -1, 1, 0 }, { -1, 1, 0.25 } } },
	{ "B", DTYPE_F32, N, ARG_CONST, { { 0.5, 1, 0 }, { 0.5, 1, 0.125 } } },
	{ "C", DTYPE_F32, N, ARG_OUTPUT, { { 0, 0, 0 } } },
	{ "D", DTYPE_F32, M, ARG_OUTPUT, { { 0, 0, 0 } } },
};

static inline struct workload workload(void)
{
	return (struct workload){
		.args = args, .n_args = 4, .seed = 7, .reduction = 1, .threads = 1,
		.reference = { REFERENCE(""), REFERENCE("") }, .min_ms = 0.5, .max_ms = 3,
	};
}

static inline void must(int rc)
{
	if (rc != 0)
		fail_msg("%s", err_get());
}

static inline int set_up(void **state)
{
	struct build_pool_options build = { .limit_s = 10 };
	struct runner_options run = { .limit_s = 2, .race_factor = -1, .memory = 1u << 30 };
	struct workload w = workload();

	(void)state;
	all.arena = arena_new();
	all.builder = build_pool_new(&build);
	all.runner = all.builder ? runner_new(&run) : NULL;
	if (!all.runner || runner_set_workload(all.runner, all.builder, &w) < 0) {
		fprintf(stderr, "set-up: %s\n", err_get());
		return -1;
	}
	return 0;
}

static inline int tear_down(void **state)
{
	(void)state;
	runner_free(all.runner);
	build_pool_free(all.builder);
	arena_free(all.arena);
	return 0;
}

static inline struct trial try_kernel(const char *source)
{
	struct trial t = { .source = source };

	must(build_all(all.arena, all.builder, &t, 1));
	must(measure_all(all.arena, all.runner, &t, 1));
	return t;
}

static inline void expect(struct trial t, enum trial_status status, const char *text)
{
	if (t.status != status)
		fail_msg("status %s (%s) instead of %s", trial_status_name(t.status),
			 t.text ? t.text : "no text", trial_status_name(status));
	if (text && (!t.text || !strstr(t.text, text)))
		fail_msg("text '%s' lacks '%s'", t.text ? t.text : "", text);
	struct trial good = try_kernel(KERNEL(""));

	if (good.status != TRIAL_OK)
		fail_msg("the next kernel is %s: %s", trial_status_name(good.status), good.text);
	assert_true(good.n_samples > 0 && good.time_us > 0 && good.ratio > 0);
}

/* A kernel, and what must be said of it. */
struct runner_fault {
	const char *name, *source;
	enum trial_status status;
	const char *text;
};

static inline void expect_all(const struct runner_fault *faults, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		print_message("  %s\n", faults[i].name);
		expect(try_kernel(faults[i].source), faults[i].status, faults[i].text);
	}
}

#define EXPECT_ALL(faults) expect_all(faults, sizeof(faults) / sizeof((faults)[0]))

#endif
