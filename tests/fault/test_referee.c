/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fault/test_referee.c - the harness of `hone bench` with toys: one works at a time, spinning
 * workers are waited for, turns rotate; who dies, hangs or is wrong is reported and spoils nothing.
 * What happened is read from a log that the toys write; no time is asserted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "bench/contest/referee/folder.h"
#include "bench/contest/kernel_exercise.h"
#include "bench/contest/referee/quiet.h"
#include "te/text/text.h"

enum { ROUNDS = 7, TOYS_MAX = 12 };

static const char source[] = "input X: f32[64]\nY[i] = X[i] * 2\n";

struct harness {
	struct arena *a;
	struct build_pool *builder;
	const struct task *task;
	const struct reference *reference;
	const char *dir, *log;
	const char *const *argv;
};

static int setup(void **state)
{
	struct arena *a = arena_new();
	struct harness *h = arena_one(a, struct harness);
	const char **argv = arena_many(a, const char *, 2);
	const struct dag *d = dag_parse(a, "toy.te", source);

	argv[0] = arena_printf(a, "%s/tests/fault/toy_contestant", getenv("HONE_CONTESTANTS"));
	*h = (struct harness){.a = a, .argv = argv, .dir = dir_temp(a)};
	h->log = arena_printf(a, "%s/log", h->dir);
	h->builder = build_pool_new(&(struct build_pool_options){.jobs = 1});
	h->task = d ? task_new(a, d, "toy", 1) : NULL;
	if (!h->task || !h->dir || !h->builder)
		return -1;
	h->reference = reference_new(a, h->task->dag, 1, h->builder);
	if (!h->reference ||
	    folder_write(h->dir, h->task, reference_args(a, h->reference, INPUTS_RANDOM)) < 0)
		return -1;
	setenv("TOY_LOG", h->log, 1);
	*state = h;
	return 0;
}

static int teardown(void **state)
{
	struct harness *h = *state;

	dir_remove(h->dir);
	build_pool_free(h->builder);
	arena_free(h->a);
	return 0;
}

static struct rules rules(void)
{
	struct rules r = rules_default;

	r.seconds = 0;
	r.warm_ms = .2;
	r.sample_ms = 1;
	r.quiet_ms = 20000; /* whatever else the machine does */
	r.min_rounds = ROUNDS;
	return r;
}

/* --- turns */

/* ENTRIES play, N of them; their log is in *LOG. */
static struct score *play(struct harness *h, const struct rules *r, const char *const *entries,
			  int n, char **log)
{
	static const char *const env[] = {NULL};
	struct player *players[TOYS_MAX];
	struct score *scores = arena_many(h->a, struct score, n);
	pid_t pids[TOYS_MAX];
	const char *text;
	int busy;

	assert_int_equal(file_write(h->log, "", 0), 0);
	for (int i = 0; i < n; i++) {
		players[i] = arena_one(h->a, struct player);
		player_start(h->a, players[i], h->argv, env,
			     arena_printf(h->a, "%s/toy%d.log", h->dir, i), 60);
		assert_int_equal(player_prepare(h->a, players[i], h->dir, entries[i], 1, &text),
				 ANSWER_OK);
		assert_string_equal(text, "a loop");
		pids[i] = players[i]->pid;
	}
	quiet_wait(pids, n, r->quiet_ms, &busy);
	referee_play(h->a, r, players, n, scores);
	for (int i = 0; i < n; i++)
		player_end(players[i]);
	*log = file_read(h->a, h->log, 1 << 24, NULL);
	assert_non_null(*log);
	return scores;
}

/* The next line as its toy's place among ENTRIES and what it did; false at the end. */
static bool next(char **at, const char *const *entries, int n, int *toy, char *what)
{
	char name[32];

	if (sscanf(*at, "%31s %31s", name, what) != 2)
		return false;
	*at = strchr(*at, '\n') + 1;
	*toy = -1;
	for (int i = 0; i < n; i++)
		if (strcmp(name, entries[i]) == 0)
			*toy = i;
	assert_in_range(*toy, 0, n - 1);
	return true;
}

