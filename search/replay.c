/* SPDX-License-Identifier: Apache-2.0 */
/* search/replay.c - recorded answers, and a stand-in fitted to them. */
#include "search/replay.h"

#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/hash.h"
#include "search/round.h"

/* Nor is any nearer to the floor than timings tell apart. */
#define LEAST_EXCESS 1e-3

enum { MIN_RECORDS = 32, MAX_ROUNDS = 300, STAND_IN_SEED = 1 };

/* No time is less than this part of the fastest record's. */
#define NEAREST 0.98

struct answer {
	struct hash128 steps;
	enum trial_status status;
	double time_us;		/* observed; 0: it failed */
	const char *message;
	struct feature_matrix features;
};

struct replay {
	struct measurer m;	/* first */
	const struct recording *recording;
	struct target target;
	struct arena *arena;	/* of the present task */
	struct problem problem;
	struct answer_vec VEC(struct answer) answers;	/* by hash */
	struct model *stand_in;
	double floor_us;	/* no program is faster */
	double scale;		/* microseconds times score */
	double deviation;	/* of the logarithm of the time above the floor */
};

/* --- the recording of a task */

static int by_hash(const void *a, const void *b)
{
	const struct answer *x = a, *y = b;

	if (x->steps.hi != y->steps.hi)
		return x->steps.hi < y->steps.hi ? -1 : 1;
	return (x->steps.lo > y->steps.lo) - (x->steps.lo < y->steps.lo);
}

