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
#define X(name, meaning) &compare_format_##name,
#include "tools/compare/formats.def"
#undef X
};
enum { FORMATS = sizeof(formats) / sizeof(*formats) };

#define X(name, meaning) " " #name
static const char format_names[] =
#include "tools/compare/formats.def"
	;
#undef X

struct compare_args {
	struct compare_options o;
	const char *side[SIDES];
	int threads;
	const struct compare_format *format;
};

enum { KEY_THRESHOLD = 256, KEY_DEVICES, KEY_FORMAT, KEY_REMEASURE };

static const struct argp_option options[] = {
	{ "threads", 't', "N", 0, "kernels with N threads (default: any, each with its like)", 0 },
	{ "threshold", KEY_THRESHOLD, "P", 0, "times within P percent count as the same (default: 3%)", 0 },
	{ "devices", KEY_DEVICES, NULL, 0, "also kernels of different devices", 0 },
	{ "format", KEY_FORMAT, "table|markdown|csv|json|html", 0, "what is printed (default: table)", 0 },
	{ "json", 'j', NULL, 0, "the same as --format json", 0 },
	{ "remeasure", KEY_REMEASURE, "all", OPTION_ARG_OPTIONAL,
	  "build, verify and time both kernels of each task that is UNCLEAR (or of all) in turn on this machine",
	  0 },
	{ 0 },
};

static const char doc[] =
	"Compares the best kernel of each task in NOW with that in BEFORE. A side is a database of records, or some of "
	"its records: FILE#KEY=VALUE,KEY=VALUE with the keys campaign (number, name or uid), device (the "
	"beginning of its fingerprint), toolchain (a part of its text), hone (version or commit), threads, and imported "
	"(yes: what logs from elsewhere say, no: what was measured here, the default). Both sides may be of one file.\n\n"
	"The ratio is the time before over that of now: more is better; its interval holds the ratio of what both usually "
	"take at 95%, as far as their samples tell. Times of one device are in units of the fixed kernel that each was "
	"timed in turn with. Now it is FASTER or SLOWER where it is known to lie beyond the threshold, SAME where the "
	"interval lies within, else UNCLEAR; with less than 5% there is a false FASTER or SLOWER in all of the comparison, "
	"however many tasks it has. The exit status is 1 where a task, the mean or a model got SLOWER.\v"
	"Examples:\n"
	"  hone compare last_week.db tune.db --threshold 5%\n"
	"  hone compare tune.db#campaign=1 tune.db#campaign=2 --remeasure\n"
	"  hone compare t.db#hone=3f2a9c1 t.db#hone=80b1d24 --format html >page.html\n";

static double threshold(struct argp_state *state, const char *arg)
{
	char *end;
	double v = strtod(arg, &end);
	bool number = end != arg && (strcmp(end, "") == 0 || strcmp(end, "%") == 0);

	if (!number || !(v > 0) || !isfinite(v))
		argp_error(state, "--threshold '%s': give a number above 0, in percent", arg);
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

static enum compare_again again(struct argp_state *state, const char *arg)
{
	if (arg && strcmp(arg, "all") != 0)
		argp_error(state, "--remeasure=%s: give 'all', or nothing for what is unclear", arg);
	return arg ? AGAIN_ALL : AGAIN_UNCLEAR;
}

/* A third word, which may be what somebody wrote behind an option that takes a =. */
static void refuse_third(struct argp_state *state, const struct compare_args *args, const char *arg)
{
	if (args->o.again && strcmp(arg, "all") == 0)
		argp_error(state, "write --remeasure=all");
	argp_error(state, "two sides at a time");
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
		args->o.again = again(state, arg);
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num == SIDES)
			refuse_third(state, args, arg);
		args->side[state->arg_num] = arg;
		return 0;
	case ARGP_KEY_END:
		if (state->arg_num < SIDES)
			argp_error(state, "which databases? give BEFORE and NOW");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = { { &cc_argp, 0, NULL, 0 }, { 0 } };
static const struct argp argp = { options, parse, "BEFORE NOW", doc, children, NULL, NULL };

static int parse_sides(struct arena *a, struct compare_args *args)
{
	for (int i = 0; i < SIDES; i++) {
		struct compare_side *s = &args->o.side[i];

		if (side_parse(a, args->side[i], s) < 0)
			return -1;
		s->threads = s->threads ? s->threads : args->threads;
	}
	return 0;
}

static int compare(struct arena *a, const struct compare_args *args)
{
	struct compare_table table;

	if (compare_read(a, &args->o, &table) < 0)
		return -1;
	if (args->o.again) {
		compare_judge_rows(a, &table);
		if (compare_again(a, &table) < 0)
			return -1;
	}
	compare_judge(a, &table);
	args->format->print(&table);
	return compare_is_slower(&table) ? EXIT_SLOWER : EXIT_OK;
}

static int run(int argc, char **argv)
{
	struct compare_args args = { .o = { .margin = MARGIN_DAYS }, .format = formats[0] };

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	struct arena *a = arena_new();
	bool meant = parse_sides(a, &args) == 0;
	int rc = meant ? compare(a, &args) : -1;

	arena_free(a);
	if (rc >= 0)
		return rc;
	command_failed();
	return meant ? EXIT_FAILED : EXIT_USAGE;
}

static void list_all(struct text *out)
{
	text_puts(out, "all");
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
		{ EXIT_SLOWER, "A task, the mean or a model got slower." },
		{ 0 },
	},
	.run = run,
};
