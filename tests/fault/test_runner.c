/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fault/test_runner.c - kernels that do what kernels must not; after each, a good one is
 * still measured. */
#include "tests/fixture/runner_fixture.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "measure/runner/sandbox.h"
#include "tests/skip.h"

static const struct runner_fault faults[] = {
	{ "endless loop", KERNEL("for (;;) __asm__ volatile(\"\");"), TRIAL_TIMEOUT, "2 s" },
	{ "null write", KERNEL("*(volatile int *)0 = 1;"), TRIAL_CRASH, "SIGSEGV at 0x0, a null" },
	{ "wrong element", KERNEL("C[77] += 0.001f;"), TRIAL_WRONG, "C[77] is " },
	{ "unwritten element", KERNEL("uint32_t u = -1u; memcpy(&D[5], &u, 4);"), TRIAL_WRONG,
	  "D[5] is -nan" },
	{ "write beyond, guard", KERNEL("C[N] = 1;"), TRIAL_CRASH, "0 bytes beyond the end of C" },
	{ "write beyond, canary", KERNEL("D[M] = 1;"), TRIAL_WRONG,
	  "wrote outside of D, 0 bytes beyond its end" },
	{ "write before, canary", KERNEL("D[-1] = 1;"), TRIAL_WRONG,
	  "outside of D, 1 bytes before" },
	{ "write far before", KERNEL("C[-1200] = 1;"), TRIAL_CRASH, "before the begin of C" },
	{ "read beyond", KERNEL("*(volatile float *)&C[0] = A[0] * B[0] + 0 * A[N];"), TRIAL_CRASH,
	  "0 bytes beyond the end of A" },
	{ "write to an input", KERNEL("A[3] = 1;"), TRIAL_CRASH,
	  "a write to A, which is read-only" },
	{ "exit", KERNEL("exit(3);"), TRIAL_CRASH, "called exit(3)" },
	{ "abort", KERNEL("abort();"), TRIAL_CRASH, "SIGABRT" },
	{ "division", KERNEL("volatile int q = calls / zero; (void)q;"), TRIAL_CRASH, "SIGFPE" },
	{ "killed", KERNEL("kill(getpid(), 9);"), TRIAL_CRASH, "SIGKILL" },
	{ "state", KERNEL("if (calls > 3) C[9] = 0;"), TRIAL_WRONG, "when run again, C[9] is 0" },
	{ "late abort", KERNEL("if (calls == 3) abort();"), TRIAL_CRASH, "SIGABRT" },
	{ "undefined function", KERNEL("void nowhere(void); nowhere();"), TRIAL_BUILD_ERROR,
	  "undefined symbol: nowhere" },
	{ "no kernel", "int x;", TRIAL_BUILD_ERROR, "does not export hone_kernel" },
	{ "compile error", KERNEL("C[0] = ;"), TRIAL_BUILD_ERROR, "error: expected expression" },
#if !defined(__SANITIZE_ADDRESS__)	/* there the address space has no limit */
	{ "10 GB, checked",
	  KERNEL("char *volatile p = malloc(10ull << 30); if (!p) exit(12); p[0] = 1;"),
	  TRIAL_CRASH, "called exit(12)" },
	{ "10 GB, unchecked",
	  KERNEL("char *volatile p = malloc(10ull << 30); p[0] = 1; D[0] += p[0];"), TRIAL_CRASH,
	  "a null pointer" },
#endif
};

static void test_faults(void **state)
{
	(void)state;
	EXPECT_ALL(faults);
}

