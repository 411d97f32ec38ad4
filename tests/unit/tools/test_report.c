/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/tools/test_report.c - `hone report` on a made-up campaign: its figures against SQL over the same file, its
 * text against what is in names. */
#include "tests/command.h"
#include "tests/fixture/report_fixture.h"

enum { TASKS = 3, TRIALS = 60 };

static double sql_real_of(struct db *db, const char *sql, int64_t id)
{
	sqlite3_stmt *stmt = sql_prepare(db, "asking", sql, "i", id);

	assert_non_null(stmt);
	assert_int_equal(sql_step(db, "asking", &stmt), 1);
	double v = sqlite3_column_double(stmt, 0);

	sqlite3_finalize(stmt);
	return v;
}

static const json_t *at(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	if (!v)
		fail_msg("no '%s'", key);
	return v;
}

static double real(const json_t *o, const char *key)
{
	return json_number_value(at(o, key));
}

/* The one in REPORT with this key. */
static const json_t *task_json(const json_t *report, const char *key)
{
	const json_t *task;
	size_t i;

	json_array_foreach(at(report, "tasks"), i, task) {
		if (strcmp(json_string_value(at(at(task, "best"), "task")), key) == 0)
			return task;
	}
	fail_msg("no task %s", key);
	return NULL;
}

static json_t *report_of(struct fixture *f, const char *options)
{
	return hone_json(f, arena_printf(f->a, "report --db %s --json %s", f->path, options));
}

static void assert_close(double x, double y)
{
	if (fabs(x - y) > 1e-6 * fabs(y))
		fail_msg("%.9g is not %.9g", x, y);
}

/* The best so far, as SQL has it: where the least of all up to here is new. */
static void check_curve(struct db *db, const json_t *task, int64_t id)
{
	static const char steps[] =
		"WITH tried AS (SELECT row_number() OVER (ORDER BY seq) AS n, time_us,"
		"	min(time_us) OVER (ORDER BY seq) AS best FROM records WHERE task = ?1 AND final = 0 AND estimate = 0)"
		" SELECT min(n), best FROM tried WHERE best IS NOT NULL GROUP BY best ORDER BY 1";
	sqlite3_stmt *stmt = sql_prepare(db, "asking", steps, "i", id);
	const json_t *curve = at(task, "by_trials");
	size_t n = 0;

	while (sql_step(db, "asking", &stmt) > 0) {
		const json_t *point = json_array_get(curve, n++);

		assert_non_null(point);
		assert_close(json_number_value(json_array_get(point, 0)), sqlite3_column_double(stmt, 0));
		assert_close(json_number_value(json_array_get(point, 1)), sqlite3_column_double(stmt, 1));
	}
	assert_int_equal(n, json_array_size(curve));
	assert_true(n > 1);
}

static int64_t sum_of(const json_t *groups, const char *key)
{
	const json_t *group;
	int64_t sum = 0;
	size_t i;

	json_array_foreach(groups, i, group)
		sum += json_integer_value(at(group, key));
	return sum;
}

/* Each trial of the best kernel's structure has one size for each of its splits. */
static void check_splits(const json_t *task)
{
	const json_t *structure, *split, *structures = at(task, "structures");
	int64_t trials = 0;
	size_t i;

	json_array_foreach(structures, i, structure)
		if (json_is_true(at(structure, "of_best")))
			trials = json_integer_value(at(structure, "trials"));
	assert_true(trials > 1);
	assert_true(json_array_size(at(task, "splits")) > 0);
	json_array_foreach(at(task, "splits"), i, split)
		if (json_array_size(at(split, "sizes")) < 12)	/* all of them are there */
			assert_int_equal(sum_of(at(split, "sizes"), "trials"), trials);
}

