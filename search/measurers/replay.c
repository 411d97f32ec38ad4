/* SPDX-License-Identifier: Apache-2.0 */
/* search/measurers/replay.c - recorded answers, and a stand-in fitted to them. */
#include "search/measurers/replay.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/hash.h"
#include "search/campaign/round.h"

enum { MIN_RECORDS = 32 };

struct replay_answer {
	struct hash128 steps;
	enum trial_status status;
	double time_us;		/* observed; 0: it failed */
	const char *message;
	struct feature_matrix features;
};

struct replay {
	struct measurer m;	/* first */
	const struct recording *recording;
	const struct cost_model *kind;	/* of the stand-in */
	struct target target;
	struct arena *arena;	/* of the present task */
	struct problem problem;
	struct answer_vec VEC(struct replay_answer) answers;	/* by hash */
	struct stand_in stand_in;
	struct replay_answers given;	/* of the present task */
};

/* --- the recording of a task */

static int by_hash(const void *a, const void *b)
{
	const struct replay_answer *x = a, *y = b;

	if (x->steps.hi != y->steps.hi)
		return x->steps.hi < y->steps.hi ? -1 : 1;
	return (x->steps.lo > y->steps.lo) - (x->steps.lo < y->steps.lo);
}

/* The trial itself, not its later confirmation: that is what a search got to see. */
static int take_record(void *user, const struct db_record *record)
{
	struct replay *r = user;
	struct replay_answer one = {
		.steps = hash_bytes(record->steps, strlen(record->steps)),
		.status = record->status,
		.time_us = observed_us(record->status, record->time_us, record->samples,
				       record->n_samples),
		.message = arena_strdup(r->arena, record->message),
	};
	struct candidate c;

	if (record->final)
		return 0;
	if (!candidate_recall(&r->problem, r->arena, record->steps, &c)) {
		db_skip(r->recording->db, record->id, err_get());
		return 0;
	}
	one.features = c.features;
	vec_push(r->arena, &r->answers, one);
	return 0;
}

static const struct replay_answer *look_up(const struct replay *r, const char *steps)
{
	struct replay_answer key = { .steps = hash_bytes(steps, strlen(steps)) };

	return bsearch(&key, r->answers.at, (size_t)r->answers.n, sizeof(key), by_hash);
}

/* --- the stand-in */

static int fit_stand_in(struct replay *r, const struct task *t)
{
	const struct recording *from = r->recording;
	double peak_us = t->flop / device_peak(from->device, from->want.threads) * 1e-3;
	struct stand_in_sample *samples = arena_many(r->arena, struct stand_in_sample,
						     r->answers.n);
	int n = 0;

	for (int i = 0; i < r->answers.n; i++) {
		const struct replay_answer *one = &r->answers.at[i];

		if (one->time_us > 0)
			samples[n++] = (struct stand_in_sample){ one->features, one->time_us };
	}
	return stand_in_fit(&r->stand_in, r->kind, samples, n, peak_us);
}

/* 0 where the program has no features. */
static double stand_in_us(const struct replay *r, struct arena *a, const struct candidate *c)
{
	struct feature_matrix m = c->features;

	if (m.n_rows == 0 && !features_of(a, c->program, &r->target.cost, &m))
		return 0;
	return stand_in_guess(&r->stand_in, &m, c->steps);
}

/* --- answers */

static int begin(struct measurer *m, const struct task *t, double incumbent_us)
{
	struct replay *r = (struct replay *)m;
	struct db_want want = r->recording->want;

	(void)incumbent_us;
	arena_reset(r->arena);
	r->answers = (struct answer_vec){ 0 };
	r->given = (struct replay_answers){ 0 };
	r->problem = (struct problem){ .task = t, .target = &r->target, .describes = true };
	want.task_key = t->key;
	want.measured = true;
	if (db_each(r->recording->db, &want, take_record, r) < 0)
		return -1;
	if (r->answers.n < MIN_RECORDS) {
		err_set("%s: has %d records of %s, too few to replay; record %d with hone tune",
			r->recording->path, r->answers.n, t->name, MIN_RECORDS);
		return 1;
	}
	qsort(r->answers.at, (size_t)r->answers.n, sizeof(*r->answers.at), by_hash);
	return fit_stand_in(r, t);
}

static void tell(struct trial *t, struct arena *a, enum trial_status status, double us,
		 const char *message)
{
	double *sample = arena_one(a, double);

	*sample = us;
	t->status = status;
	t->text = message;
	t->samples = sample;
	t->n_samples = us > 0;
	t->counted = "1";
	t->time_us = us;
}

static int measure(struct measurer *m, struct arena *a, struct candidate *c, int n)
{
	struct replay *r = (struct replay *)m;

	for (int i = 0; i < n; i++) {
		const struct replay_answer *known = look_up(r, c[i].steps);
		double us = known ? known->time_us : stand_in_us(r, a, &c[i]);

		*(known ? &r->given.recorded : &r->given.guessed) += 1;
		if (known)
			tell(&c[i].trial, a, known->status, us, known->message);
		else
			tell(&c[i].trial, a, us > 0 ? TRIAL_OK : TRIAL_BUILD_ERROR, us,
			     "answered by a stand-in");
		c[i].trial.estimate = !known;
	}
	return 0;
}

static void release(struct measurer *m)
{
	struct replay *r = (struct replay *)m;

	stand_in_drop(&r->stand_in);
	arena_free(r->arena);
	free(r);
}

struct replay_answers replay_answers(const struct measurer *m)
{
	const struct replay *r = (const struct replay *)m;
	struct replay_answers given = r->given;

	given.records = r->answers.n;
	given.least_us = stand_in_least(&r->stand_in);
	given.deviation = r->stand_in.deviation;
	return given;
}

struct measurer *measurer_replay(const struct recording *recording, const struct cost_model *kind)
{
	struct replay *r = calloc(1, sizeof(*r));

	if (!r)
		die("out of memory for a replay");
	*r = (struct replay){
		.m = { .begin = begin, .measure = measure, .free = release },
		.recording = recording,
		.kind = kind,
		.target = target_of(recording->device, recording->want.threads),
		.arena = arena_new(),
	};
	r->m.toolchain = arena_printf(recording->arena, "replay of %s", recording->want.toolchain);
	return &r->m;
}
