/* SPDX-License-Identifier: Apache-2.0 */
/* search/campaign/debug.c - one line of a table for each stage that can be printed. */
#include "search/campaign/debug.h"

#include "schedule/text/nest_text.h"
#include "schedule/pass/pass.h"
#include "schedule/text/step_text.h"

/* The features are those that models see on this device. */
struct subject {
	const struct aim *aim;
	const struct task *task;
	const struct candidate *candidate;
	const struct state *state;	/* NULL: its steps make none */
};

static void print_dag(struct text *out, const struct subject *s)
{
	text_puts(out, s->task->text);
}

static void print_steps(struct text *out, const struct subject *s)
{
	if (s->state)
		state_print(out, s->state);
}

/* In A; NULL after saying why. */
static const struct program *lowered(struct arena *a, struct text *out, const struct subject *s)
{
	const char *why = "it has no state";
	const struct program *p = s->state ? lower(a, s->state, s->aim->target, &why) : NULL;

	if (!p)
		text_printf(out, "# no nest: %s\n", why);
	return p;
}

static void print_nest(struct text *out, const struct subject *s)
{
	struct arena *a = arena_new();
	const struct program *p = lowered(a, out, s);

	if (p)
		program_print(out, p);
	arena_free(a);
}

static void print_passes(struct text *out, const struct subject *s)
{
	struct arena *a = arena_new();

	for (int i = 0; s->state && i < NEST_PASSES; i++) {
		const char *why = "";
		const struct program *p = lower_to(a, s->state, s->aim->target, &nest_passes[i], &why);

		text_printf(out, "# behind %s%s%s\n", nest_passes[i].name, p ? "" : ": ", why);
		if (p)
			program_print(out, p);
	}
	arena_free(a);
}

static void print_features(struct text *out, const struct subject *s)
{
	struct arena *a = arena_new();
	const struct program *p = lowered(a, out, s);
	struct feature_matrix m;

	if (p && features_of(a, p, s->aim, &m))
		features_print(out, p, &m);
	arena_free(a);
}

static void print_source(struct text *out, const struct subject *s)
{
	const char *source = s->candidate->trial.source;

	text_puts(out, source ? source : "# no source\n");
}

/* In the order of a candidate's way. */
static const struct dump {
	char letter;
	const char *name;
	void (*print)(struct text *out, const struct subject *s);
} dumps[] = {
	{ 'D', "dag", print_dag },
	{ 'S', "steps", print_steps },
	{ 'P', "passes", print_passes },
	{ 'N', "nest", print_nest },
	{ 'F', "features", print_features },
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

void debug_candidate(struct text *out, const char *letters, const struct aim *aim,
		     const struct task *t, const struct candidate *c)
{
	struct arena *a = arena_new();
	const struct subject subject = {
		.aim = aim, .task = t, .candidate = c,
		.state = c->steps ? state_parse(a, t->dag, "its steps", c->steps) : NULL,
	};

	text_printf(out, "# candidate of task %s %s: %s\n", t->key, t->name,
		    c->steps && *c->steps ? c->steps : "no steps");
	for (int i = 0; i < DUMPS; i++) {
		if (!strchr(letters, dumps[i].letter))
			continue;
		text_printf(out, "\n# >>> %s\n", dumps[i].name);
		dumps[i].print(out, &subject);
	}
	text_puts(out, "\n");
	arena_free(a);
}
