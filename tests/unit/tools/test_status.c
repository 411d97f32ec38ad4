/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/tools/test_status.c - `hone status` as a user calls it, beside a campaign. */
#include "tests/command.h"
#include "tools/campaign/progress.h"

#include <signal.h>
#include <unistd.h>

/* The search state of a tuner, with what only newer ones write. */
static const char search[] = "{\"seconds\": 30, \"trials\": {\"" KEY_A "\": 3, \"" KEY_B "\": 0},"
			     " \"weights\": {\"" KEY_A "\": 4, \"" KEY_B "\": 1},"
			     " \"trials_budget\": 12, \"until\": \"peak=0.9\"}";

static const char device[] =
	"{\"isa\": \"avx512\", \"measured\": {\"version\": 1, \"threads\": 2, \"when\": 1, \"noise\": 1,"
	" \"peak_gflops\": {\"one\": 2000, \"all\": 4000}, \"l1_gbs\": {\"one\": 1, \"all\": 1},"
	" \"l2_gbs\": {\"one\": 1, \"all\": 1}, \"mem_gbs\": {\"one\": 1, \"all\": 1},"
	" \"latency_ns\": [], \"cache_bytes\": [0, 0, 0]}}";

/* A campaign of one batch with two good trials and a crash; another task waits. The handle that
 * writes it is in *DB; its id. */
static int64_t begin(struct fixture *f, struct db **db, const char *source)
{
	*db = fixture_open(f, f->path);
	f->device = db_device(*db, "d0", device);
	assert_ok(db_task(*db, &(struct db_task){ .key = KEY_B, .name = "waits", .text = "" }));
	struct db_record r[3] = { fixture_record(f, "a", TRIAL_OK, 2),
				  fixture_record(f, "b", TRIAL_OK, 3),
				  fixture_record(f, "c", TRIAL_CRASH, 0) };
	struct db_round round = fixture_round(f, 2);
	struct db_batch batch = { .records = r, .n = 3, .state = search,
				  .state_bytes = strlen(search), .round = &round };

	batch.campaign = start_campaign(f, *db, source);
	assert_ok(db_append(*db, &batch));
	return batch.campaign;
}

static const char *arguments(struct fixture *f, const char *rest)
{
	return arena_printf(f->a, "status --db %s %s", f->path, rest);
}

static void says(struct fixture *f, const char *rest, const char *words)
{
	char *out;

	assert_int_equal(hone(f, &out, arguments(f, rest)), 0);
	if (!strstr(out, words))
		fail_msg("'%s' does not say '%s'", out, words);
}

static void test_text(void **state)
{
	struct fixture *f = *state;
	struct db *db;
	int64_t id = begin(f, &db, "mm");

	/* The writer is in the middle of a batch, and neither waits for the other. */
	assert_ok(sql_begin(db, "holding"));
	says(f, "", "mm (campaign 1): running, last sign ");
	says(f, "mm", "3 of 12 in 1 batch, 1 failed, 3 refused; 30 s, about ");
	says(f, "mm", "left, until peak=0.9");
	says(f, "mm", "0.008 ms, the sum of weight x best, without 1 task that no");
	says(f, "mm", "recall 0.50, rank correlation -0.25, pairs in order 75%; mean of the last 1");
	says(f, "mm", "1000.0   50.0%      4  mm, unconfirmed  (1 crash)");
	says(f, "mm", "phase      search    learn    build      run   verify     wait    other");
	says(f, "mm", "seconds       0.5      0.2      4.0      2.0      1.0      0.0     22.2");
	assert_ok(sql_end(db, "holding", 0));
	assert_ok(sql_run(db, "", "UPDATE campaigns SET seen = seen - 1200", ""));
	says(f, "", "running, last sign 20 min ago");	/* a long batch */
	db_close(db);
	says(f, "", "killed, last sign 20 min ago; the same command goes on with it");
	db = db_open(f->path, DB_MODIFY);
	assert_non_null(db);
	assert_ok(db_campaign_end(db, id, CAMPAIGN_STOPPED));
	says(f, "", "(campaign 1): stopped ");
	db_close(db);
}

/* A campaign that goes on while the device runs slower than at first. */
static void test_sittings(void **state)
{
	struct fixture *f = *state;
	struct db *db = fixture_open(f, f->path);
	const struct db_campaign like = { .device = f->device, .source = "mm", .options = "{}" };
	struct db_calibration speed = { .fixed_us = 50, .peak = { 100, 200 } };
	struct db_campaign c;

	assert_int_equal(db_campaign_enter(db, f->a, &like, false, &speed, &c), DB_ENTER_NEW);
	assert_ok(db_campaign_end(db, c.id, CAMPAIGN_STOPPED));
	speed.fixed_us = 62.5;
	assert_int_equal(db_campaign_enter(db, f->a, &like, false, &speed, &c), DB_ENTER_OLD);
	says(f, "mm", arena_printf(f->a, "sitting  2: process %d on ", (int)getpid()));
	says(f, "mm", "; the device is 20% slower than at the first (a fixed kernel)");
	json_t *json = hone_json(f, arguments(f, "mm --json"));
	json_t *campaign = json_array_get(json_object_get(json, "campaigns"), 0);
	json_t *all = json_object_get(json_object_get(campaign, "detail"), "sittings");

	assert_int_equal(json_array_size(all), 2);
	assert_true(json_real_value(json_object_get(json_array_get(all, 1), "fixed_us")) == 62.5);
	json_decref(json);
	db_close(db);
}

