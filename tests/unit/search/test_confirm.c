/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/search/test_confirm.c - how a campaign ends. The best is confirmed: against lucky trials, texts that have changed
 * since, records that do not replay, and confirmations that fail; tasks that cannot be begun are left
 * out; on a machine that is made up. Then finals are held, and the journal says how far they are. */
#include <math.h>

#include "base/version.h"
#include "tests/fixture/db_fixture.h"

#include "search/best.h"
#include "search/campaign/tuner.h"
#include "tests/fake/made_up_measurer.h"
#include "te/operator.h"

#define SPEC "matmul:m=24,n=32,k=16"
#define DEVICE "synthetic:l2:1(size=1MiB) core:1 pu:1 isa=avx2"

enum { TRIALS = 48, LUCK = 3 };

/* A machine whose trials are faster than the truth, some by LUCK; confirmations tell it. */
struct lucky_machine {
	struct made_up_measurer made_up;	/* first */
	int confirmations;	/* rounds of them */
	int confirmed;		/* candidates */
	int unsteady;		/* so many candidates time out in a confirmation */
	sig_atomic_t stop;	/* the campaign is to, */
	int batches;		/* after so many; 0: never */
	const char *hard;	/* a task that does not begin; NULL: none */
	int hard_rc;		/* what begin says of it */
};

static double truth(uint64_t number)
{
	return 100 + (double)(number % 1000) / 10;
}

static void confirm(struct lucky_machine *machine, struct arena *a, const struct job *job,
		    uint64_t number, struct trial *out)
{
	assert_non_null(job->source);
	if (machine->unsteady-- > 0)
		out->status = TRIAL_TIMEOUT;
	else
		made_up_time(a, out, truth(number));
}

static int answer(struct made_up_measurer *m, struct arena *a, const struct job_batch *b,
		  struct trial *results)
{
	struct lucky_machine *machine = (struct lucky_machine *)m;

	if (machine->hard && strcmp(b->task->name, machine->hard) == 0) {
		err_set("it is too hard");
		return machine->hard_rc;
	}
	if (b->again) {
		machine->confirmations++;
		machine->confirmed += b->n;
	} else {
		machine->stop = machine->batches > 0 && --machine->batches == 0;
	}
	for (int i = 0; i < b->n; i++) {
		const char *steps = b->jobs[i].steps;
		uint64_t number = hash_bytes(steps, strlen(steps)).lo;

		if (b->again)
			confirm(machine, a, &b->jobs[i], number, &results[i]);
		else
			made_up_time(a, &results[i],
				     truth(number) / (double)(1 + number / 1000 % LUCK));
	}
	return 0;
}

static void hear(void *user, const struct tell *t)
{
	if (t->kind == TELL_WARNING)
		text_printf(user, "%s\n", t->line);
}

/* A scene: the task, and what its campaigns print. */
struct scene {
	struct fixture *f;
	struct task_vec tasks;
	struct device *device;
	struct lucky_machine machine;
	struct text heard;
	int (*finals)(void *user, const struct finals_call *call);
};

static struct scene set_up(struct fixture *f)
{
	struct scene s = { .f = f, .device = device_synthetic(f->a, DEVICE) };

	assert_non_null(s.device);
	s.machine.made_up = (struct made_up_measurer){ made_up_measurer(), .answer = answer };
	vec_push(f->a, &s.tasks, task_new(f->a, operator_build(f->a, SPEC), SPEC, 1));
	return s;
}

/* Tunes with a budget, and returns what tuner_run() does; what the machine was asked is counted anew. */
static int try(struct scene *s, struct budget budget, uint64_t seed)
{
	struct db *db = db_open(s->f->path, DB_WRITE);
	const struct tuner_options o = { .source = SPEC, .strategy = "random", .threads = 1,
					 .measurer = &s->machine.made_up.m, .budget = budget, .seed = seed,
					 .stop = &s->machine.stop, .finals = s->finals,
					 .listener = { hear, &s->heard } };

	assert_non_null(db);
	db_listen(db, &o.listener);
	s->machine.stop = 0;
	s->machine.confirmations = s->machine.confirmed = 0;
	struct tuner *t = tuner_new(db, s->device, &s->tasks, &o);

	if (!t)
		fail_msg("%s", err_get());
	int rc = tuner_run(t);

	tuner_free(t);
	assert_sound(db);
	db_close(db);
	return rc;
}

static void play(struct scene *s, struct budget budget, uint64_t seed)
{
	assert_int_equal(try(s, budget, seed), 0);
}

static struct best fastest_in(struct scene *s)
{
	struct db *db = db_open(s->f->path, DB_READ);
	struct best b = { 0 };

	assert_non_null(db);
	assert_int_equal(task_fastest(s->f->a, db, s->tasks.at[0], (struct db_want){ 0 },
				      s->device->target, &b), 1);
	db_close(db);
	return b;
}

static struct best best_in(struct scene *s)
{
	struct db *db = db_open(s->f->path, DB_READ);
	struct best b = { 0 };

