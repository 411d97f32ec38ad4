/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/search/test_in_model.c - records of kernels inside models, beside those of kernels alone: who
 * competes, what is the best for a model, what stays in the file. */
#include "schedule/text/step_text.h"
#include "search/kernel_text.h"
#include "tests/fixture/db_fixture.h"

#include "search/campaign/contenders.h"
#include "te/text/text.h"

#define TEXT "input A: f32[64]\nC[i] = A[i] + 1\n"

struct records {
	struct fixture *f;
	struct db *db;
	struct task *task;
};

static struct records begin(void **state)
{
	struct fixture *f = *state;
	struct records r = { .f = f, .db = fixture_open(f, f->path) };

	r.task = task_new(f->a, dag_parse(f->a, "t.te", TEXT), "plus", 1);
	f->task = db_task(r.db, &(struct db_task){ .key = r.task->key, .name = "plus",
						   .text = TEXT, .flop = 64 });
	assert_ok(f->task);
	return r;
}

/* A split by FACTOR; each gives a C text of its own. */
static const char *steps_of(struct arena *a, int factor)
{
	return arena_printf(a, "split C i %d", factor);
}

static struct db_record record(const struct records *r, int factor, double us, enum cache_state c)
{
	struct arena *a = r->f->a;
	const char *steps = steps_of(a, factor);
	struct db_record out = fixture_record(r->f, steps, TRIAL_OK, us);
	struct state *s = state_parse(a, r->task->dag, "steps", steps);
	const char *source = s ? state_source(a, s, &target_x86_64_avx2, NULL) : NULL;

	if (!source)
		fail_msg("%s: %s", steps, err_get());
	out.final = true;
	out.source_hash = evidence_hash(a, source);
	out.cache = cache_state_name(c);
	return out;
}

static void confirm(const struct records *r, int factor, double us)
{
	assert_ok(append_one(r->db, record(r, factor, us, CACHE_WARM)));
}

static void play(const struct records *r, int factor, double us)
{
	assert_ok(append_one(r->db, record(r, factor, us, CACHE_MODEL)));
}

/* The best for a model is the split by FACTOR, which took US. */
static void best_is(const struct records *r, int factor, double us)
{
	struct best b;

	assert_int_equal(task_best_in_model(r->f->a, r->db, r->task, (struct db_want){ 0 },
					    &target_x86_64_avx2, &b), 1);
	assert_string_equal(b.record.steps, steps_of(r->f->a, factor));
	assert_true(b.record.time_us == us);
	assert_int_equal(b.evidence, EVIDENCE_SAME);
}

static void test_the_last_winner_counts(void **state)
{
	struct records r = begin(state);
	struct best b;

	assert_int_equal(task_best_in_model(r.f->a, r.db, r.task, (struct db_want){ 0 },
					    &target_x86_64_avx2, &b), 0);
	confirm(&r, 2, 10);
	confirm(&r, 4, 11);
	best_is(&r, 2, 10);
	play(&r, 2, 15);
	play(&r, 4, 16);	/* slower within noise, but it won */
	best_is(&r, 4, 16);
	/* Alone, the other is the best. */
	assert_int_equal(task_best(r.f->a, r.db, r.task, (struct db_want){ 0 }, &target_x86_64_avx2, &b),
			 1);
	assert_true(b.record.time_us == 10);
	play(&r, 4, 17);
	play(&r, 2, 14);	/* later finals */
	best_is(&r, 2, 14);
	assert_sound(r.db);
	db_close(r.db);
}

/* Times with cold weights are what a model goes by, not the lesser ones of warm caches; alone these are. */
static void test_cold_weights_come_first(void **state)
{
	struct records r = begin(state);
	struct best b;

	confirm(&r, 2, 10);
	assert_ok(append_one(r.db, record(&r, 4, 20, CACHE_COLD_WEIGHTS)));
	best_is(&r, 4, 20);
	assert_int_equal(task_best(r.f->a, r.db, r.task, (struct db_want){ 0 }, &target_x86_64_avx2, &b), 1);
	assert_true(b.record.time_us == 10);
	assert_ok(append_one(r.db, record(&r, 2, 19, CACHE_COLD_WEIGHTS)));
	best_is(&r, 2, 19);
	play(&r, 4, 18);
	best_is(&r, 4, 18);
	assert_sound(r.db);
	db_close(r.db);
}

