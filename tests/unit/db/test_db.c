/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/db/test_db.c - what goes into a database comes out: records, the best, campaigns. */
#include "tests/fixture/db_fixture.h"

#include <unistd.h>

#include <math.h>

static const struct db_want any = { 0 };
static const struct db_want task_a = { .task_key = KEY_A };

static void test_round_trip(void **state)
{
	struct fixture *f = *state;
	struct db *db = fixture_open(f, f->path);
	const double samples[] = { 1.5, 2.25, 0x1p-30 };
	struct db_record in = {
		.task = f->task, .device = f->device, .toolchain = f->toolchain, .trial = 7,
		.final = true, .threads = 2, .steps = "split C i 4\n", .status = TRIAL_OK,
		.message = "fine", .samples = samples, .n_samples = 3, .time_us = 1.875,
		.ratio = 0.75, .counters = "{\"x\": 1}", .cache = "cold", .build_ms = 80,
		.run_ms = 12.5, .created = 123456, .others = 5, .source_hash = KEY_B,
		.hone = "0.1", .counted = "110",
	};
	struct db_record_vec out;

	assert_ok(append_one(db, in));
	in = (struct db_record){ .task = f->task, .device = f->device, .toolchain = f->toolchain,
				 .threads = 1, .steps = "", .status = TRIAL_CRASH,
				 .message = "signal 11" };
	assert_ok(append_one(db, in));
	db_close(db);

	db = db_open(f->path, DB_READ);
	assert_non_null(db);
	assert_ok(db_records(db, f->a, &any, &out));
	assert_int_equal(out.n, 2);
	const struct db_record *r = &out.at[0];

	assert_string_equal(r->steps, "split C i 4\n");
	assert_true(hash_equal(r->steps_hash, hash_bytes(r->steps, strlen(r->steps))));
	assert_string_equal(r->task_key, KEY_A);
	assert_string_equal(r->fingerprint, "d0");
	assert_string_equal(r->toolchain_text, "gcc 12 -O3");
	assert_string_equal(r->message, "fine");
	assert_string_equal(r->counters, "{\"x\": 1}");
	assert_string_equal(r->cache, "cold");
	assert_int_equal(r->n_samples, 3);
	assert_memory_equal(r->samples, samples, sizeof(samples));
	assert_true(r->time_us == 1.875 && r->ratio == 0.75 && r->build_ms == 80);
	assert_true(r->run_ms == 12.5 && r->final && r->threads == 2 && r->trial == 7);
	assert_true(r->status == TRIAL_OK && r->created == 123456);
	assert_true(r->seq == 1 && r->others == 5 && !r->estimate);
	assert_string_equal(r->source_hash, KEY_B);
	assert_string_equal(r->hone, "0.1");
	assert_string_equal(r->counted, "110");
	r = &out.at[1];
	assert_true(r->seq == 2 && r->others == -1 && !r->source_hash && !r->hone && !r->counted);
	assert_true(r->status == TRIAL_CRASH && r->time_us == 0 && r->n_samples == 0);
	assert_true(r->created > 1000000000 && r->campaign == 0);
	assert_string_equal(r->message, "signal 11");
	assert_string_equal(r->cache, "warm");
	assert_sound(db);
	db_close(db);
}

static void test_identities(void **state)
{
	struct fixture *f = *state;
	struct db *db = fixture_open(f, f->path);
	struct db_device_vec devices;
	struct db_task_vec tasks;
	struct db_task t = { .key = KEY_A, .name = "renamed", .text = "", .flop = 1 };

	assert_int_equal(db_device(db, "d0", "{\"cores\": 4}"), f->device);
	assert_int_equal(db_toolchain(db, "gcc 12 -O3"), f->toolchain);
	assert_int_equal(db_task(db, &t), f->task);
	t.key = KEY_B;
	assert_true(db_task(db, &t) > 0 && db_task(db, &t) != f->task);
	assert_ok(db_devices(db, f->a, &devices));
	assert_int_equal(devices.n, 1);
	assert_string_equal(devices.at[0].description, "{\"cores\": 4}");
	assert_ok(db_tasks(db, f->a, &tasks));
	assert_int_equal(tasks.n, 2);
	assert_string_equal(tasks.at[0].name, "mm");
	assert_int_equal(db_find_task(db, f->a, KEY_B, &t), 1);
	assert_string_equal(t.name, "renamed");
	assert_int_equal(db_find_task(db, f->a, "none", &t), 0);
	t.key = "short";
	assert_int_equal(db_task(db, &t), -1);
	db_close(db);
	db = db_open(f->path, DB_READ);
	assert_int_equal(db_toolchain(db, "gcc 12 -O3"), f->toolchain);
	assert_int_equal(db_toolchain(db, "another"), -1);
	db_close(db);
}

