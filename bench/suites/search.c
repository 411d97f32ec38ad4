/* SPDX-License-Identifier: Apache-2.0 */
/* bench/suites/search.c - how soon strategies find fast kernels, on recorded tasks. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "bench/search/search_table.h"
#include "bench/suite.h"
#include "search/replay.h"
#include "search/tuner.h"
#include "tools/command.h"
#include "tools/json.h"
#include "tools/query.h"
#include "tools/source.h"

enum { MAX_SOURCES = 64, MAX_TRIALS = 100000 };

struct search_args {
	struct search_plan plan;
	const char *replay, *svg;
	const char *sources[MAX_SOURCES];
	int n_sources;
	bool json;
	struct arena *arena;
	struct task_vec tasks;	/* those wanted */
};

static const char doc[] =
	"Compares search strategies on the tasks of a recording, or on those SOURCEs of it. Nothing "
	"is measured: the records answer (see hone tune --replay). A share is the time of the best "
	"kernel that any strategy saw over that of the best one so far, median and quartiles over "
	"the seeds; 'reaches' counts the trials until one was as fast as the best of random search "
	"after --baseline-trials, and 0.5% until it was so near.\v"
	"Example:\n"
	"  hone bench --suite search --replay bench/recorded/avx512.db --svg curves.svg\n";

enum { KEY_REPLAY = 256, KEY_SEARCH, KEY_SEEDS, KEY_BASELINE, KEY_SVG };

static const struct argp_option options[] = {
	{ "replay", KEY_REPLAY, "FILE", 0, "the recording: a database of hone tune (required)", 0 },
	{ "search", KEY_SEARCH, "NAME", 0, "strategy; may be given again (default: all)", 0 },
	{ "seeds", KEY_SEEDS, "N", 0, "runs of a strategy on a task (default 5)", 0 },
	{ "trials", 'n', "N", 0, "of a run (default 150)", 0 },
	{ "baseline-trials", KEY_BASELINE, "N", 0,
	  "of random search, which the others are to catch up with (default 1000)", 0 },
	{ "svg", KEY_SVG, "FILE", 0, "draw the curves", 0 },
	{ "json", 'j', NULL, 0, "JSON instead of tables", 0 },
	{ 0 },
};

static void add_strategy(struct argp_state *state, struct search_plan *plan, const char *name)
{
	if (!strategy_find(name))
		argp_error(state, "--search '%s': there is no such strategy; there are: %s", name,
			   strategy_names());
	for (int i = 0; i < plan->n; i++)
		if (plan->strategy[i] == strategy_find(name))
			return;
	if (plan->n < SEARCH_MAX_STRATEGIES)
		plan->strategy[plan->n++] = strategy_find(name);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct search_args *args = state->input;
	struct search_plan *plan = &args->plan;

	switch (key) {
	case KEY_REPLAY:
		args->replay = arg;
		return 0;
	case KEY_SEARCH:
		add_strategy(state, plan, arg);
		return 0;
	case KEY_SEEDS:
		plan->seeds = argp_int(state, "--seeds", arg, 1, SEARCH_MAX_SEEDS);
		return 0;
	case 'n':
		plan->trials = argp_int(state, "--trials", arg, 1, MAX_TRIALS);
		return 0;
	case KEY_BASELINE:
		plan->baseline = argp_int(state, "--baseline", arg, 1, MAX_TRIALS);
		return 0;
	case KEY_SVG:
		args->svg = arg;
		return 0;
	case 'j':
		args->json = true;
		return 0;
	case ARGP_KEY_ARG:
		if (args->n_sources == MAX_SOURCES)
			argp_error(state, "more than %d sources", MAX_SOURCES);
		args->sources[args->n_sources++] = arg;
		return 0;
	case ARGP_KEY_END:
		if (!args->replay)
			argp_error(state, "which recording? give --replay FILE");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = { { &suite_argp, 0, NULL, 0 }, { 0 } };
static const struct argp argp = { options, parse, "[SOURCE...]", doc, children, NULL, NULL };

/* --- what is compared */

static void take_all_strategies(struct search_plan *plan)
{
#define X(name) plan->strategy[plan->n++] = &strategy_##name;
#include "search/strategies.def"
#undef X
}

static int take_source(struct search_args *args, const char *source)
{
	const struct recording *r = args->plan.recording;
	struct task_vec tasks = { 0 };

	if (source_tasks(args->arena, source, &tasks) < 0)
		return -1;
	for (int i = 0; i < tasks.n; i++) {
		if (!recording_task(r, tasks.at[i]->key))
			return err_set("%s: has no records of %s; hone db stats lists its tasks",
				       r->path, tasks.at[i]->name);
		vec_push(args->arena, &args->tasks, tasks.at[i]);
	}
	return 0;
}

static int take_tasks(struct search_args *args)
{
	if (args->n_sources == 0)
		args->tasks = args->plan.recording->tasks;
	for (int i = 0; i < args->n_sources; i++)
		if (take_source(args, args->sources[i]) < 0)
			return -1;
	return 0;
}

static void show_progress(const struct task *t, const struct strategy *s, int seed)
{
	bool live = isatty(STDERR_FILENO);

	fprintf(stderr, "%s%.60s: %s, seed %d%s", live ? "\r\033[K" : "", t->name, s->name,
		seed + 1, live ? "" : "\n");
}

static int compare_all(struct search_args *args)
{
	struct search_plan *plan = &args->plan;
	int n = args->tasks.n;
	struct search_task *tasks = arena_many(args->arena, struct search_task, n);
	struct measurer *m = measurer_replay(plan->recording);
	int rc = 0;

	for (int i = 0; rc == 0 && i < n; i++) {
		rc = search_compare(args->arena, plan, args->tasks.at[i], m, &tasks[i]);
		if (rc == 0 && !args->json)
			search_print(plan, &tasks[i]);
	}
	m->free(m);
	if (rc == 0 && args->json)
		json_print(search_json(plan, tasks, n));
	else if (rc == 0)
		search_print_all(plan, tasks, n);
	return rc == 0 && args->svg ? search_draw(plan, tasks, n, args->svg) : rc;
}

static int bench(struct search_args *args)
{
	struct recording *r = recording_open(args->replay);

	args->plan.recording = r;
	int rc = r && take_tasks(args) == 0 ? compare_all(args) : -1;

	recording_close(r);
	return rc;
}

static int run(int argc, char **argv)
{
	struct search_args args = { .plan = { .trials = 150, .baseline = 1000, .seeds = 5,
					      .batch = TUNER_BATCH, .progress = show_progress } };

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	if (args.plan.n == 0)
		take_all_strategies(&args.plan);
	args.arena = arena_new();
	int rc = bench(&args) < 0 ? command_failed() : EXIT_OK;

	arena_free(args.arena);
	return rc;
}

const struct suite suite_search = {
	.name = "search",
	.summary = "search strategies against each other, on recorded tasks",
	.run = run,
};
