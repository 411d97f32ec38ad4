/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/tools/test_compare.c - `hone compare` on made-up databases: who is compared with whom, and what is said. */
#include "tests/command.h"

#include <math.h>

enum { SAMPLES = 31 };

/* A confirmed kernel that took about US where the fixed kernel took FIXED. */
static struct db_record made_up(const struct fixture *f, const char *steps, double us, double fixed)
{
	struct db_record r = fixture_record(f, steps, TRIAL_OK, us);
	double *samples = arena_many(f->a, double, SAMPLES);

	for (int i = 0; i < SAMPLES; i++)
		samples[i] = us * (1 + .0005 * (i - SAMPLES / 2));
	r.samples = samples;
	r.n_samples = SAMPLES;
	r.final = true;
	r.ratio = us / fixed;
	return r;
}

static const char *path_of(const struct fixture *f, int side)
{
	return side ? arena_printf(f->a, "%s.now", f->path) : f->path;
}

/* File SIDE gets one record of DEVICE. */
static void fill(struct fixture *f, int side, const char *device, double us, double fixed)
{
	struct db *db = fixture_open(f, path_of(f, side));
	struct db_record r = made_up(f, "split 1 0 2", us, fixed);

	r.device = db_device(db, device, "{}");
	assert_ok(append_one(db, r));
	db_close(db);
}

/* Of `hone compare OPTIONS`, whose status is STATUS. */
static char *compared(struct fixture *f, const char *options, int status)
{
	char *out;

	assert_int_equal(hone(f, &out, arena_printf(f->a, "compare %s %s %s", path_of(f, 0),
						    path_of(f, 1), options)),
			 status);
	return out;
}

static void assert_says(struct fixture *f, const char *options, int status, const char *text)
{
	char *out = compared(f, options, status);

	if (!strstr(out, text))
		fail_msg("no '%s' in: %s", text, out);
}

static void test_verdicts(void **state)
{
	struct fixture *f = *state;

	fill(f, 0, "d0", 10, 50);
	fill(f, 1, "d0", 10.6, 50);
	assert_says(f, "", 1, "SLOWER");
	assert_says(f, "--threshold 8", 0, "SAME");
	assert_says(f, "--threshold 6", 0, "UNCLEAR");
	char *csv = compared(f, "--format csv", 1);
	char name[64];
	double before, now, ratio;

	assert_int_equal(sscanf(strchr(csv, '\n'), "\ntask," KEY_A ",%63[^,],1,warm,%lf,%lf,%lf", name,
				&before, &now, &ratio),
			 4);
	assert_true(before == 10 && now == 10.6 && fabs(ratio * 1.06 - 1) < 1e-4);
}

/* A device that ran at half the speed, as the fixed kernel tells, made nothing slower. */
static void test_calibrated(void **state)
{
	struct fixture *f = *state;

	fill(f, 0, "d0", 10, 50);
	fill(f, 1, "d0", 20, 100);
	json_t *j = json_loads(compared(f, "--json", 0), 0, NULL);
	const char *verdict;
	double ratio;
	int calibrated, samples;

	assert_int_equal(json_unpack(j, "{s:[{s:s, s:f, s:b, s:i}]}", "tasks", "verdict", &verdict,
				     "ratio", &ratio, "calibrated", &calibrated, "samples", &samples),
			 0);
	assert_string_equal(verdict, "SAME");
	assert_true(fabs(ratio - 1) < 1e-9 && calibrated && samples == SAMPLES);
	json_decref(j);
}

static void test_devices(void **state)
{
	struct fixture *f = *state;

	fill(f, 0, "d0", 10, 50);
	fill(f, 1, "d1", 20, 100);
	assert_says(f, "", 3, "have no kernel of one task in common");
	assert_says(f, "--devices", 1, "of different devices");
	assert_says(f, "--devices --threads 2", 3, "in common");
}

/* The surest of each counts, and a trial's time is marked. */
static void test_best(void **state)
{
	struct fixture *f = *state;
	struct db *db;

	fill(f, 0, "d0", 10, 50);
	fill(f, 1, "d0", 10, 50);
	db = fixture_open(f, path_of(f, 1));
	struct db_record faster = made_up(f, "split 1 0 4", 5, 50), lucky = made_up(f, "split 1 0 8", 2, 50);

	lucky.final = false;
	assert_ok(append_one(db, lucky));
	assert_ok(append_one(db, faster));
	db_close(db);
	char *out = compared(f, "", 0);

	assert_non_null(strstr(out, "2.000"));
	assert_non_null(strstr(out, "FASTER"));
	assert_null(strstr(out, "unconfirmed"));
	db = fixture_open(f, path_of(f, 0));
	struct db_record trial = made_up(f, "split 1 0 2", 7, 50);

	trial.threads = 2;
	trial.final = false;
	assert_ok(append_one(db, trial));
	db_close(db);
	assert_says(f, "", 0, "only before, 1 kernel");
	assert_says(f, "", 0, "1 thread there");
	db = fixture_open(f, path_of(f, 1));
	trial.task = f->task;
	assert_ok(append_one(db, trial));
	db_close(db);
	assert_says(f, "", 0, "both unconfirmed");
	assert_says(f, "", 0, "geometric mean of 1 of 2");
}

