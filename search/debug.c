/* SPDX-License-Identifier: Apache-2.0 */
/* search/debug.c - one line of a table for each stage that can be printed. */
#include "search/debug.h"

#include "schedule/nest.h"

static void print_dag(struct text *out, const struct task *t, const struct candidate *c)
{
	(void)c;
	text_puts(out, t->text);
}

static void print_steps(struct text *out, const struct task *t, const struct candidate *c)
{
	(void)t;
	if (c->state)
		state_print(out, c->state);
}

static void print_nest(struct text *out, const struct task *t, const struct candidate *c)
{
	struct arena *a = arena_new();
	const char *why = "it has no state";
	const struct program *p = c->state ? lower(a, c->state, &why) : NULL;

	(void)t;
	if (p)
		program_print(out, p);
	else
		text_printf(out, "# no nest: %s\n", why);
	arena_free(a);
}

static void print_source(struct text *out, const struct task *t, const struct candidate *c)
{
	(void)t;
	text_puts(out, c->trial.source ? c->trial.source : "# no source\n");
}

/* In the order of a candidate's way. */
static const struct dump {
	char letter;
	const char *name;
	void (*print)(struct text *out, const struct task *t, const struct candidate *c);
} dumps[] = {
	{ 'D', "dag", print_dag },
	{ 'S', "steps", print_steps },
	{ 'N', "nest", print_nest },
	{ 'C', "c", print_source },
};

enum { DUMPS = sizeof(dumps) / sizeof(dumps[0]) };

char debug_unknown(const char *letters)
{
	for (; *letters; letters++) {
		bool known = false;

		for (int i = 0; i < DUMPS; i++)
			known |= dumps[i].letter == *letters;
		if (!known)
			return *letters;
	}
	return '\0';
}

void debug_list(struct text *out)
{
	for (int i = 0; i < DUMPS; i++)
		text_printf(out, "%s%c %s", i ? ", " : "", dumps[i].letter, dumps[i].name);
}

void debug_candidate(struct text *out, const char *letters, const struct task *t,
		     const struct candidate *c)
{
	text_printf(out, "# candidate of task %s %s: %s\n", t->key, t->name,
		    c->steps && *c->steps ? c->steps : "no steps");
	for (int i = 0; i < DUMPS; i++) {
		if (!strchr(letters, dumps[i].letter))
			continue;
		text_printf(out, "\n# >>> %s\n", dumps[i].name);
		dumps[i].print(out, t, c);
	}
	text_puts(out, "\n");
}