/* The trial itself, not its later confirmation: that is what a search got to see. */
static int take_record(void *user, const struct db_record *record)
{
	struct replay *r = user;
	struct answer one = {
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

static const struct answer *look_up(const struct replay *r, const char *steps)
{
	struct answer key = { .steps = hash_bytes(steps, strlen(steps)) };

	return bsearch(&key, r->answers.at, (size_t)r->answers.n, sizeof(key), by_hash);
}

/* --- the stand-in */

/* NULL and a message where learning fails. */
static struct model *fit(const struct replay *r, int begin, int step)
{
	struct cost_options o = { .seed = STAND_IN_SEED, .threads = 1, .max_rounds = MAX_ROUNDS };
	struct cost_sample *samples = arena_many(r->arena, struct cost_sample, r->answers.n);
	struct model *m = cost_model_xgboost.create(&o);
	int n = 0;

	for (int i = begin; i < r->answers.n; i += step) {
		const struct answer *one = &r->answers.at[i];

		if (one->time_us > 0)
			samples[n++] = (struct cost_sample){
				.rows = one->features.rows, .n_rows = one->features.n_rows,
				.throughput = (float)(1 / one->time_us),
			};
	}
	if (cost_model_xgboost.learn(m, samples, n, NULL) == 0)
		return m;
	cost_model_xgboost.free(m);
	return NULL;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *x, int n)
{
	qsort(x, (size_t)n, sizeof(*x), by_value);
	return n ? x[n / 2] : 0;
}

/* Recorded time times score, of every STEP-th record from BEGIN on; returns how many. */
static int products(const struct replay *r, const struct model *m, int begin, int step,
		    double *out)
{
	int n = 0;

	for (int i = begin; i < r->answers.n; i += step) {
		const struct answer *one = &r->answers.at[i];
		float score;

		if (one->time_us <= 0)
			continue;
		cost_model_xgboost.score(m, &one->features, 1, &score);
		out[n++] = one->time_us * (double)score;
	}
	return n;
}

/* What the arithmetic takes at the device's peak; or near the fastest record, for of what is faster
 * than all that was seen the recording knows nothing. */
static double floor_of(const struct replay *r, const struct task *t)
{
	const struct recording *from = r->recording;
	double peak_us = t->flop / device_peak(from->device, from->want.threads) * 1e-3;
	double fastest = 0;

	for (int i = 0; i < r->answers.n; i++) {
		double us = r->answers.at[i].time_us;

		if (us > 0 && (fastest == 0 || us < fastest))
			fastest = us;
	}
	return peak_us > NEAREST * fastest && peak_us < fastest ? peak_us : NEAREST * fastest;
}

static double above_floor(const struct replay *r, double us)
{
	return fmax(us - r->floor_us, LEAST_EXCESS * r->floor_us);
}

/* The error on the half that a model of the other half has not seen: 1.4826 times the median
 * absolute deviation is the standard deviation of a normal distribution (Rousseeuw and Croux
 * 1993), and a few outliers do not change it. */
static double error_of(const struct replay *r, const struct model *half, double *x)
{
	int n = products(r, half, 0, 2, x), unseen = 0;
	double scale = median(x, n);

	for (int i = 1; i < r->answers.n; i += 2) {
		const struct answer *one = &r->answers.at[i];
		float score;

		if (one->time_us <= 0)
			continue;
		cost_model_xgboost.score(half, &one->features, 1, &score);
		x[unseen++] = fabs(log(above_floor(r, one->time_us) /
				       above_floor(r, scale / (double)score)));
	}
	return 1.4826 * median(x, unseen);
}

static int fit_stand_in(struct replay *r, const struct task *t)
{
	double *x = arena_many(r->arena, double, r->answers.n + 1);
	struct model *half = fit(r, 0, 2);

	if (!half)
		return -1;
	r->floor_us = floor_of(r, t);
	r->deviation = error_of(r, half, x);
	cost_model_xgboost.free(half);
	r->stand_in = fit(r, 0, 1);
	if (!r->stand_in)
		return -1;
	r->scale = median(x, products(r, r->stand_in, 0, 1, x));
	return 0;
}

/* A standard normal number that belongs to STEPS (Box and Muller 1958). */
static double normal_of(const char *steps)
{
	struct rng rng = rng_seed(hash_bytes(steps, strlen(steps)).lo);
	double u = 1 - rng_unit(&rng), v = rng_unit(&rng);

	return sqrt(-2 * log(u)) * cos(2 * acos(-1) * v);
}

static double stand_in_us(const struct replay *r, struct arena *a, const struct candidate *c)
{
	struct feature_matrix m = c->features;
	float score;

	if (m.n_rows == 0 && !features_of(a, c->program, &r->target.cost, &m))
		return 0;
	cost_model_xgboost.score(r->stand_in, &m, 1, &score);
	double excess = above_floor(r, r->scale / (double)score) *
			exp(r->deviation * normal_of(c->steps));

	return r->floor_us + above_floor(r, r->floor_us + excess);
}

/* --- answers */

static int begin(struct measurer *m, const struct task *t, double incumbent_us)
{
	struct replay *r = (struct replay *)m;
	struct db_want want = r->recording->want;

	(void)incumbent_us;
	arena_reset(r->arena);
	if (r->stand_in)
		cost_model_xgboost.free(r->stand_in);
	r->stand_in = NULL;
	r->answers = (struct answer_vec){ 0 };
	r->problem = (struct problem){ .task = t, .target = &r->target, .describes = true };
	want.task_key = t->key;
	want.measured = true;
	if (db_each(r->recording->db, &want, take_record, r) < 0)
		return -1;
	if (r->answers.n < MIN_RECORDS)
		return err_set("%s: has %d records of %s, too few to replay; record %d with hone "
			       "tune", r->recording->path, r->answers.n, t->name, MIN_RECORDS);
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
	const struct replay *r = (const struct replay *)m;

	for (int i = 0; i < n; i++) {
		const struct answer *known = look_up(r, c[i].steps);
		double us = known ? known->time_us : stand_in_us(r, a, &c[i]);

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

	if (r->stand_in)
		cost_model_xgboost.free(r->stand_in);
	arena_free(r->arena);
	free(r);
}

struct measurer *measurer_replay(const struct recording *recording)
{
	struct replay *r = calloc(1, sizeof(*r));

	if (!r)
		die("out of memory for a replay");
	*r = (struct replay){
		.m = { .begin = begin, .measure = measure, .free = release },
		.recording = recording,
		.target = target_of(recording->device, recording->want.threads),
		.arena = arena_new(),
	};
	r->m.toolchain = arena_printf(recording->arena, "replay of %s", recording->want.toolchain);
	return &r->m;
}
