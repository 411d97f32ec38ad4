/* SPDX-License-Identifier: Apache-2.0 */
/* bench/suites/models.c - whole models: hone against inference engines, every one a process of its
 * own. */
#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "bench/contest/referee/table.h"
#include "bench/contest_args.h"
#include "bench/models/exercise.h"
#include "bench/models/report.h"
#include "bench/suite.h"
#include "graph/model.h"
#include "measure/process/device_lock.h"
#include "runtime/kept/module.h"
#include "tools/args/query.h"
#include "tools/args/words.h"
#include "tools/command.h"
#include "tools/json.h"
#include "tools/run/args.h"

/* For one answer: an engine opens a large model in seconds, we build all kernels of one at our
 * first start in minutes. */
#define ANSWER_LIMIT_S 900.0

/* Of a turn, in milliseconds: a small model runs in one, and its weights have to come back into
 * caches that the others have filled. */
#define WARM_MS 10.0
#define SAMPLE_MS 30.0

struct name_vec VEC(const char *);

struct models_args {
	struct arena *arena;
	struct name_vec models;
	struct contest_args contest;
	struct run_args run;		/* but for one model: what each is opened with, its inputs */
	struct rules rules;
	bool json;
	struct roster roster;
};

static const char doc[] =
	"Runs each MODEL with hone, as `hone run` does, and with inference engines, every one a "
	"process of its own on the same inputs and cores: one works, all others sleep. Results are "
	"compared before times. The ratio is an engine's time over ours: more is better; its "
	"interval holds the median of all rounds at 95%. Each is started twice: what it keeps from "
	"one start to the next is there the second time.\v"
	"Example:\n"
	"  hone tune resnet18.onnx --db tune.db --minutes 20\n"
	"  hone bench --suite models resnet18.onnx --db tune.db --peer onnxruntime --peer openvino\n";

enum { KEY_ROUNDS = 256, KEY_DATA, KEY_SEED };

static const struct argp_option options[] = {
	{"data", KEY_DATA, "DIR", 0,
	 "folder with inputs, as ONNX's tests have: input_0.pb, ... (default: random ones)", 0},
	{"seed", KEY_SEED, "N", 0, "of random inputs (default 0)", 0},
	{"rounds", KEY_ROUNDS, "N", 0, "at least, however long they take (default 9)", 0},
	{"json", 'j', NULL, 0, "JSON instead of a table", 0},
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct models_args *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->run.m;
		state->child_inputs[1] = &args->contest;
		return 0;
	case KEY_DATA:
		args->run.data = arg;
		return 0;
	case KEY_SEED:
		args->run.seed = argp_number(state, "--seed", arg, 0);
		return 0;
	case KEY_ROUNDS:
		args->rules.min_rounds =
			argp_int(state, "--rounds", arg, 1, args->rules.max_rounds);
		return 0;
	case 'j':
		args->json = true;
		return 0;
	case ARGP_KEY_ARG:
		args->run.m.model = arg;
		vec_push(args->arena, &args->models, arg);
		return 0;
	case ARGP_KEY_END:
		if (args->models.n > 1 && args->run.data)
			argp_error(state, "--data has the inputs of one MODEL");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{&model_argp, 0, NULL, 0},
	{&contest_argp, 0, NULL, 0},
	{&suite_argp, 0, NULL, 0},
	{0},
};
static const struct argp argp = {options, parse, "MODEL...", doc, children, NULL, NULL};

/* PATH as players in other folders find it; NULL and a message where there is no such file. */
static const char *absolute(struct arena *a, const char *path)
{
	char *real = realpath(path, NULL);
	const char *kept = real ? arena_strdup(a, real) : NULL;

	if (!real)
		err_set("%s: %s", path, strerror(errno));
	free(real);
	return kept;
}

