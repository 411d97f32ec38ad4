/* SPDX-License-Identifier: Apache-2.0 */
/* tools/describe/options.c - walks the tables as argp does. */
#include "tools/describe/options.h"

#include <stdlib.h>
#include <string.h>

/* As its own --help shows it: ARGP may add to it, such as a list of names. */
static const char *filtered(struct arena *a, const struct argp *argp, const struct argp_option *o)
{
	char *text;

	if (!argp->help_filter || !o->doc)
		return o->doc;
	text = argp->help_filter(o->key, o->doc, NULL);
	if (!text || text == o->doc)
		return text;
	const char *kept = arena_strdup(a, text);

	free(text);
	return kept;
}

static bool is_end(const struct argp_option *o)
{
	return !o->key && !o->name && !o->doc && !o->group;
}

static void walk(struct arena *a, const struct argp *argp, int group, struct listed_option_vec *out)
{
	for (const struct argp_option *o = argp->options; o && !is_end(o); o++) {
		bool header = !o->name && !o->key;

		/* an option without a group is in that of the one before it */
		group = o->group ? o->group : header ? group + 1 : group;
		if (o->flags & OPTION_HIDDEN)
			continue;
		vec_push(a, out, (struct listed_option){
			.name = o->name,
			.letter = o->key > ' ' && o->key < 127 ? (char)o->key : 0,
			.value = o->arg,
			.optional = o->flags & OPTION_ARG_OPTIONAL,
			.text = filtered(a, argp, o),
			.group = group,
		});
	}
	for (const struct argp_child *c = argp->children; c && c->argp; c++)
		walk(a, c->argp, c->group, out);
}

/* Groups count from 0 up, then from below 0. */
static int compare(int a, int b)
{
	return (a < 0) != (b < 0) ? (a < 0) - (b < 0) : (a > b) - (a < b);
}

void options_list(struct arena *a, const struct argp *argp, struct listed_option_vec *out)
{
	static const struct listed_option always[] = {
		{ .name = "help", .letter = '?', .text = "print the help and exit", .group = -1 },
		{ .name = "usage", .text = "print a short usage message and exit", .group = -1 },
	};

	*out = (struct listed_option_vec){ 0 };
	walk(a, argp, 0, out);
	for (size_t i = 0; i < sizeof(always) / sizeof(*always); i++)
		vec_push(a, out, always[i]);
	/* stable, and of few */
	for (int i = 1; i < out->n; i++)
		for (int j = i; j > 0 && compare(out->at[j - 1].group, out->at[j].group) > 0; j--) {
			struct listed_option swap = out->at[j];

			out->at[j] = out->at[j - 1];
			out->at[j - 1] = swap;
		}
}

const char *arguments_list(struct arena *a, const struct argp *argp, bool *more)
{
	const char *usage = argp->args_doc ? argp->args_doc : "";
	char *words = arena_strdup(a, usage), *to = words;

	*more = strstr(usage, "...") != NULL;
	for (; *usage; usage++)
		if (!strchr("[].", *usage))
			*to++ = *usage;
	*to = '\0';
	return words;
}
