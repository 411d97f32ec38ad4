/* SPDX-License-Identifier: Apache-2.0 */
/* bench/suites/sequence.c - a model's kernels in its order, and what the times that they were tuned
 * with, caches warm, cold, or cold for constants, say of that. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "runtime/kernel/kernel_build.h"
#include "bench/sequence/sequence.h"
#include "bench/suite.h"
#include "measure/timing/pin.h"
#include "measure/process/device_lock.h"
#include "search/best.h"
#include "tools/command.h"
#include "tools/json.h"
#include "tools/args/query.h"

enum { STATES = CACHE_MODEL };	/* of a kernel alone: those before it in db/cache.def */
enum { STATE_WIDTH = 15 };	/* of a column */

struct sequence_args {
	struct query q;
	struct occurrence_vec order;
	const char *cc;
	double seconds;
};

static const char doc[] =
	"Runs the best kernels of SOURCE one after the other in the order of the model, each "
	"occurrence with constants of its own and on what those before it computed, and compares "
	"the time with the sum of the best times of its tasks, tuned with warm caches, with cold ones and with cold "
	"weights. A ratio is the measured time over the sum. The tasks of which the sum misses "
	"most of the model's time come first.\v"
	"Example:\n"
	"  hone tune model.onnx --db tune.db --cache warm\n"
	"  hone tune model.onnx --db tune.db --cache cold-weights\n"
	"  hone bench --suite sequence model.onnx --db tune.db\n";

enum { KEY_SECONDS = 256, KEY_CACHE };

