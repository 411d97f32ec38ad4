/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/measure/test_beside.c - what follows from times beside work, and that work is done meanwhile. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/file.h"
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

/* Doubt is not kept, nor what was seen a day ago. */
static void what_was_seen_is_kept(void **state)
{
	struct arena *a = arena_new();
	const struct device *d = device_synthetic(a, "synthetic:core:1 pu:1");
	const struct beside_effect none = { 0.001, -0.01, 0.005 }, doubt = { 0, 0, 0.03 };
	const char *dir = dir_temp(a);
	struct beside_effect seen;
	int minutes;

	(void)state;
	assert_non_null(dir);
	setenv("XDG_CACHE_HOME", dir, 1);
	beside_keep(d, "1", &doubt);
	assert_false(beside_recall(d, "1", &seen, &minutes));
	beside_keep(d, "1", &none);
	assert_true(beside_recall(d, "1", &seen, &minutes));
	assert_true(seen.compute == none.compute && seen.memory == none.memory && seen.quiet == none.quiet);
	assert_int_equal(minutes, 0);
	assert_false(beside_recall(d, "0", &seen, &minutes));

	FILE *f = fopen(beside_place(a, d, "1"), "w");

	assert_non_null(f);
	fprintf(f, "{\"when\": %jd, \"compute\": 0, \"memory\": 0, \"quiet\": 0}", (intmax_t)time(NULL) - 86400);
	assert_int_equal(fclose(f), 0);
	assert_false(beside_recall(d, "1", &seen, &minutes));
	beside_keep(d, "1", &none);
	assert_true(beside_recall(d, "1", &seen, &minutes));
	beside_forget();
	assert_false(beside_recall(d, "1", &seen, &minutes));
	dir_remove(dir);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_follows),
		cmocka_unit_test(work_is_done_meanwhile),
		cmocka_unit_test(what_was_seen_is_kept),
	};

	return cmocka_run_group_tests_name("beside", tests, NULL, NULL);
}
