/* SPDX-License-Identifier: Apache-2.0 */
/* tools/describe/manual.c - hone(1), and a page for each command from its option tables: hone-tune(1). */
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "tools/describe/describe.h"
#include "tools/describe/options.h"
#include "tools/describe/roff.h"

static const char front[] =
#include "tools/describe/hone_man.inc"
	;

/* What a text of argp consists of: before the options, behind them (\v), and from "Example:" on what is typed. */
struct doc_parts {
	const char *before, *behind, *examples;
	size_t n_before, n_behind;
};

static struct doc_parts cut_doc(const struct argp *argp)
{
	const char *doc = argp->doc ? argp->doc : "", *end = doc + strlen(doc);
	const char *options = strchr(doc, '\v'), *example = strstr(doc, "Example");
	struct doc_parts d = { .before = doc };

	while (example && example > doc && !strchr("\n\v", example[-1]))
		example = strstr(example + 1, "Example");
	d.behind = options ? options + 1 : end;
	d.n_before = (size_t)((options ? options : example ? example : end) - doc);
	d.n_behind = (size_t)((example ? example : end) - d.behind);
	d.examples = example ? strchr(example, '\n') : NULL;
	d.examples = d.examples ? d.examples + 1 : NULL;
	return d;
}

static void print_usage(struct text *out, const struct command *c, const struct command *part)
{
	const char *usage = command_argp(part ? part : c)->args_doc;

	text_printf(out, ".B hone %s", c->name);
	if (part && c->part_option)
		text_printf(out, " \\-\\-%s %s", c->part_option, part->name);
	else if (part)
		text_printf(out, " %s", part->name);
	text_puts(out, "\n[\\fIOPTION\\fR...]");
	if (usage) {
		text_puts(out, " ");
		roff_word(out, usage, strlen(usage));
	}
	text_puts(out, "\n");
}

static void print_synopsis(struct text *out, const struct command *c)
{
	text_puts(out, ".SH SYNOPSIS\n");
	for (int i = 0; i == 0 || (c->parts && c->parts[i]); i++) {
		/* the first part is what the command does without its option */
		bool plain = !c->parts || (i == 0 && c->part_option);

		if (i)
			text_puts(out, ".br\n");
		print_usage(out, c, plain ? NULL : c->parts[i]);
	}
}

static bool is_part_option(const struct command *c, const struct listed_option *o)
{
	return c->part_option && o->name && strcmp(o->name, c->part_option) == 0;
}

/* The names that may stand for a word, where TEXT does not say them. */
static void print_names(struct text *out, struct arena *a, const struct command *c, const struct command *part,
			const struct listed_option *o)
{
	const struct word *w = word_of(c, part, o->value);
	struct word_names names = { 0 };

	if (w)
		names = word_list(a, w);
	/* parts have a section */
	if (!names.n || strstr(o->text, names.at[names.n - 1]) || is_part_option(c, o))
		return;
	text_puts(out, ".br\n");
	roff_word(out, o->value, strcspn(o->value, "["));
	text_puts(out, " is one of:\n");
	for (int i = 0; i < names.n; i++) {
		roff_word(out, names.at[i], strlen(names.at[i]));
		text_puts(out, i + 1 < names.n ? ",\n" : ".\n");
	}
}

static void print_option(struct text *out, struct arena *a, const struct command *c, const struct command *part,
			 const struct listed_option *o)
{
	text_puts(out, ".TP\n");
	if (o->letter)
		text_printf(out, "\\fB\\-%c\\fR%s", o->letter, o->name ? ", " : "");
	if (o->name) {
		text_puts(out, "\\fB\\-\\-");
		for (const char *s = o->name; *s; s++)
			text_printf(out, *s == '-' ? "\\-" : "%c", *s);
		text_puts(out, "\\fR");
	}
	if (o->value) {
		text_puts(out, o->optional ? "[=" : o->name ? "=" : " ");
		roff_word(out, o->value, strlen(o->value));
		text_puts(out, o->optional ? "]" : "");
	}
	text_puts(out, "\n");
	roff_prose(out, c, part, o->text, strlen(o->text), true);
	if (o->value)
		print_names(out, a, c, part, o);
}

/* All of --help; of a part without those that are the same everywhere. */
static void print_options(struct text *out, struct arena *a, const struct command *c, const struct command *part)
{
	struct listed_option_vec options;

	options_list(a, command_argp(part ? part : c), &options);
	for (int i = 0; i < options.n; i++) {
		struct listed_option o = options.at[i];

		if (part && (o.group == -1 || is_part_option(c, &o)))
			continue;
		if (!o.name && !o.letter) {
			text_puts(out, part ? ".PP\n" : ".SS ");
			roff_escape(out, o.text, strlen(o.text));
			text_puts(out, "\n");
			continue;
		}
		if (is_part_option(c, &o))
			o.text = arena_printf(a, "what is measured (default %s): one of those below", c->parts[0]->name);
		print_option(out, a, c, part, &o);
	}
}

static void print_part(struct text *out, struct arena *a, const struct command *c, const struct command *part)
{
	struct doc_parts d = cut_doc(command_argp(part));

	text_printf(out, c->part_option ? ".SS %s\n" : ".SS hone %s %s\n", c->part_option ? part->name : c->name,
		    part->name);
	if (command_argp(part) == command_argp(c)) {
		roff_escape(out, part->summary, strlen(part->summary));
		text_printf(out, ":\nwhat\n.B hone %s\ndoes without\n.BR \\-\\-%s ,\nas above.\n", c->name, c->part_option);
		return;
	}
	roff_prose(out, c, part, d.before, d.n_before, false);
	print_options(out, a, c, part);
	if (d.n_behind) {
		text_puts(out, ".PP\n");
		roff_prose(out, c, part, d.behind, d.n_behind, false);
	}
	if (d.examples) {
		text_puts(out, ".PP\nExample:\n");
		roff_examples(out, d.examples);
	}
}