static const struct argp_option options[] = {
	{ "cache", KEY_CACHE, "warm|cold|cold-weights", 0,
	  "run what was best with these caches (default: what was fastest)", 0 },
	{ "seconds", KEY_SECONDS, "S", 0, "of running (default 5)", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct sequence_args *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->q;
		state->child_inputs[1] = &args->cc;
		return 0;
	case KEY_CACHE:
		argp_cache(state, arg);
		args->q.cache = arg;
		return 0;
	case KEY_SECONDS:
		args->seconds = (double)argp_number(state, "--seconds", arg, 1);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{ &query_argp, 0, NULL, 0 },
	{ &cc_argp, 0, NULL, 0 },
	{ &suite_argp, 0, NULL, 0 },
	{ 0 },
};
static const struct argp argp = { options, parse, "SOURCE", doc, children, NULL, NULL };

/* A task as it was tuned, and as it ran. Times in microseconds, 0: not known. */
struct sequence_row {
	const struct task *task;
	int steps; /* that ran */
	double best[STATES];
	double us; /* of one step */
};

/* What the database says of one cache state, and the steps that it says it of. */
struct state_sum {
	int steps;
	double us;
	double measured;
};

struct result {
	const struct sequence_args *args;
	struct sequence_row *rows; /* by task */
	int n;
	struct sequence_times times;
	struct state_sum sum[STATES];
	double us, low, high; /* median, 10th and 90th percentile of a run */
};

/* --- before the run */

/* The best time of each cache state, and a kernel. */
static int prepare_task(struct sequence_args *args, struct build_pool *builder,
			const struct task *t, struct sequence_kernel *k, struct sequence_row *row)
{
	const struct query *q = &args->q;
	struct best b;
	int found = task_best(q->arena, q->db, t, query_want(q), q->device->target,
			      &b);

	row->task = k->task = t;
	for (int i = 0; found > 0 && i < STATES; i++) {
		struct db_want want = query_want(q);
		struct db_record r = { 0 };

		want.task_key = t->key;
		want.cache = cache_state_name(i);
		found = db_best(q->db, q->arena, &want, &r) < 0 ? -1 : found;
		row->best[i] = r.time_us;
	}
	k->there = found > 0;
	if (found > 0)
		query_warn(q, t, &b);
	if (found > 0 && kernel_build(q->arena, builder, b.state, q->device->target,
				      q->threads, &k->kernel) < 0)
		return err_prefix("%s", t->name);
	return found;
}

static int prepare(struct sequence_args *args, struct sequence_kernel *kernels,
		   struct sequence_row *rows)
{
	struct build_pool_options build = { .target = device_code(args->q.device), .cc = args->cc };
	struct build_pool *builder = build_pool_new(&build);
	int kernels_there = 0;
	int rc = builder ? 0 : -1;

	for (int i = 0; rc >= 0 && i < args->q.tasks.n; i++) {
		rc = prepare_task(args, builder, args->q.tasks.at[i], &kernels[i], &rows[i]);
		kernels_there += rc > 0;
	}
	build_pool_free(builder);
	if (rc >= 0 && kernels_there == 0)
		return err_set("%s: no task has a kernel with %d thread%s on this device yet; run "
			       "hone tune",
			       args->q.source, args->q.threads, args->q.threads > 1 ? "s" : "");
	return rc < 0 ? -1 : 0;
}

/* The cores that the records were measured on. */
static int pin(struct sequence_args *args)
{
	struct pin *p = pin_new(NULL);
	int rc = p && pin_process(args->q.arena, p, getpid(), args->q.threads) ? 0 : -1;

	pin_free(p);
	return rc;
}

/* --- behind it */

static void sum_up(struct result *r, const struct sequence *s)
{
	struct arena *a = r->args->q.arena;
	bool *counted = arena_many(a, bool, s->n);

	for (int i = 0; i < r->n; i++) {
		for (int j = 0; j < s->n; j++)
			r->rows[i].steps += counted[j] = s->step[j].task == i;
		if (r->rows[i].steps > 0)
			r->rows[i].us =
				sequence_quantile(&r->times, counted, .5) / r->rows[i].steps;
	}
	for (int k = 0; k < STATES; k++) {
		for (int j = 0; j < s->n; j++) {
			double best = r->rows[s->step[j].task].best[k];

			r->sum[k].steps += counted[j] = best > 0;
			r->sum[k].us += best;
		}
		r->sum[k].measured = sequence_quantile(&r->times, counted, .5);
	}
	r->us = sequence_quantile(&r->times, NULL, .5);
	r->low = sequence_quantile(&r->times, NULL, .1);
	r->high = sequence_quantile(&r->times, NULL, .9);
}

/* Time of the model that its kernels alone, in the first state that they were tuned in, do not explain. */
static double missed(const struct sequence_row *r)
{
	double best = 0;

	for (int i = 0; i < STATES && best <= 0; i++)
		best = r->best[i];
	return r->steps * fabs(r->us - best);
}

static int by_missed(const void *x, const void *y)
{
	double a = missed(x), b = missed(y);

	return (a < b) - (a > b);
}

static void print_best(double best, double us)
{
	if (best > 0)
		printf(" %*.4g %6.3f", STATE_WIDTH, best, us / best);
	else
		printf(" %*s %6s", STATE_WIDTH, "-", "-");
}

static void print_sum(const struct result *r, int state)
{
	const struct state_sum *s = &r->sum[state];

	printf("sum of the best, %s caches: ", cache_state_name(state));
	if (s->steps == 0) {
		printf("no records (hone tune --cache %s)\n", cache_state_name(state));
		return;
	}
	printf("%.4g us, ratio %.3f", s->us, s->measured / s->us);
	if (s->steps < r->times.steps)
		printf(" over the %d steps with records", s->steps);
	puts("");
}

static void print_result(const struct result *r)
{
	printf("%s: %d step%s with %d thread%s, %.4g us (%.4g to %.4g) in %d runs\n",
	       r->args->q.source, r->times.steps, r->times.steps > 1 ? "s" : "", r->args->q.threads,
	       r->args->q.threads > 1 ? "s" : "", r->us, r->low, r->high, r->times.runs);
	for (int i = 0; i < STATES; i++)
		print_sum(r, i);
	printf("%6s %10s", "weight", "us");
	for (int k = 0; k < STATES; k++)
		printf(" %*s us %6s", STATE_WIDTH - 3, cache_state_name(k), "ratio");
	puts("  task");
	for (int i = 0; i < r->n; i++) {
		const struct sequence_row *row = &r->rows[i];

		if (row->steps == 0)
			continue;
		printf("%6d %10.4g", row->steps, row->us);
		for (int k = 0; k < STATES; k++)
			print_best(row->best[k], row->us);
		printf("  %s\n", row->task->name);
	}
	for (int i = 0; i < r->n; i++)
		if (r->rows[i].steps == 0)
			printf("%6.0f %10s  %s: no kernel, left out\n", r->rows[i].task->weight, "-", r->rows[i].task->name);
}

static json_t *figure(double x)
{
	return x > 0 ? json_real(x) : json_null();
}

static json_t *best_json(const struct sequence_row *r, int state)
{
	return json_pack("{s:o, s:o}", "us", figure(r->best[state]), "ratio",
			 figure(r->best[state] > 0 ? r->us / r->best[state] : 0));
}

static json_t *row_json(const struct sequence_row *r)
{
	return json_pack("{s:s, s:s, s:f, s:o, s:o, s:o, s:o}", "task", r->task->key, "name",
			 r->task->name, "weight", r->task->weight, "us", figure(r->us), "warm",
			 best_json(r, CACHE_WARM), "cold", best_json(r, CACHE_COLD), "cold_weights", best_json(r, CACHE_COLD_WEIGHTS));
}

static json_t *sum_json(const struct state_sum *s)
{
	if (s->steps == 0)
		return json_null();
	return json_pack("{s:i, s:f, s:f, s:f}", "steps", s->steps, "us", s->us, "measured_us",
			 s->measured, "ratio", s->measured / s->us);
}

static json_t *result_json(const struct result *r)
{
	json_t *tasks = json_array();

	for (int i = 0; i < r->n; i++)
		json_array_append_new(tasks, row_json(&r->rows[i]));
	return json_pack("{s:s, s:i, s:i, s:i, s:f, s:f, s:f, s:o, s:o, s:o, s:o}", "source",
			 r->args->q.source, "threads", r->args->q.threads, "steps", r->times.steps,
			 "runs", r->times.runs, "us", r->us, "low_us", r->low, "high_us", r->high,
			 "warm", sum_json(&r->sum[CACHE_WARM]), "cold", sum_json(&r->sum[CACHE_COLD]), "cold_weights", sum_json(&r->sum[CACHE_COLD_WEIGHTS]), "tasks",
			 tasks);
}

static int bench(struct sequence_args *args)
{
	struct arena *a = args->q.arena;
	int n = args->q.tasks.n;
	struct sequence_kernel *kernels = arena_many(a, struct sequence_kernel, n);
	struct result r = { .args = args, .rows = arena_many(a, struct sequence_row, n), .n = n };

	if (prepare(args, kernels, r.rows) < 0 || pin(args) < 0)
		return -1;
	struct sequence *s = sequence_new(a, kernels, &args->order);
	struct device_lock *lock = device_lock_new(&(struct listener){ command_hear, NULL });

	device_lock_take(lock);
	sequence_measure(a, s, args->seconds, &r.times);
	device_lock_free(lock);
	sum_up(&r, s);
	sequence_free(s);
	qsort(r.rows, (size_t)n, sizeof(*r.rows), by_missed);
	if (args->q.json)
		json_print(result_json(&r));
	else
		print_result(&r);
	return 0;
}

static int run(int argc, char **argv)
{
	struct sequence_args args = { .q = { .threads = 1 }, .seconds = 5 };

	args.q.sequence = &args.order;
	argp_parse(&argp, argc, argv, 0, NULL, &args);
	int rc = query_open(&args.q) < 0 || bench(&args) < 0 ? command_failed() : EXIT_OK;

	query_close(&args.q);
	return rc;
}

const struct command suite_sequence = {
	.name = "sequence",
	.summary = "a model's kernels one after the other, against the sum of their tuned times",
	.argp = &argp,
	.run = run,
};
