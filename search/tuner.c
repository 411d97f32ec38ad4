/* SPDX-License-Identifier: Apache-2.0 */
/* search/tuner.c - a campaign, round by round. */
#include "search/tuner.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/file.h"
#include "search/campaign.h"
#include "search/debug.h"

/* Candidates that are measured again before one is named best, and samples each. */
enum { CONFIRM = 6, CONFIRM_ROUNDS = 15 };

/* Of each task of a model, before any gets more. */
enum { FIRST_BATCH = 8 };

struct db_want tuner_want(const struct tuner *t, const struct task *task)
{
	return (struct db_want){
		.task_key = task->key,
		.fingerprint = t->device->fingerprint,
		.toolchain = builder_toolchain(t->builder),
		.cache = t->options.cache == CACHE_COLD ? "cold" : "warm",
		.threads = t->options.threads,
	};
}

int64_t tuner_resumed(const struct tuner *t)
{
	return t->resumed;
}

/* --- a task's turn */

static void load_best(struct tuner *t, int i)
{
	struct arena *a = arena_new();
	struct db_want want = tuner_want(t, t->tuned[i].task);
	struct db_record best;

	if (db_best(t->db, a, &want, &best) == 1)
		t->scheduled[i].best_us = best.time_us;
	arena_free(a);
}

static int add_seen(void *ctx, const struct db_record *record)
{
	seen_add(ctx, record->steps);
	return 0;
}

static int begin_explorer(struct tuner *t, struct tuned *u)
{
	struct db_want want = tuner_want(t, u->task);
	struct seen *seen = seen_new(t->arena);

	u->sketches = sketches_of(t->arena, u->task->dag);
	u->explorer = t->strategy->begin(t->arena, u->task, &u->sketches, &t->target, seen);
	return db_each(t->db, &want, add_seen, seen);
}

static int begin_task(struct tuner *t, int i)
{
	struct tuned *u = &t->tuned[i];
	struct workload w = task_workload(t->arena, u->task, t->options.threads, t->options.cache,
					  t->options.seed);

	w.flush_bytes = 64 << 20;
	if (!u->explorer && begin_explorer(t, u) < 0)
		return -1;
	if (runner_set_workload(t->runner, t->builder, &w) < 0)
		return -1;
	if (t->scheduled[i].best_us > 0)
		runner_set_incumbent(t->runner, t->scheduled[i].best_us);
	t->current = i;
	return 0;
}

static struct batch new_batch(struct arena *a, int cap)
{
	return (struct batch){ .at = arena_many(a, struct candidate, cap), .cap = cap };
}

static void discard(struct batch *b)
{
	for (int i = 0; i < b->n; i++)
		trial_discard(&b->at[i].trial);
}

/* build_all and measure_all take trials side by side. */
static int measure(struct tuner *t, struct batch *b, bool again)
{
	struct trial *trials = arena_many(t->round, struct trial, b->n);
	int rc;

	for (int i = 0; i < b->n; i++)
		trials[i] = b->at[i].trial;
	rc = build_all(t->round, t->builder, trials, b->n);
	if (rc == 0)
		rc = again ? remeasure(t->round, t->runner, trials, b->n, CONFIRM_ROUNDS)
			   : measure_all(t->round, t->runner, trials, b->n);
	for (int i = 0; i < b->n; i++)
		b->at[i].trial = trials[i];
	return rc;
}

/* Measures the best few of the current task again, in turn, so that none is best by luck. */
static int confirm(struct tuner *t)
{
	struct tuned *u = &t->tuned[t->current];
	struct db_want want = tuner_want(t, u->task);
	struct db_record_vec top = { 0 };

	if (!u->unconfirmed)
		return 0;
	arena_reset(t->round);
	if (db_top(t->db, t->round, &want, CONFIRM, &top) < 0)
		return -1;
	struct batch b = new_batch(t->round, CONFIRM);

	for (int i = 0; i < top.n; i++) {
		struct candidate *c = &b.at[b.n];

		c->steps = top.at[i].steps;
		c->state = state_parse(t->round, u->task->dag, "record", c->steps);
		if (!c->state)
			return -1;
		c->trial.source = state_source(t->round, c->state, t->target.vector_bytes,
					       &c->trial.parallel, NULL);
		b.n += c->trial.source != NULL;
	}
	u->unconfirmed = false;
	int rc = measure(t, &b, true) < 0 || tuner_append(t, u, &b, true) < 0 ? -1 : 0;

	discard(&b);
	load_best(t, t->current);
	return rc;
}

/* --- budget */

/* The part of the budget that has been spent, of trials or of time, whichever is more. */
static double spent(const struct tuner *t)
{
	double trials = t->options.trials ? (double)t->trials / (double)t->options.trials : 0;
	double time = t->options.minutes > 0 ? tuner_elapsed(t) / (60 * t->options.minutes) : 0;

	return trials > time ? trials : time;
}

