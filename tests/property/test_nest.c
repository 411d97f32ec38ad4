/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/test_nest.c - the text of a nest says all of it.
 *
 * Random DAGs under random steps, behind each pass of lower(): the printed program parses, prints alike,
 * computes the DAG, and the next pass makes of it what it makes of the one that was printed. HONE_SEED=n runs
 * one case and prints it; HONE_LONG=1 runs twenty times as many, HONE_SHORT=1 a twentieth. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/err.h"
#include "schedule/text/nest_text.h"
#include "schedule/pass/pass.h"
#include "tests/property/sample.h"

enum { CASES = 1500, LONG_FACTOR = 20 };
enum { FIRST_CASE = 30000000 };

static const char *printed(struct arena *a, const struct program *p)
{
	struct text t = {0};

	program_print(&t, p);
	const char *out = arena_strdup(a, text_str(&t));

	text_free(&t);
	return out;
}

/* What program P is behind PASS, or why it is refused. */
static const char *behind(struct arena *a, struct program *p, const struct nest_pass *pass)
{
	const char *why = "";

	return pass->run(p, &why) ? printed(a, p) : why;
}

/* TEXT without what tells names apart: a pass that leaves out a loop leaves its name to others. */
static const char *unnumbered(struct arena *a, const char *text)
{
	char *out = arena_strdup(a, text);
	char *to = out;

	for (const char *at = text; *at; at++) {
		size_t digits = *at == '_' ? strspn(at + 1, "0123456789") : 0;

		if (digits > 0)
			at += digits;
		else
			*to++ = *at;
	}
	*to = '\0';
	return out;
}

static bool same_text(const char *what, const char *want, const char *got)
{
	if (strcmp(want, got) == 0)
		return true;
	fprintf(stderr, "%s:\n%s\nand not\n%s\n", what, got, want);
	return false;
}

static bool has_padded_stage(const struct state *s)
{
	for (int i = 0; i < s->stages.n; i++)
		for (int d = 0; d < s->stages.at[i]->iters.n; d++)
			if (s->stages.at[i]->iters.at[d].border == BORDER_PAD)
				return true;
	return false;
}

/* Lanes that border pad adds may read beyond a buffer what a zero of the padding multiplies: such a term is there
 * until LAST has dropped it. */
static bool may_read_beyond(const struct schedule_sample *s, struct program *p, const struct nest_pass *last)
{
	const char *why;

	return last < &nest_passes[PASS_fold] && has_padded_stage(s->state) && !nest_pass_bounds(p, &why);
}

/* Does P, read from text behind LAST, compute what the DAG of S does? So it does behind each pass where it does
 * behind the last; where that refuses, P may be anything. */
static bool computes(struct schedule_sample *s, struct program *p, const struct nest_pass *last)
{
	bool prepared = s->program;
	void **args;

	if (s->why || may_read_beyond(s, p, last))
		return true;
	s->program = p;
	if (prepared)
		sample_pack(s);
	else
		sample_prepare(s);
	args = arena_many(s->arena, void *, s->nargs);
	for (int i = 0; i < s->nargs; i++)
		args[i] = s->args[i].data;
	program_interpret(p, args);
	return sample_matches(s, "the program that was read");
}

/* The same for all but the last pass: how the next one takes it. */
static bool goes_on(struct schedule_sample *s, struct program *back, const struct nest_pass *last)
{
	struct program *p = lower_to(s->arena, s->state, s->target, last, NULL);

	return same_text(last[1].name, unnumbered(s->arena, behind(s->arena, p, last + 1)),
			 unnumbered(s->arena, behind(s->arena, back, last + 1)));
}

static bool holds_behind(struct schedule_sample *s, const struct program *p,
			 const struct nest_pass *last)
{
	const char *text = printed(s->arena, p);
	struct program *back = program_parse(s->arena, last->name, text);

	if (!back) {
		fprintf(stderr, "%s\n%s\n", err_get(), text);
		return false;
	}
	return same_text(last->name, text, printed(s->arena, back)) && computes(s, back, last) &&
	       (last == &nest_passes[NEST_PASSES - 1] || goes_on(s, back, last));
}

/* READ counts the programs. */
static bool holds(struct schedule_sample *s, int *read)
{
	lower(s->arena, s->state, s->target, &s->why);
	for (const struct nest_pass *last = nest_passes; last < nest_passes + NEST_PASSES; last++) {
		const struct program *p = lower_to(s->arena, s->state, s->target, last, NULL);

		if (!p)
			return true;
		if (!holds_behind(s, p, last))
			return false;
		++*read;
	}
	return true;
}

static bool is_set(const char *name)
{
	const char *value = getenv(name);

	return value && *value == '1';
}

static void test_texts(void **state)
{
	struct step_counts counts = {0};
	const char *one = getenv("HONE_SEED");
	int n = is_set("HONE_LONG")    ? CASES * LONG_FACTOR
		: is_set("HONE_SHORT") ? CASES / LONG_FACTOR
				       : CASES;
	uint64_t first = one ? strtoull(one, NULL, 0) : FIRST_CASE;
	int failed = 0, read = 0;

	(void)state;
	for (int i = 0; i < (one ? 1 : n) && failed < 3; i++) {
		struct schedule_sample *s = sample_new(first + (uint64_t)i, &counts);
		bool ok = holds(s, &read);

		if (!ok || one)
			sample_print(s);
		failed += !ok;
		sample_free(s);
	}
	assert_int_equal(failed, 0);
	assert_true(one || read > n * NEST_PASSES * 2 / 5); /* or the test would say little */
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_texts)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
