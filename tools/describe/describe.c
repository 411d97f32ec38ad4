/* SPDX-License-Identifier: Apache-2.0 */
/* tools/describe/describe.c - what manual and completion share: words, and the walk over commands. */
#include "tools/describe/describe.h"

#include <string.h>

#include "base/err.h"

const struct word *words_here(const struct command *c, const struct command *part)
{
	return part ? part->words : c->argp ? NULL : c->parts[0]->words;
}

/* None of what is there in general. */
static const struct word *find_own(const struct word *own, const char *name)
{
	for (; own && own->name; own++)
		if (strcmp(own->name, name) == 0)
			return own;
	return NULL;
}

const struct word *word_of(const struct command *c, const struct command *part, const char *name)
{
	const char *equals = strrchr(name, '=');
	const struct word *w;

	if (strchr(name, '|'))
		return NULL;
	name = equals ? equals + 1 : name;
	w = find_own(words_here(c, part), name);
	if (!w)
		w = word_find(c->words, name);
	if (!w)
		die("hone %s%s%s: nothing says what %s stands for: add it to tools/args/words.c, or to the words of "
		    "the command", c->name, part ? " " : "", part ? part->name : "", name);
	return w;
}

struct word_names word_list(struct arena *a, const struct word *w)
{
	static const char between[] = ", ";
	struct word_names names = { 0 };
	struct text list = { 0 };

	if (w->list)
		w->list(&list);
	for (const char *at = text_str(&list) + strspn(text_str(&list), between); *at;) {
		size_t n = strcspn(at, between);

		vec_push(a, &names, arena_strndup(a, at, n));
		at += n;
		at += strspn(at, between);
	}
	text_free(&list);
	return names;
}

void describe_all(struct text *out, describe_each *each)
{
	struct arena *a = arena_new();

	for (int i = 0; command_at(i); i++) {
		const struct command *c = command_at(i);

		each(out, a, c, NULL);
		for (int k = 0; c->parts && c->parts[k]; k++)
			each(out, a, c, c->parts[k]);
	}
	arena_free(a);
}