/* How often one began to work while another one, or a thread of it, still did. */
static int count_overlaps(char *log, const char *const *entries, int n)
{
	int active[TOYS_MAX] = {0}, toy, overlaps = 0;
	char what[32];

	while (next(&log, entries, n, &toy, what)) {
		bool begins = strcmp(what, "begin") == 0 || strcmp(what, "spin") == 0;

		for (int i = 0; begins && i < n; i++)
			overlaps += i != toy && active[i] > 0;
		active[toy] += begins ? 1 : -1;
	}
	return overlaps;
}

static const char *const three[] = {"works-a", "spins-a", "works-b"};

static void test_one_at_a_time(void **state)
{
	struct harness *h = *state;
	struct rules r = rules();
	char *log;
	struct score *s = play(h, &r, three, 3, &log);

	assert_int_equal(count_overlaps(log, three, 3), 0);
	for (int i = 0; i < 3; i++) {
		assert_null(s[i].lost);
		assert_true(s[i].us > 0 && s[i].versus.pairs == ROUNDS);
		assert_true(s[i].turns == ROUNDS && s[i].restless == 0);
	}
	assert_true(s[0].versus.ratio == 1 && s[0].versus.verdict == VERDICT_SAME);
}

/* The test above can fail: without the wait, the worker spins into the next one's turn. */
static void test_no_wait(void **state)
{
	struct rules r = rules();
	char *log;

	r.quiet_ms = 0;
	struct score *s = play(*state, &r, three, 3, &log);

	assert_true(count_overlaps(log, three, 3) > 0 && s[1].restless > 0);
}

/* Who never sleeps is waited for no longer than said, and is told. */
static void test_restless(void **state)
{
	static const char *const entries[] = {"works-a", "spins-on"};
	struct rules r = rules();
	char *log;

	r.quiet_ms = 20;
	struct score *s = play(*state, &r, entries, 2, &log);

	assert_true(!s[0].lost && !s[1].lost && s[1].restless > 0);
}

/* Each plays once a round, and each begins in turn. */
static void test_rotation(void **state)
{
	static const char *const entries[] = {"works-a", "works-b", "works-c"};
	struct rules r = rules();
	char *log, what[32];
	int turn = 0, toy, last = -1;

	play(*state, &r, entries, 3, &log);
	while (next(&log, entries, 3, &toy, what)) {
		if (toy == last)
			continue;
		last = toy;
		/* the first three find out how long an evaluation takes */
		if (turn < 3)
			assert_int_equal(toy, turn);
		else
			assert_int_equal(toy, (turn / 3 - 1 + turn % 3) % 3);
		turn++;
	}
	assert_int_equal(turn, 3 + 3 * ROUNDS);
}

/* --- what goes wrong */

static struct row *hold(struct harness *h, const char *const *entries, int n, bool alone)
{
	struct competitor_vec competitors = {0};
	struct kernel_exercise toy = {
		.task = h->task,
		.kernel = "/nonexistent", /* toys read none */
		.reference = h->reference,
	};
	struct bout b = {
		.exercise = kernel_exercise(&toy),
		.competitors = &competitors,
		.rules = rules(),
		.threads = 1,
		.limit_s = 5,
	};
	const char *cpus;

	b.rules.alone = alone;
	for (int i = 0; i < n; i++)
		vec_push(h->a, &competitors,
			 (struct competitor){entries[i], entries[i], "all", "toy 1", h->argv, 0});
	struct row *rows = bout_hold(h->a, &b, &cpus);

	if (!rows)
		fail_msg("%s", err_get());
	assert_true(*cpus != '\0');
	return rows;
}

static void assert_row(const struct row *r, enum row_kind kind, const char *why)
{
	if (r->kind != kind || !strstr(r->why, why))
		fail_msg("%s: kind %d, '%s'", r->who->name, (int)r->kind, r->why ? r->why : "");
}

