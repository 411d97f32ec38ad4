/* SPDX-License-Identifier: Apache-2.0 */
/* search/campaign/tuner.c - a campaign, round by round. */
#include "search/campaign/tuner.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/machine.h"
#include "measure/device/calibration.h"
#include "measure/device/simulated.h"
#include "search/campaign/admit.h"
#include "search/best.h"
#include "search/campaign/campaign.h"
#include "search/strategies/transfer.h"
#include "search/traffic.h"

struct db_want tuner_want(const struct tuner *t, const struct task *task)
{
	return (struct db_want){
		.task_key = task ? task->key : NULL,
		.fingerprint = t->device->fingerprint,
		.toolchain = t->measurer->toolchain,
		.cache = cache_state_name(t->options.cache),
		.threads = t->options.threads,
		.exact = t->options.exact,
		.from = DB_HERE,
		.now = &t->now,
	};
}

int64_t tuner_resumed(const struct tuner *t)
{
	return t->resumed;
}

int64_t tuner_trials(const struct tuner *t)
{
	return t->trials;
}

const char *tuner_stopped_by(const struct tuner *t)
{
	return t->stopped_by;
}

int tuner_barren(const struct tuner *t)
{
	int n = 0;

	for (int i = 0; i < t->n; i++)
		n += t->scheduler.at[i].best_us <= 0 && t->scheduler.at[i].runs > 0;
	return n;
}

const char *tuner_transferred(const struct tuner *t)
{
	return t->transferred;
}

int tuner_load_best(struct tuner *t, int i)
{
	struct arena *a = arena_new();
	const struct task *task = t->tuned[i].task;
	struct best best;
	int found = task_fastest(a, t->db, task, tuner_want(t, task), t->aim.target,
				 &best);
	/* Where nothing can be measured again, it is as good as it gets. */
	bool stale = found == 1 && best.evidence != EVIDENCE_SAME && t->measurer->confirms;

	if (found >= 0) {
		t->scheduler.at[i].best_us = found && !stale ? best.record.time_us : 0;
		t->scheduler.at[i].confirmed = found && evidence_confirmed(&best.record, best.evidence);
	}
	arena_free(a);
	return found < 0 ? -1 : stale;
}

void tuner_report(struct tuner *t, int i, const char *phase)
{
	const struct task *task = t->tuned[i].task;
	double s = tuner_elapsed(t);
	struct progress p = {
		.task = task,
		.tasks = t->n,
		.task_number = i + 1,
		.trials = t->trials,
		.budget = t->options.budget.trials,
		.failed = t->failed,
		.best_us = t->scheduler.at[i].best_us,
		.estimate = !t->measurer->confirms,
		.gflops = tuner_gflops(t, i),
		.seconds = s,
		.seconds_left = tuner_left_s(t),
		.phase = phase,
	};

	p.peak_share = p.gflops / device_peak(t->device, t->options.threads);
	p.rate = (double)(t->trials - t->resumed) / (s - t->earlier_s + 1e-9);
	listener_send(&t->options.listener, &(struct tell){ .kind = TELL_PROGRESS, .about = &p });
}

int tuner_run(struct tuner *t)
{
	while (!tuner_is_over(t)) {
		if (tuner_round(t, scheduler_next(&t->scheduler)) < 0 ||
		    tuner_confirm_targets(t) < 0)
			return -1;
		scheduler_weigh(&t->scheduler);
	}
	/* Who wants to stop does not want to wait; the next run proposes the same. */
	if (!tuner_stopped(t) && tuner_land(t) < 0)
		return -1;
	tuner_tell_causes(t);
	if (!t->options.scouts && tuner_confirm_all(t) < 0)	/* which begins the untried, however late */
		return -1;
	int finals = tuner_hold_finals(t);

	if (finals < 0 || tuner_save(t) < 0 || tuner_tell_barren(t) < 0)
		return -1;
	tuner_tell_phases(t);
	bool stopped = finals > 0 || tuner_stopped(t);

	if (db_campaign_end(t->db, t->campaign_id, stopped ? CAMPAIGN_STOPPED : CAMPAIGN_DONE) < 0)
		return -1;
	return stopped;
}

/* --- setting up */

static int find_task_ids(struct tuner *t)
{
	struct db_task *rows = arena_many(t->scratch, struct db_task, t->n);
	int64_t *ids = arena_many(t->scratch, int64_t, t->n);

	for (int i = 0; i < t->n; i++) {
		const struct task *task = t->tuned[i].task;

		rows[i] = (struct db_task){ .key = task->key, .name = task->name,
					    .text = task->text, .flop = task->flop };
	}
	if (db_add_tasks(t->db, rows, t->n, ids) < 0)
		return -1;
	for (int i = 0; i < t->n; i++)
		t->tuned[i].task_id = ids[i];
	return 0;
}

