/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/test_emulated.c - kernels of targets that this machine does not run compute their DAGs.
 *
 * Random DAGs under random steps, as in test_schedule.c, cross-compiled with the flags of candidates and
 * run by the target's emulator. HONE_LONG=1 runs twenty times as many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/err.h"
#include "tests/property/emulated.h"
#include "tests/skip.h"

/* Half a second each. */
enum { CASES = 24, LONG_FACTOR = 20 };
enum { FIRST = 40000000 };	/* seeds that no other test has */

static void check(const struct target *target)
{
	struct arena *a = arena_new();
	const char *why = "no emulator of it is known";
	struct emulation *e = target->emulator ? emulation_new(a, target, &why) : NULL;
	volatile uint64_t current;

	if (!e) {
		skip_part(target->name, why);
	} else {
		const struct case_plan plan = {target, batch_builder(NULL, target), emulation_run, e};

		if (!plan.builder)
			fail_msg("%s", err_get());
		assert_int_equal(cases_run(&plan, FIRST, getenv("HONE_LONG") ? LONG_FACTOR * CASES : CASES,
					   &current), 0);
		build_pool_free(plan.builder);
		emulation_free(e);
	}
	arena_free(a);
}

static void test_emulated(void **state)
{
	(void)state;
	for (int i = 0; i < TARGET_COUNT; i++)
		if (target_is_foreign(target_at(i)) && target_at(i)->march)	/* a compiler makes its code */
			check(target_at(i));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_emulated)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
