/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/library/files.c - hone carries its templates, and the sources of its interpreter, as text
 * in the program: what it writes does not depend on where it is installed. */
#include "runtime/library/files.h"

#include <string.h>

#include "base/err.h"
#include "base/file.h"

static const struct carried_text {
	const char *path, *text;
} carried[] = {
#include "runtime/library/carried.inc"
};

enum { N_CARRIED = sizeof(carried) / sizeof(*carried) };

/* Where the templates are among hone's sources; all else is the interpreter's. */
#define TEMPLATES "runtime/library/text/"

/* The word whose @WORD@ AT begins with; NULL where there is none. */
static const struct library_word *word_at(const struct library_folder *f, const char *at)
{
	for (int i = 0; i < f->n; i++) {
		size_t n = strlen(f->words[i].word);

		if (strncmp(at + 1, f->words[i].word, n) == 0 && at[n + 1] == '@')
			return &f->words[i];
	}
	return NULL;
}

/* Behind the mark that a line begins with at AT, or behind the line where the mark says that it is not
 * there. */
static const char *after_mark(const struct library_folder *f, const char *at)
{
	const struct library_word *w = word_at(f, at + 1);

	if (!w)
		die("a line of a template depends on a word that nobody set");
	if ((*w->text != '\0') == (at[1] == '?'))
		return at + strlen(w->word) + 3;
	return strchr(at, '\n') + 1;
}

static void fill(struct text *out, const struct library_folder *f, const char *text)
{
	const char *begin = text;

	for (const char *at; (at = strchr(text, '@'));) {
		const struct library_word *w = word_at(f, at);

		if ((at == begin || at[-1] == '\n') && (at[1] == '?' || at[1] == '!')) {
			text_putn(out, text, (size_t)(at - text));
			text = after_mark(f, at);
			continue;
		}

		text_putn(out, text, (size_t)(at - text));
		text_puts(out, w ? w->text : "@");
		text = at + (w ? strlen(w->word) + 2 : 1);
	}
	text_puts(out, text);
}

int library_put(const struct library_folder *f, const char *name, const char *text)
{
	struct text path = { 0 }, filled = { 0 };

	text_printf(&path, "%s/", f->path);
	fill(&path, f, name);
	fill(&filled, f, text);
	int rc = dir_make(arena_strndup(f->arena, path.s, (size_t)(strrchr(path.s, '/') - path.s)));

	if (rc == 0)
		rc = file_write(path.s, text_str(&filled), filled.n);
	text_free(&filled);
	text_free(&path);
	return rc;
}

int library_put_template(const struct library_folder *f, const char *name, const char *path)
{
	for (int i = 0; i < N_CARRIED; i++)
		if (strncmp(carried[i].path, TEMPLATES, strlen(TEMPLATES)) == 0 &&
		    strcmp(carried[i].path + strlen(TEMPLATES), path) == 0)
			return library_put(f, name, carried[i].text);
	die("hone carries no template %s", path);
}

int library_put_interpreter(const struct library_folder *f)
{
	struct text list = { 0 };
	int rc = 0;

	text_puts(&list, "INTERPRETER_SOURCES =");
	for (int i = 0; i < N_CARRIED && rc == 0; i++) {
		const char *path = carried[i].path;

		if (strncmp(path, TEMPLATES, strlen(TEMPLATES)) == 0)
			continue;
		rc = library_put(f, arena_printf(f->arena, "interpreter/%s", path), carried[i].text);
		if (text_ends_with(path, ".c"))
			text_printf(&list, " \\\n\t%s", path);
	}
	text_puts(&list, "\n");
	if (rc == 0)
		rc = library_put(f, "interpreter/sources.mk", text_str(&list));
	text_free(&list);
	return rc;
}