static void check_task(struct db *db, const json_t *report, const struct made_report *m, int i)
{
	const json_t *task = task_json(report, m->tasks[i]->key), *best = at(task, "best");
	int64_t id = m->ids[i];

	assert_close(real(best, "best_us"),
		     sql_real_of(db, "SELECT time_us FROM records WHERE task = ? AND final = 1", id));
	assert_close(real(best, "gflops"), m->tasks[i]->flop / real(best, "best_us") * 1e-3);
	assert_close(real(best, "weight"), i % 3 + 1);
	assert_close(real(task, "first_us"),
		     sql_real_of(db, "SELECT time_us FROM records WHERE task = ? AND status = 'ok' AND final = 0"
				     " ORDER BY seq LIMIT 1", id));
	assert_close(real(at(task, "by_status"), "crash"),
		     sql_real_of(db, "SELECT count(*) FROM records WHERE task = ? AND status = 'crash'", id));
	assert_int_equal(sum_of(at(task, "structures"), "trials"), TRIALS);
	assert_int_equal(sum_of(at(task, "derivations"), "trials"), TRIALS);
	assert_int_equal(sum_of(at(task, "structures"), "failed"),
			 (int64_t)(sql_real_of(db, "SELECT count(*) FROM records WHERE task = ?"
						   " AND status <> 'ok'", id)));
	check_splits(task);
	check_curve(db, task, id);
}

static void test_figures(void **state)
{
	struct fixture *f = *state;
	struct made_report m = report_make(f, TASKS, TRIALS);
	json_t *report = report_of(f, "");
	struct db *db = db_open(f->path, DB_READ);
	const json_t *campaign = json_array_get(at(report, "campaigns"), 0);
	double best = 0, first = 0;

	assert_non_null(db);
	assert_int_equal(json_array_size(at(report, "tasks")), TASKS);
	for (int i = 0; i < TASKS; i++) {
		const json_t *task = task_json(report, m.tasks[i]->key);

		check_task(db, report, &m, i);
		best += (i % 3 + 1) * real(at(task, "best"), "best_us");
		first += (i % 3 + 1) * real(task, "first_us");
	}
	assert_close(real(campaign, "best_us"), best);
	assert_close(real(campaign, "first_us"), first);
	assert_close(real(campaign, "gain"), first / best);
	assert_int_equal(json_integer_value(at(campaign, "without_kernel")), 0);
	db_close(db);
	json_decref(report);
}

static void test_failures(void **state)
{
	struct fixture *f = *state;

	report_make(f, TASKS, TRIALS);
	json_t *report = report_of(f, "");
	const json_t *failures = at(report, "failures"), *first = json_array_get(failures, 0);

	/* addresses differ, so they are one kind: of crashes, and of wrong results */
	assert_int_equal(json_array_size(failures), 2);
	assert_string_equal(json_string_value(at(first, "message")), "killed by <b>signal #</b> at #");
	assert_int_equal(sum_of(failures, "trials"), json_integer_value(at(at(report, "by_status"), "crash")) +
						     json_integer_value(at(at(report, "by_status"), "wrong")));
	json_decref(report);
}

static void test_one_task(void **state)
{
	struct fixture *f = *state;
	struct made_report m = report_make(f, TASKS, TRIALS);
	json_t *report = report_of(f, arena_printf(f->a, "--task %.8s --campaign 1", m.tasks[1]->key));
	char *out;

	assert_int_equal(json_array_size(at(report, "tasks")), 1);
	task_json(report, m.tasks[1]->key);
	json_decref(report);
	assert_int_equal(hone(f, &out, arena_printf(f->a, "report --db %s --task nobody", f->path)), 3);
	assert_non_null(strstr(out, "--task nobody: no task"));
	assert_int_equal(hone(f, &out, arena_printf(f->a, "report --db %s --campaign 7", f->path)), 3);
	assert_non_null(strstr(out, "campaign '7'"));
	assert_int_equal(hone(f, &out, arena_printf(f->a, "report --db %s --device zz", f->path)), 3);
	assert_non_null(strstr(out, "--device zz: no fingerprint begins so; there are "));
}