static void test_best(void **state)
{
	struct fixture *f = *state;
	struct db *db = fixture_open(f, f->path);
	struct db_record_vec top;
	struct db_record best;
	int64_t counts[TRIAL_STATUS_COUNT];

	assert_int_equal(db_best(db, f->a, &any, &best), 0);
	put(db, f, "a", TRIAL_OK, 10, 1);
	put(db, f, "b", TRIAL_OK, 11, 1);
	put(db, f, "c", TRIAL_LOST_RACE, 0, 1);
	assert_int_equal(db_best(db, f->a, &task_a, &best), 1);
	assert_string_equal(best.steps, "a");
	/* Measured again, a is slower than b: the later figure counts. */
	put(db, f, "a", TRIAL_OK, 12, 2);
	assert_int_equal(db_best(db, f->a, &task_a, &best), 1);
	assert_string_equal(best.steps, "b");
	/* Fast, and then found wrong: out; a lost race or a timeout says nothing of that kind. */
	put(db, f, "w", TRIAL_OK, 1, 1);
	put(db, f, "w", TRIAL_WRONG, 0, 2);
	put(db, f, "b", TRIAL_LOST_RACE, 0, 3);
	put(db, f, "b", TRIAL_TIMEOUT, 0, 3);
	assert_ok(db_top(db, f->a, &task_a, DB_FASTEST, 5, &top));
	assert_int_equal(top.n, 2);
	assert_string_equal(top.at[0].steps, "b");
	assert_string_equal(top.at[1].steps, "a");
	assert_true(top.at[1].time_us == 12);
	assert_ok(db_counts(db, &task_a, counts));
	assert_int_equal(counts[TRIAL_OK], 4);
	assert_int_equal(counts[TRIAL_LOST_RACE], 2);
	assert_int_equal(counts[TRIAL_WRONG], 1);
	assert_int_equal(counts[TRIAL_CRASH], 0);
	db_close(db);
}

/* As `put`, of a confirmation or of a stand-in. */
static void put_final(struct db *db, const struct fixture *f, const char *steps, double us)
{
	struct db_record r = fixture_record(f, steps, TRIAL_OK, us);

	r.final = true;
	assert_ok(append_one(db, r));
}

static void put_estimate(struct db *db, const struct fixture *f, const char *steps, double us)
{
	struct db_record r = fixture_record(f, steps, TRIAL_OK, us);

	r.estimate = true;
	assert_ok(append_one(db, r));
}

/* The steps of the best, with a mark for what it rests on. */
static const char *best_of(struct fixture *f, struct db *db, struct db_want want)
{
	struct db_record r;
	int found = db_best(db, f->a, &want, &r);

	assert_ok(found);
	return found ? arena_printf(f->a, "%s%s%s", r.steps, r.estimate ? "~" : "",
				    r.final ? "!" : "") : "";
}

/* Kernels of another algorithm are left out where sums are wanted as written. */
static void test_exact(void **state)
{
	struct fixture *f = *state;
	struct db *db = fixture_open(f, f->path);

	put(db, f, "derive 3 winograd 4; vectorize 3 4", TRIAL_OK, 1, 1);
	assert_string_equal(best_of(f, db, (struct db_want){ .exact = true }), "");
	put(db, f, "vectorize 3 4", TRIAL_OK, 2, 1);
	assert_string_equal(best_of(f, db, (struct db_want){ .exact = true }), "vectorize 3 4");
	put(db, f, "derive 3 ragged_1d 4; vectorize 3 4", TRIAL_OK, 1.2, 1);
	put(db, f, "derive 3 polyphase 2; vectorize 3 4", TRIAL_OK, 1.3, 1);
	assert_string_equal(best_of(f, db, (struct db_want){ .exact = true }), "vectorize 3 4");
	assert_string_equal(best_of(f, db, any), "derive 3 winograd 4; vectorize 3 4");
	put(db, f, "derive 3 padded 4; vectorize 3 4", TRIAL_OK, 1.5, 1);	/* the sum as written */
	assert_string_equal(best_of(f, db, (struct db_want){ .exact = true }), "derive 3 padded 4; vectorize 3 4");
	db_close(db);
}

