/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/search/test_reference.c - right outputs are accepted, others are not: each operator in each
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
#include "search/trust/reference.h"
#include "search/trust/spot_check.h"
#include "te/eval.h"
#include "te/operator.h"
#include "te/text/text.h"

static const char *const specs[] = {
#define S(spec) spec,
#include "tests/unit/te/specs.def"
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

static struct reference *reference_of(struct arena *a, const struct dag *d, struct build_pool *builder)
{
	struct reference *r = reference_new(a, d, 1, builder);

	if (!r)
		fail_msg("%s", err_get());
	return r;
}

/* The naive evaluation in the operator's own types is a right kernel. */
static void check_right(const char *source, struct build_pool *builder)
{
	struct arena *a = arena_new();
	const struct dag *d = dag_of(a, source);
	const struct reference *r = reference_of(a, d, builder);

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
		check_right(specs[i], NULL);
		for (size_t t = 0; t < 4 && !strstr(specs[i], "dtype="); t++) {
			snprintf(source, sizeof(source), "%s,dtype=%s", specs[i], types[t]);
			check_right(source, NULL);
		}
	}
}

/* Compiled: once for both sets, and where ranges of inputs are in the texts, twice. */
static void test_compiled(void **state)
{
	static const struct {
		const char *source;
		bool same;
	} cases[] = {
		{ "conv2d:ic=4,h=5,w=5,oc=4,k=3,dtype=i8,act=relu,shift=8", true },
		{ "matmul:m=5,n=7,k=3", false },
	};
	struct build_pool *b = build_pool_new(&(struct build_pool_options){ .jobs = 1 });

	(void)state;
	assert_non_null(b);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct arena *a = arena_new();
		const struct dag *d = dag_of(a, cases[i].source);
		const char *text[INPUT_SETS];

		for (int set = 0; set < INPUT_SETS; set++)
			text[set] = reference_source(a, reference_dag(a, d, set, arena_many(a, struct domain, d->ops.n)));
		assert_int_equal(strcmp(text[0], text[1]) == 0, cases[i].same);
		check_right(cases[i].source, b);
		arena_free(a);
	}
	build_pool_free(b);
}

/* A right text and a wrong one of the same arguments. */
static const struct reference_fault {
	const char *name, *inputs, *right, *wrong;
} faults[] = {
	{ "one term of 65,536 in a norm", "input X: f32[256, 256]",
	  "S[i < 1] = sum(j < 256, k < 256) X[j, k] * X[j, k]\nY[i] = sqrt(S[i])",
	  "S[i < 1] = sum(j < 256, k < 256) select(j == 9 && k == 200, 0, X[j, k] * X[j, k])\n"
	  "Y[i] = sqrt(S[i])" },
	{ "one term of 65,536 twice, in f16", "input X: f16[65536]",
	  "S[i < 1] = sum(j < 65536) f32(X[j])",
	  "S[i < 1] = sum(j < 65536) f32(X[j]) * select(j == 77, f32(2), f32(1))" },
	{ "one term of 4,096 in a softmax", "input X: f32[3, 4096]",
	  "E[i, j] = exp(X[i, j])\nS[i] = sum(j < 4096) E[i, j]\nY[i, j] = E[i, j] / S[i]",
	  "E[i, j] = exp(X[i, j])\nS[i] = sum(j < 4096) select(j == 4095, 0, E[i, j])\n"
	  "Y[i, j] = E[i, j] / S[i]" },
	{ "one term of a mean", "input X: f32[50, 20]",
	  "S[j] = sum(i < 50) X[i, j]\nY[j] = S[j] / 50",
	  "S[j] = sum(i < 49) X[i, j]\nY[j] = S[j] / 50" },
	{ "small outputs zeroed", "input X: f32[4000]", "Y[i] = exp(X[i] * 20)",
	  "Y[i] = select(exp(X[i] * 20) < 90, 0, exp(X[i] * 20))" },
	{ "one large output, the others zeroed", "input X: f32[100]",
	  "Y[i] = X[i] * select(i == 3, f32(1e8), f32(1e-3))",
	  "Y[i] = X[i] * select(i == 3, f32(1e8), f32(0))" },
	{ "a tail skipped", "input A: f32[17, 30]\nconst B: f32[30, 9]",
	  "Y[i, j] = sum(k < 30) A[i, k] * B[k, j]",
	  "Y[i, j] = sum(k < 30) select(i < 16, A[i, k] * B[k, j], 0)" },
	{ "a neighbour's element", "input X: bf16[64]", "Y[i] = X[i] + X[i]",
	  "Y[i] = select(i == 63, X[62] + X[62], X[i] + X[i])" },
	{ "roots of what must not be negative", "input X: f32[40, 64]",
	  "Y[i] = sum(k < 64) sqrt(X[i, k] - 2)", "Y[i < 40] = f32(0)" },
	{ "logarithms", "input X: f32[100]\ninput Z: f32[100]", "Y[i] = log(X[i]) / Z[i]",
	  "Y[i] = log(X[i]) / Z[i] * 1.00001" },
	{ "infinities", "input X: f32[500] in -200..200", "Y[i] = exp(X[i])",
	  "Y[i] = min(exp(X[i]), 3e38)" },
	{ "extremes of a sigmoid", "input X: f32[500] in -60..60", "Y[i] = 1 / (1 + exp(-X[i]))",
	  "Y[i] = 1 / (1 + exp(min(-X[i], 30)))" },
	{ "a sigmoid's overflow", "input X: f32[500] in -200..-90", "Y[i] = 1 / (1 + exp(-X[i]))",
	  "Y[i] = 1 / (1 + exp(min(-X[i], 88)))" },
	{ "denormal numbers", "input X: f32[500] in 1..2", "Y[i] = X[i] * 1e-42", "Y[i < 500] = f32(0)" },
	{ "clamps", "input X: f32[500] in -8..8", "Y[i] = min(max(X[i], 0), 6)",
	  "Y[i] = min(X[i], 6)" },
	{ "a step", "input X: f32[500]", "Y[i] = select(X[i] * X[i] < 0.5, f32(0), f32(1))",
	  "Y[i] = select(X[i] * X[i] < 0.52, f32(0), f32(1))" },
	{ "a quantized result", "input X: f32[500] in -8..8", "Y[i] = i8(round(X[i] * 15.3))",
	  "Y[i] = i8(round(X[i] * 15.3)) + 1" },
	{ "a maximum's last term", "input X: f32[300, 8]", "Y[i] = max(k < 8) X[i, k] * 3",
	  "Y[i] = max(k < 7) X[i, k] * 3" },
	{ "wrapping integers", "input X: i8[20, 100] in -100..100", "Y[i] = sum(k < 100) X[i, k]",
	  "Y[i] = sum(k < 99) X[i, k]" },
};