static void test_until_another_is_confirmed(void **state)
{
	struct records r = begin(state);

	confirm(&r, 2, 10);
	confirm(&r, 4, 11);
	play(&r, 2, 15);
	play(&r, 4, 14);
	confirm(&r, 2, 9);	/* again: it has competed */
	best_is(&r, 4, 14);
	confirm(&r, 8, 5);	/* that one has not */
	best_is(&r, 8, 5);
	db_close(r.db);
}

/* A kernel that turned out to be wrong, alone, wins nothing any more; nor does one whose text is
 * another today. */
static void test_what_no_longer_counts(void **state)
{
	struct records r = begin(state);
	struct db_record wrong = fixture_record(r.f, steps_of(r.f->a, 4), TRIAL_WRONG, 0);
	struct db_record changed = record(&r, 8, 13, CACHE_MODEL);

	confirm(&r, 2, 10);
	confirm(&r, 4, 10);
	play(&r, 2, 15);
	play(&r, 4, 14);
	changed.source_hash = KEY_A;
	assert_ok(append_one(r.db, changed));
	best_is(&r, 4, 14);
	assert_ok(append_one(r.db, wrong));
	best_is(&r, 2, 15);
	db_close(r.db);
}

static void test_contenders(void **state)
{
	struct records r = begin(state);
	struct db_record changed = record(&r, 64, 9, CACHE_WARM);
	struct db_record trial = record(&r, 32, 9, CACHE_WARM);
	struct best_vec v;

	changed.source_hash = KEY_A;
	trial.final = false;
	assert_ok(append_one(r.db, changed));
	assert_ok(append_one(r.db, trial));
	confirm(&r, 4, 10.2);
	confirm(&r, 2, 10);
	confirm(&r, 8, 11);	/* a tenth behind */
	play(&r, 16, 10);
	assert_ok(task_contenders(r.f->a, r.db, r.task, (struct db_want){ 0 }, &target_x86_64_avx2, &v));
	/* The one of another text is no measure for the others. */
	assert_int_equal(v.n, 2);
	assert_true(v.at[0].record.time_us == 10 && v.at[1].record.time_us == 10.2);
	for (int factor = 3; factor < 3 + 2 * CONTENDERS; factor++)
		confirm(&r, factor, 10);
	assert_ok(task_contenders(r.f->a, r.db, r.task, (struct db_want){ 0 }, &target_x86_64_avx2, &v));
	assert_int_equal(v.n, CONTENDERS);
	db_close(r.db);
}

/* Who wants no state gets kernels alone; figures of a file stay what they were. */
static void test_states_apart(void **state)
{
	struct records r = begin(state);
	const struct db_want any = { 0 }, model = { .cache = "model" };
	struct db_record_vec all;
	struct db_stats stats;
	struct db_record one;

	confirm(&r, 2, 10);
	play(&r, 2, 5);
	assert_ok(db_records(r.db, r.f->a, &any, &all));
	assert_true(all.n == 1 && all.at[0].time_us == 10);
	assert_ok(db_records(r.db, r.f->a, &model, &all));
	assert_true(all.n == 1 && all.at[0].time_us == 5);
	assert_int_equal(db_find_record(r.db, r.f->a, all.at[0].id, &one), 1);
	assert_string_equal(one.cache, "model");
	assert_int_equal(db_find_record(r.db, r.f->a, 77, &one), 0);
	assert_ok(db_stats(r.db, r.f->a, &stats));
	assert_int_equal(stats.n_tasks, 2);
	assert_true(stats.tasks[1].best_us == 10);
	db_close(r.db);
}

static void test_pruned_and_merged(void **state)
{
	struct records r = begin(state);
	struct db_merged merged;
	struct db_pruned pruned;

	confirm(&r, 2, 10);
	confirm(&r, 4, 11);
	play(&r, 2, 15);
	play(&r, 4, 16);
	db_close(r.db);
	r.db = db_open(arena_printf(r.f->a, "%s/merged.db", r.f->folder), DB_WRITE);
	assert_ok(db_merge(r.db, r.f->path, &merged));
	assert_int_equal(merged.records, 4);
	best_is(&r, 4, 16);
	assert_ok(db_prune(r.db, &(struct db_prune){ .keep = 1, .failed_days = -1 }, &pruned));
	assert_int_equal(pruned.ok, 2);
	best_is(&r, 4, 16);
	assert_sound(r.db);
	db_close(r.db);
}