/* What a kernel has no use for: the call is refused before anything comes of it. */
static const struct runner_fault escapes[] = {
	{ "network", KERNEL("socket(2, 1, 0);"), TRIAL_CRASH, "SIGSYS, socket: a kernel uses" },
	{ "file at home", KERNEL("char p[999]; strcpy(p, getenv(\"HOME\"));"
				 "creat(strcat(p, \"/hone-was-here\"), 0600);"), TRIAL_CRASH,
	  "a kernel " },
	{ "file here", KERNEL("open(\"hone-was-here\", 0x42, 0600);"), TRIAL_CRASH,
	  "opens a file for writing" },
	{ "remove", KERNEL("unlink(\"/nothing/there\");"), TRIAL_CRASH, "changes a file" },
	{ "fork", KERNEL("if (fork() == 0) for (;;) ;"), TRIAL_CRASH, "starts a process" },
	{ "exec", KERNEL("execl(\"/bin/true\", \"true\", (char *)0);"), TRIAL_CRASH,
	  "starts a program" },
	{ "shell", KERNEL("if (system(\"true\") != 0) abort();"), TRIAL_CRASH, NULL },
	{ "parent", KERNEL("kill(getppid(), 9);"), TRIAL_CRASH, "signals another process" },
	{ "group", KERNEL("kill(0, 9);"), TRIAL_CRASH, "signals another process" },
	{ "survivor", KERNEL("prctl(1, 0);"), TRIAL_CRASH, "a kernel outlives hone" },
	{ "thread", KERNEL("pthread_t t; if (pthread_create(&t, 0, (void *(*)(void *))getenv,"
			   "\"A\") || pthread_join(t, 0)) abort();"), TRIAL_OK, NULL },
	{ "reading", KERNEL("int f = open(\"/proc/self/stat\", 0); if (f < 0) abort(); close(f);"),
	  TRIAL_OK, NULL },
};

static void test_escapes(void **state)
{
	(void)state;
	if (!sandbox_try().filter)
		skip_test("this build or this machine has no seccomp filter");
	EXPECT_ALL(escapes);
	assert_int_equal(access("hone-was-here", F_OK), -1);
}

static void test_stack_overflow(void **state)
{
	(void)state;
	expect(try_kernel("#include <stddef.h>\n#include <stdint.h>\n"
			  "static int deep(volatile char *p)\n{\n"
			  "volatile char more[4096]; more[0] = *p;\n"
			  "return deep(more) + more[0]; }\n"
			  "static volatile int result;\n"
			  KERNEL_PROTOTYPE " { result = deep(args[0]); }\n"
			  NO_WORKSPACE NOTHING_PACKED),
	       TRIAL_CRASH, ", its stack");
}

static void test_thread_left(void **state)
{
	(void)state;
	expect(try_kernel("#include <stddef.h>\n#include <stdint.h>\n#include <pthread.h>\n"
			  "#include <unistd.h>\n"
			  "static void *run(void *p) { for (;;) sleep(1); return p; }\n"
			  KERNEL_PROTOTYPE "\n{\n"
			  "float *A = args[0], *B = args[1], *C = args[2], *D = args[3];\n"
			  "static int once;\npthread_t t;\n"
			  "for (int i = 0; i < 1024; i++) C[i] = A[i] * B[i];\n"
			  "for (int i = 0; i < 1007; i++) D[i] = A[i] + B[i];\n"
			  "if (!once++) pthread_create(&t, 0, run, 0);\n}\n"
			  NO_WORKSPACE NOTHING_PACKED),
	       TRIAL_CRASH, "left 1 thread running");
}

static void test_remeasure(void **state)
{
	struct trial t[4] = {
		{ .source = KERNEL("") },
		{ .source = KERNEL("if (calls > 2) *(volatile int *)0 = 1;") },
		{ .source = KERNEL("C[1] = 0;") },
		{ .source = KERNEL("__asm__ volatile(\"\");") },
	};

	(void)state;
	must(build_all(all.arena, all.builder, t, 4));
	must(remeasure(all.arena, all.runner, t, 4, 5));
	assert_int_equal(t[0].status, TRIAL_OK);
	assert_in_range(t[0].n_samples, 5, 15);
	assert_int_equal(t[1].status, TRIAL_CRASH);
	assert_int_equal(t[2].status, TRIAL_WRONG);
	expect(t[3], TRIAL_OK, NULL);
}

/* Every element is within a bound that is wide, and all of them are off. */
static void test_rms(void **state)
{
	struct workload w = workload();

	(void)state;
	w.rms_most = 1e-5;
	w.reference[INPUTS_RANDOM] = w.reference[INPUTS_EXACT] =
		REFERENCE("for (int i = 0; i < N; i++) EC[i] = 1;");
	must(runner_set_workload(all.runner, all.builder, &w));
	expect(try_kernel(KERNEL("for (int i = from; i < to; i++) C[i] *= 1.00002f;")), TRIAL_WRONG,
	       "C is off by 2e-05 of its root mean square, at most 1e-05 is right");
	expect(try_kernel(KERNEL("if (from == 0) C[77] += 1e-5f;")), TRIAL_OK, NULL);
	w = workload();
	must(runner_set_workload(all.runner, all.builder, &w));
}