/* Sets the exercise: the inputs of the model, and their names. Both in A. */
static int set(struct arena *a, const struct models_args *args, const char *model,
	       struct setting *s, struct model_exercise *m)
{
	struct onnx_options how = {.dims = args->run.m.dims.at, .ndims = args->run.m.dims.n};
	const char *path = absolute(a, model);
	struct graph *g = !path ? NULL : module_is(path) ? module_graph(a, path) : model_read(a, path, &how);

	if (!g)
		return -1;
	const struct function *main = graph_main(g);
	struct value *inputs = arena_many(a, struct value, main->nparams);
	const char **names = arena_many(a, const char *, main->nparams);

	for (int i = 0; i < main->nparams; i++)
		names[i] = main->bindings.at[i].name;
	*s = (struct setting){
		.model = path,
		.db = args->run.m.db,
		.dims = args->run.m.dims.at,
		.ndims = args->run.m.dims.n,
		.inputs = names,
		.ninputs = main->nparams,
	};
	*m = (struct model_exercise){
		.arena = a, .setting = s, .inputs = inputs, .nresults = main->nresults};
	return run_inputs(a, &args->run, main, inputs);
}

/* The bout of one model; its rows are in the arena of ARGS, the model is not. */
static struct model_bout compete(struct models_args *args, const char *model)
{
	struct arena *scratch = arena_new();
	struct setting setting;
	struct model_exercise exercise;
	struct model_bout out = {
		.model = model,
		.bout = {
			.competitors = &args->roster.competitors,
			.rules = args->rules,
			.threads = args->run.m.threads,
			.limit_s = ANSWER_LIMIT_S,
			.rehearse = true,
		},
	};

	if (set(scratch, args, model, &setting, &exercise) == 0) {
		out.bout.exercise = model_exercise(&exercise);
		out.rows = bout_hold(args->arena, &out.bout, &out.cpus);
	}
	if (!out.rows)
		out.why = arena_strdup(args->arena, err_get());
	arena_free(scratch);
	return out;
}

/* Exit status: a model that was not run, or not by us, is a failure. */
static int bench(struct models_args *args)
{
	struct model_bout_vec all = {0};
	int status = EXIT_OK;

	const char **db = &args->run.m.db;	/* absolute from now on */

	if ((*db && !(*db = absolute(args->arena, *db))) ||
	    contest_open(args->arena, &args->contest, &args->roster) < 0)
		return command_failed();
	struct device_lock *lock = device_lock_new(&(struct listener){command_hear, NULL});

	for (int i = 0; i < args->models.n; i++) {
		device_lock_take(lock);
		vec_push(args->arena, &all, compete(args, args->models.at[i]));
		device_lock_release(lock);
		const struct model_bout *m = &all.at[i];

		if (m->why || m->rows[0].kind != ROW_TIMED)
			status = EXIT_FAILED;
		if (!args->json)
			model_report_print(m);
		fflush(stdout);
	}
	device_lock_free(lock);
	if (args->json) {
		json_print(model_report_json(&all, &args->roster));
	} else {
		model_report_print_all(&all);
		table_print_notes(&args->roster);
	}
	return status;
}

static int run(int argc, char **argv)
{
	struct models_args args = {.arena = arena_new(), .rules = rules_default};

	args.run.m.threads = 1;
	args.rules.warm_ms = WARM_MS;
	args.rules.sample_ms = SAMPLE_MS;
	args.contest = (struct contest_args){.kind = ROSTER_MODELS, .arena = args.arena};
	argp_parse(&argp, argc, argv, 0, NULL, &args);
	if (args.contest.seconds > 0)
		args.rules.seconds = args.contest.seconds;
	int status = bench(&args);

	arena_free(args.arena);
	return status;
}

static void list_peers(struct text *out)
{
	struct arena *a = arena_new();

	text_puts(out, roster_names(a, ROSTER_MODELS));
	arena_free(a);
}

static const struct word words[] = {
	{ "PEER", NULL, false, list_peers },
	{ 0 },
};

const struct command suite_models = {
	.name = "models",
	.summary = "whole models against inference engines, every one a process of its own",
	.argp = &argp,
	.words = words,
	.run = run,
};
