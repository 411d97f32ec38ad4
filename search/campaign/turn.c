/* SPDX-License-Identifier: Apache-2.0 */
/* search/campaign/turn.c - a round of a campaign: the order of the calls in tuner_round() is the architecture. */
#include "base/err.h"
#include "base/hash.h"
#include "search/campaign/campaign.h"
#include "search/campaign/debug.h"
#include "search/campaign/seeds.h"
#include "search/measurers/ask.h"

/* --- propose */

int64_t tuner_on_the_way(const struct tuner *t)
{
	int64_t n = 0;

	for (int i = 0; i < t->n; i++)
		n += t->tuned[i].proposed - t->tuned[i].trials;
	return n;
}

static int batch_size(const struct tuner *t, int i)
{
	const struct tuner_options *o = &t->options;
	int64_t trials = o->budget.trials;

	int usual = t->measurer->batch ? t->measurer->batch : TUNER_BATCH;

	return scheduler_batch(&t->scheduler, i, o->batch ? o->batch : usual,
			       trials ? trials - t->trials - tuner_on_the_way(t) : -1);
}

/* The same whatever was tuned before this round, so that a resumed campaign goes on alike. */
static struct rng round_rng(const struct tuner *t, const struct tuned *u)
{
	struct hasher *h = hasher_new();

	hasher_int(h, (int64_t)t->options.seed);
	hasher_str(h, u->task->key);
	hasher_int(h, u->proposed);
	return rng_seed(hasher_end(h).lo);
}

static void dump(const struct tuner *t, const struct tuned *u, const struct batch *b)
{
	const struct tuner_options *o = &t->options;

	for (int i = 0; o->debug && i < b->n; i++) {
		struct text out = { 0 };

		debug_candidate(&out, o->debug, &t->aim, u->task, &b->at[i]);
		listener_send(&o->listener, &(struct tell){ TELL_DUMP, text_str(&out), NULL });
		text_free(&out);
	}
}

/* The seeds of task I, in A, as things stood when its batch was proposed first: from all records but those of the
 * batch that was not learned from when the campaign was interrupted. */
static struct seed_vec seeds(struct tuner *t, int i, struct arena *a)
{
	struct db_want want = tuner_want(t, t->tuned[i].task);

	want.target = device_mark(t->device);
	if (t->flights[0].saved)
		want.until = t->flights[0].before;
	if (t->options.no_transfer || (t->flights[0].saved && want.until == 0))
		return (struct seed_vec){ 0 };
	return seeds_of(a, t->db, tuner_problem(t, i), want, &t->kin);
}

/* The next batch of task I is on its way. */
static struct flight *propose(struct tuner *t, int i)
{
	struct tuned *u = &t->tuned[i];
	struct flight *f = &t->flights[t->n_flights++];
	struct rng rng = round_rng(t, u);

	*f = (struct flight){ .arena = arena_new(), .task = i };
	f->batch = batch_new(f->arena, batch_size(t, i));
	u->problem.ahead = u->proposed - u->heard;
	u->problem.seeds = seeds(t, i, f->arena);
	round_propose(t->strategy, tuner_problem(t, i), f->arena, &rng, &f->batch, &f->round);
	u->proposed += f->batch.n;
	scheduler_sent(&t->scheduler, i, f->batch.n);
	t->search_s += f->round.search_s;
	t->learn_s += f->round.learn_s;
	dump(t, u, &f->batch);
	return f;
}

/* --- submit, collect */

static int submit(struct tuner *t, const struct flight *f)
{
	if (f->batch.n == 0)
		return 0;
	return ask(t->measurer, t->tuned[f->task].task, t->scheduler.at[f->task].best_us,
		   f->batch.at, f->batch.n, false);
}

/* How a trial failed, and the first line of what was said of it. */
static const char *failure_of(struct arena *a, const struct trial *trial)
{
	const char *text = trial->text ? trial->text : "";

	return arena_printf(a, "%s: %.*s", trial_status_name(trial->status),
			    (int)strcspn(text, "\n"), text);
}