/* A trial's time is the least of many: half of it is no verdict, alone or with others. */
static void test_unconfirmed(void **state)
{
	struct fixture *f = *state;
	struct db *db;

	fill(f, 0, "d0", 10, 50);
	db = fixture_open(f, path_of(f, 1));
	struct db_record trial = made_up(f, "split 1 0 2", 20, 50);

	trial.final = false;
	assert_ok(append_one(db, trial));
	db_close(db);
	json_t *j = json_loads(compared(f, "--json", 0), 0, NULL);
	const char *verdict, *mean;
	int sound, bounded;

	assert_int_equal(json_unpack(j, "{s:[{s:s, s:b, s:b}], s:{s:s}}", "tasks", "verdict", &verdict, "sound",
				     &sound, "bounded", &bounded, "mean", "verdict", &mean), 0);
	assert_string_equal(verdict, "UNCLEAR");
	assert_string_equal(mean, "UNCLEAR");
	assert_true(!sound && bounded);
	json_decref(j);
}

/* Of one text by one toolchain it is the measuring that differs. */
static void test_same_kernel(void **state)
{
	struct fixture *f = *state;

	for (int side = 0; side < 2; side++) {
		struct db *db = fixture_open(f, path_of(f, side));
		struct db_record r = made_up(f, "split 1 0 2", side ? 20 : 10, 50);

		r.source_hash = KEY_B;
		assert_ok(append_one(db, r));
		db_close(db);
	}
	assert_says(f, "", 0, "one and the same kernel");
	assert_says(f, "", 0, "1 SAME");
}

/* One sample of each is no interval, whatever it says; and a guess is no time. */
static void test_too_few(void **state)
{
	struct fixture *f = *state;

	for (int side = 0; side < 2; side++) {
		struct db *db = fixture_open(f, path_of(f, side));
		struct db_record r = made_up(f, "split 1 0 2", side ? 20 : 10, 50), guess = r;

		r.n_samples = 1;
		r.samples = &r.time_us;
		assert_ok(append_one(db, r));
		guess.threads = 2;
		guess.final = false;
		guess.estimate = true;
		assert_ok(append_one(db, guess));
		db_close(db);
	}
	assert_says(f, "", 0, "too few samples for an interval");
	assert_says(f, "", 0, "1 UNCLEAR");
	assert_says(f, "", 0, "an estimate: nothing was measured");
	assert_says(f, "--threads 2", 3, "2 more are imported or estimates");
}

/* Of three tasks of a model, two of them on both sides, what it takes with 3 and 1 occurrences: 3 x 10 + 40 before, 3 x
 * 20 + 40 now. */
static void test_model(void **state)
{
	struct fixture *f = *state;
	static const char search[] = "{\"weights\": {\"" KEY_A "\": 3, \"" KEY_B "\": 1, "
				     "\"00000000000000000000000000000001\": 1, "
				     "\"00000000000000000000000000000002\": 0}}";

	for (int side = 0; side < 2; side++) {
		struct db *db = fixture_open(f, path_of(f, side));
		const struct db_task other = { .key = KEY_B, .name = "other", .text = FIXTURE_TEXT, .flop = 1 };
		struct db_campaign like = { .device = f->device, .source = "net.onnx", .options = "{}", .seed = 1 }, c;
		struct db_calibration now = { 0 };
		struct db_record r[] = { made_up(f, "split 1 0 2", side ? 20 : 10, 50),
					 made_up(f, "split 1 0 2", 40, 50) };

		r[1].task = db_task(db, &other);
		assert_int_equal(db_campaign_enter(db, f->a, &like, true, &now, &c), DB_ENTER_NEW);
		assert_ok(db_append(db, &(struct db_batch){ .campaign = c.id, .records = r, .n = 2, .state = search,
							    .state_bytes = strlen(search) }));
		assert_ok(db_campaign_end(db, c.id, CAMPAIGN_DONE));
		db_close(db);
	}
	json_t *j = json_loads(compared(f, "--json", 1), 0, NULL);
	const char *source, *verdict;
	double before, now, ratio;
	int tasks, missing;

	assert_int_equal(json_unpack(j, "{s:[{s:s, s:f, s:f, s:f, s:s, s:i, s:i}]}", "models", "source", &source,
				     "before_us", &before, "now_us", &now, "ratio", &ratio, "verdict", &verdict,
				     "tasks", &tasks, "missing", &missing), 0);
	assert_string_equal(source, "net.onnx");
	assert_string_equal(verdict, "SLOWER");
	assert_true(fabs(before - 70) < 1e-6 && now == 100 && fabs(ratio - .7) < 1e-6);
	assert_true(tasks == 2 && missing == 1);
	json_decref(j);
}