	assert_non_null(db);
	assert_int_equal(task_best(s->f->a, db, s->tasks.at[0], (struct db_want){ 0 },
				   s->device->target, &b), 1);
	db_close(db);
	return b;
}

static void change(struct scene *s, const char *sql)
{
	struct db *db = db_open(s->f->path, DB_MODIFY);

	assert_non_null(db);
	assert_ok(sql_run(db, "changing", sql, ""));
	db_close(db);
}

/* The fastest of all is a confirmed one, and is what every question for the best gets. */
static void assert_confirmed(struct scene *s)
{
	struct best fastest = fastest_in(s), surest = best_in(s);

	assert_int_equal(fastest.record.id, surest.record.id);
	assert_true(evidence_confirmed(&surest.record, surest.evidence));
	assert_string_equal(evidence_caveat(s->f->a, &surest.record, surest.evidence), "");
	assert_true(surest.record.time_us >= 100);	/* no luck is left in it */
}

static void luck_does_not_win(void **state)
{
	struct scene s = set_up(*state);

	play(&s, (struct budget){ .trials = TRIALS }, 1);
	assert_confirmed(&s);
	/* A sixth of the trials is luckier than any truth: one round of six cannot be enough. */
	assert_true(s.machine.confirmations > 1);
	const struct db_record r = best_in(&s).record;

	assert_true(r.others > 0 && r.n_samples == 1);
	assert_string_equal(r.hone, version_stamp());
	assert_int_equal(r.trial, TRIALS);
	text_free(&s.heard);
}

/* A target that only a lucky trial reaches does not end the task. */
static void targets_are_confirmed(void **state)
{
	struct scene s = set_up(*state);
	double gflops = s.tasks.at[0]->flop / 90 * 1e-3;	/* the truth is 100 us at least */

	play(&s, (struct budget){ .trials = TRIALS, .gflops = gflops }, 1);
	assert_confirmed(&s);
	struct db *db = db_open(s.f->path, DB_READ);

	assert_int_equal(count_of(db, "records WHERE final = 0"), TRIALS);
	db_close(db);
	text_free(&s.heard);
}

/* What was measured with another text is measured again before anything else counts. */
static void changed_texts_are_measured_again(void **state)
{
	struct scene s = set_up(*state);

	play(&s, (struct budget){ .trials = TRIALS }, 1);
	struct best b = best_in(&s);
	int64_t first = b.record.id;

	/* Of one: the next that was confirmed is the best. Of all: the fastest, with a mark. */
	change(&s, arena_printf(s.f->a, "UPDATE records SET source_hash = '" KEY_A "' WHERE id = %jd",
				(intmax_t)first));
	b = best_in(&s);
	assert_true(evidence_confirmed(&b.record, b.evidence) && b.record.id != first);
	change(&s, "UPDATE records SET source_hash = '" KEY_A "'");
	b = best_in(&s);
	assert_int_equal(b.record.id, first);

	assert_int_equal(b.evidence, EVIDENCE_CHANGED);
	assert_string_equal(evidence_caveat(s.f->a, &b.record, b.evidence),
			    "text changed since it was measured");
	play(&s, (struct budget){ .trials = 8 }, 2);
	assert_true(s.machine.confirmed > 0);
	assert_confirmed(&s);
	/* The same of records that do not say. */
	change(&s, "UPDATE records SET source_hash = NULL");
	b = best_in(&s);
	assert_int_equal(b.evidence, EVIDENCE_UNKNOWN);
	play(&s, (struct budget){ .trials = 8 }, 3);
	assert_confirmed(&s);
	text_free(&s.heard);
}

/* One that cannot be replayed, though its hash is right, is passed over and named. */
static void broken_steps_are_skipped(void **state)
{
	struct scene s = set_up(*state);
	char hash[HASH_TEXT];

	play(&s, (struct budget){ .trials = TRIALS }, 1);
	int64_t id = best_in(&s).record.id;

	hash_text(hash_bytes("bogus", 5), hash);
	change(&s, arena_printf(s.f->a, "UPDATE records SET steps = 'bogus', steps_hash = '%s' "
				"WHERE steps = (SELECT steps FROM records WHERE id = %jd)", hash,
				(intmax_t)id));
	play(&s, (struct budget){ .trials = 8 }, 2);
	assert_confirmed(&s);
	const char *says = arena_printf(s.f->a, "record %jd is skipped: its steps:1:1: expected a "
					"step", (intmax_t)id);

	if (!strstr(text_str(&s.heard), says))
		fail_msg("'%s' does not say '%s'", text_str(&s.heard), says);
	text_free(&s.heard);
}

/* The others go on without a task that nothing can be measured of; where that is no fault of the
 * task's, and where it is the last, the campaign ends with the reason. */