static void test_surest(void **state)
{
	struct fixture *f = *state;
	struct db *db = fixture_open(f, f->path);
	struct db_record_vec top;
	struct db_stats s;

	/* Estimates alone, then beside a trial, then a trial beside a confirmed one. */
	put_estimate(db, f, "guessed", 1);
	assert_string_equal(best_of(f, db, any), "guessed~");
	assert_string_equal(best_of(f, db, (struct db_want){ .measured = true }), "");
	assert_ok(db_stats(db, f->a, &s));
	assert_true(s.tasks[0].estimate && !s.tasks[0].confirmed && s.tasks[0].best_us == 1);
	put(db, f, "tried", TRIAL_OK, 5, 1);
	assert_string_equal(best_of(f, db, any), "tried");
	put(db, f, "confirmed", TRIAL_OK, 6, 1);
	put_final(db, f, "confirmed", 9);
	assert_string_equal(best_of(f, db, any), "confirmed!");
	assert_ok(db_stats(db, f->a, &s));
	assert_true(!s.tasks[0].estimate && s.tasks[0].confirmed && s.tasks[0].best_us == 9);
	assert_ok(db_top(db, f->a, &any, DB_FASTEST, 9, &top));
	assert_int_equal(top.n, 3);
	assert_string_equal(top.at[0].steps, "guessed");
	/* A trial, or a guess, of what was confirmed changes nothing; a later confirmation does,
	 * and so does a run that was wrong. */
	put(db, f, "confirmed", TRIAL_OK, 2, 9999);
	put_estimate(db, f, "confirmed", 1);
	assert_string_equal(best_of(f, db, any), "confirmed!");
	put_final(db, f, "tried", 8);
	assert_string_equal(best_of(f, db, any), "tried!");
	put_final(db, f, "tried", 10);
	assert_string_equal(best_of(f, db, any), "confirmed!");
	put(db, f, "confirmed", TRIAL_WRONG, 0, 1);
	assert_string_equal(best_of(f, db, any), "tried!");
	db_close(db);
}

static void hear(void *user, const struct tell *t)
{
	struct text *heard = user;

	assert_int_equal(t->kind, TELL_WARNING);
	text_printf(heard, "%s\n", t->line);
}

/* What is damaged is passed over by whatever reads records, and told once. */
static void test_damaged_records(void **state)
{
	struct fixture *f = *state;
	struct db *db = fixture_open(f, f->path);
	struct text heard = { 0 };
	struct db_record_vec all;

	put(db, f, "hash", TRIAL_OK, 1, 1);
	put(db, f, "time", TRIAL_OK, 2, 1);
	put(db, f, "blob", TRIAL_OK, 3, 1);
	put(db, f, "good", TRIAL_OK, 4, 1);
	struct db_record r = fixture_record(f, "median", TRIAL_OK, 5);

	r.counted = "111";
	assert_ok(append_one(db, r));
	assert_string_equal(best_of(f, db, any), "hash");
	assert_ok(sql_run(db, "", "UPDATE records SET steps = 'hush' WHERE id = 1", ""));
	assert_ok(sql_run(db, "", "UPDATE records SET time_us = 0.5 WHERE id = 2", ""));
	assert_ok(sql_run(db, "", "UPDATE records SET samples = x'01' WHERE id = 3", ""));
	assert_ok(sql_run(db, "", "UPDATE records SET time_us = 5.01 WHERE id = 5", ""));
	db_listen(db, &(struct listener){ hear, &heard });
	for (int i = 0; i < 2; i++)
		assert_string_equal(best_of(f, db, any), "good");
	assert_ok(db_records(db, f->a, &any, &all));
	assert_int_equal(all.n, 1);
	static const char *const says[] = {
		"t.db: record 1 is skipped: the hash of its steps is wrong (`hone db check",
		"record 2 is skipped: its time, 0.5 us, is not among its samples, 1.5 to 3 us",
		"record 3 is skipped: its list of samples is no array of doubles",
		"record 5 is skipped: its time, 5.01 us, is neither a sample that counts, 3.75 to 7.5 us, nor their median, 5 us",
	};

	for (int i = 0; i < 4; i++) {
		const char *first = strstr(text_str(&heard), says[i]);

		if (!first || strstr(first + 1, says[i]))
			fail_msg("'%s' does not say '%s' once", text_str(&heard), says[i]);
	}
	text_free(&heard);
	db_close(db);
}