static int64_t least(int64_t x, int64_t y)
{
	return x < y ? x : y;
}

static int batch_size(const struct tuner *t, int i)
{
	const struct scheduled *s = &t->scheduled[i];
	int64_t size = t->options.batch ? t->options.batch : TUNER_BATCH;

	if (t->n > 1 && s->spent <= 0)	/* the round in which every task gets its first kernel */
		size = least(size, FIRST_BATCH);
	if (!t->options.trials)
		return (int)size;
	int64_t left = t->options.trials - t->trials;
	double share = (s->share - s->spent) * (double)t->options.trials;

	if (t->n > 1 && s->spent <= 0)
		size = least(size, (t->options.trials + 2 * t->n - 1) / (2 * t->n));
	else if (share > 0)
		size = least(size, (int64_t)ceil(share));
	return (int)least(left, size);
}

static void report(struct tuner *t, int i, const char *phase)
{
	const struct task *task = t->tuned[i].task;
	double best = t->scheduled[i].best_us;
	double s = tuner_elapsed(t);
	struct progress p = {
		.task = task,
		.tasks = t->n,
		.task_number = i + 1,
		.trials = t->trials,
		.budget = t->options.trials,
		.failed = t->failed,
		.best_us = best,
		.gflops = best > 0 ? task->flop / best * 1e-3 : 0,
		.seconds = s,
		.seconds_left = spent(t) > 0 ? s / spent(t) - s : -1,
		.phase = phase,
	};

	p.peak_share = p.gflops / device_peak(t->device, t->options.threads);
	p.rate = (double)(t->trials - t->resumed) / (s - t->earlier_s + 1e-9);
	if (t->options.progress)
		t->options.progress(t->options.user, &p);
}

static void learn(struct tuner *t, int i, const struct batch *b)
{
	struct scheduled *s = &t->scheduled[i];

	for (int j = 0; j < b->n; j++) {
		const struct trial *trial = &b->at[j].trial;
		bool ok = trial->status == TRIAL_OK;

		t->failed += !ok && trial->status != TRIAL_LOST_RACE;
		if (ok && (s->best_us == 0 || trial->time_us < s->best_us))
			s->best_us = trial->time_us;
	}
	if (t->strategy->learn)
		t->strategy->learn(t->tuned[i].explorer, b);
}