static void test_names(void **state)
{
	enum cache_state c;

	(void)state;
	for (int i = 0; i < CACHE_STATE_COUNT; i++) {
		assert_true(cache_state_parse(cache_state_name((enum cache_state)i), &c));
		assert_int_equal(c, i);
	}
	assert_false(cache_state_parse("lukewarm", &c));
	assert_int_equal(cache_state_alone("cold-weights"), CACHE_COLD_WEIGHTS);
	assert_int_equal(cache_state_alone("model"), CACHE_WARM);
}

/* All that version 5 knew of records comes through, and their order. */
static void test_from_version_5(void **state)
{
	static const char content[] =
		"INSERT INTO devices VALUES (7, 'd0', '{}', 1);"
		"INSERT INTO toolchains VALUES (5, 'gcc');"
		"INSERT INTO tasks VALUES (3, '" KEY_A "', 'mm', 'C = A', 2e6);"
		"INSERT INTO campaigns VALUES"
		"	(9, 'u', 7, 1, NULL, 'mm', '{}', 1, 'stopped', 2, x'7b7d', 1);"
		"INSERT INTO sittings (id, uid, campaign, host, pid, began) VALUES (4, 's', 9, 'h', 1, 1);"
		"INSERT INTO records VALUES (11, 3, 7, 5, 9, 6, 1, 2, '',"
		"	'99aa06d3014798d86001c324468d497f', 'ok', 'm', x'0000000000000440', 2.5,"
		"	0.5, '{}', 'cold', 1, 2, 1000, 'source', '0.9', 3, '1', 0, 8, 4);"
		"INSERT INTO records VALUES (12, 3, 7, 5, NULL, 7, 0, 1, '',"
		"	'99aa06d3014798d86001c324468d497f', 'crash', 'n', x'', NULL,"
		"	NULL, '{}', 'warm', 1, 2, 1001, NULL, NULL, NULL, NULL, 1, 20, NULL);";
	struct fixture *f = *state;
	struct db *db = db_open_with(f->path, DB_WRITE, db_migrations, 5);
	struct db_record r;

	assert_non_null(db);
	if (sqlite3_exec(db->sql, content, NULL, NULL, NULL) != SQLITE_OK)
		fail_msg("%s", sqlite3_errmsg(db->sql));
	db_close(db);
	db = db_open(f->path, DB_MODIFY);
	assert_non_null(db);
	assert_sound(db);
	assert_int_equal(db_find_record(db, f->a, 11, &r), 1);
	assert_true(r.task == 3 && r.device == 7 && r.toolchain == 5 && r.campaign == 9 &&
		    r.trial == 6 && r.final && r.threads == 2 && r.status == TRIAL_OK &&
		    r.n_samples == 1 && r.samples[0] == 2.5 && r.time_us == 2.5 &&
		    r.ratio == 0.5 && r.build_ms == 1 && r.run_ms == 2 && r.created == 1000 &&
		    r.others == 3 && !r.estimate && r.seq == 8 && r.sitting == 4);
	assert_string_equal(r.message, "m");
	assert_string_equal(r.cache, "cold");
	assert_string_equal(r.source_hash, "source");
	assert_string_equal(r.hone, "0.9");
	assert_string_equal(r.counted, "1");
	assert_int_equal(db_find_record(db, f->a, 12, &r), 1);
	assert_true(r.estimate && r.seq == 20 && r.campaign == 0 && r.others == -1);
	db_close(db);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_new, fixture_free)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_the_last_winner_counts), TEST(test_cold_weights_come_first), TEST(test_until_another_is_confirmed),
		TEST(test_what_no_longer_counts), TEST(test_contenders), TEST(test_states_apart),
		TEST(test_pruned_and_merged), TEST(test_names), TEST(test_from_version_5),
	};

	return cmocka_run_group_tests_name("in model", tests, NULL, NULL);
}
