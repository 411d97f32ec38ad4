/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/test_merge.c - databases that grew together, apart and out of each other: merging is
 * commutative, associative and idempotent in all that they say, and what stands is the same. HONE_SEED=n runs
 * one case. */
#include <stdlib.h>
#include <unistd.h>

#include "base/rng.h"
#include "db/import.h"
#include "db/label.h"
#include "tests/fixture/db_fixture.h"

enum { CASES = 8, LONG_CASES = 200, FILES = 3, TASKS = 3, FILE_MOST = 1 << 24, STANDING_MOST = 1000 };

static const char *const keys[TASKS] = { KEY_A, KEY_B, "00112233445566778899aabbccddeeff" };

struct family {
	struct fixture *f;
	struct rng rng;
	uint64_t seed;
	const char *path[FILES];
};

static int below(struct family *w, int n)
{
	return (int)rng_below(&w->rng, n);
}

/* --- all that a file says, by sqlite alone */

struct dumping {
	struct arena *a;
	sqlite3 *sql;
};

static sqlite3_stmt *prepare(struct dumping *d, const char *sql)
{
	sqlite3_stmt *stmt;

	if (sqlite3_prepare_v2(d->sql, sql, -1, &stmt, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(d->sql));
	return stmt;
}

/* The table that COLUMN of TABLE refers to by row id; NULL. */
static const char *target_of(struct dumping *d, const char *table, const char *column)
{
	sqlite3_stmt *s = prepare(d, arena_printf(d->a, "PRAGMA foreign_key_list(%s)", table));
	const char *target = NULL;

	while (sqlite3_step(s) == SQLITE_ROW)
		if (strcmp((const char *)sqlite3_column_text(s, 3), column) == 0 &&
		    !sqlite3_column_text(s, 4))
			target = arena_strdup(d->a, (const char *)sqlite3_column_text(s, 2));
	sqlite3_finalize(s);
	return target && (strcmp(target, "statuses") == 0 || strcmp(target, "caches") == 0) ? NULL
											     : target;
}

/* An expression for the row that alias X is of: its columns, those of rows that it refers to in their place. */
static const char *row_text(struct dumping *d, const char *table, const char *x)
{
	sqlite3_stmt *s = prepare(d, arena_printf(d->a, "PRAGMA table_info(%s)", table));
	const char *all = "''";

	while (sqlite3_step(s) == SQLITE_ROW) {
		const char *column = arena_strdup(d->a, (const char *)sqlite3_column_text(s, 1));
		const char *target = target_of(d, table, column);
		const char *inner = arena_printf(d->a, "%s_%s", x, column);

		if (strcmp(column, "id") == 0)
			continue;
		if (target)
			all = arena_printf(d->a, "%s || ' %s=(' || coalesce((SELECT %s FROM %s %s WHERE %s.id = %s.%s), '-') || ')'",
					   all, column, row_text(d, target, inner), target, inner, inner, x, column);
		else
			all = arena_printf(d->a, "%s || ' %s=' || quote(%s.%s)", all, column, x, column);
	}
	sqlite3_finalize(s);
	return all;
}

static void dump_standing(struct dumping *d, struct db *db, const char *key, enum db_order order, struct text *out)
{
	struct db_record_vec top;

	assert_ok(db_top(db, d->a, &(struct db_want){ .task_key = key }, order, STANDING_MOST, &top));
	for (int i = 0; i < top.n; i++)
		text_printf(out, "%s %d: %s %g\n", key, order, top.at[i].steps, top.at[i].time_us);
}

static const char *dump(struct arena *a, const char *path)
{
	struct dumping d = { .a = a };
	struct text out = { 0 };

	assert_int_equal(sqlite3_open(path, &d.sql), SQLITE_OK);
	sqlite3_stmt *tables = prepare(&d, "SELECT name FROM sqlite_master WHERE type = 'table'"
					   " AND name NOT LIKE 'sqlite_%' AND name <> 'migrations' ORDER BY name");

	while (sqlite3_step(tables) == SQLITE_ROW) {
		const char *table = arena_strdup(a, (const char *)sqlite3_column_text(tables, 0));
		sqlite3_stmt *rows = prepare(&d, arena_printf(a, "SELECT %s AS line FROM %s x ORDER BY line",
							      row_text(&d, table, "x"), table));

		while (sqlite3_step(rows) == SQLITE_ROW)
			text_printf(&out, "%s:%s\n", table, (const char *)sqlite3_column_text(rows, 0));
		sqlite3_finalize(rows);
	}
	sqlite3_finalize(tables);
	sqlite3_stmt *labels = prepare(&d, "SELECT uid || ' is ' || coalesce(label, '-') FROM labels JOIN campaigns"
					   " USING (id) ORDER BY uid");

	while (sqlite3_step(labels) == SQLITE_ROW)
		text_printf(&out, "%s\n", (const char *)sqlite3_column_text(labels, 0));
	sqlite3_finalize(labels);
	/* What stands of each task, in the order in which it would be taken. */
	struct db *db = db_open(path, DB_READ);

	assert_non_null(db);
	for (int i = 0; i < TASKS; i++)
		for (int order = DB_FASTEST; order <= DB_LATEST; order++)
			dump_standing(&d, db, keys[i], (enum db_order)order, &out);
	db_close(db);
	sqlite3_close(d.sql);
	const char *all = arena_strdup(a, text_str(&out));

	text_free(&out);
	return all;
}

/* --- how databases come to be */

static int64_t any_task(struct family *w, struct db *db)
{
	static const char *const names[] = { "mm", "dense", "fc1" };
	int64_t id = db_task(db, &(struct db_task){ .key = keys[below(w, TASKS)], .name = names[below(w, 3)],
						    .text = FIXTURE_TEXT, .flop = 2e6 });

	assert_ok(id);
	return id;
}

static struct db_record any_record(struct family *w, struct db *db)
{
	static const char *const steps[] = { "a", "b", "c", "d" };
	static const enum trial_status ends[] = { TRIAL_OK, TRIAL_OK, TRIAL_OK, TRIAL_WRONG, TRIAL_CRASH,
						  TRIAL_BUILD_ERROR };
	static const char *const caches[] = { "warm", "warm", "cold", "model" };
	struct db_record r = fixture_record(w->f, steps[below(w, 4)], ends[below(w, 6)], 1 + below(w, 4));

	r.task = any_task(w, db);
	r.device = db_device(db, below(w, 2) ? "d0" : "d1",
			     arena_printf(w->f->a, "{\"measured\": {\"when\": %d}}", below(w, 5)));
	r.toolchain = db_toolchain(db, below(w, 2) ? "gcc 12" : "clang 14");
	r.created = 1000 + below(w, 3);
	r.final = rng_chance(&w->rng, 0.3);
	r.estimate = rng_chance(&w->rng, 0.1);
	r.others = r.final ? below(w, 6) : 0;
	r.cache = caches[below(w, 4)];
	r.message = r.status == TRIAL_OK ? "" : "it failed";
	assert_ok(r.device);
	assert_ok(r.toolchain);
	return r;
}

/* People call campaigns something else, or nothing, and note that: sometimes what another one is called. */
static void relabel(struct family *w, struct db *db)
{
	static const char *const labels[] = { "", "a", "b", "c" };
	struct db_campaign_vec all;

	assert_ok(db_campaigns(db, w->f->a, &all));
	for (int i = 0; i < all.n; i++) {
		const char *name = labels[below(w, 4)];

		if (rng_chance(&w->rng, 0.4) && label_holder(db, name) == 0)
			assert_ok(label_name(db, all.at[i].id, name));
		if (rng_chance(&w->rng, 0.2))
			assert_ok(label_note(db, all.at[i].id, labels[below(w, 4)]));
	}
	/* by clocks that differ, or do not */
	assert_ok(sql_run(db, "", "UPDATE campaigns SET named = ?, noted = named WHERE named > 1000000", "i",
			  (int64_t)(1000 + below(w, 3))));
}

/* Goes on with a campaign, or begins one; it ends, stops or is killed. */
static void campaign(struct family *w, struct db *db)
{
	const struct db_campaign like = { .device = any_record(w, db).device,
					  .source = below(w, 2) ? "mm" : "net.onnx" };
	struct db_campaign c;
	enum db_entered entered = db_campaign_enter(db, w->f->a, &like, rng_chance(&w->rng, 0.3),
						    &(struct db_calibration){ .fixed_us = 1 + below(w, 3) }, &c);

	assert_true(entered == DB_ENTER_NEW || entered == DB_ENTER_OLD);
	for (int n = below(w, 4); n > 0; n--) {
		struct db_record r = any_record(w, db);
		struct db_round round = fixture_round(w->f, 1 + below(w, 3));
		int state = below(w, 1000);

		r.trial = below(w, 100);
		round.task = r.task;
		round.refused = below(w, 1000);
		assert_ok(db_append(db, &(struct db_batch){ c.id, &r, 1, &state, sizeof(state), &round }));
	}
	if (rng_chance(&w->rng, 0.6))
		assert_ok(db_campaign_end(db, c.id, below(w, 2) ? CAMPAIGN_DONE : CAMPAIGN_STOPPED));
}

/* Some of what FROM knows is told to DB by a log. */
static void import(struct family *w, struct db *db, const char *from)
{
	struct arena *a = w->f->a;
	struct db *other = db_open(from, DB_READ);
	struct db_record_vec all;
	struct db_task_vec tasks;
	int64_t added;

	assert_non_null(other);
	assert_ok(db_records(other, a, &(struct db_want){ 0 }, &all));
	assert_ok(db_tasks(other, a, &tasks));
	for (int i = 0; i < all.n; i++) {
		struct db_import one = { .record = all.at[i], .description = "{}" };

		for (int t = 0; t < tasks.n; t++)
			if (tasks.at[t].id == one.record.task)
				one.task = tasks.at[t];
		if (below(w, 2))
			assert_ok(db_import(db, &one, 1, &added));
	}
	db_close(other);
}

static void grow(struct family *w, int file)
{
	const char *other = w->path[below(w, FILES)];
	struct db *db = db_open(w->path[file], DB_WRITE);
	struct db_merged m;

	assert_non_null(db);
	for (int n = 1 + below(w, 5); n > 0; n--) {
		int what = below(w, 10);
		struct db_record r;

		if (what < 4) {
			r = any_record(w, db);
			assert_ok(append_one(db, r));
		} else if (what < 8) {
			campaign(w, db);
			relabel(w, db);
			db_close(db);		/* lets go of it */
			db = db_open(w->path[file], DB_WRITE);
		} else if (other != w->path[file] && access(other, F_OK) == 0) {
			if (what == 8)
				import(w, db, other);
			else
				assert_ok(db_merge(db, other, &m));
		}
	}
	db_close(db);
}

static const char *copy(struct family *w, const char *from, const char *name)
{
	const char *to = arena_printf(w->f->a, "%s/%s", w->f->folder, name);
	size_t n;
	const char *bytes = file_read(w->f->a, from, FILE_MOST, &n);

	assert_non_null(bytes);
	assert_ok(file_write(to, bytes, n));
	return to;
}

/* --- the laws */

/* A copy of A that took in B, called NAME. */
static const char *merged(struct family *w, const char *a, const char *b, const char *name)
{
	const char *path = copy(w, a, name), *from = copy(w, b, "from.db");
	struct db *db = db_open(path, DB_WRITE);
	struct db_merged m;

	assert_non_null(db);
	assert_ok(db_merge(db, from, &m));
	assert_sound(db);
	db_close(db);
	return path;
}

static void same(struct family *w, const char *law, const char *x, const char *y)
{
	struct arena *a = w->f->a;
	const char *p = dump(a, x), *q = dump(a, y);
	size_t at = 0;

	if (strcmp(p, q) == 0)
		return;
	while (p[at] == q[at])
		at++;
	while (at > 0 && p[at - 1] != '\n')
		at--;
	fail_msg("HONE_SEED=%ju: %s\n  %.*s\n  %.*s", (uintmax_t)w->seed, law, (int)strcspn(p + at, "\n"), p + at,
		 (int)strcspn(q + at, "\n"), q + at);
}

static void check_laws(struct family *w)
{
	const char *a = w->path[0], *b = w->path[1], *c = w->path[2];
	const char *ab = merged(w, a, b, "ab"), *bc = merged(w, b, c, "bc");

	same(w, "a file and itself", merged(w, a, a, "aa"), a);
	same(w, "commutative", ab, merged(w, b, a, "ba"));
	same(w, "once more", merged(w, ab, b, "abb"), ab);
	same(w, "and the first", merged(w, ab, a, "aba"), ab);
	same(w, "associative", merged(w, ab, c, "ab-c"), merged(w, a, bc, "a-bc"));
}

static void check_case(struct fixture *f, uint64_t seed)
{
	struct family w = { .f = f, .rng = rng_seed(seed), .seed = seed };

	for (int i = 0; i < FILES; i++)
		w.path[i] = arena_printf(f->a, "%s/%d.db", f->folder, i);
	grow(&w, 0);
	for (int i = 1; i < FILES; i++)
		if (below(&w, 3))
			copy(&w, w.path[0], arena_printf(f->a, "%d.db", i));
	for (int i = 0; i < FILES; i++)
		for (int n = below(&w, 3); n >= 0; n--)
			grow(&w, i);
	check_laws(&w);
}

static void test_laws(void **state)
{
	const char *one = getenv("HONE_SEED");
	int n = one ? 1 : getenv("HONE_LONG") ? LONG_CASES : CASES;

	(void)state;
	for (int i = 0; i < n; i++) {
		void *f;

		assert_int_equal(fixture_new(&f), 0);
		check_case(f, one ? strtoull(one, NULL, 0) : (uint64_t)i + 1);
		fixture_free(&f);
	}
}

/* Who is at work on a campaign keeps it as it was, whatever another file says of it. */
static void test_held(void **state)
{
	struct fixture *f = *state;
	const char *from = arena_printf(f->a, "%s/from.db", f->folder);
	struct db *db = fixture_open(f, f->path);
	struct db_round round = fixture_round(f, 1);
	struct db_batch batch = { .campaign = start_campaign(f, db, "mm"), .round = &round };
	struct db_campaign c;
	struct db_merged m;
	size_t n;

	assert_ok(db_append(db, &batch));
	db_close(db);
	const char *bytes = file_read(f->a, f->path, FILE_MOST, &n);

	assert_ok(file_write(from, bytes, n));
	struct db *other = db_open(from, DB_MODIFY);

	assert_ok(sql_run(other, "", "UPDATE campaigns SET rounds = 9", ""));
	db_close(other);
	db = fixture_open(f, f->path);
	go_on(f, db, "mm");
	assert_ok(db_merge(db, from, &m));
	assert_ok(db_append(db, &batch));
	assert_int_equal(db_campaign(db, f->a, batch.campaign, &c), 1);
	assert_int_equal(c.rounds, 2);
	db_close(db);
	db = fixture_open(f, f->path);
	assert_ok(db_merge(db, from, &m));
	assert_int_equal(db_campaign(db, f->a, batch.campaign, &c), 1);
	assert_int_equal(c.rounds, 9);
	assert_int_equal(count_of(db, "rounds"), 1);
	db_close(db);
}

/* What one file measured and the other was told is one record, and measured. */
static void test_hearsay(void **state)
{
	struct fixture *f = *state;
	struct family w = { .f = f, .path = { f->path, arena_printf(f->a, "%s/told.db", f->folder) } };
	struct db *db = fixture_open(f, w.path[0]);
	struct db_record_vec all;
	int64_t added;

	put(db, f, "a", TRIAL_OK, 3, 1000);
	put(db, f, "b", TRIAL_CRASH, 0, 1000);
	assert_ok(db_records(db, f->a, &(struct db_want){ 0 }, &all));
	db_close(db);
	db = db_open(w.path[1], DB_WRITE);
	for (int i = 0; i < 2 * all.n; i++) {
		const struct db_import one = { .record = all.at[i % all.n], .description = "{}",
					       .task = { .key = KEY_A, .name = "mm", .text = FIXTURE_TEXT } };

		assert_ok(db_import(db, &one, 1, &added));
		assert_int_equal(added, i < all.n);
	}
	db_close(db);
	for (int i = 0; i < 2; i++) {
		db = db_open(merged(&w, w.path[i], w.path[!i], i ? "ba" : "ab"), DB_READ);
		assert_int_equal(count_of(db, "records"), 2);
		assert_int_equal(count_of(db, "records WHERE imported = 1"), 0);
		db_close(db);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_laws),
		cmocka_unit_test_setup_teardown(test_held, fixture_new, fixture_free),
		cmocka_unit_test_setup_teardown(test_hearsay, fixture_new, fixture_free),
	};

	return cmocka_run_group_tests_name("merge", tests, NULL, NULL);
}