/* US of the first task, of TOOLCHAIN in the cache state; STEPS are "" for those of libraries. */
static void add_time(struct made_report *m, struct db *db, const char *toolchain, const char *cache,
		     const char *steps, double us)
{
	struct db_record r = made_trial(m, 0, m->n_trials / 2);

	r.toolchain = toolchain ? db_toolchain(db, toolchain) : m->toolchain;
	r.cache = cache;
	r.steps = steps;
	r.time_us = us;
	r.samples = fixture_record(m->f, steps, TRIAL_OK, us).samples;
	r.final = true;
	r.others = -1;
	if (*steps) {
		struct state *s = state_parse(m->f->a, m->tasks[0]->dag, "steps", steps);

		r.source_hash = evidence_hash(m->f->a, state_source(m->f->a, s, m->device->target, NULL));
	}
	assert_ok(append_one(db, r));
}

static void check_baseline(const json_t *task, const char *name, double us, double ours)
{
	const json_t *b;
	size_t i;

	json_array_foreach(at(task, "baselines"), i, b) {
		if (strcmp(json_string_value(at(b, "name")), name) != 0)
			continue;
		assert_close(real(b, "us"), us);
		if (ours == 0)
			assert_true(json_is_null(at(b, "ratio")));
		else
			assert_close(real(b, "ratio"), us / ours);
		return;
	}
	fail_msg("no baseline '%s'", name);
}

/* What was timed in a model is compared with what was timed in one, and nothing else. */
static void test_like_with_like(void **state)
{
	struct fixture *f = *state;
	struct made_report m = report_make(f, 1, TRIALS);
	struct db *db = db_open(f->path, DB_MODIFY);
	double alone = 1.02 * made_us(&m, 0, TRIALS / 2), first = made_us(&m, 0, 0);

	assert_non_null(db);
	add_time(&m, db, NULL, "model", m.candidates[0][0].steps, 30);
	add_time(&m, db, NULL, "model", m.candidates[0][1].steps, 25);	/* the winner is the last */
	add_time(&m, db, "offload lib: 1", "warm", "", 40);
	add_time(&m, db, "offload lib: 1", "warm", "", 45);		/* which counts */
	add_time(&m, db, "offload lib: 1", "model", "", 50);
	add_time(&m, db, "offload other: 2", "cold", "", 60);
	db_close(db);
	json_t *report = report_of(f, "");
	const json_t *task = json_array_get(at(report, "tasks"), 0);
	const json_t *campaign = json_array_get(at(report, "campaigns"), 0);

	assert_close(real(at(task, "best"), "best_us"), 25);
	assert_close(real(task, "alone_us"), alone);
	assert_close(real(campaign, "best_us"), 25);
	assert_close(real(campaign, "gain"), first / alone);
	assert_int_equal(json_integer_value(at(campaign, "in_model")), 1);
	check_baseline(task, "the first valid trial, measured once", first, alone);
	check_baseline(task, "lib: 1, alone, caches warm, 1 thread", 45, alone);
	check_baseline(task, "lib: 1, as a step of a model, 1 thread", 50, 0);
	check_baseline(task, "other: 2, alone, caches cold, 1 thread", 60, 0);
	json_decref(report);

	/* hone's own, in the model that the library was in */
	db = db_open(f->path, DB_MODIFY);
	add_time(&m, db, "offload hone", "model", "", 26);
	db_close(db);
	report = report_of(f, "");
	check_baseline(json_array_get(at(report, "tasks"), 0), "lib: 1, as a step of a model, 1 thread", 50, 26);
	json_decref(report);
}

/* What a stand-in answered is in no curve and no count, however fast, where others were measured. */
static void test_estimates(void **state)
{
	struct fixture *f = *state;
	struct made_report m = report_make(f, 1, TRIALS);
	struct db *db = db_open(f->path, DB_MODIFY);
	struct db_record r = made_trial(&m, 0, 0);

	assert_non_null(db);
	r.estimate = true;
	r.time_us = 1;
	r.samples = fixture_record(f, r.steps, TRIAL_OK, 1).samples;
	assert_ok(append_one(db, r));
	json_t *report = report_of(f, "");
	const json_t *task = json_array_get(at(report, "tasks"), 0);

	assert_int_equal(json_integer_value(at(task, "estimates_left_out")), 1);
	assert_int_equal(sum_of(at(task, "structures"), "trials"), TRIALS);
	check_curve(db, task, m.ids[0]);
	db_close(db);
	json_decref(report);
}

