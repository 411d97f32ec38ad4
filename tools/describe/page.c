/* SPDX-License-Identifier: Apache-2.0 */
/* tools/describe/page.c - `hone manual`: the pages of the manual, which are made from the option tables. */
#include <argp.h>
#include <stdio.h>
#include <string.h>

#include "tools/describe/describe.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
	const struct command **c = state->input;

	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	if (*c)
		argp_error(state, "one COMMAND at a time");
	for (int i = 0; command_at(i); i++)
		if (strcmp(command_at(i)->name, arg) == 0)
			*c = command_at(i);
	if (!*c)
		argp_error(state, "there is no command '%s'; `hone --help` lists them", arg);
	return 0;
}

static const struct argp argp = {
	.parser = parse,
	.args_doc = "[COMMAND]",
	.doc = "Prints the manual page of COMMAND, or of hone itself, in the form that man reads. An installed hone has "
	       "them installed: man hone-tune.\v"
	       "Example:\n"
	       "  hone manual tune | man -l -",
};

static int run(int argc, char **argv)
{
	const struct command *c = NULL;
	struct text out = { 0 };

	argp_parse(&argp, argc, argv, 0, NULL, &c);
	if (c)
		manual_print_command(&out, c);
	else
		manual_print(&out);
	fputs(text_str(&out), stdout);
	text_free(&out);
	return EXIT_OK;
}

static void list_commands(struct text *out)
{
	for (int i = 0; command_at(i); i++)
		text_printf(out, "%s%s", i ? ", " : "", command_at(i)->name);
}

static const struct word words[] = {
	{ "COMMAND", NULL, false, list_commands },
	{ 0 },
};

const struct command command_manual = {
	.name = "manual",
	.summary = "prints pages of the manual",
	.argp = &argp,
	.words = words,
	.run = run,
};