static void test_skipped(void **state)
{
	struct fixture *f = *state;
	struct db *db = fixture_open(f, f->path);
	const struct db_want want = {
		.task_key = KEY_A, .fingerprint = "d0", .toolchain = "gcc 12 -O3", .threads = 1,
		.cache = "warm",
	};
	struct db_record r = fixture_record(f, "fast", TRIAL_OK, 1);
	struct db_record best;
	struct db_skipped skipped;

	put(db, f, "slow", TRIAL_OK, 100, 1);
	assert_ok(db_skipped(db, f->a, &want, &skipped));
	assert_int_equal(skipped.n, 0);
	assert_string_equal(skipped.why, "");
	r.device = db_device(db, "d1", "{}");
	assert_ok(append_one(db, r));
	r.device = f->device;
	r.toolchain = db_toolchain(db, "clang 14");
	assert_ok(append_one(db, r));
	r.toolchain = f->toolchain;
	r.threads = 2;
	assert_ok(append_one(db, r));
	r.threads = 1;
	r.cache = "cold";
	assert_ok(append_one(db, r));
	assert_int_equal(db_best(db, f->a, &want, &best), 1);
	assert_string_equal(best.steps, "slow");
	assert_int_equal(db_best(db, f->a, &task_a, &best), 1);
	assert_string_equal(best.steps, "fast");
	assert_ok(db_skipped(db, f->a, &want, &skipped));
	assert_int_equal(skipped.n, 4);
	assert_string_equal(skipped.why,
			    "1 of another device, 1 built by another toolchain (clang 14), "
			    "1 with another number of threads, 1 with another cache state");
	assert_int_equal(count_of(db, "records"), 5);
	db_close(db);
}

static int stop_at_second(void *ctx, const struct db_record *r)
{
	int *seen = ctx;

	assert_non_null(r->steps);
	return ++*seen == 2 ? 42 : 0;
}

static void test_each(void **state)
{
	struct fixture *f = *state;
	struct db *db = fixture_open(f, f->path);
	int seen = 0;

	put(db, f, "a", TRIAL_OK, 1, 1);
	put(db, f, "b", TRIAL_OK, 1, 2);
	put(db, f, "c", TRIAL_OK, 1, 3);
	assert_int_equal(db_each(db, &any, stop_at_second, &seen), 42);
	assert_int_equal(seen, 2);
	assert_int_equal(db_each(db, &any, stop_at_second, &seen), 0);
	assert_int_equal(seen, 5);
	db_close(db);
}

struct past {
	const struct fixture *f;
	const struct db_task *task;
	int n;
	char steps[8];		/* the first letter of each */
	char devices[8];	/* the last letter of each fingerprint */
};

static int add_past(void *ctx, const struct db_past *p)
{
	struct past *seen = ctx;

	assert_int_equal(p->record->task, p->task->id);
	assert_int_equal(p->record->device, p->device->id);
	assert_string_equal(p->task->text, FIXTURE_TEXT);
	assert_true(!seen->task || seen->task == p->task);
	seen->task = p->task;
	seen->steps[seen->n] = p->record->steps[0];
	seen->devices[seen->n++] = p->record->fingerprint[1];
	return 0;
}

static void test_past(void **state)
{
	struct fixture *f = *state;
	struct db *db = fixture_open(f, f->path);
	struct db_want want = { .fingerprint = "d0" };
	struct past here = { 0 }, elsewhere = { 0 }, all = { 0 };
	int64_t here_id = f->device;

	put(db, f, "a", TRIAL_OK, 1, 1);
	put(db, f, "b", TRIAL_CRASH, 0, 3);
	put(db, f, "c", TRIAL_OK, 1, 2);	/* by a clock that was set back */
	f->device = db_device(db, "d1", "{\"cores\": 8}");
	put(db, f, "d", TRIAL_OK, 1, 4);
	f->device = here_id;
	assert_ok(db_each_past(db, &want, 2, add_past, &here));
	assert_string_equal(here.steps, "cb");
	want.elsewhere = true;
	assert_ok(db_each_past(db, &want, 2, add_past, &elsewhere));
	assert_string_equal(elsewhere.steps, "d");
	assert_string_equal(elsewhere.devices, "1");
	assert_ok(db_each_past(db, &any, 9, add_past, &all));
	assert_string_equal(all.steps, "dcba");
	db_close(db);
}

