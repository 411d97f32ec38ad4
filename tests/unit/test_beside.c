/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_beside.c - what follows from times beside work, and that work is done meanwhile. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"
#include "measure/device/beside.h"

static enum beside_verdict judged(double compute, double memory, double quiet)
{
	return beside_judge(&(struct beside_effect){ compute, memory, quiet });
}

static void what_follows(void **state)
{
	(void)state;
	assert_int_equal(judged(0.001, -0.01, 0.01), BESIDE_UNSEEN);
	assert_int_equal(judged(0.03, 0, 0.01), BESIDE_SEEN);
	assert_int_equal(judged(0, 0.03, 0.01), BESIDE_SEEN);
	/* Noise is neither an effect nor none. */
	assert_int_equal(judged(0, 0, 0.03), BESIDE_UNSURE);
	assert_int_equal(judged(0.045, 0, 0.03), BESIDE_UNSURE);
	/* But what stands out of it is one. */
	assert_int_equal(judged(0.5, 0, 0.03), BESIDE_SEEN);
}

static int count(void *user)
{
	++*(int *)user;
	return 0;
}

static int refuse(void *user)
{
	++*(int *)user;
	return err_set("no work");
}

static void work_is_done_meanwhile(void **state)
{
	(void)state;
	struct arena *a = arena_new();
	const struct device *d = device_synthetic(a, "synthetic:core:1 pu:1");
	struct beside_effect seen;
	int calls = 0;

	assert_int_equal(beside_measure(d, "0", count, &calls, &seen), 0);
	assert_true(calls > 0);
	assert_true(isfinite(seen.compute) && isfinite(seen.memory) && seen.quiet >= 0);
	/* What fails is not tried again. */
	calls = 0;
	assert_int_equal(beside_measure(d, "0", refuse, &calls, &seen), -1);
	assert_int_equal(calls, 1);
	assert_string_equal(err_get(), "no work");
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_follows),
		cmocka_unit_test(work_is_done_meanwhile),
	};

	return cmocka_run_group_tests_name("beside", tests, NULL, NULL);
}
