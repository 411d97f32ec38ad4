/* SPDX-License-Identifier: Apache-2.0 */
/* search/measurers/replay.c - recorded answers, and a stand-in fitted to them. */
#include "search/measurers/replay.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/hash.h"
#include "search/campaign/round.h"
#include "search/measurers/answered.h"

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
	struct aim aim;
	struct arena *arena;	/* of the present task */
	struct arena *own;	/* its life */
	struct problem problem;
	struct answer_vec VEC(struct replay_answer) answers;	/* by hash */
	struct stand_in stand_in;
	struct replay_answers given;	/* of the present task */
	char current[HASH_TEXT];	/* the key of that task; "": none */
	struct answered_vec told;	/* batches that were not collected */
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

/* 0 where the steps make no program. */
static double stand_in_us(const struct replay *r, struct arena *a, const char *steps)
{
	struct candidate c;

	if (!candidate_recall(&r->problem, a, steps, &c))
		return 0;
	return stand_in_guess(&r->stand_in, &c.features, steps);
}

/* --- answers */

int replay_begin(struct measurer *m, const struct task *t)
{
	struct replay *r = (struct replay *)m;
	struct db_want want = r->recording->want;

	if (strcmp(r->current, t->key) == 0)
		return 0;
	r->current[0] = '\0';
	arena_reset(r->arena);
	r->answers = (struct answer_vec){ 0 };
	r->given = (struct replay_answers){ 0 };
	r->problem = (struct problem){ .task = t, .aim = &r->aim, .describes = true };
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
	if (fit_stand_in(r, t) < 0)
		return -1;
	memcpy(r->current, t->key, sizeof(r->current));
	return 0;
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

static void answer(struct replay *r, struct arena *a, const struct job *job, struct trial *t)
{
	const struct replay_answer *known = look_up(r, job->steps);
	double us = known ? known->time_us : stand_in_us(r, a, job->steps);

	*(known ? &r->given.recorded : &r->given.guessed) += 1;
	if (known)
		tell(t, a, known->status, us, arena_strdup(a, known->message));
	else
		tell(t, a, us > 0 ? TRIAL_OK : TRIAL_BUILD_ERROR, us, "answered by a stand-in");
	t->estimate = !known;
}

static int submit(struct measurer *m, const struct job_batch *b)
{
	struct replay *r = (struct replay *)m;
	struct answered told = answered_new(b->n);

	told.rc = replay_begin(m, b->task);
	if (told.rc != 0)
		told.why = arena_strdup(told.arena, err_get());
	for (int i = 0; i < b->n && told.rc == 0; i++)
		answer(r, told.arena, &b->jobs[i], &told.trials[i]);
	vec_push(r->own, &r->told, told);
	return 0;
}

static int collect(struct measurer *m, struct arena *a, struct trial *results)
{
	return answered_collect(&((struct replay *)m)->told, a, results, NULL);
}

static void release(struct measurer *m)
{
	struct replay *r = (struct replay *)m;

	stand_in_drop(&r->stand_in);
	answered_drop(&r->told);
	arena_free(r->arena);
	arena_free(r->own);
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
		.m = { .submit = submit, .collect = collect, .free = release },
		.recording = recording,
		.kind = kind,
		.aim = aim_of(recording->device, recording->want.threads, cache_state_alone(recording->want.cache)),
		.arena = arena_new(),
		.own = arena_new(),
	};
	r->m.toolchain = arena_printf(recording->arena, "replay of %s", recording->want.toolchain);
	return &r->m;
}
