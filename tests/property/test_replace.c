/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/test_replace.c - a program that may write its output over an input computes the same
 * there; of those that may not, some would not. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "te/eval.h"
#include "tests/property/sample.h"

enum { CASES = 8000, FIRST = 70000000, MAX_INPUTS = 32 };

struct replace_counts {
	int may, may_not;	/* inputs as large as the output */
	int broken;		/* of those that may not be replaced: it gives something else */
};

/* Runs S's program with its output in the place of INPUT; does that give what it gives apart? */
static bool gives_the_same(struct schedule_sample *s, int input)
{
	int output = s->nargs - 1;
	size_t bytes = s->args[output].bytes;
	void **args = arena_many(s->arena, void *, s->nargs);

	for (int i = 0; i < s->nargs; i++)
		args[i] = s->args[i].data;
	program_interpret(s->program, args);
	args[input] = args[output] = arena_aligned(s->arena, bytes, 64);
	memcpy(args[output], s->args[input].data, bytes);
	program_interpret(s->program, args);
	return memcmp(args[output], s->args[output].data, bytes) == 0;
}

static bool could_hold_output(const struct schedule_sample *s, int input)
{
	const struct buffer *b = s->program->args.at[input];

	return b->kind == BUFFER_INPUT && !program_pack(s->program, input) &&
	       s->args[input].bytes == s->args[s->nargs - 1].bytes;
}

static void try_case(uint64_t seed, struct replace_counts *c)
{
	struct step_counts steps = { 0 };
	struct schedule_sample *s = sample_new(seed, &steps);

	if (sample_lower(s)) {
		uint32_t may = program_replaces(s->program);

		sample_prepare(s);
		for (int i = 0; i < s->nargs - 1 && i < MAX_INPUTS; i++) {
			if (may >> i & 1) {
				c->may++;
				if (!gives_the_same(s, i)) {
					sample_print(s);
					fail_msg("its output in the place of argument %d", i);
				}
			} else if (could_hold_output(s, i)) {
				c->may_not++;
				c->broken += !gives_the_same(s, i);
			}
		}
	}
	sample_free(s);
}

static void test_replaces(void **state)
{
	struct replace_counts c = { 0 };

	(void)state;
	for (uint64_t i = 0; i < CASES; i++)
		try_case(FIRST + i, &c);
	print_message("%d inputs may be replaced; %d may not, of which %d would be broken\n", c.may,
		      c.may_not, c.broken);
	assert_true(c.may > CASES / 75 && c.broken > CASES / 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_replaces) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