/* gcc, but for sources that say ODD, which it treats as the shell's WORDS. */
static struct build_pool *odd_builder(const char *dir, const char *words)
{
	const char *cc = arena_printf(all.arena, "%s/odd-cc", dir);
	const char *script = arena_printf(all.arena,
					  "#!/bin/sh\nfor a; do case $a in *.c) "
					  "grep -q ODD \"$a\" && { %s; };; esac; done\n"
					  "exec gcc \"$@\"\n", words);
	struct build_pool_options o = { .cc = cc, .limit_s = 1, .workdir = dir };

	must(file_write(cc, script, strlen(script)));
	chmod(cc, 0755);
	struct build_pool *b = build_pool_new(&o);

	assert_non_null(b);
	return b;
}

/* A compiler that thinks for a minute. */
static void test_slow_compiler(void **state)
{
	char *dir = dir_temp(all.arena);
	struct build_pool *b = odd_builder(dir, "sleep 60");
	struct trial t[2] = { { .source = KERNEL("/* ODD */") }, { .source = KERNEL("") } };

	(void)state;
	must(build_all(all.arena, b, t, 2));
	must(measure_all(all.arena, all.runner, t, 2));
	expect(t[0], TRIAL_BUILD_TIMEOUT, "1 s");
	expect(t[1], TRIAL_OK, NULL);
	build_pool_free(b);
	dir_remove(dir);
}

/* No fault of the kernel's. */
static void test_full_disk(void **state)
{
	char *dir = dir_temp(all.arena);
	struct build_pool *b = odd_builder(dir, "echo \"$a: No space left on device\"; exit 1");
	struct trial t[2] = { { .source = KERNEL("") }, { .source = KERNEL("/* ODD */") } };
	struct workload w = workload();

	(void)state;
	assert_int_equal(build_all(all.arena, b, t, 2), -1);
	assert_non_null(strstr(err_get(), "No space left on device (set TMPDIR)"));
	assert_null(t[0].object);
	assert_null(t[1].object);
	w.reference[INPUTS_EXACT] = REFERENCE("/* ODD */");
	assert_int_equal(runner_set_workload(all.runner, b, &w), -1);
	w = workload();
	must(runner_set_workload(all.runner, all.builder, &w));
	build_pool_free(b);
	dir_remove(dir);
}

static void test_bad_reference(void **state)
{
	struct workload w = workload();

	(void)state;
	w.reference[INPUTS_EXACT] = REFERENCE("*(volatile int *)0 = 1;");
	assert_int_equal(runner_set_workload(all.runner, all.builder, &w), 1);
	assert_non_null(strstr(err_get(), "SIGSEGV"));
	w.reference[INPUTS_EXACT] = REFERENCE("C[0] = ;");
	assert_int_equal(runner_set_workload(all.runner, all.builder, &w), 1);
	assert_non_null(strstr(err_get(), "does not compile"));
	w = workload();
	w.reference[INPUTS_RANDOM] = "#include <stddef.h>\n#include <stdint.h>\n"
				     KERNEL_PROTOTYPE " { (void)args; }\n"
				     NO_WORKSPACE NOTHING_PACKED;
	assert_int_equal(runner_set_workload(all.runner, all.builder, &w), 1);
	assert_non_null(strstr(err_get(), "C[0] unwritten"));
	w.reference[INPUTS_RANDOM] = REFERENCE("for (int i = 0; i < N; i++) C[i] = zero / (float)zero;");
	assert_int_equal(runner_set_workload(all.runner, all.builder, &w), 1);
	assert_non_null(strstr(err_get(), "1024 of 1024 elements of C are NaN or infinite"));
	w = workload();
	must(runner_set_workload(all.runner, all.builder, &w));
	expect(try_kernel(KERNEL("")), TRIAL_OK, NULL);
}

/* A workload that is gone back to has its inputs and references still: no compiler is asked, right kernels are right and wrong
 * ones wrong. One that failed is not there. */
