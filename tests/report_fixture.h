/* SPDX-License-Identifier: Apache-2.0 */
/* tests/report_fixture.h - a database of a campaign that never was: for a model, on a device that does not
 * exist, with as many tasks and trials as one asks for.
 *
 * Of each task a few candidates are sampled, which are its fastest trials; the others are these with sizes
 * changed, and nobody has to replay them. The first candidate is confirmed. */
#ifndef HONE_TESTS_REPORT_FIXTURE_H
#define HONE_TESTS_REPORT_FIXTURE_H

#include "measure/device/calibration.h"
#include "schedule/text/step_text.h"
#include "search/kernel_text.h"
#include "search/trust/evidence.h"
#include "tests/recording_fixture.h"

#define REPORT_NAME "<script>alert(1)</script> & \"quotes\" 'here'"
#define REPORT_MESSAGE "killed by <b>signal 11</b> at 0x%x"

enum {
	REPORT_CANDIDATES = 4,	/* sampled for a task */
	REPORT_BATCH = 10,	/* trials of a round */
	REPORT_BEGAN = 1700000000,
};

struct made_report {
	struct fixture *f;
	struct db *db;
	const struct device *device;
	int64_t device_id, toolchain, campaign;
	int n_tasks, n_trials;
	const struct task **tasks;
	int64_t *ids;
	struct candidate (*candidates)[REPORT_CANDIDATES];
	double seconds;
};

/* The candidate whose own steps trial N has; -1: it has those of one with sizes changed. */
static inline int made_candidate(const struct made_report *m, int n)
{
	int at = n - m->n_trials / 2;

	return at >= 0 && at < REPORT_CANDIDATES ? at : -1;
}

static inline bool made_failed(const struct made_report *m, int n)
{
	return n % 16 == 1 && made_candidate(m, n) < 0;
}

/* No two of a task are alike. */
static inline double made_us(const struct made_report *m, int task, int n)
{
	int c = made_candidate(m, n);

	return c >= 0 ? 10 + task + c : 4 * (10 + task) + n * 37 % 101 + n * 0.001;
}

static inline const char *made_steps(const struct made_report *m, int task, int n)
{
	int c = made_candidate(m, n), sizes[] = { 1 << n % 6, 1 << n / 6 % 6, 1 + n / 36 % 14 };
	const char *steps = m->candidates[task][c < 0 ? n % REPORT_CANDIDATES : c].steps;

	for (int i = 0, from = 0; c < 0 && i < 3; i++) {
		const char *split = strstr(steps + from, "split ");

		if (!split)
			break;
		const char *size = split + strcspn(split, ";");

		while (size[-1] != ' ')
			size--;
		from = (int)(size - steps);
		steps = arena_printf(m->f->a, "%.*s%d%s", from, steps, sizes[i],
				     size + strspn(size, "0123456789"));
	}
	return steps;
}

static inline struct db_record made_trial(const struct made_report *m, int task, int n)
{
	struct db_record r = fixture_record(m->f, made_steps(m, task, n), TRIAL_OK, made_us(m, task, n));

	r.task = m->ids[task];
	r.device = m->device_id;
	r.toolchain = m->toolchain;
	r.trial = n;
	r.ratio = r.time_us / (50 + n % 3);
	r.created = REPORT_BEGAN + n;
	if (made_failed(m, n)) {
		r.status = n % 32 == 1 ? TRIAL_CRASH : TRIAL_WRONG;
		r.time_us = r.ratio = r.n_samples = 0;
		r.message = arena_printf(m->f->a, REPORT_MESSAGE, n);
	}
	return r;
}

/* What the tuner would have written of its state, as far as anybody but it reads that. */
static inline char *made_state(const struct made_report *m)
{
	json_t *weights = json_object(), *trials = json_object();

	for (int i = 0; i < m->n_tasks; i++) {
		json_object_set_new(weights, m->tasks[i]->key, json_real(i % 3 + 1));
		json_object_set_new(trials, m->tasks[i]->key, json_integer(m->n_trials));
	}
	json_t *all = json_pack("{s:o, s:o, s:f, s:s}", "weights", weights, "trials", trials, "seconds",
				m->seconds, "stopped_by", "--trials");
	char *text = json_dumps(all, JSON_COMPACT);

	json_decref(all);
	return text;
}

