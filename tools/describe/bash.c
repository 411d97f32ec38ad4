/* SPDX-License-Identifier: Apache-2.0 */
/* tools/describe/bash.c - the script for bash: two functions that are tables, and tools/describe/hone.bash, which
 * looks things up in them. */
#include "config.h"
#include "tools/describe/describe.h"
#include "tools/describe/options.h"
#include "tools/describe/shell.h"

static const char code[] =
#include "tools/describe/hone_bash.inc"
	;

static void print_option(struct text *out, const struct listed_option *o)
{
	const char *equals = o->optional ? "=?" : o->value ? "=" : "", *value = o->value ? o->value : "";

	if (o->letter)
		text_printf(out, " '-%c%s%s'", o->letter, equals, value);
	if (o->name)
		text_printf(out, " '--%s%s%s'", o->name, equals, value);
}

static void print_parts(struct text *out, const struct command *c)
{
	text_puts(out, "parts=(");
	for (int i = 0; c->parts[i]; i++)
		text_printf(out, "%s%s", i ? " " : "", c->parts[i]->name);
	text_puts(out, ")");
}

static void print_place(struct text *out, struct arena *a, const struct command *c, const struct command *part)
{
	const struct argp *argp = command_argp(part ? part : c);
	struct listed_option_vec options;
	bool more;
	const char *arguments = arguments_list(a, argp, &more);

	text_printf(out, "\t'%s%s%s')\n\t\t", c->name, part ? " " : "", part ? part->name : "");
	if (!part && c->parts) {
		print_parts(out, c);
		if (c->part_option)
			text_printf(out, " by=--%s", c->part_option);
		text_puts(out, "\n\t\t");
	}
	/* else the first one is a part's name */
	if (part || !c->parts || c->part_option) {
		shell_list(out, "arguments", arguments, " ");
		text_printf(out, " more=%d\n\t\t", more);
	}
	options_list(a, argp, &options);
	text_puts(out, "options=(");
	for (int i = 0; i < options.n; i++)
		print_option(out, &options.at[i]);
	text_puts(out, " )\n\t\t;;\n");
}

static void print_table(struct text *out)
{
	text_puts(out, "# _hone_table PLACE: what may follow there. parts: commands of which one comes first, or, where by is an\n"
		       "# option, behind that; options, with = and the word for its value where it takes one, =? where it may;\n"
		       "# arguments, words of which the last may come again where more is 1. PLACE is '', a command, or a command\n"
		       "# and its part.\n"
		       "_hone_table()\n{\n"
		       "\tmore=0 by='' parts=() options=() arguments=()\n"
		       "\tcase $1 in\n\t'')\n\t\tparts=(");
	for (int i = 0; command_at(i); i++)
		text_printf(out, "%s%s", i ? " " : "", command_at(i)->name);
	text_puts(out, ")\n\t\toptions=( '--help' '--version' )\n\t\t;;\n");
	describe_all(out, print_place);
	text_puts(out, "\tesac\n}\n\n");
}

void complete_bash(struct text *out)
{
	text_puts(out, "# SPDX-License-Identifier: Apache-2.0\n"
		       "# Completion for bash of " PACKAGE_STRING ": hone completion bash. What it offers is from the tables of\n"
		       "# hone's options; `hone COMMAND --help` explains them.\n\n");
	print_table(out);
	shell_values(out);
	text_puts(out, code);
}
