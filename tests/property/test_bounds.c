/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/test_bounds.c - no right kernel is refused, and bounds are not wide for nothing.
 *
 * Random DAGs and operators under random steps, so that sums come in any order: what the
 * interpreted nest computes is within the reference's bounds on both sets of inputs. Among all
 * elements with a bound, some come near it. HONE_COUNTS=1 prints the figures. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/err.h"
#include "search/trust/reference.h"
#include "te/eval.h"
#include "tests/property/sample.h"

enum { CASES = 600, FIRST = 50000000 };

/* Of all elements that may differ at all. */
static struct {
	int64_t bounded, exact;
	double nearest;		/* the greatest error, in bounds */
	int silent;		/* cases whose reference says too little */
} seen;

static void note(const struct reference *r, enum input_set set, int arg, const struct tensor *t,
		 const void *got)
{
	const void *want = reference_want(r, set, arg), *bound = reference_bound(r, set, arg);

	for (int64_t i = 0; i < tensor_count(t); i++) {
		double b = verify_bound(t->dtype, bound, i);
		double off = fabs(dtype_load(t->dtype, got, i) - dtype_load(t->dtype, want, i));

		if (b > 0 && isfinite(b) && isfinite(off)) {
			seen.bounded++;
			seen.nearest = fmax(seen.nearest, off / b);
		} else {
			seen.exact += b == 0;
		}
	}
}

/* ARGS as the program takes them: what it wants packed is. */
static void **packed(const struct schedule_sample *s, void *const *args)
{
	void **out = arena_many(s->arena, void *, dag_arg_count(s->dag));

	for (int i = 0; i < dag_arg_count(s->dag); i++) {
		const struct pack *k = program_pack(s->program, i);

		out[i] = args[i];
		if (!k)
			continue;
		out[i] = arena_alloc(s->arena, tensor_bytes(&k->packed->tensor));
		pack_interpret(k, args[i], out[i]);
	}
	return out;
}

static bool holds(const struct schedule_sample *s)
{
	const struct reference *r = reference_new(s->arena, s->dag, s->seed, NULL);

	if (!r && strstr(err_get(), "nothing can be verified")) {
		seen.silent++;
		return true;
	}
	if (!r) {
		fprintf(stderr, "%s\n", err_get());
		return false;
	}
	for (int set = 0; set < INPUT_SETS; set++) {
		void **args = reference_args(s->arena, r, set);

		program_interpret(s->program, packed(s, args));
		const char *wrong = reference_check(s->arena, r, set, args);

		if (wrong) {
			fprintf(stderr, "set %d: %s\n", set, wrong);
			return false;
		}
		for (int i = 0; i < dag_arg_count(s->dag); i++)
			if (reference_bound(r, set, i))
				note(r, set, i, &s->program->args.at[i]->tensor, args[i]);
	}
	return true;
}

static void test_right_kernels(void **state)
{
	struct step_counts counts = {0};
	const char *seed = getenv("HONE_SEED");
	uint64_t first = seed ? strtoull(seed, NULL, 0) : FIRST;
	int failed = 0;

	(void)state;
	for (uint64_t i = 0; i < (seed ? 1 : CASES) && failed < 5; i++) {
		struct schedule_sample *s = sample_new(first + i, &counts);

		if (sample_lower(s) && !holds(s)) {
			failed++;
			sample_print(s);
		}
		sample_free(s);
	}
	if (getenv("HONE_COUNTS"))
		fprintf(stderr, "%" PRId64 " elements with a bound, the nearest at %.2f of it; %" PRId64
				" that must be exact; %d cases that say too little\n",
			seen.bounded, seen.nearest, seen.exact, seen.silent);
	assert_int_equal(failed, 0);
	if (seed)
		return;
	assert_true(seen.bounded > CASES && seen.exact > CASES);
	assert_true(seen.nearest > 0.5);	/* or bounds say little */
	assert_true(seen.silent < CASES / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_right_kernels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
