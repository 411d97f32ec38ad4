/* SPDX-License-Identifier: Apache-2.0 */
/* search/turn.c - a task's turn in a campaign: a round, or a confirmation, and its records. */
#include "search/campaign.h"
#include "search/debug.h"

/* Candidates that are measured again before one is named best. */
enum { CONFIRM = 6 };

static int begin_task(struct tuner *t, int i)
{
	const struct tuned *u = &t->tuned[i];

	if (i == t->current)
		return 0;
	t->current = -1;
	if (t->measurer->begin(t->measurer, u->task, t->scheduler.at[i].best_us) < 0)
		return -1;
	t->current = i;
	return 0;
}

static int batch_size(const struct tuner *t, int i)
{
	const struct tuner_options *o = &t->options;
	int64_t trials = o->budget.trials;

	return scheduler_batch(&t->scheduler, i, o->batch ? o->batch : TUNER_BATCH,
			       trials ? trials - t->trials : -1);
}

static void dump(const struct tuner *t, const struct tuned *u, const struct batch *b)
{
	const struct tuner_options *o = &t->options;

	for (int i = 0; o->debug && o->dump && i < b->n; i++) {
		struct text out = { 0 };

		debug_candidate(&out, o->debug, &t->target, u->task, &b->at[i]);
		o->dump(o->user, text_str(&out));
		text_free(&out);
	}
}

/* The same whatever was tuned before this round, so that a resumed campaign goes on alike. */
static struct rng round_rng(const struct tuner *t, const struct tuned *u)
{
	struct hasher *h = hasher_new();

	hasher_int(h, (int64_t)t->options.seed);
	hasher_str(h, u->task->key);
	hasher_int(h, u->trials);
	return rng_seed(hasher_end(h).lo);
}

/* What the batch means for the campaign. */
static void note(struct tuner *t, int i, const struct batch *b)
{
	double best = 0;

	for (int j = 0; j < b->n; j++) {
		const struct trial *trial = &b->at[j].trial;

		t->failed += trial->status != TRIAL_OK && trial->status != TRIAL_LOST_RACE;
		if (trial->status == TRIAL_OK && (best == 0 || trial->time_us < best))
			best = trial->time_us;
	}
	scheduler_heard(&t->scheduler, i, b->n, best);
	t->scheduler.at[i].exhausted = b->n < b->cap;
}

static struct phases minus(const struct phases *x, const struct phases *y)
{
	return (struct phases){
		.build = x->build - y->build,
		.run = x->run - y->run,
		.verify = x->verify - y->verify,
		.wait = x->wait - y->wait,
	};
}

int tuner_round(struct tuner *t, int i)
{
	struct tuned *u = &t->tuned[i];
	struct phases earlier = t->measurer->spent;

	if (begin_task(t, i) < 0)
		return -1;
	arena_reset(t->scratch);
	struct batch b = batch_new(t->scratch, batch_size(t, i));
	struct rng rng = round_rng(t, u);
	struct round r;

	if (round_play(t->strategy, &u->problem, t->measurer, t->scratch, &rng, &b, &r) < 0)
		return -1;
	t->search_s += r.search_s;
	t->learn_s += r.learn_s;
	dump(t, u, &b);
	note(t, i, &b);
	u->trials += b.n;
	t->trials += b.n;
	u->unconfirmed |= b.n > 0;
	struct phases spent = minus(&t->measurer->spent, &earlier);

	if (tuner_append(t, i, &b, &r, &spent, false) < 0)
		return -1;
	if (t->learner)
		learner_train(t->learner);
	tuner_report(t, i, "tune");
	tuner_watch(t, &b);
	return tuner_settle(t, i);
}

/* --- confirmation */

int tuner_confirm(struct tuner *t, int i)
{
	struct tuned *u = &t->tuned[i];
	struct db_want want = tuner_want(t, u->task);
	struct db_record_vec top = { 0 };
	struct phases earlier = t->measurer->spent;
	struct round r = { 0 };

	arena_reset(t->scratch);
	if (begin_task(t, i) < 0 || db_top(t->db, t->scratch, &want, DB_FASTEST, CONFIRM, &top) < 0)
		return -1;
	struct batch b = batch_new(t->scratch, CONFIRM);

	for (int j = 0; j < top.n; j++) {
		if (!candidate_recall(&u->problem, t->scratch, top.at[j].steps, &b.at[b.n]))
			return -1;
		b.n += candidate_emit(&u->problem, t->scratch, &b.at[b.n]);
	}
	u->unconfirmed = false;
	if (t->measurer->confirm(t->measurer, t->scratch, b.at, b.n) < 0)
		return -1;
	struct phases spent = minus(&t->measurer->spent, &earlier);

	if (tuner_append(t, i, &b, &r, &spent, true) < 0)
		return -1;
	tuner_load_best(t, i);
	return 0;
}
