/* SPDX-License-Identifier: Apache-2.0 */
/* tests/recording_fixture.h - a recording of a device that does not exist, for replays.
 *
 * Times go by how much of the busiest store is unrolled and by the loops around it, on which the
 * analytic model does not set such prices, with a deviation that belongs to the steps: a landscape
 * that is rugged and that the prior does not know, but that can be learned. */
#ifndef HONE_TESTS_RECORDING_FIXTURE_H
#define HONE_TESTS_RECORDING_FIXTURE_H

#include <math.h>

#include "search/measurers/replay.h"
#include "search/space/genes/candidate.h"
#include "te/operator.h"
#include "tests/db_fixture.h"

#define RECORDED_DEVICE                                                                            \
	"synthetic:l3:1(size=8MiB) l2:2(size=1MiB) l1:1(size=32KiB) core:1 pu:1 isa=avx2"

/* Of a record; one in so many failed. */
enum { RECORDED_FAILURES = 16 };
#define RECORDED_DEVIATION 0.3
/* Of the best program; the turns that it writes out, as a power of 2; what each doubling away from
 * that costs, and each loop outside. */
#define RECORDED_US 50
#define RECORDED_UNROLL 2.0
#define RECORDED_APART 1.5
#define RECORDED_LOOP 1.1

static inline double recorded_us(const struct feature_matrix *m)
{
	const float *busiest = m->rows;

	for (int i = 1; i < m->n_rows; i++)
		if (m->rows[i * FEATURE_COUNT + FEATURE_FLOP] > busiest[FEATURE_FLOP])
			busiest = m->rows + i * FEATURE_COUNT;
	double apart = fabs((double)busiest[FEATURE_UNROLL_PRODUCT] - RECORDED_UNROLL);

	return RECORDED_US * pow(RECORDED_APART, apart) *
	       pow(RECORDED_LOOP, (double)busiest[FEATURE_OUTER_LOOPS]);
}

static inline struct db_record record_random(const struct problem *p, struct arena *a,
					     struct rng *rng)
{
	double *us = arena_one(a, double);
	struct candidate c;
	int refused = 0;

	assert_true(candidate_random(p, a, rng, 1000, &refused, &c));
	bool ok = hash_bytes(c.steps, strlen(c.steps)).hi % RECORDED_FAILURES != 0;

	*us = recorded_us(&c.features) * exp(RECORDED_DEVIATION * (rng_unit(rng) - 0.5));
	return (struct db_record){
		.threads = 1,
		.steps = c.steps,
		.status = ok ? TRIAL_OK : TRIAL_CRASH,
		.samples = us,
		.n_samples = ok,
		.time_us = ok ? *us : 0,
	};
}

static inline void record_task(struct db *db, struct arena *a, const struct device *d,
			       const char *spec, int n)
{
	const struct dag *dag = operator_build(a, spec);
	struct db_record *records = arena_many(a, struct db_record, n);
	struct aim aim = aim_of(d, 1);
	struct rng rng = rng_seed(7);

	assert_non_null(dag);
	const struct task *t = task_new(a, dag, spec, 1);
	struct problem p = { .task = t, .sketches = sketches_of(a, dag, &aim), .aim = &aim,
			     .describes = true };
	struct db_task row = { .key = t->key, .name = t->name, .text = t->text, .flop = t->flop };
	json_t *json = device_json(d);
	char *text = json_dumps(json, JSON_COMPACT);
	int64_t device = db_device(db, d->fingerprint, text), task = db_task(db, &row);
	int64_t toolchain = db_toolchain(db, "none");

	for (int i = 0; i < n; i++) {
		records[i] = record_random(&p, a, &rng);
		records[i].device = device;
		records[i].toolchain = toolchain;
		records[i].task = task;
		records[i].trial = i;
	}
	assert_ok(db_append(db, &(struct db_batch){ .records = records, .n = n }));
	free(text);
	json_decref(json);
}

/* Records N random candidates of each of the SPECS in a new database at PATH. */
static inline void recording_make(const char *path, const char *const *specs, int n_specs, int n)
{
	struct arena *a = arena_new();
	const struct device *d = device_synthetic(a, RECORDED_DEVICE);
	struct db *db = db_open(path, DB_WRITE);

	assert_non_null(d);
	assert_non_null(db);
	for (int i = 0; i < n_specs; i++)
		record_task(db, a, d, specs[i], n);
	db_close(db);
	arena_free(a);
}

#endif