static void dump(const struct tuner *t, const struct tuned *u, const struct batch *b)
{
	const struct tuner_options *o = &t->options;

	for (int i = 0; o->debug && o->dump && i < b->n; i++) {
		struct text out = { 0 };

		debug_candidate(&out, o->debug, u->task, &b->at[i]);
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

/* One round. The order of these calls is the architecture. */
static int tuner_round(struct tuner *t, int i)
{
	struct tuned *u = &t->tuned[i];

	if (i != t->current && begin_task(t, i) < 0)
		return -1;
	arena_reset(t->round);
	struct batch b = new_batch(t->round, batch_size(t, i));
	struct rng rng = round_rng(t, u);
	double before = spent(t);

	t->strategy->propose(u->explorer, t->round, &rng, &b);
	dump(t, u, &b);
	t->scheduled[i].exhausted = b.n < b.cap;
	u->trials += b.n;
	t->trials += b.n;
	u->unconfirmed |= b.n > 0;
	if (measure(t, &b, false) < 0 || tuner_append(t, u, &b, false) < 0)
		return -1;
	learn(t, i, &b);
	discard(&b);
	t->scheduled[i].spent += spent(t) - before;
	report(t, i, "tune");
	return 0;
}

static bool is_stopped(const struct tuner *t)
{
	return t->options.stop && *t->options.stop;
}

/* Confirms whatever has not been yet, each task in its turn. */
static int confirm_all(struct tuner *t)
{
	for (int i = 0; i < t->n && !is_stopped(t); i++) {
		if (!t->tuned[i].unconfirmed)
			continue;
		if ((i != t->current && begin_task(t, i) < 0) || confirm(t) < 0)
			return -1;
		report(t, i, "confirm");
	}
	return 0;
}

int tuner_run(struct tuner *t)
{
	while (spent(t) < 1 && !is_stopped(t)) {
		int next = scheduler_next(t->scheduled, t->n);

		if (next < 0)
			break;
		if (tuner_round(t, next) < 0)
			return -1;
	}
	if (confirm_all(t) < 0)
		return -1;
	bool stopped = is_stopped(t);

	if (db_campaign_end(t->db, t->campaign_id, stopped ? CAMPAIGN_STOPPED : CAMPAIGN_DONE) < 0)
		return -1;
	return stopped;
}

/* --- setting up */

static int find_ids(struct tuner *t)
{
	json_t *json = device_json(t->device);
	char *text = json_dumps(json, JSON_COMPACT);

	t->device_id = db_device(t->db, t->device->fingerprint, text ? text : "{}");
	free(text);
	json_decref(json);
	t->toolchain_id = db_toolchain(t->db, builder_toolchain(t->builder));
	if (t->device_id < 0 || t->toolchain_id < 0)
		return -1;
	for (int i = 0; i < t->n; i++) {
		const struct task *task = t->tuned[i].task;
		struct db_task row = {
			.key = task->key, .name = task->name, .text = task->text, .flop = task->flop
		};

		t->tuned[i].task_id = db_task(t->db, &row);
		if (t->tuned[i].task_id < 0)
			return -1;
	}
	return 0;
}

/* What makes two runs the same campaign, but for the budget. */
static char *options_json(const struct tuner *t)
{
	json_t *json = json_pack("{s:s, s:i, s:s, s:I}", "strategy", t->strategy->name, "threads",
				 t->options.threads, "cache",
				 t->options.cache == CACHE_COLD ? "cold" : "warm", "seed",
				 (json_int_t)t->options.seed);
	char *text = json_dumps(json, JSON_COMPACT | JSON_SORT_KEYS);

	json_decref(json);
	if (!text)
		die("out of memory");
	return text;
}

static int find_campaign(struct tuner *t)
{
	char *options = options_json(t);
	struct db_campaign c = { .device = t->device_id,
				 .source = t->options.source,
				 .options = options,
				 .seed = t->options.seed };
	int found = t->options.fresh ? 0
				     : db_campaign_find(t->db, t->arena, t->options.source, options,
							t->device_id, &c);

	if (found == 1) {
		t->campaign_id = c.id;
		found = db_campaign_resume(t->db, &c);
		if (found == 0 && c.search)
			found = tuner_load(t, &c);
	} else if (found == 0) {
		t->campaign_id = db_campaign_start(t->db, &c);
		found = t->campaign_id < 0 ? -1 : 0;
	}
	free(options);
	return found;
}

static int prepare(struct tuner *t)
{
	struct builder_options build = { .cc = t->options.cc };
	struct runner_options run = { .cpus = t->options.cpus, .limit_s = t->options.limit_s };

	t->strategy = t->options.own_strategy;
	if (!t->strategy)
		t->strategy = strategy_find(t->options.strategy ? t->options.strategy : "random");
	if (!t->strategy)
		return err_set("there is no strategy '%s'; there are: %s", t->options.strategy,
			       strategy_names());
	t->builder = builder_new(&build);
	if (!t->builder)
		return -1;
	t->runner = runner_new(&run);
	if (!t->runner || find_ids(t) < 0 || find_campaign(t) < 0)
		return -1;
	for (int i = 0; i < t->n; i++) {
		load_best(t, i);
		if (t->options.trials)
			t->scheduled[i].spent = (double)t->tuned[i].trials /
						(double)t->options.trials;
	}
	t->began_ns = clock_ns();
	return 0;
}

static struct target target_of(const struct device *d, int threads)
{
	return (struct target){
		.vector_bytes = d->vector_bytes,
		.registers = d->vector_registers,
		.threads = threads,
		.cost = { .vector_bytes = d->vector_bytes,
			  .registers = d->vector_registers,
			  .threads = threads,
			  .l1_bytes = (double)device_cache_bytes(d, 1),
			  .l2_bytes = (double)device_cache_bytes(d, 2),
			  .l3_bytes = (double)device_cache_bytes(d, 3),
			  .peak = device_peak(d, 1),
			  .l2_gbs = d->measured.l2.one,
			  .mem_gbs = device_mem_rate(d, threads) },
	};
}

struct tuner *tuner_new(struct db *db, const struct device *device, const struct task_vec *tasks,
			const struct tuner_options *o)
{
	struct arena *a = arena_new();
	struct tuner *t = arena_one(a, struct tuner);

	t->arena = a;
	t->round = arena_new();
	t->options = *o;
	t->db = db;
	t->device = device;
	t->target = target_of(device, o->threads);
	t->n = tasks->n;
	t->tuned = arena_many(a, struct tuned, tasks->n);
	t->scheduled = arena_many(a, struct scheduled, tasks->n);
	t->current = -1;
	scheduler_begin(t->scheduled, t->n, tasks);
	for (int i = 0; i < t->n; i++)
		t->tuned[i].task = tasks->at[i];
	if (prepare(t) < 0) {
		tuner_free(t);
		return NULL;
	}
	return t;
}

void tuner_free(struct tuner *t)
{
	if (!t)
		return;
	for (int i = 0; i < t->n; i++)
		if (t->tuned[i].explorer && t->strategy->end)
			t->strategy->end(t->tuned[i].explorer);
	runner_free(t->runner);
	builder_free(t->builder);
	arena_free(t->round);
	arena_free(t->arena);
}