static void test_rounds(void **state)
{
	struct fixture *f = *state;
	struct db *db = fixture_open(f, f->path);
	struct db_record r = fixture_record(f, "a", TRIAL_OK, 5);
	struct db_round round = fixture_round(f, 5);
	struct db_batch batch = { .records = &r, .n = 1, .round = &round };
	struct db_round_vec out;

	batch.campaign = start_campaign(f, db, "s");
	assert_ok(db_append(db, &batch));
	/* Nothing is known but what must be. */
	round = (struct db_round){ .task = f->task, .seconds = { NAN, -1, INFINITY, 0, 1, 2 },
				     .beside_s = -1 };
	assert_ok(db_append(db, &batch));
	/* A batch without one leaves a gap, not a wrong number. */
	batch.round = NULL;
	assert_ok(db_append(db, &batch));
	batch.round = &round;
	assert_ok(db_append(db, &batch));
	/* A round of no task, and nothing of its batch is there. */
	round.task = 77;
	assert_int_equal(db_append(db, &batch), -1);
	assert_int_equal(count_of(db, "records"), 4);
	assert_ok(db_rounds(db, f->a, batch.campaign, &out));
	assert_int_equal(out.n, 3);
	const struct db_round *first = &out.at[0], *second = &out.at[1];

	assert_true(first->campaign == batch.campaign && first->number == 1);
	assert_true(first->task == f->task && first->created == 1000 && first->best_us == 5);
	assert_string_equal(first->task_key, KEY_A);
	assert_true(first->trials == 8 && first->failed == 2 && first->refused == 3);
	assert_true(first->seconds[PHASE_SEARCH] == 0.5 && first->seconds[PHASE_LEARN] == 0.25);
	assert_true(first->seconds[PHASE_BUILD] == 4 && first->seconds[PHASE_WAIT] == 0);
	assert_true(first->beside_s == 3);
	assert_true(first->quality.samples == 6 && first->quality.recall == 0.5);
	assert_true(first->quality.rank == -0.25 && first->quality.accuracy == 0.75);
	assert_true(second->number == 2 && second->best_us == 0 && second->created > 1000000);
	for (int i = 0; i < PHASE_RUN; i++)
		assert_true(isnan(second->seconds[i]));
	assert_true(second->seconds[PHASE_WAIT] == 2 && isnan(second->beside_s));
	assert_true(second->quality.samples == 0 && isnan(second->quality.recall));
	assert_int_equal(out.at[2].number, 4);
	assert_ok(db_rounds(db, f->a, 77, &out));
	assert_int_equal(out.n, 0);
	assert_sound(db);
	db_close(db);
}

/* Some known, some new, one twice: each has its id. */
static void test_many_tasks(void **state)
{
	struct fixture *f = *state;
	struct db *db = fixture_open(f, f->path);
	const struct db_task tasks[] = {
		{ .key = KEY_B, .name = "b", .text = "" },
		{ .key = KEY_A, .name = "a", .text = "" },
		{ .key = KEY_B, .name = "b", .text = "" },
	};
	int64_t ids[3], again[3];

	assert_ok(db_add_tasks(db, tasks, 3, ids));
	assert_int_equal(ids[1], f->task);
	assert_true(ids[0] > 0 && ids[0] != ids[1] && ids[0] == ids[2]);
	assert_ok(db_add_tasks(db, tasks, 3, again));
	assert_memory_equal(ids, again, sizeof(ids));
	assert_int_equal(count_of(db, "tasks"), 2);
	/* All or none. */
	const struct db_task bad[] = { { .key = "0123456789abcdef0123456789abcdef", .name = "c",
					 .text = "" },
				       { .key = "short", .name = "d", .text = "" } };

	assert_int_equal(db_add_tasks(db, bad, 2, ids), -1);
	assert_int_equal(count_of(db, "tasks"), 2);
	assert_sound(db);
	db_close(db);
}

