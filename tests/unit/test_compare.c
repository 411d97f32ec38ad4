/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_compare.c - `hone compare` on made-up databases: who is compared with whom, and what is said. */
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

	assert_int_equal(sscanf(strchr(csv, '\n'), "\n" KEY_A ",%63[^,],1,warm,%lf,%lf,%lf", name,
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
	assert_says(f, "", 0, "1 kernel of ");
	db = fixture_open(f, path_of(f, 1));
	trial.task = f->task;
	assert_ok(append_one(db, trial));
	db_close(db);
	assert_says(f, "", 0, "both unconfirmed");
	assert_says(f, "", 0, "geometric mean of 2");
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
	assert_says(f, "--format html", 1, "<td>mm</td><td class=n>1</td><td>warm</td>");
	assert_says(f, "--format html", 1, "<td class=SLOWER>SLOWER</td>");
	assert_says(f, "--format json", 1, "\"verdict\": \"SLOWER\"");
	assert_says(f, "--format table", 1, "geometric mean of 1: 0.833");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_new, fixture_free)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_verdicts), TEST(test_calibrated), TEST(test_devices), TEST(test_best),
		TEST(test_sides), TEST(test_felled), TEST(test_formats),
	};

	return cmocka_run_group_tests_name("compare", tests, NULL, NULL);
}
