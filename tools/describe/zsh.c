/* SPDX-License-Identifier: Apache-2.0 */
/* tools/describe/zsh.c - the script for zsh: three functions that are tables, and tools/describe/hone.zsh, which looks
 * things up in them. */
#include <string.h>

#include "config.h"
#include "tools/describe/describe.h"
#include "tools/describe/options.h"
#include "tools/describe/shell.h"

static const char code[] =
#include "tools/describe/hone_zsh.inc"
	;

/* S between single quotes, with a backslash before each of SPECIAL. */
static void print_escaped(struct text *out, const char *s, const char *special)
{
	for (; *s; s++) {
		if (*s == '\'')
			text_puts(out, "'\\'");
		else if (strchr(special, *s))
			text_puts(out, "\\");
		text_putn(out, s, 1);
	}
}

static const char *place_of(struct arena *a, const struct command *c, const struct command *part)
{
	return part ? arena_printf(a, "%s %s", c->name, part->name) : c->name;
}

/* :WORD: with the call that offers what stands for it. */
static void print_value(struct text *out, const char *place, const char *word)
{
	text_puts(out, ":");
	print_escaped(out, word, ":");
	text_puts(out, ": _hone_offer ");
	print_escaped(out, place, " ");
	text_puts(out, " ");
	print_escaped(out, word, ":|[]");
}

static void print_option(struct text *out, const char *place, const struct listed_option *o, const char *dashes,
			 const char *name)
{
	bool ends = o->group == -1;	/* --help, --usage: nothing else is of use */

	text_printf(out, " \\\n\t\t\t'%s%s%s%s[", ends ? "(- *)" : o->value ? "*" : "", dashes, name,
		    !o->value ? "" : o->optional ? "=-" : dashes[1] ? "=" : "+");
	print_escaped(out, o->text, "[]\\");
	text_puts(out, "]");
	if (o->optional)
		text_puts(out, ":");
	if (o->value)
		print_value(out, place, o->value);
	text_puts(out, "'");
}

static void print_arguments(struct text *out, struct arena *a, const char *place, const struct argp *argp)
{
	bool more;
	char *save, *list = arena_strdup(a, arguments_list(a, argp, &more));

	for (char *word = strtok_r(list, " ", &save), *next; word; word = next) {
		next = strtok_r(NULL, " ", &save);
		text_printf(out, " \\\n\t\t\t'%s", !next && more ? "*" : "");
		print_value(out, place, word);
		text_puts(out, "'");
	}
}

static void print_place(struct text *out, struct arena *a, const struct command *c, const struct command *part)
{
	const struct argp *argp = command_argp(part ? part : c);
	const char *place = place_of(a, c, part);
	struct listed_option_vec options;

	text_printf(out, "\t'%s')\n\t\t", place);
	if (!part && c->parts && !c->part_option) {
		text_printf(out, "_hone_parts %s\n\t\t;;\n", c->name);
		return;
	}
	if (!part && c->parts)
		text_printf(out, "_hone_chosen %s --%s && return\n\t\t", c->name, c->part_option);
	text_puts(out, "_arguments -s -S :");
	options_list(a, argp, &options);
	for (int i = 0; i < options.n; i++) {
		const struct listed_option *o = &options.at[i];

		if (o->letter)
			print_option(out, place, o, "-", (const char[]){ o->letter, '\0' });
		if (o->name)
			print_option(out, place, o, "--", o->name);
	}
	print_arguments(out, a, place, argp);
	text_puts(out, "\n\t\t;;\n");
}

static void print_member(struct text *out, const struct command *c)
{
	text_printf(out, "\n\t\t\t'%s:", c->name);
	print_escaped(out, c->summary, "\\");
	text_puts(out, "'");
}

static void print_list(struct text *out, struct arena *a, const struct command *c, const struct command *part)
{
	(void)a;
	if (part || !c->parts)
		return;
	text_printf(out, "\t'%s')\n\t\tlist=(", c->name);
	for (int i = 0; c->parts[i]; i++)
		print_member(out, c->parts[i]);
	text_puts(out, ")\n\t\t;;\n");
}

static void print_lists(struct text *out)
{
	text_puts(out, "# _hone_part_list PLACE: its parts and what they do, as _describe has it; of '' the commands.\n"
		       "_hone_part_list()\n{\n\tcase $1 in\n\t'')\n\t\tlist=(");
	for (int i = 0; command_at(i); i++)
		print_member(out, command_at(i));
	text_puts(out, ")\n\t\t;;\n");
	describe_all(out, print_list);
	text_puts(out, "\tesac\n}\n\n");
}

void complete_zsh(struct text *out)
{
	text_puts(out, "#compdef hone\n# SPDX-License-Identifier: Apache-2.0\n"
		       "# Completion for zsh of " PACKAGE_STRING ": hone completion zsh. What it offers is from the tables of\n"
		       "# hone's options; `hone COMMAND --help` explains them.\n\n");
	print_lists(out);
	text_puts(out, "# _hone_place PLACE: completes what follows a command, or a command and its part.\n"
		       "_hone_place()\n{\n\tcase $1 in\n");
	describe_all(out, print_place);
	text_puts(out, "\tesac\n}\n\n");
	shell_values(out);
	text_puts(out, code);
}