static void test_campaign_tasks(void **state)
{
	struct fixture *f = *state;
	struct db *db = fixture_open(f, f->path);
	struct db_record r[3] = { fixture_record(f, "a", TRIAL_OK, 5),
				  fixture_record(f, "b", TRIAL_CRASH, 0),
				  fixture_record(f, "a", TRIAL_OK, 6) };
	struct db_batch batch = { .records = r, .n = 3 };
	struct db_task_stats_vec tasks;
	struct db_record newest;
	struct db_campaign c;

	assert_int_equal(db_campaign(db, f->a, 1, &c), 0);
	batch.campaign = start_campaign(f, db, "mm");
	assert_ok(db_campaign_tasks(db, f->a, batch.campaign, &tasks));
	assert_int_equal(tasks.n, 0);
	assert_int_equal(db_campaign_record(db, f->a, batch.campaign, &newest), 0);
	r[2].final = true;	/* re-measured: the figure counts, not the trial */
	r[2].created = 1;	/* by a clock that was set back */
	assert_ok(db_append(db, &batch));
	/* Found by another campaign, and by another number of threads. */
	put(db, f, "faster", TRIAL_OK, 4, 1);
	r[0] = fixture_record(f, "a", TRIAL_OK, 1);
	r[0].threads = 8;
	assert_ok(append_one(db, r[0]));
	assert_ok(db_task(db, &(struct db_task){ .key = KEY_B, .name = "idle", .text = "" }));
	assert_ok(db_campaign_tasks(db, f->a, batch.campaign, &tasks));
	assert_int_equal(tasks.n, 1);
	assert_string_equal(tasks.at[0].task.key, KEY_A);
	assert_true(tasks.at[0].n_trials == 2 && tasks.at[0].trials[TRIAL_CRASH] == 1);
	assert_true(tasks.at[0].best_us == 6 && tasks.at[0].confirmed);
	assert_int_equal(db_campaign_record(db, f->a, batch.campaign, &newest), 1);
	assert_true(newest.final && newest.threads == 1);
	assert_int_equal(db_campaign(db, f->a, batch.campaign, &c), 1);
	assert_true(c.seen >= c.created && c.seen <= clock_wall() && c.rounds == 1);
	db_close(db);
}

static void test_batch_is_whole(void **state)
{
	struct fixture *f = *state;
	struct db *db = fixture_open(f, f->path);
	const struct db_campaign like = { .device = f->device, .source = "mm", .seed = ~0ull };
	struct db_campaign c;
	struct db_record r[2] = { fixture_record(f, "a", TRIAL_OK, 5),
				  fixture_record(f, "b", TRIAL_OK, 0) };
	struct db_batch batch = { .records = r, .n = 2, .state = "one", .state_bytes = 3 };

	assert_int_equal(db_campaign_enter(db, f->a, &like, true, &(struct db_calibration){ 0 }, &c),
			 DB_ENTER_NEW);
	batch.campaign = c.id;
	/* An ok record without a time is refused, and takes its batch with it. */
	assert_int_equal(db_append(db, &batch), -1);
	assert_err("saving a batch");
	assert_int_equal(count_of(db, "records"), 0);
	assert_int_equal(db_campaign_find(db, f->a, "mm", NULL, f->device, &c), 1);
	assert_true(c.search == NULL && c.rounds == 0 && c.seed == ~0ull);
	r[1] = fixture_record(f, "b", TRIAL_OK, 6);
	assert_ok(db_append(db, &batch));
	batch.state = NULL;
	assert_ok(db_append(db, &batch));
	assert_int_equal(db_campaign_find(db, f->a, "mm", "{}", f->device, &c), 1);
	assert_int_equal(c.search_bytes, 3);
	assert_memory_equal(c.search, "one", 3);
	assert_int_equal(c.rounds, 2);
	r[0].task = 999;
	assert_int_equal(db_append(db, &batch), -1);
	assert_int_equal(count_of(db, "records"), 4);
	assert_sound(db);
	db_close(db);
}

