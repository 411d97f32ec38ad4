/* SPDX-License-Identifier: Apache-2.0 */
/* bench/suites/peers.c - our best kernel against libraries, every one a process of its own. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "bench/contest/kernel_exercise.h"
#include "bench/contest/referee/table.h"
#include "bench/contest_args.h"
#include "runtime/kernel/kernel_build.h"
#include "bench/suite.h"
#include "measure/process/device_lock.h"
#include "search/best.h"
#include "tools/args/words.h"
#include "tools/command.h"
#include "tools/json.h"
#include "tools/args/query.h"

/* Of the inputs. */
enum { SEED = 1 };

/* For one answer of a contestant: an engine compiles a model in seconds. */
#define ANSWER_LIMIT_S 120.0

struct bench_args {
	struct query q;
	struct contest_args contest;
	const char *cc;
	bool alone;
	struct roster roster;
	struct device_lock *lock; /* campaigns do not measure meanwhile */
};

static const char doc[] =
	"Measures the best kernel of every task of SOURCE against libraries, every contestant a "
	"process of its own: one works, all others sleep. The ratio is a contestant's time over "
	"ours: more is better; its interval holds the median of all rounds at 95%. hone is FASTER "
	"or SLOWER where the whole interval lies beyond 2%, SAME where it lies within, else "
	"UNCLEAR. Who computes something else than the reference gets no ratio.\v"
	"Example:\n  hone bench matmul:m=512,n=512,k=512 --db tune.db --peer openblas --peer onednn\n";

enum { KEY_ALONE = 256 };

static const struct argp_option options[] = {
	{"alone", KEY_ALONE, NULL, 0,
	 "a turn more in each round for each contestant, alone on the machine: the processes of all "
	 "others are stopped", 0},
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct bench_args *args = state->input;

	(void)arg;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->q;
		state->child_inputs[1] = &args->contest;
		state->child_inputs[2] = &args->cc;
		return 0;
	case KEY_ALONE:
		args->alone = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{&query_argp, 0, NULL, 0},
	{&contest_argp, 0, NULL, 0},
	{&cc_argp, 0, NULL, 0},
	{&suite_argp, 0, NULL, 0},
	{0},
};
static const struct argp argp = {options, parse, "SOURCE", doc, children, NULL, NULL};

static int hold(struct bench_args *args, const struct task *t, const struct bout *b, json_t *rows)
{
	const char *cpus;

	device_lock_take(args->lock);
	struct row *row = bout_hold(args->q.arena, b, &cpus);

	device_lock_release(args->lock);
	if (!row)
		return -1;
	if (args->q.json)
		json_array_append_new(rows, table_json(t, b, row, cpus, &args->roster));
	else
		table_print(t, b, row, cpus);
	fflush(stdout);
	return 0;
}

/* Compiles BEST and lets it play. */
static int compete(struct bench_args *args, struct build_pool *builder, const struct task *t,
		   const struct best *best, json_t *rows)
{
	struct arena *a = args->q.arena;
	struct kernel_exercise ours = {
		.task = t,
		.kernel = kernel_compile(a, builder, best->state, args->q.device->target),
	};
	struct bout bout = {
		.exercise = kernel_exercise(&ours),
		.competitors = &args->roster.competitors,
		.rules = rules_default,
		.threads = args->q.threads,
		.limit_s = ANSWER_LIMIT_S,
	};

	if (!ours.kernel)
		return -1;
	bout.rules.alone = args->alone;
	if (args->contest.seconds > 0)
		bout.rules.seconds = args->contest.seconds;
	ours.reference = reference_new(a, t->dag, SEED, builder);
	int rc = ours.reference ? hold(args, t, &bout, rows) : -1;

	unlink(ours.kernel);
	return rc;
}

static int bench_task(struct bench_args *args, const struct task *t, json_t *rows)
{
	struct best best;
	bool same;
	int found = task_best(args->q.arena, args->q.db, t, query_want(&args->q),
			      args->q.device->target, &best);

	if (found < 0)
		return -1;
	if (found == 0) {
		fprintf(stderr,
			"hone: %s: no kernel with %d thread%s on this device yet; run "
			"hone tune\n",
			t->name, args->q.threads, args->q.threads > 1 ? "s" : "");
		return 0;
	}
	struct build_pool *builder = kernel_builder(args->q.device, args->cc,
						   best.record.toolchain_text, &same);

	if (!builder)
		return -1;
	if (!same)
		fprintf(stderr, "hone: %s: built with %s, it was measured with %s\n", t->name,
			build_pool_toolchain(builder), best.record.toolchain_text);
	query_warn(&args->q, t, &best);
	int rc = compete(args, builder, t, &best, rows);

	build_pool_free(builder);
	return rc < 0 ? err_prefix("%s", t->name) : 0;
}

static int bench_all(struct bench_args *args)
{
	json_t *rows = json_array();
	int rc = contest_open(args->q.arena, &args->contest, &args->roster);

	args->lock = device_lock_new(&(struct listener){command_hear, NULL});
	for (int i = 0; rc == 0 && i < args->q.tasks.n; i++)
		rc = bench_task(args, args->q.tasks.at[i], rows);
	device_lock_free(args->lock);
	if (rc == 0 && args->q.json)
		json_print(rows);
	else
		json_decref(rows);
	if (rc == 0 && !args->q.json)
		table_print_notes(&args->roster);
	return rc;
}

static int run(int argc, char **argv)
{
	struct bench_args args = {
		.q = {.threads = 1},
		.contest = {.kind = ROSTER_KERNELS, .arena = arena_new()},
	};

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	int rc = query_open(&args.q) < 0 || bench_all(&args) < 0 ? command_failed() : EXIT_OK;

	query_close(&args.q);
	arena_free(args.contest.arena);
	return rc;
}

static void list_peers(struct text *out)
{
	struct arena *a = arena_new();

	text_puts(out, roster_names(a, ROSTER_KERNELS));
	arena_free(a);
}

static const struct word words[] = {
	{ "PEER", NULL, false, list_peers },
	{ 0 },
};

const struct command suite_peers = {
	.name = "peers",
	.summary = "our kernels against libraries, every contestant a process of its own",
	.argp = &argp,
	.words = words,
	.run = run,
};