/* Trials FROM to END of one task as a round. */
static inline void made_round(struct made_report *m, int task, int from, int end, double *best)
{
	struct db_record records[REPORT_BATCH];
	struct db_round round = fixture_round(m->f, 0);

	round.task = m->ids[task];
	round.trials = end - from;
	round.failed = 0;
	for (int n = from; n < end; n++) {
		records[n - from] = made_trial(m, task, n);
		round.failed += made_failed(m, n);
		if (!made_failed(m, n) && (*best == 0 || made_us(m, task, n) < *best))
			*best = made_us(m, task, n);
	}
	round.best_us = *best;
	m->seconds += 7.75;	/* of the phases of fixture_round() */
	char *state = made_state(m);

	assert_ok(db_append(m->db, &(struct db_batch){ .campaign = m->campaign, .records = records,
						       .n = end - from, .state = state,
						       .state_bytes = strlen(state), .round = &round }));
	free(state);
}

/* The first candidate, timed again in turn with three others. */
static inline void made_final(struct made_report *m, int task)
{
	struct db_record r = made_trial(m, task, m->n_trials / 2);
	struct state *s = state_parse(m->f->a, m->tasks[task]->dag, "steps", r.steps);

	assert_non_null(s);
	r.final = true;
	r.others = 3;
	r.time_us *= 1.02;
	r.hone = "0";
	r.source_hash = evidence_hash(m->f->a, state_source(m->f->a, s, m->device->target, NULL));
	assert_ok(db_append(m->db, &(struct db_batch){ .campaign = m->campaign, .records = &r, .n = 1 }));
}

static inline void made_task(struct made_report *m, int i)
{
	struct arena *a = m->f->a;
	const char *spec = arena_printf(a, "matmul:m=%d,n=16,k=%d", 8 + i, 16 + i % 5);
	const struct dag *dag = operator_build(a, spec);
	const struct task *t = task_new(a, dag, i ? spec : REPORT_NAME, 1);
	struct aim aim = aim_of(m->device, 1);
	struct rng rng = rng_seed(7 + (uint64_t)i);
	struct problem p = { .task = t, .sketches = sketches_of(a, dag, &aim), .aim = &aim };

	m->tasks[i] = t;
	m->ids[i] = db_task(m->db, &(struct db_task){ .key = t->key, .name = t->name, .text = t->text,
						       .flop = t->flop });
	for (int c = 0; c < REPORT_CANDIDATES; c++) {
		int refused = 0;

		assert_true(candidate_random(&p, a, &rng, 1000, &refused, &m->candidates[i][c]));
	}
}

static inline void made_device(struct made_report *m)
{
	m->device = device_synthetic(m->f->a, RECORDED_DEVICE);
	assert_non_null(m->device);
	json_t *json = device_json(m->device);
	char *text = json_dumps(json, JSON_COMPACT);

	m->device_id = db_device(m->db, m->device->fingerprint, text);
	m->toolchain = db_toolchain(m->db, "cc <1>");
	free(text);
	json_decref(json);
}

/* Writes it at F's path; what it wrote. */
static inline struct made_report report_make(struct fixture *f, int n_tasks, int n_trials)
{
	struct made_report m = { .f = f, .n_tasks = n_tasks, .n_trials = n_trials };
	struct db_campaign c;

	m.db = db_open(f->path, DB_WRITE);
	assert_non_null(m.db);
	m.tasks = arena_many(f->a, const struct task *, n_tasks);
	m.ids = arena_many(f->a, int64_t, n_tasks);
	m.candidates = arena_alloc(f->a, sizeof(*m.candidates) * (size_t)n_tasks);
	made_device(&m);
	struct db_calibration now = calibration_of(m.device);
	struct db_campaign like = { .device = m.device_id, .source = "model <x>.onnx", .options = "{\"a\": \"</code>\"}" };

	for (int i = 0; i < n_tasks; i++)
		made_task(&m, i);
	assert_int_equal(db_campaign_enter(m.db, f->a, &like, true, &now, &c), DB_ENTER_NEW);
	m.campaign = c.id;
	for (int i = 0; i < n_tasks; i++) {
		double best = 0;

		for (int n = 0; n < n_trials; n += REPORT_BATCH)
			made_round(&m, i, n, n + REPORT_BATCH < n_trials ? n + REPORT_BATCH : n_trials, &best);
		made_final(&m, i);
	}
	assert_ok(db_campaign_end(m.db, m.campaign, CAMPAIGN_DONE));
	db_close(m.db);
	return m;
}

#endif
