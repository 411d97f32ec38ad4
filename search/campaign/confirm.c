/* SPDX-License-Identifier: Apache-2.0 */
/* search/campaign/confirm.c - the fastest of a task are measured again, and a task that nothing can be measured of
 * is left out. */
#include "base/err.h"
#include "search/campaign/campaign.h"
#include "search/measurers/ask.h"
#include "search/trust/evidence.h"

/* Candidates that are measured in turn when the best are measured again. */
enum { CONFIRM = 6 };

int tuner_leave_out(struct tuner *t, int i)
{
	struct tuned *u = &t->tuned[i];
	bool last = true, told = u->done == CAUSE_REFUSED;

	u->failure = arena_strdup(t->arena, err_get());
	u->done = CAUSE_REFUSED;
	t->scheduler.at[i].done = true;
	for (int j = 0; j < t->n; j++)
		last &= t->tuned[j].done == CAUSE_REFUSED;
	if (last)
		return -1;
	if (!told)
		listener_tell(&t->options.listener, TELL_WARNING, "%s is left out: %s",
			      u->task->name, u->failure);
	return 0;
}

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
	int rc = ask_and_wait(t->measurer, t->scratch, c->u->task, t->scheduler.at[i].best_us,
			      c->batch.at, c->batch.n, true);

	if (rc != 0)
		return rc < 0 ? -1 : tuner_leave_out(t, i);
	struct phases spent = phases_minus(&t->measurer->spent, &earlier);

	return tuner_append(t, i, &c->batch, &r, &spent, true) < 0 ? -1 : 1;
}

int tuner_confirm(struct tuner *t, int i)
{
	struct confirmation c = { .t = t, .u = &t->tuned[i] };
	int rounds = 0, rc = tuner_confirms(t) && t->tuned[i].done != CAUSE_REFUSED;

	/* Each round measures one at least that was not yet; so it ends. */
	while (rc > 0 && !tuner_stopped(t))
		if ((rc = confirm_some(&c, i)) > 0)
			rounds++;
	if (rc >= 0 && rounds > 0)
		rc = tuner_load_best(t, i);
	return rc < 0 ? -1 : rounds > 0;
}

int tuner_confirm_targets(struct tuner *t)
{
	for (int i = 0; i < t->n && tuner_confirms(t); i++) {
		if (t->tuned[i].done != CAUSE_TARGET || t->scheduler.at[i].confirmed)
			continue;
		if (tuner_land(t) < 0 || tuner_confirm(t, i) < 0)
			return -1;
		tuner_settle(t, i);
	}
	return 0;
}
