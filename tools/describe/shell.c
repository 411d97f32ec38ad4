/* SPDX-License-Identifier: Apache-2.0 */
/* tools/describe/shell.c - what the scripts for all shells have in common. */
#include "tools/describe/shell.h"

#include <string.h>

#include "tools/describe/describe.h"

void shell_list(struct text *out, const char *variable, const char *words, const char *separators)
{
	text_printf(out, "%s=(", variable);
	for (const char *at = words, *blank = ""; *at; blank = " ") {
		size_t n = strcspn(at, separators);

		text_printf(out, "%s'%.*s'", blank, (int)n, at);
		at += n;
		at += strspn(at, separators);
	}
	text_puts(out, ")");
}

/* PATTERN is of the place, a quote open. Nothing to offer is said, too, where all commands have another word of that name. */
static void print_word(struct text *out, struct arena *a, const char *pattern, const struct word *w)
{
	struct word_names names = word_list(a, w);

	text_printf(out, "\t%s:%s')", pattern, w->name);
	if (names.n) {
		text_puts(out, "\n\t\tnames=(");
		for (int i = 0; i < names.n; i++)
			text_printf(out, "%s'%s'", i ? " " : "", names.at[i]);
		text_puts(out, ")");
	}
	if (w->files || w->folders) {
		text_puts(out, "\n\t\t");
		shell_list(out, "files", w->folders ? "/" : w->files, " ");
	}
	text_puts(out, "\n\t\t;;\n");
}

static void print_words_here(struct text *out, struct arena *a, const struct command *c, const struct command *part)
{
	const char *place = arena_printf(a, "'%s%s%s", c->name, part ? " " : "", part ? part->name : "");

	for (const struct word *w = words_here(c, part); w && w->name; w++)
		print_word(out, a, place, w);
}

/* They hold in its parts, too. */
static void print_words_of(struct text *out, struct arena *a, const struct command *c, const struct command *part)
{
	for (const struct word *w = part ? NULL : c->words; w && w->name; w++)
		print_word(out, a, arena_printf(a, c->parts ? "'%s'*'" : "'%s", c->name), w);
}

void shell_values(struct text *out)
{
	struct arena *a = arena_new();

	text_puts(out, "# _hone_value PLACE WORD: what may take the place of the word: names, files by how their names end (*: any\n"
		       "# file, /: folders alone). Nothing: a number, or a name of the user's.\n"
		       "_hone_value()\n{\n\tcase $1:$2 in\n");
	describe_all(out, print_words_here);
	describe_all(out, print_words_of);
	for (int i = 0; word_at(i); i++)
		print_word(out, a, "*'", word_at(i));
	text_puts(out, "\tesac\n}\n\n");
	arena_free(a);
}