static void test_resume(void **state)
{
	struct workload w = workload();
	struct trial t[2] = { { .source = KERNEL("") }, { .source = KERNEL("if (from == 0) C[5] += 1;") } };

	(void)state;
	must(build_all(all.arena, all.builder, t, 2));
	assert_false(runner_resume(all.runner, "sums", 1));
	runner_keep(all.runner, "products");
	w.reference[INPUTS_RANDOM] = w.reference[INPUTS_EXACT] =
		REFERENCE("for (int i = 0; i < N; i++) C[i] += i == 5;");
	must(runner_set_workload(all.runner, all.builder, &w));
	runner_keep(all.runner, "sums");
	assert_true(runner_resume(all.runner, "products", 1));
	must(measure_all(all.arena, all.runner, t, 2));
	assert_int_equal(t[0].status, TRIAL_OK);
	assert_int_equal(t[1].status, TRIAL_WRONG);
	assert_true(runner_resume(all.runner, "sums", 1));
	for (int i = 0; i < 2; i++)
		t[i] = (struct trial){ .source = t[i].source, .object = t[i].object };
	must(measure_all(all.arena, all.runner, t, 2));
	assert_int_equal(t[0].status, TRIAL_WRONG);
	assert_int_equal(t[1].status, TRIAL_OK);

	w.reference[INPUTS_EXACT] = REFERENCE("*(volatile int *)0 = 1;");
	assert_int_equal(runner_set_workload(all.runner, all.builder, &w), 1);
	assert_true(runner_resume(all.runner, "products", 1));
	expect(try_kernel(KERNEL("C[5] = 0;")), TRIAL_WRONG, NULL);
}

/* What one runner has computed for a workload is there for the next, for kernels of whatever threads, and for no third that does not
 * share it. */
static void test_kept_for_others(void **state)
{
	struct kept_workloads *kept = kept_workloads_new();
	struct runner_options o = { .limit_s = 60, .kept = kept }, alone = { .limit_s = 60 };
	struct trial t[2] = { { .source = KERNEL("") }, { .source = KERNEL("if (from == 0) C[5] += 1;") } };
	struct runner *first = runner_new(&o), *next, *third;
	struct workload w = workload();

	(void)state;
	must(build_all(all.arena, all.builder, t, 2));
	must(runner_set_workload(first, all.builder, &w));
	runner_keep(first, "products");
	runner_free(first);
	third = runner_new(&alone);
	assert_false(runner_resume(third, "products", 1));
	runner_free(third);
	next = runner_new(&o);
	assert_true(runner_resume(next, "products", 2));
	must(measure_all(all.arena, next, t, 2));
	assert_int_equal(t[0].status, TRIAL_OK);
	assert_int_equal(t[1].status, TRIAL_WRONG);
	assert_false(runner_resume(next, "products", 1));	/* it has it */
	runner_free(next);
	kept_workloads_free(kept);
}

static void nap_ms(long ms)
{
	nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
}

/* The last child of PID, 0 while it has none. */
static int child_of(int pid)
{
	char path[64];
	int child = 0, next;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
	FILE *f = fopen(path, "r");

	while (f && fscanf(f, "%d", &next) == 1)
		child = next;
	if (f)
		fclose(f);
	return child;
}

/* hone is killed while a kernel runs for ever: the runner goes with it. */
static void test_killed_parent(void **state)
{
	char object[] = "/tmp/hone-test-XXXXXX";
	int fd = mkstemp(object);
	struct trial t = { .source = KERNEL("for (;;) __asm__ volatile(\"\");") };

	(void)state;
	close(fd);
	must(build_all(all.arena, all.builder, &t, 1));
	pid_t parent = fork();

	if (parent == 0) {
		struct runner_options o = { .limit_s = 60 };
		struct runner *r = runner_new(&o);
		struct workload w = workload();

		if (runner_set_workload(r, all.builder, &w) != 0)
			_exit(1);
		unlink(object);		/* tells that the runner has its task */
		measure_all(all.arena, r, &t, 1);
		_exit(0);
	}
	for (int i = 0; i < 1000 && access(object, F_OK) == 0; i++)
		nap_ms(10);
	nap_ms(50);
	int runner = child_of(parent);

	assert_true(runner > 0);
	kill(parent, SIGKILL);
	waitpid(parent, NULL, 0);
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d", runner);
	for (int i = 0; i < 500 && access(path, F_OK) == 0; i++)
		nap_ms(10);
	assert_int_equal(access(path, F_OK), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_escapes),
		cmocka_unit_test(test_stack_overflow),
		cmocka_unit_test(test_thread_left),
		cmocka_unit_test(test_remeasure), cmocka_unit_test(test_rms),
		cmocka_unit_test(test_slow_compiler),
		cmocka_unit_test(test_full_disk), cmocka_unit_test(test_bad_reference),
		cmocka_unit_test(test_resume),
		cmocka_unit_test(test_kept_for_others),
		cmocka_unit_test(test_killed_parent),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