static void print_capitals(struct text *out, const char *s)
{
	for (; *s; s++)
		text_printf(out, *s == '-' ? "\\-" : "%c", toupper((unsigned char)*s));
}

static void print_parts(struct text *out, struct arena *a, const struct command *c)
{
	if (!c->parts)
		return;
	text_puts(out, ".SH ");
	print_capitals(out, c->part_option ? c->part_option : "command");
	text_puts(out, "S\n");
	for (int i = 0; c->parts[i]; i++)
		print_part(out, a, c, c->parts[i]);
}

static void print_exit(struct text *out, const struct command *c, int status, const char *meaning)
{
	text_printf(out, ".TP\n.B %d\n", status);
	roff_prose(out, c, NULL, meaning, strlen(meaning), true);
}

/* In the order of their numbers: those from FIRST to LAST that C and its parts have themselves. */
static void print_exits_between(struct text *out, struct arena *a, const struct command *c, int first, int last)
{
	for (const struct command_exit *e = c->exits; e && e->meaning; e++)
		if (e->status >= first && e->status <= last)
			print_exit(out, c, e->status, e->meaning);
	for (int i = 0; c->parts && c->parts[i]; i++)
		for (const struct command_exit *e = c->parts[i]->exits; e && e->meaning; e++)
			if (e->status >= first && e->status <= last)
				print_exit(out, c, e->status, arena_printf(a, "%s: %s", c->parts[i]->name, e->meaning));
}

static void print_exits(struct text *out, struct arena *a, const struct command *c)
{
	text_puts(out, ".SH EXIT STATUS\n");
	print_exit(out, c, EXIT_OK, "Success.");
	print_exits_between(out, a, c, EXIT_OK + 1, EXIT_USAGE - 1);
	print_exit(out, c, EXIT_USAGE, "Wrong usage.");
	print_exit(out, c, EXIT_FAILED, "Failure: a file, a compiler or the system; the message says which.");
	print_exits_between(out, a, c, EXIT_FAILED + 1, INT_MAX);
}

/* "hone NAME" in the texts of C. */
static bool mentions(struct arena *a, const struct command *c, const struct command *part, const char *name)
{
	const char *words = arena_printf(a, "hone %s", name), *doc = command_argp(part ? part : c)->doc;
	struct listed_option_vec options;

	for (const char *at = doc; at && (at = strstr(at, words)); at++)
		if (!isalpha((unsigned char)at[strlen(words)]))
			return true;
	options_list(a, command_argp(part ? part : c), &options);
	for (int i = 0; i < options.n; i++)
		if (strstr(options.at[i].text, words))
			return true;
	return false;
}

static void print_related(struct text *out, struct arena *a, const struct command *c)
{
	text_puts(out, ".SH SEE ALSO\n.BR hone (1)");
	for (int i = 0; command_at(i); i++) {
		const struct command *other = command_at(i);
		bool related = mentions(a, c, NULL, other->name);

		for (int k = 0; c->parts && c->parts[k]; k++)
			related |= mentions(a, c, c->parts[k], other->name);
		if (related && other != c)
			text_printf(out, ",\n.BR hone\\-%s (1)", other->name);
	}
	text_puts(out, "\n");
}

void manual_print_command(struct text *out, const struct command *c)
{
	struct doc_parts d = cut_doc(command_argp(c));
	struct arena *a = arena_new();

	text_puts(out, ".\\\" SPDX-License-Identifier: Apache-2.0\n.\\\" Made from the option tables: hone manual.\n.TH HONE\\-");
	print_capitals(out, c->name);
	text_printf(out, " 1 \"\" \"" PACKAGE_STRING "\" \"User Commands\"\n.nh\n.ad l\n.SH NAME\nhone\\-%s \\-\n", c->name);
	roff_prose(out, c, NULL, c->summary, strlen(c->summary), false);
	print_synopsis(out, c);
	text_puts(out, ".SH DESCRIPTION\n");
	roff_prose(out, c, NULL, d.before, d.n_before, false);
	if (d.n_behind) {
		text_puts(out, ".PP\n");
		roff_prose(out, c, NULL, d.behind, d.n_behind, false);
	}
	text_puts(out, ".SH OPTIONS\n");
	print_options(out, a, c, NULL);
	print_parts(out, a, c);
	print_exits(out, a, c);
	if (d.examples) {
		text_puts(out, ".SH EXAMPLES\n");
		roff_examples(out, d.examples);
	}
	print_related(out, a, c);
	arena_free(a);
}

/* A page for each. */
static void print_entries(struct text *out)
{
	for (int i = 0; command_at(i); i++) {
		text_printf(out, ".TP\n.BR hone\\-%s (1)\n", command_at(i)->name);
		roff_escape(out, command_at(i)->summary, strlen(command_at(i)->summary));
		text_puts(out, "\n");
	}
}

void manual_print(struct text *out)
{
	for (const char *at = front; *at;) {
		static const char commands[] = "@COMMANDS@\n", version[] = "@VERSION@";

		if (strncmp(at, commands, strlen(commands)) == 0) {
			print_entries(out);
			at += strlen(commands);
		} else if (strncmp(at, version, strlen(version)) == 0) {
			text_puts(out, PACKAGE_VERSION);
			at += strlen(version);
		} else {
			text_putn(out, at++, 1);
		}
	}
}
