/* SPDX-License-Identifier: Apache-2.0 */
/* tools/record/compare.c - hone compare: what was found against what was found before. */
#include "tools/record/compare.h"

#include <argp.h>
#include <math.h>
#include <stdlib.h>

#include "tools/args/query.h"
#include "tools/args/words.h"
#include "tools/command.h"

struct compare_args {
	struct compare_options o;
	bool json, csv;
};

enum { KEY_THRESHOLD = 256, KEY_DEVICES, KEY_CSV };

static const struct argp_option options[] = {
	{ "threads", 't', "N", 0, "kernels with N threads (default: any, each with its like)", 0 },
	{ "threshold", KEY_THRESHOLD, "P", 0, "percent by which times must differ to tell (default 3)",
	  0 },
	{ "devices", KEY_DEVICES, NULL, 0, "also kernels of different devices", 0 },
	{ "csv", KEY_CSV, NULL, 0, "CSV instead of a table", 0 },
	{ "json", 'j', NULL, 0, "JSON instead of a table", 0 },
	{ 0 },
};

static const char doc[] =
	"Compares the best kernel of each task in NOW with that in BEFORE, both databases of records. "
	"The ratio is the time before over that of now: more is better; its interval holds the ratio of "
	"what both usually take at 95%, as far as their samples tell (Hodges and Lehmann's). Times of "
	"one device are in units of the fixed kernel that each was timed in turn with. Now it is FASTER "
	"or SLOWER where the whole interval lies beyond the threshold, SAME where it lies within, else "
	"UNCLEAR. The exit status is 1 where a task, or all together, got SLOWER.\v"
	"Example:\n  hone compare last_week.db tune.db --threshold 5\n";

static double threshold(struct argp_state *state, const char *arg)
{
	char *end;
	double v = strtod(arg, &end);

	if (*end || end == arg || !(v > 0) || !isfinite(v))
		argp_error(state, "--threshold '%s': give a number above 0", arg);
	return v / 100;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct compare_args *args = state->input;

	switch (key) {
	case 't':
		args->o.threads = argp_int(state, "--threads", arg, 1, DEVICE_MAX_THREADS);
		return 0;
	case KEY_THRESHOLD:
		args->o.margin = threshold(state, arg);
		return 0;
	case KEY_DEVICES:
		args->o.devices = true;
		return 0;
	case KEY_CSV:
		args->csv = true;
		return 0;
	case 'j':
		args->json = true;
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num == 2)
			argp_error(state, "two databases at a time");
		args->o.path[state->arg_num] = arg;
		return 0;
	case ARGP_KEY_END:
		if (state->arg_num < 2)
			argp_error(state, "which databases? give BEFORE and NOW");
		if (args->json && args->csv)
			argp_error(state, "--json or --csv, one at a time");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = { options, parse, "BEFORE NOW", doc, NULL, NULL, NULL };

static int run(int argc, char **argv)
{
	struct compare_args args = { .o = { .margin = MARGIN_DAYS } };
	struct compare_table table;

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	struct arena *a = arena_new();
	int rc = compare_read(a, &args.o, &table);

	if (rc < 0)
		rc = command_failed();
	else {
		if (args.json)
			compare_print_json(&args.o, &table);
		else if (args.csv)
			compare_print_csv(&table);
		else
			compare_print(&args.o, &table);
		rc = table.slower || table.mean.verdict == VERDICT_SLOWER ? EXIT_SLOWER : EXIT_OK;
	}
	arena_free(a);
	return rc;
}

static const struct word words[] = {
	{ "BEFORE", "*", false, NULL },
	{ "NOW", "*", false, NULL },
	{ 0 },
};

const struct command command_compare = {
	.name = "compare",
	.summary = "what was found against what was found before, with verdicts",
	.argp = &argp,
	.words = words,
	.exits = (const struct command_exit[]){
		{ EXIT_SLOWER, "A task, or all together, got slower." },
		{ 0 },
	},
	.run = run,
};
