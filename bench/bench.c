/* SPDX-License-Identifier: Apache-2.0 */
/* bench/bench.c - hone bench: finds the suite and hands it the rest of the line. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "bench/suite.h"
#include "tools/args/words.h"
#include "tools/command.h"

static const struct command *const suites[] = {
#define X(name) &suite_##name,
#include "bench/suites.def"
#undef X
	NULL,
};

/* Every suite has options of its own, so --suite has to be known before argp sees the line. */
enum { KEY_SUITE = 1024 };

static const struct argp_option options[] = {
	{ "suite", KEY_SUITE, "SUITE", 0, "what is measured", 10 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	(void)state;
	return key == KEY_SUITE ? 0 : ARGP_ERR_UNKNOWN;
}

static char *list_suites(int key, const char *text, void *input)
{
	struct text t = { 0 };

	(void)input;
	if (key != KEY_SUITE)
		return (char *)(uintptr_t)text;
	text_printf(&t, "%s (default %s); each has a --help of its own:", text, suites[0]->name);
	for (int i = 0; suites[i]; i++)
		text_printf(&t, "%s %s: %s", i ? ";" : "", suites[i]->name, suites[i]->summary);
	return t.s;	/* argp frees it */
}

const struct argp suite_argp = { options, parse, NULL, NULL, NULL, list_suites, NULL };

/* Takes "--suite NAME" or "--suite=NAME" off the line. NULL where it is not there, "" where it has
 * no name. */
static const char *take_suite(int *argc, char **argv)
{
	static const char option[] = "--suite";
	const size_t n = sizeof(option) - 1;

	for (int i = 1; i < *argc && strcmp(argv[i], "--") != 0; i++) {
		if (strncmp(argv[i], option, n) != 0 || (argv[i][n] && argv[i][n] != '='))
			continue;
		bool joined = argv[i][n] == '=';
		const char *name = joined ? argv[i] + n + 1 : i + 1 < *argc ? argv[i + 1] : "";
		int taken = joined || !*name ? 1 : 2;

		memmove(argv + i, argv + i + taken, sizeof(*argv) * (size_t)(*argc - i - taken));
		*argc -= taken;
		return name;
	}
	return NULL;
}

static int run(int argc, char **argv)
{
	const char *name = take_suite(&argc, argv);
	char title[64];

	if (!name)
		return suites[0]->run(argc, argv);
	for (int i = 0; suites[i]; i++) {
		if (strcmp(name, suites[i]->name) != 0)
			continue;
		snprintf(title, sizeof(title), "%s --suite %s", argv[0], name);
		argv[0] = title;
		return suites[i]->run(argc, argv);
	}
	fprintf(stderr, "hone: there is no suite '%s'; there are:", name);
	for (int i = 0; suites[i]; i++)
		fprintf(stderr, "%s %s", i ? "," : "", suites[i]->name);
	fputs("\n", stderr);
	return EXIT_USAGE;
}

static void list_names(struct text *out)
{
	for (int i = 0; suites[i]; i++)
		text_printf(out, "%s%s", i ? ", " : "", suites[i]->name);
}

static const struct word words[] = {
	{ "SUITE", NULL, false, list_names },
	{ 0 },
};

const struct command command_bench = {
	.name = "bench",
	.summary = "our kernels against libraries, in turns; other suites",
	.words = words,
	.parts = suites,
	.part_option = "suite",
	.run = run,
};