/* A campaign that is in its finals, and the same when it was killed there. */
static void test_finals(void **state)
{
	static const char playing[] =
		"{\"seconds\": 30, \"trials\": {\"" KEY_A "\": 3}, \"finals\": {\"state\": \"playing\","
		" \"tasks\": 21, \"kernels\": 65, \"lineups\": 4, \"round\": 5, \"rounds\": 41,"
		" \"seconds\": 9.5}}";
	static const char newer[] = "{\"finals\": {\"state\": \"dreaming\"}}";
	struct fixture *f = *state;
	struct db *db;
	struct db_batch batch = { .state = playing, .state_bytes = strlen(playing) };

	batch.campaign = begin(f, &db, "mm");
	json_t *j = hone_json(f, arguments(f, "mm --json")), *finals;

	assert_int_equal(json_unpack(j, "{s:[{s:{s:n}}]}", "campaigns", "detail", "finals"), 0);
	json_decref(j);
	assert_ok(db_append(db, &batch));
	says(f, "mm", "3 in 1 batch, ");
	says(f, "mm", "finals   playing: round 5 of 41, 4 lineups, 65 kernels of 21 tasks; 10 s\n");
	says(f, "mm", "wait  finals   other");
	says(f, "mm", "seconds      0.5     0.2     4.0     2.0     1.0     0.0     9.5    12.8");
	db_close(db);
	says(f, "mm", "finals   killed: round 5 of 41, 4 lineups, 65 kernels of 21 tasks; 10 s; the "
		      "same command holds them again\n");
	j = hone_json(f, arguments(f, "mm --json"));
	assert_int_equal(json_unpack(j, "{s:[{s:{s:o}}]}", "campaigns", "detail", "finals", &finals), 0);
	assert_string_equal(json_string_value(json_object_get(finals, "state")), "killed");
	assert_int_equal(json_integer_value(json_object_get(finals, "round")), 5);
	json_decref(j);
	db = db_open(f->path, DB_MODIFY);
	assert_non_null(db);
	struct db_campaign c;

	assert_int_equal(db_campaign_find(db, f->a, "mm", NULL, f->device, &c), 1);
	go_on(f, db, "mm");
	batch = (struct db_batch){ .campaign = c.id, .state = newer, .state_bytes = strlen(newer) };
	assert_ok(db_append(db, &batch));
	json_decref(hone_json(f, arguments(f, "mm --json")));
	db_close(db);
}

static void test_unknown(void **state)
{
	struct fixture *f = *state;
	struct db *db = fixture_open(f, f->path);
	struct db_record r = fixture_record(f, "a", TRIAL_CRASH, 0);
	char *out;

	says(f, "", "no campaign yet");
	assert_int_equal(hone(f, &out, arguments(f, "mm")), 3);
	assert_non_null(strstr(out, "has no campaign for 'mm'"));
	start_campaign(f, db, "new");
	says(f, "", "new (campaign 1): running, begun ");
	/* A state that says nothing, and then one that is none. */
	assert_ok(db_append(db, &(struct db_batch){ .campaign = 1, .records = &r, .n = 1,
						    .state = "{}", .state_bytes = 2 }));
	says(f, "", "1          -        -       -      -  mm  (1 crash)\n"
		    "  crash: the kernel died; the message names the signal\n");
	assert_ok(db_append(db, &(struct db_batch){ .campaign = 1, .state = "\xff",
						    .state_bytes = 1 }));
	says(f, "", "trials   1 in 2 batches, 1 failed, 0 refused\n");
	db_close(db);
}

static void test_json(void **state)
{
	struct fixture *f = *state;
	struct db *db;
	json_int_t trials, crashes, budget, weight_of_b, number;
	double best, share, left, latency, build, rank;
	const char *state_name, *until;
	int alive;

	begin(f, &db, "older");
	db_close(db);
	begin(f, &db, "mm");
	json_t *j = hone_json(f, arguments(f, "--json")), *mm, *detail;

	assert_int_equal(json_unpack(j, "{s:[o, o]}", "campaigns", &detail, &mm), 0);
	assert_int_equal(json_unpack(mm, "{s:s, s:b, s:n, s:o}", "state", &state_name, "alive",
				     &alive, "ended", "detail", &detail), 0);
	assert_string_equal(state_name, "running");
	assert_true(alive);
	assert_int_equal(json_unpack(detail, "{s:I, s:F, s:{s:I, s:n, s:s}, s:F, s:{s:F}, s:{s:F}}",
				     "trials", &trials, "seconds_left", &left, "budget", "trials",
				     &budget, "minutes", "until", &until, "latency_us", &latency,
				     "phases", "build", &build, "model", "rank", &rank), 0);
	assert_true(trials == 3 && budget == 12 && latency == 8 && build == 4 && rank == -0.25);
	assert_true(left > 0 && left <= 90);
	assert_string_equal(until, "peak=0.9");
	assert_int_equal(json_unpack(detail, "{s:[{s:F, s:F, s:{s:I}}, {s:n, s:F}], s:[{s:I}]}",
				     "tasks", "best_us", &best, "peak_share", &share, "by_status",
				     "crash", &crashes, "best_us", "weight", &left, "last_rounds",
				     "number", &number), 0);
	weight_of_b = (json_int_t)left;
	assert_true(best == 2 && share == 0.5 && crashes == 1 && weight_of_b == 1 && number == 1);
	json_decref(j);
	j = hone_json(f, arguments(f, "older --json"));
	assert_int_equal(json_array_size(json_object_get(j, "campaigns")), 1);
	json_decref(j);
	db_close(db);
}