/* 80 columns have all, and so have 200, with a plot. */
static void test_widths(void **state)
{
	static const int widths[] = { 80, 120, 200 };
	struct fixture *f = *state;

	fill(f, 0, "d0", 10, 50);
	fill(f, 1, "d0", 12, 50);
	for (int i = 0; i < 3; i++) {
		char *columns = arena_printf(f->a, "%d", widths[i]);

		assert_int_equal(setenv("COLUMNS", columns, 1), 0);
		char *out = compared(f, "", 1), *line, *rest = out;

		assert_non_null(strstr(out, "SLOWER"));
		assert_int_equal(strchr(out, '|') != NULL, widths[i] > 100);	/* where 1 is */
		while ((line = strsep(&rest, "\n")))
			assert_true(strlen(line) <= (size_t)widths[i]);
	}
	unsetenv("COLUMNS");
}

/* One file, one step list, measured by three versions of hone: each side has its own. */
static void test_sides(void **state)
{
	static const char *const versions[] = { "1.0", "1.1", "1.2" };
	static const double us[] = { 10, 8, 12 };
	struct fixture *f = *state;
	struct db *db = fixture_open(f, f->path);
	char *out;

	for (int i = 0; i < 3; i++) {
		struct db_record r = made_up(f, "split 1 0 2", us[i], 50);

		r.hone = versions[i];
		assert_ok(append_one(db, r));
	}
	db_close(db);
	assert_int_equal(hone(f, &out, arena_printf(f->a, "compare %s#hone=1.0 %s#hone=1.1,threads=1", f->path, f->path)), 0);
	assert_non_null(strstr(out, "1.250"));
	assert_int_equal(hone(f, &out, arena_printf(f->a, "compare %s#hone=1.1 %s", f->path, f->path)), 1);
	assert_non_null(strstr(out, "0.667"));
	assert_int_equal(hone(f, &out, arena_printf(f->a, "compare %s#imported=yes %s", f->path, f->path)), 3);
	assert_int_equal(hone(f, &out, arena_printf(f->a, "compare %s#device=%s %s", f->path, "zz", f->path)), 3);
}

/* What a later run of the side found wrong is none of its kernels; what another side found so is nothing to it. */
static void test_felled(void **state)
{
	struct fixture *f = *state;
	struct db *db = fixture_open(f, f->path);
	struct db_record r = made_up(f, "split 1 0 2", 10, 50), wrong = fixture_record(f, "split 1 0 2", TRIAL_WRONG, 0);
	char *out;

	r.hone = "1.0";
	assert_ok(append_one(db, r));
	r = made_up(f, "split 1 0 4", 20, 50);
	r.hone = "1.0";
	assert_ok(append_one(db, r));
	wrong.hone = "1.1";
	assert_ok(append_one(db, wrong));
	db_close(db);
	assert_int_equal(hone(f, &out, arena_printf(f->a, "compare %s#hone=1.0 %s", f->path, f->path)), 1);
	assert_non_null(strstr(out, "0.500"));
}

/* Every form has every task, and what is markup in one of them is text there. */
static void test_formats(void **state)
{
	struct fixture *f = *state;

	fill(f, 0, "d0", 10, 50);
	fill(f, 1, "d0", 12, 50);
	assert_says(f, "--format markdown", 1, "| mm | 1 | warm | 10 | 12 | 0.833 |");
	assert_says(f, "--format html", 1, "mm</td><td class=n>1</td><td>warm</td>");
	assert_says(f, "--format html", 1, "<td class=\"verdict SLOWER\">SLOWER</td>");
	assert_says(f, "--format json", 1, "\"verdict\": \"SLOWER\"");
	assert_says(f, "--format table", 1, "geometric mean of 1");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_new, fixture_free)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_verdicts), TEST(test_calibrated), TEST(test_devices), TEST(test_best),
		TEST(test_unconfirmed), TEST(test_same_kernel), TEST(test_too_few), TEST(test_model), TEST(test_widths),
		TEST(test_sides), TEST(test_felled), TEST(test_formats),
	};

	return cmocka_run_group_tests_name("compare", tests, NULL, NULL);
}