static void hard_tasks_are_left_out(void **state)
{
	static const char hard[] = "matmul:m=8,n=8,k=8";
	struct scene s = set_up(*state);

	s.machine.hard = hard;
	s.machine.hard_rc = 1;
	vec_push(s.f->a, &s.tasks, task_new(s.f->a, operator_build(s.f->a, hard), hard, 1));
	play(&s, (struct budget){ .trials = TRIALS }, 1);
	assert_confirmed(&s);
	if (!strstr(text_str(&s.heard), "matmul:m=8,n=8,k=8 is left out: it is too hard"))
		fail_msg("%s", text_str(&s.heard));
	s.machine.hard_rc = -1;
	assert_int_equal(try(&s, (struct budget){ .trials = TRIALS }, 2), -1);
	assert_err("it is too hard");
	s.tasks.n = 1;
	s.machine.hard = SPEC;
	s.machine.hard_rc = 1;
	assert_int_equal(try(&s, (struct budget){ .trials = TRIALS }, 3), -1);
	assert_err("it is too hard");
	text_free(&s.heard);
}

/* A confirmation in which kernels time out says nothing of them, and ends. */
static void failing_confirmations_end(void **state)
{
	struct scene s = set_up(*state);

	s.machine.unsteady = 4;
	play(&s, (struct budget){ .trials = TRIALS }, 1);
	assert_true(s.machine.confirmations > 0);
	struct best b = best_in(&s);

	assert_true(evidence_confirmed(&b.record, b.evidence));
	text_free(&s.heard);
}

static void add(struct scene *s, const char *spec)
{
	vec_push(s->f->a, &s->tasks, task_new(s->f->a, operator_build(s->f->a, spec), spec, 1));
}

/* When the time is over one task is confirmed all the same, and who is not is told; the next campaign
 * does it. */
static void time_ends_confirmation(void **state)
{
	struct scene s = set_up(*state);

	add(&s, "matmul:m=8,n=8,k=8");
	add(&s, "matmul:m=16,n=16,k=16");
	s.machine.batches = 3;
	assert_int_equal(try(&s, (struct budget){ .trials = 1000 }, 1), 1);
	assert_int_equal(s.machine.confirmations, 0);
	play(&s, (struct budget){ .until = 1 }, 1);
	assert_true(s.machine.confirmations > 0);
	if (!strstr(text_str(&s.heard), "2 of 3 tasks stay unconfirmed, for the time is over"))
		fail_msg("%s", text_str(&s.heard));
	assert_confirmed(&s);
	text_free(&s.heard);
	s.heard = (struct text){ 0 };
	play(&s, (struct budget){ .trials = 1 }, 1);
	assert_null(strstr(text_str(&s.heard), "unconfirmed"));
	text_free(&s.heard);
}

/* What the journal of the newest campaign says of finals, in A; "" where it says nothing. */
static const char *journal(const struct finals_call *call, struct scene *s)
{
	struct db *db = db_open(s->f->path, DB_READ);
	struct db_campaign c;

	assert_non_null(db);
	assert_int_equal(db_campaign(db, s->f->a, call->campaign, &c), 1);
	const char *text = arena_strndup(s->f->a, c.search, c.search_bytes);
	const char *found = strstr(text, "\"finals\":");

	db_close(db);
	return found ? found : "";
}

static struct scene *played;

/* Each change of their state is in the journal when it was told. */
static int hold(void *user, const struct finals_call *call)
{
	struct finals_stand stand = { .state = FINALS_BUILDING };

	(void)user;
	assert_true(isinf(call->seconds));
	assert_int_equal(call->work.tasks, 1);
	assert_false(call->work.built);
	assert_true(call->work.run_us == fastest_in(played).record.time_us);
	assert_string_equal(journal(call, played), "");
	assert_ok(call->stand(call->tuner, &stand));
	assert_non_null(strstr(journal(call, played), "\"state\":\"building\""));
	stand = (struct finals_stand){ FINALS_PLAYING, 1, 3, 3, 7, 41 };
	assert_ok(call->stand(call->tuner, &stand));
	assert_non_null(strstr(journal(call, played), "\"state\":\"playing\""));
	assert_non_null(strstr(journal(call, played), "\"round\":7"));
	return 1;
}

/* Finals that are told to stop stop the campaign; the same again goes on with them. */
static void finals_come_last(void **state)
{
	struct scene s = set_up(*state);

	played = &s;
	s.finals = hold;
	assert_int_equal(try(&s, (struct budget){ .trials = TRIALS }, 1), 1);
	assert_confirmed(&s);
	s.finals = NULL;
	play(&s, (struct budget){ .trials = TRIALS }, 1);
	struct db *db = db_open(s.f->path, DB_READ);

	assert_int_equal(count_of(db, "campaigns"), 1);
	db_close(db);
	text_free(&s.heard);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_new, fixture_free)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(luck_does_not_win),
		TEST(targets_are_confirmed),
		TEST(changed_texts_are_measured_again),
		TEST(broken_steps_are_skipped),
		TEST(hard_tasks_are_left_out),
		TEST(failing_confirmations_end),
		TEST(time_ends_confirmation),
		TEST(finals_come_last),
	};

	return cmocka_run_group_tests_name("confirmation", tests, NULL, NULL);
}