static int find_ids(struct tuner *t)
{
	json_t *json = device_json(t->device);
	char *text = json_dumps(json, JSON_COMPACT);

	t->device_id = db_device(t->db, t->device->fingerprint, text ? text : "{}");
	free(text);
	json_decref(json);
	t->toolchain_id = db_toolchain(t->db, t->measurer->toolchain);
	if (t->device_id < 0 || t->toolchain_id < 0)
		return -1;
	return find_task_ids(t);
}

/* What makes two runs the same campaign, but for the budget. */
static char *options_json(const struct tuner *t)
{
	json_t *json = json_pack("{s:s, s:s, s:i, s:s, s:I}", "strategy", t->strategy->name, "toolchain", t->measurer->toolchain,
				 "threads", t->options.threads, "cache", cache_state_name(t->options.cache),
				 "seed", (json_int_t)t->options.seed);

	if (t->cost_model != t->strategy->model)
		json_object_set_new(json, "cost_model", json_string(t->cost_model->name));
	if (t->options.no_transfer)
		json_object_set_new(json, "transfer", json_false());
	if (t->options.exact)
		json_object_set_new(json, "exact", json_true());
	if (t->options.scouts)
		json_object_set_new(json, "scouts", json_true());
	return tuner_text(json);
}

static int find_campaign(struct tuner *t)
{
	char *options = options_json(t);
	const struct tuner_options *o = &t->options;
	struct db_campaign c = { .device = t->device_id, .name = o->name, .note = o->note, .source = o->source,
				 .options = options, .seed = o->seed };
	enum db_entered entered = db_campaign_enter(t->db, t->arena, &c, o->fresh, &t->now, &c);
	int rc = entered < DB_ENTER_NEW ? -1 : 0;

	if (entered == DB_ENTER_HELD && t->options.held)
		*t->options.held = true;
	t->campaign_id = c.id;
	t->goes_on = entered == DB_ENTER_OLD && c.search != NULL;
	if (t->goes_on)
		rc = tuner_load(t, &c);
	else if (rc == 0)
		rc = db_last_record(t->db, &t->lessons_until);
	free(options);
	return rc;
}

/* Says where the device runs at another speed than in the sitting before. */
static int tell_drift(struct tuner *t)
{
	struct db_sitting before;
	const char *what;
	int found = db_sitting(t->db, t->arena, 0, t->device_id, &before);
	double drift = found > 0 ? calibration_drift(&before.calibration, &t->now, &what) : 0;
	struct text day = { 0 };

	if (fabs(drift) <= CALIBRATION_DRIFT)
		return found < 0 ? -1 : 0;
	budget_print_moment(&day, before.began);
	listener_tell(&t->options.listener, TELL_WARNING,
		      "the device is not as fast as it was on %s: %s is %.0f%% %s now; times of then "
		      "are compared by a fixed kernel's", text_str(&day), what, 100 * fabs(drift),
		      drift > 0 ? "faster" : "slower");
	text_free(&day);
	return 0;
}

static int find_strategy(struct tuner *t)
{
	const struct tuner_options *o = &t->options;

	t->strategy = o->own_strategy;
	if (!t->strategy)
		t->strategy = strategy_find(o->strategy ? o->strategy : "evolve");
	if (!t->strategy)
		return err_set("there is no strategy '%s'; there are: %s", o->strategy, strategy_names());
	/* The prior of a simulated device knows its units: kernels were as fast without learning, in three quarters of the time
	 * (ten convolutions, two seeds). */
	if (t->strategy->model)
		t->cost_model = o->cost_model ? o->cost_model
				: device_is_simulated(t->device) ? &cost_model_analytic : t->strategy->model;
	if (t->cost_model)
		t->learner = learner_new(t->cost_model, o->seed);
	return 0;
}

static int find_measurer(struct tuner *t)
{
	const struct tuner_options *o = &t->options;
	struct hardware_options hardware = { .cc = o->cc, .cpus = o->cpus, .limit_s = o->limit_s, .threads = o->threads,
					     .cache = o->cache, .device = t->device, .kept = o->kept, .seed = o->seed,
					     .stop = o->stop, .listener = o->listener };

	t->measurer = o->measurer ? o->measurer : measurer_hardware(&hardware);
	return t->measurer ? 0 : -1;
}

static void pose_problems(struct tuner *t)
{
	for (int i = 0; i < t->n; i++) {
		const struct task *task = t->tuned[i].task;

		t->tuned[i].problem = (struct problem){
			.task = task,
			.aim = &t->aim,
			.history = history_new(),
			.learner = t->learner,
			.group = i,
			.describes = t->learner != NULL,
			.refusals = &t->tuned[i].refusals,
		};
	}
}

