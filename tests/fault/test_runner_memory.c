/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fault/test_runner_memory.c - kernels and the memory that the runner gives them: workspace,
 * packed constants, stacks; with the threads that it asks for. */
#include "tests/fixture/runner_fixture.h"

#include <stdlib.h>
#include <unistd.h>

#define PACKED(input, body)                                                                        \
	KERNEL_ALONE("") NO_WORKSPACE                                                              \
	"size_t hone_kernel_packed_bytes(int32_t i)\n{ return i == " #input " ? 4 * N : 0; }\n"    \
	"void hone_kernel_pack(int32_t i, const void *raw, void *packed)\n"                        \
	"{ (void)i; memcpy(packed, raw, 4 * N); " body " }\n"

static const struct runner_fault packing[] = {
	{ "right", PACKED(1, ""), TRIAL_OK, NULL },
	{ "an input", PACKED(0, ""), TRIAL_WRONG, "wants A packed" },
	{ "beyond", PACKED(1, "((char *)packed)[4 * N] = 0;"), TRIAL_CRASH,
	  "beyond the end of packed B, while packing" },
	{ "wrong", PACKED(1, "((char *)packed)[9] = 77;"), TRIAL_WRONG, "C[2] is " },
	{ "endless", PACKED(1, "for (;;) __asm__ volatile(\"\");"), TRIAL_TIMEOUT, "did not end" },
};

static void test_packing(void **state)
{
	(void)state;
	EXPECT_ALL(packing);
}

/* BYTES is C text that may use threads. */
#define WORKSPACE(bytes, body)                                                                     \
	KERNEL_ALONE("float *own = workspace; " body) NOTHING_PACKED                               \
	"size_t hone_kernel_workspace_bytes(int32_t threads) { return " bytes "; }\n"

/* One of 4096 bytes ends at its guard page, one of 4028 has canaries on both sides. */
static const struct runner_fault workspaces[] = {
	{ "none", KERNEL("if (workspace) abort();"), TRIAL_OK, NULL },
	{ "read first", WORKSPACE("4096", "C[3] += 0 * own[900];"), TRIAL_WRONG, "C[3] is " },
	{ "written first", WORKSPACE("4096", "own[900] = 1; C[3] += 0 * own[900];"), TRIAL_OK,
	  NULL },
	{ "aligned", WORKSPACE("4028", "if ((uintptr_t)own % 64) abort();"), TRIAL_OK, NULL },
	{ "beyond, guard", WORKSPACE("4096", "own[1024] = 1;"), TRIAL_CRASH,
	  "0 bytes beyond the end of its workspace" },
	{ "beyond, canary", WORKSPACE("4028", "own[1007] = 1;"), TRIAL_WRONG,
	  "wrote outside of its workspace, 0 bytes beyond its end" },
	{ "before, canary", WORKSPACE("4028", "own[-1] = 1;"), TRIAL_WRONG,
	  "wrote outside of its workspace, 1 bytes before" },
	{ "far before", WORKSPACE("4096", "own[-1200] = 1;"), TRIAL_CRASH,
	  "before the begin of its workspace" },
	{ "too large", WORKSPACE("(size_t)10 << 30", ""), TRIAL_CRASH,
	  "wants 10737418240 bytes of workspace" },
	{ "absurd", WORKSPACE("(size_t)-1", ""), TRIAL_CRASH, "bytes of workspace" },
	{ "not told", KERNEL_ALONE("") NOTHING_PACKED, TRIAL_BUILD_ERROR,
	  "does not export hone_kernel_workspace_bytes" },
};

static void test_workspace(void **state)
{
	(void)state;
	EXPECT_ALL(workspaces);
}

/* Of 56 MiB, where a kernel may have 64: kernels that are timed in turn have one each. */
#define LARGE WORKSPACE("(size_t)56 << 20", "own[13 << 20] = C[0]; C[0] = own[13 << 20];")

static void test_workspaces_in_turn(void **state)
{
	struct runner_options o = { .race_factor = -1, .memory = 64u << 20 };
	struct runner *runner = runner_new(&o);
	struct trial t[6] = { { 0 } };
	struct workload w = workload();

	(void)state;
	assert_non_null(runner);
	for (int i = 0; i < 6; i++)
		t[i].source = LARGE;
	must(build_all(all.arena, all.builder, t, 6));
	must(runner_set_workload(runner, all.builder, &w));
	must(remeasure(all.arena, runner, t, 6, 3));
	for (int i = 0; i < 6; i++)
		if (t[i].status != TRIAL_OK)
			fail_msg("kernel %d: %s", i, t[i].text);
	runner_free(runner);
}

/* Stacks that are read before they are written: zeros, or what the run before left there. A
 * compiler that sees that nobody has written to it may take any number for it. */
#define SEEN "__asm__ volatile(\"\" : : \"r\"(own) : \"memory\");"
#define OWN "float own[1024]; " SEEN
/* Each of two threads by itself. */
#define THREADS(body) KERNEL("if (threads != 2) abort(); " OWN body " C[from] += 0 * own[7];")
/* Each thread has a part of the workspace. */
#define PARTS "own[1024 * thread + 1023] = 1;"

static const struct runner_fault of_threads[] = {
	{ "array of the first thread", THREADS("if (thread == 1) own[7] = 1;"), TRIAL_WRONG,
	  "C[0] is " },
	{ "array of the second thread", THREADS("if (thread == 0) own[7] = 1;"), TRIAL_WRONG,
	  "C[512] is " },
	{ "arrays, written", THREADS("own[7] = 1;"), TRIAL_OK, NULL },
	{ "parts", WORKSPACE("4096 * (size_t)threads", PARTS), TRIAL_OK, NULL },
	{ "one part too few", WORKSPACE("4096", PARTS), TRIAL_CRASH,
	  "beyond the end of its workspace" },
};

/* The number of threads is the argument's, whatever the environment says. */
static void test_threads(void **state)
{
	struct workload w = workload();

	(void)state;
	setenv("OMP_NUM_THREADS", "1", 1);
	w.threads = 2;
	must(runner_set_workload(all.runner, all.builder, &w));
	EXPECT_ALL(of_threads);
	unsetenv("OMP_NUM_THREADS");
	w.threads = 1;
	must(runner_set_workload(all.runner, all.builder, &w));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_packing),
		cmocka_unit_test(test_workspace),
		cmocka_unit_test(test_workspaces_in_turn),
		cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
