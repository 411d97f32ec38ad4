/* SPDX-License-Identifier: Apache-2.0 */
/* tools/run/args.c - the command line of `hone run`. */
#include "tools/run/args.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "tools/args/query.h"

static const char doc[] =
	"Runs MODEL once and tells what came out. Tasks that the database has records of run as "
	"tuned kernels, others as the cost model's best guess of a schedule, what has no kernel in "
	"the interpreter; --profile tells which is which. Inputs that no file gives are random. "
	"MODEL may be a module that hone compile -o wrote. --check compares with the interpreter on "
	"the model as it was read, and with the expected results of --data; the exit status is 3 "
	"where they differ.\v"
	"Example:\n"
	"  hone run resnet18.onnx --db tune.db --data test_data_set_0 --check\n"
	"  hone run resnet18.onnx --db tune.db --input data=cat.npy --output out\n"
	"  hone run resnet18.onnx --db tune.db --repeat 100 --profile\n"
	"  hone run resnet18.hone --repeat 100\n";

enum { KEY_CHECK = 256, KEY_REPEAT, KEY_PROFILE, KEY_SEED, KEY_DATA, KEY_LIMIT, KEY_TRACE,
       KEY_FALL_BACK };

static const struct argp_option options[] = {
	{ "data", KEY_DATA, "DIR", 0,
	  "folder with inputs and expected results, as ONNX's tests have: input_0.pb, "
	  "output_0.pb, ...", 0 },
	{ "input", 'i', "NAME=FILE", 0, "an input from an .npy or .pb file; may be given again", 0 },
	{ "output", 'o', "DIR", 0,
	  "folder for the results, made where missing: tensors as NAME.npy, sequences and "
	  "empty values as NAME.pb", 0 },
	{ "check", KEY_CHECK, NULL, 0, "compare the results", 0 },
	{ "repeat", KEY_REPEAT, "N", 0, "timed runs (default 1)", 0 },
	{ "profile", KEY_PROFILE, NULL, 0, "a list of what ran, how, and how long it took", 0 },
	{ "trace", KEY_TRACE, "FILE", 0,
	  "what ran when in which thread, as JSON for ui.perfetto.dev", 0 },
	{ "fall-back", KEY_FALL_BACK, NULL, 0,
	  "compute with the interpreter what a code generator fails at, and tell of it; otherwise the run fails", 0 },
	{ "limit", KEY_LIMIT, "S", 0,
	  "seconds that a loop of the model may take (default 60); a run may take an hour", 0 },
	{ "seed", KEY_SEED, "N", 0, "of random inputs (default 0)", 0 },
	{ "json", 'j', NULL, 0, "JSON instead of text", 0 },
	{ 0 },
};

const struct word run_words[] = {
	{ "MODEL", "onnx graph json hone", false, NULL },
	{ 0 },
};

/* What follows the = of ARG, NAME=VALUE, which ends before it; argp_error where it has none. */
static char *split(struct argp_state *state, const char *option, char *arg)
{
	char *equals = strrchr(arg, '=');

	if (!equals || equals == arg || !equals[1])
		argp_error(state, "%s '%s': give NAME=VALUE", option, arg);
	*equals = '\0';
	return equals + 1;
}

static void add_input(struct run_args *args, struct argp_state *state, char *arg)
{
	if (args->n_inputs == RUN_MAX_INPUTS)
		argp_error(state, "at most %d --input", RUN_MAX_INPUTS);
	const char *file = split(state, "--input", arg);

	args->inputs[args->n_inputs].name = arg;
	args->inputs[args->n_inputs++].file = file;
}

/* As many as a day of runs of a small model. */
enum { MAX_REPEAT = 100 * 1000 * 1000 };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct run_args *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->m;
		state->child_inputs[1] = &args->b;
		return 0;
	case KEY_DATA:
		args->data = arg;
		return 0;
	case 'i':
		add_input(args, state, arg);
		return 0;
	case 'o':
		args->output = arg;
		return 0;
	case KEY_CHECK:
		args->check = true;
		return 0;
	case KEY_REPEAT:
		args->repeat = argp_int(state, "--repeat", arg, 1, MAX_REPEAT);
		return 0;
	case KEY_PROFILE:
		args->profile = true;
		return 0;
	case KEY_TRACE:
		args->trace = arg;
		return 0;
	case KEY_FALL_BACK:
		args->fall_back = true;
		return 0;
	case KEY_LIMIT:
		args->limit_s = (double)argp_number(state, "--limit", arg, 1);
		return 0;
	case KEY_SEED:
		args->seed = argp_number(state, "--seed", arg, 0);
		return 0;
	case 'j':
		args->json = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{ &model_argp, 0, NULL, 0 }, { &backends_argp, 0, NULL, 0 }, { 0 } };
const struct argp run_argp = { options, parse, "MODEL", doc, children, NULL, NULL };

void run_parse(int argc, char **argv, struct run_args *args)
{
	argp_parse(&run_argp, argc, argv, 0, NULL, args);
}