/* Code for a machine that is not this one is not made here. */
static void test_elsewhere(void **state)
{
	struct fixture *f = *state;
	char *out;

	report_make(f, TASKS, TRIALS);
	assert_int_equal(hone(f, &out, arena_printf(f->a, "report --db %s --assembly", f->path)), 3);
	assert_non_null(strstr(out, "is another machine than this one"));
}

static int occurrences(const char *s, const char *what)
{
	int n = 0;

	for (; (s = strstr(s, what)); s++)
		n++;
	return n;
}

/* A task that no hone wrote, and a trial of it that crashed. */
static void add_odd_task(struct made_report *m)
{
	struct db *db = db_open(m->f->path, DB_MODIFY);
	struct db_record r = made_trial(m, 0, 1);

	assert_non_null(db);
	assert_ok(sql_run(db, "adding", "INSERT INTO tasks VALUES (99, ?, ?, ?, 1)", "ttt", "\"><script>x</script>0123456789ab",
			  "\xff<script>", "<script>"));
	r.task = 99;
	r.message = "</td><script>y";
	assert_ok(append_one(db, r));
	db_close(db);
}

/* What comes out of the file is text; the same file gives the same bytes. */
static void test_page(void **state)
{
	struct fixture *f = *state;
	char *page, *again;

	struct made_report m = report_make(f, TASKS, TRIALS);

	add_odd_task(&m);
	assert_int_equal(hone(f, &page, arena_printf(f->a, "report --db %s", f->path)), 0);
	assert_int_equal(hone(f, &again, arena_printf(f->a, "report --db %s", f->path)), 0);
	assert_string_equal(page, again);
	assert_int_equal(occurrences(page, "<script>"), 2);
	assert_int_equal(occurrences(page, "</script>"), 2);
	assert_null(strstr(page, "alert(1)</script>"));
	assert_non_null(strstr(page, "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;quotes&quot; &#39;here&#39;"));
	assert_null(strstr(page, "<b>signal"));
	assert_non_null(strstr(page, "1 tasks are left out"));
	assert_null(strstr(page, "<x>"));
	assert_null(strstr(page, "\"</code>\"}"));
	assert_non_null(strstr(page, "Copyright (c) 2022 Leon Sorokin"));
}

/* As many as a long night gives; less without HONE_LONG. */
static void test_scale(void **state)
{
	struct fixture *f = *state;
	int tasks = getenv("HONE_LONG") ? 100 : 10, trials = getenv("HONE_LONG") ? 500 : 100;
	char *out;
	size_t bytes;

	report_make(f, tasks, trials);
	const char *page = arena_printf(f->a, "%s/report.html", f->folder);

	assert_int_equal(hone(f, &out, arena_printf(f->a, "report --db %s -o %s", f->path, page)), 0);
	assert_string_equal(out, "");
	const char *text = file_read(f->a, page, 3 << 20, &bytes);

	if (!text)
		fail_msg("%s", err_get());
	assert_int_equal(occurrences(text, "<section class=task"), tasks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_figures, fixture_new, fixture_free),
		cmocka_unit_test_setup_teardown(test_failures, fixture_new, fixture_free),
		cmocka_unit_test_setup_teardown(test_one_task, fixture_new, fixture_free),
		cmocka_unit_test_setup_teardown(test_like_with_like, fixture_new, fixture_free),
		cmocka_unit_test_setup_teardown(test_estimates, fixture_new, fixture_free),
		cmocka_unit_test_setup_teardown(test_elsewhere, fixture_new, fixture_free),
		cmocka_unit_test_setup_teardown(test_page, fixture_new, fixture_free),
		cmocka_unit_test_setup_teardown(test_scale, fixture_new, fixture_free),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
