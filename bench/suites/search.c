/* SPDX-License-Identifier: Apache-2.0 */
/* bench/suites/search.c - how soon strategies find fast kernels: the options of both ways to find
 * out, and the way by a recording. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "bench/search/ablation.h"
#include "bench/search/field.h"
#include "bench/search/search_table.h"
#include "bench/suite.h"
#include "bench/suites/search.h"
#include "search/campaign/tuner.h"
#include "tools/args/query.h"
#include "tools/command.h"
#include "tools/json.h"
#include "tools/source.h"

enum { MAX_TRIALS = 100000, TRIALS = 150, BASELINE = 1000, SEEDS = 5 };

static const char doc[] =
	"Compares search strategies. With --replay on the tasks of a recording, or on those SOURCEs "
	"of it: nothing is measured, the records answer, and beyond them a stand-in guesses (see "
	"hone tune --replay). A share is the time of the best kernel that any strategy saw over "
	"that of the best one so far, median and quartiles over the seeds; 'reaches' counts the "
	"trials until one was as fast as the best of random search after --baseline-trials, 0.5% "
	"until it was so near, 'guessed' is the share of trials that the stand-in answered, 'floor' "
	"counts runs that ended at the least it answers: what they found says nothing.\n"
	"With --hardware by campaigns on this machine, each with a database of its own: the bests of "
	"all of a task are timed again in one sitting. A ratio is random search's time over the "
	"strategy's, with the least and greatest of single pairs of seeds.\n"
	"--ablate compares evolution, in a replay, with what is left of it without the prior, without learning, and without each of its "
	"components.\n"
	"A tuning task is one that constants of the search were chosen on; the others may judge "
	"it.\v"
	"Examples:\n"
	"  hone bench --suite search --replay bench/recorded/avx512.db --svg curves.svg\n"
	"  hone bench --suite search --hardware --seeds 3 --trials 128 --search evolve\n"
	"  hone bench --suite search --hardware --search evolve:64 --search random:500\n";

enum {
	KEY_REPLAY = 256, KEY_SEARCH, KEY_SEEDS, KEY_BASELINE, KEY_SVG, KEY_STAND_IN, KEY_HARDWARE,
	KEY_FOLDER, KEY_ABLATE,
};

static const struct argp_option options[] = {
	{ "replay", KEY_REPLAY, "FILE", 0, "the recording: a database of hone tune", 0 },
	{ "stand-in", KEY_STAND_IN, "xgboost|nearest", 0,
	  "what guesses beyond the recording: the searcher's own kind of model (default), or the "
	  "nearest neighbours", 0 },
	{ "hardware", KEY_HARDWARE, NULL, 0, "campaigns on this machine", 0 },
	{ "folder", KEY_FOLDER, "DIR", 0,
	  "keep their databases there, and go on from them (default: a temporary one)", 0 },
	{ "threads", 't', "N", 0, "of their kernels (default 1)", 0 },
	{ "search", KEY_SEARCH, "STRATEGY[:TRIALS]", 0,
	  "strategy, and on hardware the trials of its runs; may be given again (default: all)", 0 },
	{ "ablate", KEY_ABLATE, NULL, 0, "evolution, and without a part of it each; of a replay", 0 },
	{ "seeds", KEY_SEEDS, "N", 0,
	  "runs of a strategy on a task (default 5, on hardware 3; there at most 32)", 0 },
	{ "trials", 'n', "N", 0, "of a run (default 150, on hardware 128)", 0 },
	{ "baseline-trials", KEY_BASELINE, "N", 0,
	  "of random search in a replay, which the others are to catch up with (default 1000)", 0 },
	{ "svg", KEY_SVG, "FILE", 0, "draw the curves of a replay", 0 },
	{ "json", 'j', NULL, 0, "JSON instead of tables", 0 },
	{ 0 },
};

/* WHAT is NAME or NAME:TRIALS. */
static void add_strategy(struct argp_state *state, struct search_plan *plan, char *what)
{
	const char *name = strsep(&what, ":");
	int trials = what ? argp_int(state, "--search NAME:TRIALS", what, 1, MAX_TRIALS) : 0;

	if (!strategy_find(name))
		argp_error(state, "--search '%s': there is no such strategy; there are: %s", name,
			   strategy_names());
	for (int i = 0; i < plan->n; i++)
		if (plan->strategy[i] == strategy_find(name))
			return;
	if (plan->n == SEARCH_MAX_STRATEGIES)
		return;
	plan->own_trials[plan->n] = trials;
	plan->strategy[plan->n++] = strategy_find(name);
}