/* Starts `hone status ARGUMENTS`, and reads its process id. */
static FILE *watch(struct fixture *f, const char *rest, int *pid)
{
	FILE *p = popen(arena_printf(f->a, "echo $$; exec ./hone %s", arguments(f, rest)), "r");

	assert_non_null(p);
	assert_int_equal(fscanf(p, "%d ", pid), 1);
	return p;
}

static void test_watch(void **state)
{
	struct fixture *f = *state;
	struct db *db;
	int64_t id = begin(f, &db, "mm");
	char line[16384];
	int pid, status;

	signal(SIGINT, SIG_DFL);	/* the tests may run in the background of a script */
	FILE *p = watch(f, "--watch", &pid);

	assert_non_null(fgets(line, sizeof(line), p));
	assert_non_null(strstr(line, "running"));
	assert_int_equal(kill(pid, SIGINT), 0);
	command_end(f->a, p, &status);
	assert_int_equal(status, 0);

	p = watch(f, "mm --watch --json", &pid);
	assert_non_null(fgets(line, sizeof(line), p));
	assert_non_null(strstr(line, "\"running\""));
	assert_ok(db_campaign_end(db, id, CAMPAIGN_DONE));
	const char *last = command_end(f->a, p, &status);

	assert_int_equal(status, 0);
	assert_non_null(strstr(last, "\"done\""));
	db_close(db);
}

/* A watch that begins before the campaign, and before its file. */
static void test_wait(void **state)
{
	struct fixture *f = *state;
	char line[16384];
	int pid, status;
	struct db *db;

	FILE *p = watch(f, "mm --watch --json", &pid);

	assert_non_null(fgets(line, sizeof(line), p));
	assert_non_null(strstr(line, "\"campaigns\":[]"));
	int64_t id = begin(f, &db, "mm");

	assert_non_null(fgets(line, sizeof(line), p));
	assert_non_null(strstr(line, "\"running\""));
	assert_ok(db_campaign_end(db, id, CAMPAIGN_DONE));
	assert_non_null(strstr(command_end(f->a, p, &status), "\"done\""));
	assert_int_equal(status, 0);
	db_close(db);
}

static void check_width(const struct progress *p, int width, const char *says)
{
	struct text line = { 0 };

	progress_print(&line, p, width);
	if (!strstr(text_str(&line), says) || (width && line.n > (size_t)width))
		fail_msg("'%s' (%zu columns of %d) does not say '%s'", text_str(&line), line.n,
			 width, says);
	text_free(&line);
}

static void test_progress(void **state)
{
	const struct task task = { .name = "conv2d+bias+relu:n=1,ic=3,h=64,w=64,oc=16,k=3,s=2,p=1" };
	const struct progress p = { .task = &task, .tasks = 15, .task_number = 3, .trials = 12345,
				    .budget = 20000, .failed = 7, .best_us = 29.22,
				    .gflops = 163.2, .peak_share = 0.75, .seconds_left = 840,
				    .rate = 2.6, .phase = "tune" };

	(void)state;
	check_width(&p, 0, "tune 3/15 conv2d+bias+relu:n=1,ic=3,h=64,w=64,oc=16,k=3,s=2,p=1: trial "
			   "12345/20000, best 163.2 GFLOP/s (75% of peak, 29.22 us), 2.6 trials/s, "
			   "14 min left, 7 failed");
	check_width(&p, 200, "s=2,p=1: trial 12345/20000");
	check_width(&p, 79, "tune 3/15 conv2d+bias+re...: trial 12345/20000, best 163.2 GFLOP/s, 14 min");
	check_width(&p, 60, "conv2d+bias+rel...: trial 12345/20000, 14 min left");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_new, fixture_free)

int main(void)
{
	const struct CMUnitTest tests[] = { TEST(test_text), TEST(test_sittings), TEST(test_unknown),
					    TEST(test_finals),
					    TEST(test_json),
					    TEST(test_watch), TEST(test_wait),
					    cmocka_unit_test(test_progress) };

	return cmocka_run_group_tests_name("hone status", tests, NULL, NULL);
}
