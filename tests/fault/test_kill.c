/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fault/test_kill.c - hone tune is killed at any moment, or stopped by Ctrl-C, and goes on.
 */
#include "tests/fixture/tune_fixture.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/rng.h"

enum { KILLS = 8, LONG_KILLS = 200, TRIALS = 64, LONG_TRIALS = 6000, LAST_TRIALS = 16 };

static pid_t start(struct fixture *f, int64_t trials, const char *batch)
{
	return tune_start(f, &(struct tune){ .trials = trials, .batch = batch });
}

static void test_kill(void **state)
{
	struct fixture *f = *state;
	struct rng rng = rng_seed(20);
	int64_t budget = is_long() ? LONG_TRIALS : TRIALS;

	/* A fast machine may be done before the last kill. */
	for (int i = 0; i < (is_long() ? LONG_KILLS : KILLS) && committed(f) < budget; i++) {
		int64_t before = committed(f);
		pid_t pid = start(f, budget, "4");

		nap_ms(50 + rng_below(&rng, 800));
		kill(i % 2 ? pid : -pid, SIGKILL);
		wait_end(f, pid);
		expect_no_processes(f);
		check_sound(f);
		assert_true(committed(f) >= before);
		if (before > 0 && said_going_on(f) >= 0)
			assert_int_equal(said_going_on(f), before);
		/* A compiler that outlived hone may have kept one more from being removed. */
		assert_in_range(leftovers(f), 0, 2);
	}
	int64_t before = committed(f), end = before + LAST_TRIALS;

	end = end < budget ? end : budget;
	if (before < end) {
		if (wait_end(f, start(f, end, "4")) != 0)
			fail_msg("hone tune: %s", log_text(f));
		assert_int_equal(said_going_on(f), before > 0 ? before : -1);
		assert_int_equal(leftovers(f), 0);
	}
	assert_int_equal(committed(f), end);
	check_sound(f);
	expect_no_processes(f);
}

static void wait_trials(struct fixture *f, int64_t n)
{
	for (int ms = 0; committed(f) < n; ms += 50) {
		if (ms > HANG_MS)
			fail_msg("no trial was made: %s", log_text(f));
		nap_ms(50);
	}
}

/* Waits until the compilers of a batch are at work. */
static void wait_batch(struct fixture *f)
{
	const char *ask = arena_printf(f->a, "ls %s/*/k*-3.c >/dev/null 2>&1", temp_of(f));

	for (int ms = 0; system(ask) != 0; ms += 50) {
		if (ms > HANG_MS)
			fail_msg("no batch was begun: %s", log_text(f));
		nap_ms(50);
	}
}

static void test_interrupt(void **state)
{
	struct fixture *f = *state;
	pid_t pid = start(f, 400, "4");

	wait_trials(f, 4);
	kill(-pid, SIGINT);
	assert_int_equal(wait_end(f, pid), STOPPED);
	assert_non_null(strstr(log_text(f), "finishing the batch; Ctrl-C again stops at once"));
	assert_non_null(strstr(log_text(f), "stopped by a signal: "));
	int64_t n = committed(f);

	assert_true(n >= 4 && n < 400 && n % 4 == 0);
	assert_int_equal(leftovers(f), 0);
	check_sound(f);

	/* The second one does not wait for a batch that takes minutes. */
	pid = start(f, 400, "300");
	wait_batch(f);
	kill(-pid, SIGINT);
	nap_ms(200);
	kill(-pid, SIGINT);
	assert_int_equal(wait_end(f, pid), STOPPED);
	assert_int_equal(said_going_on(f), n);
	assert_int_equal(committed(f), n);
	assert_int_equal(leftovers(f), 0);
	check_sound(f);
	expect_no_processes(f);

	/* A terminal that is closed ends it, too. */
	pid = start(f, 400, "4");
	wait_trials(f, n + 4);
	kill(pid, SIGHUP);
	assert_int_equal(wait_end(f, pid), STOPPED);
	assert_int_equal(leftovers(f), 0);
	n = committed(f);
	check_sound(f);

	if (wait_end(f, start(f, n + 4, "4")) != 0)
		fail_msg("hone tune: %s", log_text(f));
	assert_int_equal(said_going_on(f), n);
	assert_int_equal(committed(f), n + 4);
	assert_int_equal(leftovers(f), 0);
}

/* A compiler that does its work, but for candidates; then nothing but a kill ends it. */
static const char *slow_compiler(struct fixture *f)
{
	static const char script[] = "#!/bin/sh\n"
				     "case \"$*\" in *-[3-9].c*) sleep 1000; exit 1;; esac\n"
				     "exec gcc \"$@\"\n";
	const char *path = arena_printf(f->a, "%s/cc", f->folder);

	assert_ok(file_write(path, script, sizeof(script) - 1));
	assert_int_equal(chmod(path, 0700), 0);
	return path;
}

static void test_compilers_die(void **state)
{
	struct fixture *f = *state;
	pid_t pid = tune_start(f, &(struct tune){ .batch = "8", .cc = slow_compiler(f) });

	wait_batch(f);
	kill(-pid, SIGINT);
	nap_ms(200);
	kill(-pid, SIGINT);
	assert_int_equal(wait_end(f, pid), STOPPED);
	expect_no_processes(f);
	assert_int_equal(committed(f), 0);
	check_sound(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_kill, fixture_new, fixture_free),
		cmocka_unit_test_setup_teardown(test_interrupt, fixture_new, fixture_free),
		cmocka_unit_test_setup_teardown(test_compilers_die, fixture_new, fixture_free),
	};

	return cmocka_run_group_tests_name("kill", tests, NULL, NULL);
}