/* What became of the batch, in numbers. */
static void count(struct tuner *t, struct tuned *u, const struct batch *b)
{
	for (int i = 0; i < b->n; i++) {
		const struct trial *trial = &b->at[i].trial;
		bool failed = trial->status != TRIAL_OK && trial->status != TRIAL_LOST_RACE;

		t->failed += failed;
		if (failed && !u->failure)
			u->failure = failure_of(t->arena, trial);
	}
	u->trials += b->n;
	t->trials += b->n;
}

/* 0; 1 where nothing can be measured of the task, and -1, with a message. */
static int collect(struct tuner *t, struct flight *f)
{
	struct phases earlier = t->measurer->spent;
	struct batch *b = &f->batch;

	if (f->saved)
		return 0;
	int rc = b->n ? hear_answer(t->measurer, f->arena, b->at, b->n) : 0;

	f->spent = phases_minus(&t->measurer->spent, &earlier);
	if (rc == 0)
		count(t, &t->tuned[f->task], b);
	return rc;
}

/* --- learn, save */

static void learn(struct tuner *t, struct flight *f)
{
	const struct batch *b = &f->batch;
	int i = f->task;
	double best = 0;

	round_learn(tuner_problem(t, i), f->arena, &f->batch);
	for (int j = 0; j < b->n; j++) {
		const struct trial *trial = &b->at[j].trial;

		if (trial->status == TRIAL_OK && (best == 0 || trial->time_us < best))
			best = trial->time_us;
	}
	if (best > 0 && best < t->scheduler.at[i].best_us)
		t->scheduler.at[i].confirmed = false;
	scheduler_heard(&t->scheduler, i, b->n, best);
	t->scheduler.at[i].exhausted = b->n < b->cap;
	t->tuned[i].heard += b->n;
	if (t->learner)
		learner_train(t->learner);
}

static int save(struct tuner *t, const struct flight *f)
{
	if (tuner_append(t, f->task, &f->batch, &f->round, &f->spent, false) < 0)
		return -1;
	tuner_report(t, f->task, "tune");
	tuner_watch(t, &f->batch);
	return 0;
}

/* The oldest is on its way no more. */
static void drop(struct tuner *t)
{
	arena_free(t->flights[0].arena);
	t->n_flights--;
	memmove(t->flights, t->flights + 1, (size_t)t->n_flights * sizeof(*t->flights));
}

static int refuse(struct tuner *t, const struct flight *f)
{
	int i = f->task;

	t->tuned[i].proposed -= f->batch.n;
	t->scheduler.at[i].sent -= f->batch.n;
	return tuner_leave_out(t, i);
}

/* The oldest that is on its way. Where others are, the next was proposed before this one was learned from, and
 * so it is to be when a campaign goes on. */
static int land(struct tuner *t)
{
	struct flight *f = &t->flights[0];
	int i = f->task, rc = collect(t, f);

	arena_reset(t->scratch);
	if (rc == 0) {
		round_judge(f->arena, &f->batch, &f->round);
		if (t->n_flights > 1)
			tuner_decide(t, f);
		learn(t, f);
		if (t->n_flights == 1)
			tuner_decide(t, NULL);
		rc = f->saved ? 0 : save(t, f);
		tuner_settle(t, i);
	} else if (rc > 0) {
		rc = refuse(t, f);
	}
	drop(t);
	return rc;
}

int tuner_round(struct tuner *t, int i)
{
	if (i >= 0 && submit(t, propose(t, i)) < 0)
		return -1;
	if (t->n_flights == 0 || (i >= 0 && t->n_flights <= TUNER_LAG))
		return 0;	/* as the first round, which has nothing to learn from */
	return land(t);
}

int tuner_land(struct tuner *t)
{
	int rc = 0;

	while (t->n_flights > 0 && rc == 0)
		rc = land(t);
	return rc;
}