static void add_ablations(struct search_plan *plan)
{
	plan->n = 0;
	plan->strategy[plan->n++] = &strategy_evolve;
	for (int i = 0; ablations[i]; i++)
		plan->strategy[plan->n++] = ablations[i];
}

static void check_args(struct argp_state *state, struct search_args *args)
{
	if (!args->replay == !args->hardware)
		argp_error(state, "which way? give --replay FILE or --hardware");
	for (int i = 0; args->replay && i < args->plan.n; i++)
		if (args->plan.own_trials[i])
			argp_error(state, "--search %s:%d: strategies have trials of their own with "
				   "--hardware alone; in a replay --trials and --baseline-trials say how many",
				   args->plan.strategy[i]->name, args->plan.own_trials[i]);
	if (args->hardware && args->ablates)
		argp_error(state, "--ablate is for --replay FILE");
	if (args->ablates)
		add_ablations(&args->plan);
	if (args->hardware && args->plan.seeds > FIELD_MAX_SEEDS)
		argp_error(state, "--seeds %d: at most %d with --hardware", args->plan.seeds,
			   FIELD_MAX_SEEDS);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct search_args *args = state->input;
	struct search_plan *plan = &args->plan;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->cc;
		return 0;
	case KEY_REPLAY:
		args->replay = arg;
		return 0;
	case KEY_STAND_IN:
		plan->stand_in = cost_model_find(arg);
		if (!plan->stand_in || !plan->stand_in->learn)
			argp_error(state, "--stand-in '%s': neither xgboost nor nearest", arg);
		return 0;
	case KEY_HARDWARE:
		args->hardware = true;
		return 0;
	case KEY_FOLDER:
		args->folder = arg;
		return 0;
	case KEY_ABLATE:
		args->ablates = true;
		return 0;
	case 't':
		args->threads = argp_int(state, "--threads", arg, 1, DEVICE_MAX_THREADS);
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
		if (args->n_sources == SEARCH_MAX_SOURCES)
			argp_error(state, "more than %d sources", SEARCH_MAX_SOURCES);
		args->sources[args->n_sources++] = arg;
		return 0;
	case ARGP_KEY_END:
		check_args(state, args);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{ &cc_argp, 0, NULL, 0 },
	{ &suite_argp, 0, NULL, 0 },
	{ 0 },
};
static const struct argp argp = { options, parse, "[SOURCE...]", doc, children, NULL, NULL };

/* --- what is compared */

static void take_all_strategies(struct search_plan *plan)
{
#define X(name) plan->strategy[plan->n++] = &strategy_##name;
#include "search/strategies/strategies.def"
#undef X
}

static int take_source(struct search_args *args, const char *source)
{
	const struct recording *r = args->plan.recording;
	struct task_vec tasks = { 0 };

	if (source_tasks(args->arena, source, NULL, &tasks) < 0)
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
	struct measurer *m = measurer_replay(plan->recording, plan->stand_in);
	int rc = 0;

	for (int i = 0; rc == 0 && i < n; i++) {
		rc = search_compare(args->arena, plan, args->tasks.at[i], m, &tasks[i]);
		tasks[i].role = role_of(&args->roles, args->tasks.at[i]);
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

static int on_recording(struct search_args *args)
{
	struct search_plan *plan = &args->plan;
	struct recording *r = recording_open(args->replay);

	plan->recording = r;
	plan->trials = plan->trials ? plan->trials : TRIALS;
	plan->baseline = plan->baseline ? plan->baseline : BASELINE;
	plan->seeds = plan->seeds ? plan->seeds : SEEDS;
	int rc = r && take_tasks(args) == 0 ? compare_all(args) : -1;

	recording_close(r);
	return rc < 0 ? command_failed() : EXIT_OK;
}

static int run(int argc, char **argv)
{
	struct search_args args = { .plan = { .batch = TUNER_BATCH, .progress = show_progress,
					      .stand_in = &cost_model_xgboost },
				    .threads = 1 };
	int rc;

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	if (args.plan.n == 0)
		take_all_strategies(&args.plan);
	args.arena = arena_new();
	if (roles_load(args.arena, &args.roles) < 0)
		rc = command_failed();
	else
		rc = args.hardware ? search_on_hardware(&args) : on_recording(&args);
	arena_free(args.arena);
	return rc;
}

const struct command suite_search = {
	.name = "search",
	.summary = "search strategies against each other, on recorded tasks or on this machine",
	.argp = &argp,
	.exits = (const struct command_exit[]){
		{ EXIT_STOPPED, "Stopped; with --folder, the same command goes on from there." },
		{ 0 },
	},
	.run = run,
};
