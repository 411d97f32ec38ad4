/* SPDX-License-Identifier: Apache-2.0 */
/* search/campaign/turn.c - a task's turn in a campaign: a round, or a confirmation, and its records. */
#include "base/err.h"
#include "base/hash.h"
#include "search/campaign/campaign.h"
#include "search/campaign/debug.h"
#include "search/trust/evidence.h"

/* Candidates that are measured in turn when the best are measured again. */
enum { CONFIRM = 6 };

/* Nothing can be measured of task I, and the message says why: the others go on without it. 1, or -1
 * where it is the last. */
static int leave_out(struct tuner *t, int i)
{
	struct tuned *u = &t->tuned[i];
	bool last = true;

	u->failure = arena_strdup(t->arena, err_get());
	u->done = CAUSE_REFUSED;
	t->scheduler.at[i].done = true;
	for (int j = 0; j < t->n; j++)
		last &= t->tuned[j].done == CAUSE_REFUSED;
	if (last)
		return -1;
	listener_tell(&t->options.listener, TELL_WARNING, "%s is left out: %s", u->task->name,
		      u->failure);
	return 1;
}

/* 0, or 1 where the task is left out; -1 and a message. */
static int begin_task(struct tuner *t, int i)
{
	const struct tuned *u = &t->tuned[i];

	if (i == t->current)
		return 0;
	t->current = -1;
	if (u->done == CAUSE_REFUSED)
		return 1;
	int rc = t->measurer->begin(t->measurer, u->task, t->scheduler.at[i].best_us);

	if (rc != 0)
		return rc < 0 ? -1 : leave_out(t, i);
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

/* How a trial failed, and the first line of what was said of it. */
static const char *failure_of(struct arena *a, const struct trial *trial)
{
	const char *text = trial->text ? trial->text : "";

	return arena_printf(a, "%s: %.*s", trial_status_name(trial->status),
			    (int)strcspn(text, "\n"), text);
}

/* What the batch means for the campaign. */
static void note(struct tuner *t, int i, const struct batch *b)
{
	double best = 0;

	for (int j = 0; j < b->n; j++) {
		const struct trial *trial = &b->at[j].trial;

		bool failed = trial->status != TRIAL_OK && trial->status != TRIAL_LOST_RACE;

		t->failed += failed;
		if (failed && !t->tuned[i].failure)
			t->tuned[i].failure = failure_of(t->arena, trial);
		if (trial->status == TRIAL_OK && (best == 0 || trial->time_us < best))
			best = trial->time_us;
	}
	if (best > 0 && best < t->scheduler.at[i].best_us)
		t->scheduler.at[i].confirmed = false;
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

	int rc = begin_task(t, i);

	if (rc != 0)
		return rc < 0 ? -1 : 0;
	arena_reset(t->scratch);
	struct batch b = batch_new(t->scratch, batch_size(t, i));
	struct rng rng = round_rng(t, u);
	struct round r;

	if (round_play(t->strategy, tuner_problem(t, i), t->measurer, t->scratch, &rng, &b, &r) < 0)
		return -1;
	t->search_s += r.search_s;
	t->learn_s += r.learn_s;
	dump(t, u, &b);
	note(t, i, &b);
	u->trials += b.n;
	t->trials += b.n;
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

/* Of one task: what is to be measured again, and what was in earlier rounds of it. */
struct confirmation {
	struct tuner *t;
	const struct tuned *u;
	struct batch batch;
	struct hash_vec VEC(struct hash128) tried;	/* steps; in the campaign's arena */
};

static bool was_tried(const struct confirmation *c, struct hash128 steps)
{
	for (int i = 0; i < c->tried.n; i++)
		if (hash_equal(c->tried.at[i], steps))
			return true;
	return false;
}

/* False where the record does not replay, which is told. */
static bool recall(struct confirmation *c, const struct db_record *r, struct candidate *out)
{
	struct arena *a = c->t->scratch;
	const struct problem *p = &c->u->problem;

	if (candidate_recall(p, a, arena_strdup(a, r->steps), out)) {
		if (candidate_emit(p, a, out))
			return true;
		err_set("its C cannot be written");
	}
	db_skip(c->t->db, r->id, err_get());
	return false;
}

/* From the fastest on: what no confirmation has seen, as long as there is room, and then the
 * fastest that one has, to be compared with. */
static int pick(void *user, const struct db_record *r)
{
	struct confirmation *c = user;
	bool full = c->batch.n == CONFIRM - 1;
	struct candidate one;

	if ((full && !r->final) || !recall(c, r, &one))
		return 0;
	bool confirmed = evidence_confirmed(r, evidence_of(r, one.trial.source));

	if (confirmed && c->batch.n == 0)
		return 1;	/* the fastest of all: there is nothing to do */
	if (!confirmed && (full || was_tried(c, r->steps_hash)))
		return 0;
	c->batch.at[c->batch.n++] = one;
	vec_push(c->t->arena, &c->tried, r->steps_hash);
	return confirmed;
}

/* 1, or 0 where nothing is left to confirm. */
static int confirm_some(struct confirmation *c, int i)
{
	struct tuner *t = c->t;
	struct db_want want = tuner_want(t, c->u->task);
	struct phases earlier = t->measurer->spent;
	struct round r = { 0 };

	want.measured = true;
	arena_reset(t->scratch);
	c->batch = batch_new(t->scratch, CONFIRM);
	if (db_each_standing(t->db, &want, DB_FASTEST, pick, c) < 0)
		return -1;
	if (c->batch.n == 0)
		return 0;
	int rc = begin_task(t, i);

	if (rc != 0)
		return rc < 0 ? -1 : 0;
	if (t->measurer->confirm(t->measurer, t->scratch, c->batch.at, c->batch.n) < 0)
		return -1;
	struct phases spent = minus(&t->measurer->spent, &earlier);

	return tuner_append(t, i, &c->batch, &r, &spent, true) < 0 ? -1 : 1;
}

int tuner_confirm(struct tuner *t, int i)
{
	struct confirmation c = { .t = t, .u = &t->tuned[i] };
	int rounds = 0, rc = t->measurer->confirm != NULL;

	/* Each round measures one at least that was not yet; so it ends. */
	while (rc > 0 && !tuner_stopped(t))
		if ((rc = confirm_some(&c, i)) > 0)
			rounds++;
	if (rc >= 0 && rounds > 0)
		rc = tuner_load_best(t, i);
	return rc < 0 ? -1 : rounds > 0;
}