static void test_faults(void **state)
{
	static const char *const entries[] = {"works-a", "dies",    "hangs",   "fails",	  "leaves",
					      "errs",	 "refuses", "crashes", "works-b", "odd"};
	struct row *r = hold(*state, entries, 10, false);

	assert_row(&r[1], ROW_LOST, "signal 6");
	assert_row(&r[2], ROW_LOST, "no answer to 'run' within 5 s");
	assert_row(&r[3], ROW_LOST, "out of luck");
	assert_row(&r[4], ROW_LOST, "status 7");
	assert_row(&r[5], ROW_WRONG, "Y[5] is ");
	assert_row(&r[6], ROW_CANNOT, "does not want to");
	assert_row(&r[7], ROW_LOST, "signal 6 (Aborted): no memory left");
	assert_row(&r[9], ROW_LOST, "one of its entries");
	assert_true(r[5].score.us == 0 && r[5].score.versus.pairs == 0);
	for (int i = 0; i < 9; i += 8) {
		assert_int_equal(r[i].kind, ROW_TIMED);
		assert_true(r[i].score.us > 0 && r[i].score.versus.pairs == ROUNDS);
		assert_string_equal(r[i].kernel, "a loop");
	}
}

/* Who is compared with a kernel that is wrong has a time and no ratio. */
static void test_ours_is_wrong(void **state)
{
	static const char *const entries[] = {"errs", "works-a", "works-b"};
	struct row *r = hold(*state, entries, 3, false);

	assert_row(&r[0], ROW_WRONG, "the reference has");
	for (int i = 1; i < 3; i++)
		assert_true(r[i].score.us > 0 && r[i].score.versus.pairs == 0);
}

static void test_alone(void **state)
{
	static const char *const entries[] = {"works-a", "spins-a", "dies"};
	struct row *r = hold(*state, entries, 3, true);

	for (int i = 0; i < 2; i++) {
		assert_true(r[i].score.alone_us > 0);
		assert_int_equal(r[i].score.alone.pairs, ROUNDS);
		assert_int_equal(r[i].score.turns, 2 * ROUNDS);
	}
	assert_row(&r[2], ROW_LOST, "signal 6");
}

/* Alone means alone: who never sleeps is stopped meanwhile, and nobody has to wait for it. */
static void test_alone_is_quiet(void **state)
{
	static const char *const entries[] = {"works-a", "spins-on"};
	struct rules beside = rules(), alone = rules();
	char *log;

	beside.quiet_ms = alone.quiet_ms = 20;
	alone.alone = true;
	int waited = play(*state, &beside, entries, 2, &log)[1].restless;
	struct score *s = play(*state, &alone, entries, 2, &log);

	/* Twice as many turns find it awake, but for those that the other has alone. */
	assert_true(s[0].alone.pairs == ROUNDS && waited > 0);
	assert_true(s[1].restless <= 2 * waited - ROUNDS / 2);
}

static void test_no_program(void **state)
{
	static const char *const argv[] = {"/nonexistent/contestant", NULL};
	static const char *const env[] = {NULL};
	struct harness *h = *state;
	struct entry_vec entries = {0};
	struct player p;
	const char *text;

	player_start(h->a, &p, argv, env, arena_printf(h->a, "%s/none.log", h->dir), 60);
	assert_int_equal(player_entries(h->a, &p, &entries, &text), ANSWER_LOST);
	assert_true(*text != '\0');
	assert_int_equal(player_entries(h->a, &p, &entries, &text), ANSWER_LOST);
	player_end(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_at_a_time), cmocka_unit_test(test_no_wait),
		cmocka_unit_test(test_restless),      cmocka_unit_test(test_rotation),
		cmocka_unit_test(test_faults),	      cmocka_unit_test(test_ours_is_wrong),
		cmocka_unit_test(test_alone),	      cmocka_unit_test(test_alone_is_quiet),
		cmocka_unit_test(test_no_program),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
