/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fault/test_pairs.c - two processes on one database: the same campaign belongs to one of
 * them at a time, and to the next where that is killed; different ones do not meet. */
#include "tests/fixture/tune_fixture.h"

#include "base/rng.h"

enum { PAIRS = 3, LONG_PAIRS = 50, TRIALS = 12 };

static int64_t ask(struct fixture *f, const char *sql)
{
	struct db *db = db_open(f->path, DB_READ);
	int64_t n = -1;

	if (!db)
		fail_msg("%s", err_get());
	assert_ok(sql_int(db, "asking", &n, sql, ""));
	db_close(db);
	return n;
}

/* Every campaign came to its end, with each of its trials once. */
static void nothing_is_lost(struct fixture *f)
{
	check_sound(f);
	assert_int_equal(ask(f, "SELECT count(*) FROM campaigns WHERE state <> 'done'"), 0);
	assert_int_equal(ask(f, "SELECT count(*) FROM (SELECT campaign, trial FROM records"
				" WHERE final = 0 GROUP BY campaign, trial HAVING count(*) > 1)"),
			 0);
	assert_int_equal(ask(f, arena_printf(f->a, "SELECT count(*) FROM campaigns c WHERE %d <>"
						   " (SELECT count(*) FROM records r WHERE"
						   " r.campaign = c.id AND final = 0)", TRIALS)),
			 0);
	assert_int_equal(ask(f, "SELECT count(*) FROM records WHERE sitting IS NULL"), 0);
	assert_int_equal(leftovers(f), 0);
	assert_int_equal(access(arena_printf(f->a, "%s-campaigns", f->path), F_OK), -1);
}

/* The end of PID, which may have found OTHER at work. */
static bool ends_well(struct fixture *f, pid_t pid, const char *log, pid_t other)
{
	int status = wait_end(f, pid);
	const char *said = tune_said(f, log);

	if (status == 0)
		return true;
	if (status != STOPPED ||
	    !strstr(said, arena_printf(f->a, "is being worked on by process %d on ", (int)other)))
		fail_msg("hone tune ended with %d: %s", status, said);
	return false;
}

static int pairs(void)
{
	return is_long() ? LONG_PAIRS : PAIRS;
}

static void the_same_twice(void **state)
{
	struct fixture *f = *state;
	const struct tune one = { .trials = TRIALS, .log = "one" };
	const struct tune two = { .trials = TRIALS, .log = "two" };
	struct rng rng = rng_seed(3);

	for (int i = 0; i < pairs(); i++) {
		pid_t a = tune_start(f, &one);

		nap_ms(rng_below(&rng, 4) * 100);
		pid_t b = tune_start(f, &two);
		bool first = ends_well(f, a, one.log, b), second = ends_well(f, b, two.log, a);

		assert_true(first || second);
		nothing_is_lost(f);
	}
}

/* Waits until no campaign shows as running. A compiler that was being started when hone was killed
 * has hone's locks until it begins; under load that is a tenth of a second. */
static void wait_free(struct fixture *f)
{
	const char *ask = arena_printf(f->a, "./hone status --db %s | grep -q ': running'", f->path);

	for (int ms = 0; access(f->path, F_OK) == 0 && system(ask) == 0; ms += 10) {
		if (ms > HANG_MS)
			fail_msg("who was killed shows as running");
		nap_ms(10);
	}
}

/* Who is killed soon holds nothing any more, and does not show as running. */
static void one_is_killed(void **state)
{
	struct fixture *f = *state;
	const struct tune one = { .trials = TRIALS, .log = "one" };
	const struct tune two = { .trials = TRIALS, .log = "two" };
	struct rng rng = rng_seed(4);

	for (int i = 0; i < pairs(); i++) {
		pid_t a = tune_start(f, &one);

		nap_ms(200 + rng_below(&rng, 1500));
		kill(a, SIGKILL);
		wait_end(f, a);
		wait_free(f);
		if (wait_end(f, tune_start(f, &two)) != 0)
			fail_msg("hone tune: %s", tune_said(f, two.log));
		nothing_is_lost(f);
	}
}

static void two_campaigns(void **state)
{
	struct fixture *f = *state;
	pid_t a = tune_start(f, &(struct tune){ .trials = TRIALS, .log = "one" });
	pid_t b = tune_start(f, &(struct tune){ .trials = TRIALS, .log = "two",
						.source = "dense:m=16,n=48,k=32" });

	if (wait_end(f, a) != 0 || wait_end(f, b) != 0)
		fail_msg("hone tune: %s%s", tune_said(f, "one"), tune_said(f, "two"));
	nothing_is_lost(f);
	assert_int_equal(ask(f, "SELECT count(*) FROM campaigns"), 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_new, fixture_free)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_same_twice), TEST(one_is_killed), TEST(two_campaigns),
	};

	return cmocka_run_group_tests_name("pairs", tests, NULL, NULL);
}