static const char *outcome(struct arena *a, const struct reference *r, const struct dag *d,
			   enum input_set set)
{
	void **args = reference_args(a, r, set);

	dag_eval(d, args);
	return reference_check(a, r, set, args);
}

static void test_faults(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++) {
		const struct reference_fault *f = &faults[i];
		struct arena *a = arena_new();
		const struct dag *right = dag_of(a, arena_printf(a, "%s\n%s\n", f->inputs, f->right));
		const struct dag *wrong = dag_of(a, arena_printf(a, "%s\n%s\n", f->inputs, f->wrong));
		const struct reference *r = reference_of(a, right, NULL);
		bool refused = false;

		for (int set = 0; set < INPUT_SETS; set++) {
			const char *why = outcome(a, r, right, set);

			if (why)
				fail_msg("%s: the right one, set %d: %s", f->name, set, why);
			refused |= outcome(a, r, wrong, set) != NULL;
		}
		if (!refused)
			fail_msg("%s: accepted", f->name);
		arena_free(a);
	}
}

/* A kernel that does nothing leaves poison. */
static void test_nothing_done(void **state)
{
	struct arena *a = arena_new();

	(void)state;
	for (size_t i = 0; i < sizeof(specs) / sizeof(*specs); i++) {
		const struct reference *r = reference_of(a, dag_of(a, specs[i]), NULL);

		for (int set = 0; set < INPUT_SETS; set++)
			assert_non_null(reference_check(a, r, set, reference_args(a, r, set)));
	}
	arena_free(a);
}

/* What would be NaN whatever the inputs is refused by name. */
static void test_silent_reference(void **state)
{
	struct arena *a = arena_new();
	const struct dag *d = dag_of(a, "input X: f32[9] in -1..1.5\nY[i] = sqrt(-2 - X[i] * X[i])\n");

	(void)state;
	assert_null(reference_new(a, d, 1, NULL));
	assert_non_null(strstr(err_get(), "elements of Y are NaN"));
	arena_free(a);
}

/* A reference that lies is found by the evaluator. */
static void test_spot_check(void **state)
{
	struct arena *a = arena_new();
	const struct dag *d = dag_of(a, "matmul:m=3,n=2,k=20");
	const struct reference *r = reference_of(a, d, NULL);
	const void *data[3], *bound[3] = { NULL, NULL, reference_bound(r, INPUTS_RANDOM, 2) };
	float *want = arena_memdup(a, reference_want(r, INPUTS_RANDOM, 2), 6 * sizeof(float));

	(void)state;
	memcpy(data, reference_args(a, r, INPUTS_RANDOM), sizeof(data));
	data[2] = want;
	assert_int_equal(spot_check(d, data, bound, 1), 0);
	want[5] += 1e-4f;
	assert_int_equal(spot_check(d, data, bound, 1), -1);
	assert_non_null(strstr(err_get(), "matmul[5]"));
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_operators),
		cmocka_unit_test(test_compiled),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_nothing_done),
		cmocka_unit_test(test_silent_reference),
		cmocka_unit_test(test_spot_check),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
