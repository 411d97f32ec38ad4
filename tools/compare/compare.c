/* SPDX-License-Identifier: Apache-2.0 */
/* tools/compare/compare.c - hone compare: what was found against what was found before. */
#include "tools/compare/compare.h"

#include <argp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/device/device.h"
#include "tools/args/query.h"
#include "tools/args/words.h"
#include "tools/command.h"

static const struct compare_format *const formats[] = {
#define X(name) &compare_format_##name,
#include "tools/compare/formats.def"
#undef X
};
enum { FORMATS = sizeof(formats) / sizeof(*formats) };

#define X(name) " " #name
static const char format_names[] =
#include "tools/compare/formats.def"
	;
#undef X

enum remeasure { REMEASURE_NONE, REMEASURE_UNCLEAR, REMEASURE_ALL };

struct compare_args {
	struct compare_options o;
	const char *side[2];
	int threads;
	const struct compare_format *format;
	enum remeasure again;
};

enum { KEY_THRESHOLD = 256, KEY_DEVICES, KEY_FORMAT, KEY_REMEASURE };

static const struct argp_option options[] = {
	{ "threads", 't', "N", 0, "kernels with N threads (default: any, each with its like)", 0 },
	{ "threshold", KEY_THRESHOLD, "P", 0, "percent by which times must differ to tell (default 3)",
	  0 },
	{ "devices", KEY_DEVICES, NULL, 0, "also kernels of different devices", 0 },
	{ "format", KEY_FORMAT, "table|markdown|csv|json|html", 0, "what is printed (default: table)", 0 },
	{ "json", 'j', NULL, 0, "the same as --format json", 0 },
	{ "remeasure", KEY_REMEASURE, "all", OPTION_ARG_OPTIONAL,
	  "time both kernels of each task that is UNCLEAR (or of all) in turn on this machine", 0 },
	{ 0 },
};

static const char doc[] =
	"Compares the best kernel of each task in NOW with that in BEFORE, both databases of records, or some of "
	"their records: FILE#KEY=VALUE,KEY=VALUE, where a KEY is campaign (number, name or uid), device (the "
	"beginning of its fingerprint), toolchain (words of it), hone (a version), threads, or imported (yes or no). "
	"The ratio is the time before over that of now: more is better; its interval "
	"holds the ratio of what both usually take at 95%, as far as their samples tell (Hodges and Lehmann's). "
	"Times of one device are in units of the fixed kernel that each was timed in turn with. Now it is FASTER "
	"or SLOWER where the whole interval lies beyond the threshold, SAME where it lies within, else "
	"UNCLEAR. The exit status is 1 where a task, or all together, got SLOWER.\v"
	"Examples:\n"
	"  hone compare last_week.db tune.db --threshold 5\n"
	"  hone compare tune.db#campaign=1 tune.db#campaign=2 --remeasure\n";

static double threshold(struct argp_state *state, const char *arg)
{
	char *end;
	double v = strtod(arg, &end);

	if (*end || end == arg || !(v > 0) || !isfinite(v))
		argp_error(state, "--threshold '%s': give a number above 0", arg);
	return v / 100;
}

static const struct compare_format *format_named(struct argp_state *state, const char *name)
{
	for (int i = 0; i < FORMATS; i++)
		if (strcmp(formats[i]->name, name) == 0)
			return formats[i];
	argp_error(state, "--format '%s': there are:%s", name, format_names);
	return NULL;
}

static enum remeasure remeasured(struct argp_state *state, const char *arg)
{
	if (arg && strcmp(arg, "all") != 0)
		argp_error(state, "--remeasure=%s: give 'all', or nothing for what is unclear", arg);
	return arg ? REMEASURE_ALL : REMEASURE_UNCLEAR;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct compare_args *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->o.cc;
		return 0;
	case 't':
		args->threads = argp_int(state, "--threads", arg, 1, DEVICE_MAX_THREADS);
		return 0;
	case KEY_THRESHOLD:
		args->o.margin = threshold(state, arg);
		return 0;
	case KEY_DEVICES:
		args->o.devices = true;
		return 0;
	case KEY_FORMAT:
		args->format = format_named(state, arg);
		return 0;
	case 'j':
		args->format = &compare_format_json;
		return 0;
	case KEY_REMEASURE:
		args->again = remeasured(state, arg);
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num == 2)
			argp_error(state, "two sides at a time");
		args->side[state->arg_num] = arg;
		return 0;
	case ARGP_KEY_END:
		if (state->arg_num < 2)
			argp_error(state, "which databases? give BEFORE and NOW");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = { { &cc_argp, 0, NULL, 0 }, { 0 } };
static const struct argp argp = { options, parse, "BEFORE NOW", doc, children, NULL, NULL };

static int compare(struct arena *a, struct compare_args *args)
{
	struct compare_table table;

	for (int i = 0; i < 2; i++) {
		struct compare_side *s = &args->o.side[i];

		if (side_parse(a, args->side[i], s) < 0)
			return -1;
		s->threads = s->threads ? s->threads : args->threads;
	}
	if (compare_read(a, &args->o, &table) < 0 ||
	    (args->again && compare_again(a, &table, args->again == REMEASURE_ALL) < 0))
		return -1;
	args->format->print(&table);
	return table.slower || table.mean.verdict == VERDICT_SLOWER ? EXIT_SLOWER : EXIT_OK;
}

static void list_all(struct text *out)
{
	text_puts(out, "all");
}

static int run(int argc, char **argv)
{
	struct compare_args args = { .o = { .margin = MARGIN_DAYS }, .format = formats[0] };

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	struct arena *a = arena_new();
	int rc = compare(a, &args);

	arena_free(a);
	return rc < 0 ? command_failed() : rc;
}

static const struct word words[] = {
	{ "BEFORE", "*", false, NULL },
	{ "NOW", "*", false, NULL },
	{ "all", NULL, false, list_all },
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
