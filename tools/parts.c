/* SPDX-License-Identifier: Apache-2.0 */
/* tools/parts.c - commands that consist of others, of which the first argument names one: hone db check. */
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "tools/command.h"

const struct argp *command_argp(const struct command *c)
{
	const struct argp *argp = c->argp || !c->parts ? c->argp : c->parts[0]->argp;

	if (!argp)
		die("%s: its struct command has no .argp", c->name);
	return argp;
}

error_t command_parse_parts(int key, char *arg, struct argp_state *state)
{
	(void)key;
	(void)arg;
	(void)state;
	return ARGP_ERR_UNKNOWN;
}

char *command_list_parts(int key, const char *text, void *input)
{
	const struct command *c = input;
	struct text t = { 0 };

	if (key != ARGP_KEY_HELP_PRE_DOC || !c)
		return (char *)(uintptr_t)text;
	int width = 8;

	for (int i = 0; c->parts[i]; i++)
		if ((int)strlen(c->parts[i]->name) > width)
			width = (int)strlen(c->parts[i]->name);
	text_printf(&t, "%s\n", text);
	for (int i = 0; c->parts[i]; i++)
		text_printf(&t, "\n  %-*s %s", width, c->parts[i]->name, c->parts[i]->summary);
	text_printf(&t, "\n\n`hone %s %s --help` explains one.", c->name, c->parts[0]->name);
	return t.s;	/* argp frees it */
}

static void print_parts(const struct command *c)
{
	for (int i = 0; c->parts[i]; i++)
		fprintf(stderr, "%s%s", i == 0 ? "" : c->parts[i + 1] ? ", " : " or ", c->parts[i]->name);
}

int command_start(const struct command *c, int argc, char **argv)
{
	char name[64];

	if (c->run)
		return c->run(argc, argv);
	/* --help and what is no option, which it ends with */
	if (argc > 1 && argv[1][0] == '-')
		argp_parse(c->argp, 2, argv, 0, NULL, (void *)(uintptr_t)c);
	for (int i = 0; argc > 1 && c->parts[i]; i++) {
		if (strcmp(argv[1], c->parts[i]->name) != 0)
			continue;
		snprintf(name, sizeof(name), "%s %s", argv[0], argv[1]);
		argv[1] = name;
		return c->parts[i]->run(argc - 1, argv + 1);
	}
	if (argc > 1)
		fprintf(stderr, "%s: there is no '%s': give ", argv[0], argv[1]);
	else
		fprintf(stderr, "%s: what? give ", argv[0]);
	print_parts(c);
	fprintf(stderr, "; `%s --help` explains\n", argv[0]);
	return EXIT_USAGE;
}
