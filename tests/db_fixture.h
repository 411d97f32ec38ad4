/* SPDX-License-Identifier: Apache-2.0 */
/* tests/db_fixture.h - a folder, a database with one of each thing, and records to put in it. */
#ifndef HONE_TESTS_DB_FIXTURE_H
#define HONE_TESTS_DB_FIXTURE_H

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "db/sql.h"

#define KEY_A "0123456789abcdef0123456789abcdef"
#define FIXTURE_TEXT "input A: f32[8]\nC[i] = A[i]\n"
#define KEY_B "fedcba9876543210fedcba9876543210"

struct fixture {
	struct arena *a;
	char *folder;
	char *path;		/* of a database that is not there yet */
	int64_t task, device, toolchain;
};

#define assert_ok(rc) do {                                                                         \
		if ((rc) < 0)                                                                      \
			fail_msg("%s", err_get());                                                 \
	} while (0)

/* WORDS must all be in the message. */
static inline void assert_err(const char *words)
{
	if (!strstr(err_get(), words))
		fail_msg("'%s' does not say '%s'", err_get(), words);
}

static inline int fixture_new(void **state)
{
	static struct fixture f;

	f = (struct fixture){ .a = arena_new() };
	f.folder = dir_temp(f.a);
	if (!f.folder)
		return -1;
	f.path = arena_printf(f.a, "%s/t.db", f.folder);
	*state = &f;
	return 0;
}

static inline int fixture_free(void **state)
{
	struct fixture *f = *state;

	dir_remove(f->folder);
	arena_free(f->a);
	return 0;
}

/* Opens PATH for writing, with the fixture's device, toolchain and task in it. */
static inline struct db *fixture_open(struct fixture *f, const char *path)
{
	const struct db_task task = { .key = KEY_A, .name = "mm", .text = FIXTURE_TEXT, .flop = 2e6 };
	struct db *db = db_open(path, DB_WRITE);

	if (!db)
		fail_msg("%s", err_get());
	f->device = db_device(db, "d0", "{\"cores\": 2}");
	f->toolchain = db_toolchain(db, "gcc 12 -O3");
	f->task = db_task(db, &task);
	assert_ok(f->device);
	assert_ok(f->toolchain);
	assert_ok(f->task);
	return db;
}

/* An ok record that took US microseconds, or a failed one. */
static inline struct db_record fixture_record(const struct fixture *f, const char *steps,
					      enum trial_status status, double us)
{
	double *samples = arena_many(f->a, double, 3);

	samples[0] = 1.5 * us;
	samples[1] = us;
	samples[2] = 0.75 * us;
	return (struct db_record){
		.task = f->task,
		.device = f->device,
		.toolchain = f->toolchain,
		.threads = 1,
		.steps = steps,
		.status = status,
		.samples = samples,
		.n_samples = status == TRIAL_OK ? 3 : 0,
		.time_us = us,
		.created = 1000,
	};
}

/* A new campaign for SOURCE on the fixture's device; its id. */
static inline int64_t start_campaign(struct fixture *f, struct db *db, const char *source)
{
	const struct db_campaign like = { .device = f->device, .source = source };
	struct db_campaign c;

	if (db_campaign_enter(db, f->a, &like, true, &(struct db_calibration){ 0 }, &c) !=
	    DB_ENTER_NEW)
		fail_msg("%s", err_get());
	return c.id;
}

/* Goes on with the one for SOURCE, which has ended early. */
static inline void go_on(struct fixture *f, struct db *db, const char *source)
{
	const struct db_campaign like = { .device = f->device, .source = source };
	struct db_campaign c;

	if (db_campaign_enter(db, f->a, &like, false, &(struct db_calibration){ 0 }, &c) !=
	    DB_ENTER_OLD)
		fail_msg("%s", err_get());
}

static inline int append_one(struct db *db, struct db_record r)
{
	return db_append(db, &(struct db_batch){ .records = &r, .n = 1 });
}

static inline void put(struct db *db, const struct fixture *f, const char *steps,
		       enum trial_status s, double us, int64_t created)
{
	struct db_record r = fixture_record(f, steps, s, us);

	r.created = created;
	assert_ok(append_one(db, r));
}

/* A round of the fixture's task with something in every field. */
static inline struct db_round fixture_round(const struct fixture *f, double best_us)
{
	return (struct db_round){
		.task = f->task,
		.created = 1000,
		.trials = 8,
		.failed = 2,
		.refused = 3,
		.best_us = best_us,
		.seconds = { 0.5, 0.25, 4, 2, 1, 0 },
		.beside_s = 3,
		.quality = { .samples = 6, .recall = 0.5, .rank = -0.25, .accuracy = 0.75 },
	};
}

static inline void assert_sound(struct db *db)
{
	struct arena *a = arena_new();
	struct db_problem_vec problems;

	assert_ok(db_check(db, a, &problems));
	if (problems.n)
		fail_msg("%d problems: %s", problems.n, problems.at[0]);
	arena_free(a);
}

static inline int64_t count_of(struct db *db, const char *table)
{
	struct text sql = { 0 };
	int64_t n = -1;

	text_printf(&sql, "SELECT count(*) FROM %s", table);
	assert_ok(sql_int(db, "counting", &n, sql.s, ""));
	text_free(&sql);
	return n;
}

#endif