static void test_campaign_life(void **state)
{
	struct fixture *f = *state;
	struct db *db = fixture_open(f, f->path), *second;
	struct db_batch batch = { .state = "s", .state_bytes = 1 };
	struct db_campaign c;
	struct db_campaign_vec all;

	assert_int_equal(db_campaign_find(db, f->a, "mm", NULL, f->device, &c), 0);
	batch.campaign = start_campaign(f, db, "mm");
	assert_ok(db_append(db, &batch));
	second = db_open(f->path, DB_MODIFY);
	assert_non_null(second);
	assert_int_equal(db_campaign_find(second, f->a, "mm", NULL, f->device, &c), 1);
	assert_true(c.id == batch.campaign && c.state == CAMPAIGN_RUNNING && c.rounds == 1);
	/* As if killed here: another process goes on. */
	db_close(db);
	assert_ok(db_campaigns(second, f->a, &all));
	assert_int_equal(all.at[0].state, CAMPAIGN_KILLED);
	go_on(f, second, "mm");
	assert_ok(db_append(second, &batch));
	db = db_open(f->path, DB_MODIFY);
	assert_non_null(db);
	assert_ok(db_campaign_end(second, c.id, CAMPAIGN_STOPPED));
	assert_int_equal(db_campaign_find(db, f->a, "mm", "{\"x\":1}", f->device, &c), 0);
	assert_int_equal(db_campaign_find(db, f->a, "mm", "{}", f->device + 1, &c), 0);
	assert_int_equal(db_campaign_find(db, f->a, "mm", "{}", f->device, &c), 1);
	assert_true(c.state == CAMPAIGN_STOPPED && c.ended > 0 && c.rounds == 2);
	go_on(f, db, "mm");
	assert_ok(db_append(db, &batch));
	assert_ok(db_campaign_end(db, c.id, CAMPAIGN_DONE));
	assert_int_equal(db_campaign_find(db, f->a, "mm", "{}", f->device, &c), 0);
	assert_ok(db_campaigns(db, f->a, &all));
	assert_int_equal(all.n, 1);
	assert_true(all.at[0].state == CAMPAIGN_DONE && all.at[0].rounds == 3);
	/* Nobody is at work any more. */
	assert_int_equal(access(arena_printf(f->a, "%s-campaigns", f->path), F_OK), -1);
	db_close(second);
	db_close(db);
}

static void test_campaign_enter(void **state)
{
	struct fixture *f = *state;
	struct db *db = fixture_open(f, f->path), *second = db_open(f->path, DB_MODIFY);
	struct db_campaign like = { .device = f->device, .source = "mm", .options = "{}" }, c, other;
	const struct db_calibration speed = { .fixed_us = 50, .probed = 9, .peak = { 100, 190 },
					      .l1 = { 300, 600 }, .mem = { 15, 28 } };
	struct db_record r = fixture_record(f, "a", TRIAL_OK, 5), best;
	struct db_sitting_vec v;

	assert_int_equal(db_campaign_enter(db, f->a, &like, false, &speed, &c), DB_ENTER_NEW);
	assert_int_equal(db_campaign_enter(second, f->a, &like, false, &speed, &other),
			 DB_ENTER_HELD);
	assert_err("campaign 1 of ");
	assert_err(arena_printf(f->a, "by process %d on ", (int)getpid()));
	/* Another one, and one of its own, do not wait for it. */
	assert_int_equal(db_campaign_enter(second, f->a, &like, true, &speed, &other),
			 DB_ENTER_NEW);
	assert_ok(db_campaign_end(second, other.id, CAMPAIGN_DONE));
	assert_ok(db_append(db, &(struct db_batch){ .campaign = c.id, .records = &r, .n = 1 }));
	assert_int_equal(db_best(db, f->a, &(struct db_want){ 0 }, &best), 1);
	assert_ok(db_sittings(second, f->a, c.id, &v));
	assert_int_equal(v.n, 1);
	assert_true(best.sitting == v.at[0].id && v.at[0].pid == getpid() && v.at[0].ended == 0);
	assert_memory_equal(&v.at[0].calibration, &speed, sizeof(speed));
	assert_ok(db_campaign_end(db, c.id, CAMPAIGN_STOPPED));
	assert_ok(db_sittings(second, f->a, c.id, &v));
	assert_true(v.at[0].ended > 0);
	assert_sound(db);
	db_close(second);
	db_close(db);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_new, fixture_free)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_round_trip), TEST(test_identities), TEST(test_best),
		TEST(test_exact), TEST(test_surest), TEST(test_damaged_records),
		TEST(test_skipped), TEST(test_each), TEST(test_past), TEST(test_rounds),
		TEST(test_many_tasks), TEST(test_campaign_tasks), TEST(test_batch_is_whole),
		TEST(test_campaign_life), TEST(test_campaign_enter),
	};

	return cmocka_run_group_tests_name("db", tests, NULL, NULL);
}