const struct problem *tuner_problem(struct tuner *t, int i)
{
	struct problem *p = &t->tuned[i].problem;

	if (p->sketches.n > 0)
		return p;
	p->sketches = sketches_of(t->arena, p->task->dag, p->aim);
	return p;
}

/* What the model knows before the campaign's own records: what other tasks taught. */
static int find_base(struct tuner *t, const struct task_vec *tasks)
{
	const struct transfer from = {
		.db = t->db,
		.device = t->device,
		.device_id = t->device_id,
		.cache = t->options.cache,
		.threads = t->options.threads,
		.model = t->cost_model,
		.tasks = tasks,
		.until = t->lessons_until,
	};

	if (!t->learner || t->options.no_transfer || t->lessons_until == 0)
		return 0;
	return transfer_learn(&from, t->learner, t->arena, &t->transferred);
}

/* Before any of them takes time. */
static int admit_all(const struct task_vec *tasks)
{
	double memory = (double)machine_memory();

	for (int i = 0; i < tasks->n; i++)
		if (task_admit(tasks->at[i], memory) < 0)
			return -1;
	return 0;
}

static int load_task(struct tuner *t, int i)
{
	double heard_us = t->scheduler.at[i].best_us;
	int stale = tuner_load_best(t, i);

	if (stale < 0 || (stale && tuner_confirm(t, i) < 0))
		return -1;
	/* The next batch is proposed as it was, not knowing of this one. */
	if (t->n_flights > 0 && t->flights[0].task == i)
		t->scheduler.at[i].best_us = heard_us;
	tuner_settle(t, i);
	return 0;
}

static int prepare(struct tuner *t, const struct task_vec *tasks)
{
	if (admit_all(tasks) < 0 || find_measurer(t) < 0 || find_strategy(t) < 0)
		return -1;
	pose_problems(t);
	if (find_ids(t) < 0 || kin_list(t->arena, t->db, &t->kin) < 0)
		return -1;
	for (int i = 0; i < t->n; i++) {
		scheduler_bound(&t->scheduler, i, traffic_us(tasks->at[i]->dag, &t->aim));
		if (!t->options.no_transfer)
			scheduler_relate(&t->scheduler, i, kin_number(&t->kin, tasks->at[i]->key));
	}
	if (find_campaign(t) < 0 || tell_drift(t) < 0 || find_base(t, tasks) < 0 || tuner_recall(t) < 0)
		return -1;
	for (int i = 0; i < t->n; i++)
		if (load_task(t, i) < 0)
			return -1;
	if (tuner_confirm_targets(t) < 0)
		return -1;
	scheduler_weigh(&t->scheduler);
	return 0;
}

struct tuner *tuner_new(struct db *db, const struct device *device, const struct task_vec *tasks,
			const struct tuner_options *o)
{
	struct arena *a = arena_new();
	struct tuner *t = arena_one(a, struct tuner);

	t->arena = a;
	t->scratch = arena_new();
	t->options = *o;
	t->began_ns = o->began_ns ? o->began_ns : clock_ns();
	t->db = db;
	t->device = device;
	t->now = calibration_of(device);
	t->aim = aim_of(device, o->threads, o->cache);
	t->aim.exact = o->exact;
	t->n = tasks->n;
	t->tuned = arena_many(a, struct tuned, tasks->n);
	t->trained = -1;
	t->scheduler = scheduler_new(a, tasks, device_peak(device, o->threads), o->weigher);
	for (int i = 0; i < t->n; i++)
		t->tuned[i].task = tasks->at[i];
	if (prepare(t, tasks) < 0) {
		tuner_free(t);
		return NULL;
	}
	return t;
}

void tuner_free(struct tuner *t)
{
	if (!t)
		return;
	learner_free(t->learner);
	for (int i = 0; i < t->n; i++)
		history_free(t->tuned[i].problem.history);
	if (t->measurer)
		t->measurer->free(t->measurer);
	for (int i = 0; i < t->n_flights; i++)
		arena_free(t->flights[i].arena);
	json_decref(t->decided);
	arena_free(t->scratch);
	arena_free(t->arena);
}

int tuner_run_task(struct db *db, const struct device *device, const struct task *t, const struct tuner_options *o)
{
	struct task own = *t, *at = &own;
	struct tuner *tuner = tuner_new(db, device, &(struct task_vec){ .at = &at, .n = 1 }, o);
	int rc = tuner ? tuner_run(tuner) : -1;

	tuner_free(tuner);
	return rc;
}
