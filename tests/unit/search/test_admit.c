/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/search/test_admit.c - tasks beyond any machine: an estimate and a refusal, at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "search/campaign/admit.h"
#include "search/space/sketch.h"
#include "te/operator.h"
#include "te/text/text.h"

#define GIB ((double)(1 << 30))
#define MEMORY (24 * GIB)

static const struct task *parse(struct arena *a, const char *text)
{
	const struct dag *d = dag_parse(a, "t.te", text);

	if (!d)
		fail_msg("%s", err_get());
	return task_new(a, d, "t.te", 1);
}

/* N equations, each of them BODY, a format that takes the tensor before it up to three times. */
static char *chain(struct arena *a, int n, const char *body)
{
	struct text t = { 0 };
	char before[32] = "X";

	text_puts(&t, "input X: f32[64, 64]\n");
	for (int i = 0; i < n; i++) {
		text_printf(&t, "Y%d[i, j] = ", i);
		for (const char *c = body; *c; c++)
			if (*c == 'P')
				text_printf(&t, "%s[i, j]", before);
			else
				text_putn(&t, c, 1);
		text_puts(&t, "\n");
		snprintf(before, sizeof(before), "Y%d", i);
	}
	char *s = arena_strdup(a, text_str(&t));

	text_free(&t);
	return s;
}

static void refused(struct arena *a, const char *text, const char *what, const char *how_much)
{
	assert_int_equal(task_admit(parse(a, text), MEMORY), -1);
	if (!strstr(err_get(), what) || !strstr(err_get(), how_much) ||
	    strncmp(err_get(), "t.te: ", 6) != 0)
		fail_msg("%s", err_get());
}

static void test_refused(void **state)
{
	struct arena *a = arena_new();

	(void)state;
	refused(a, "input A: f32[4]\nC[i] = sum(k < 1000000000, l < 1000000000) A[i]\n",
		"make the operator smaller", "8e+18 operations");
	refused(a, "input A: f32[1000, 1000, 1000, 10]\nC[i, j, k, l] = A[i, j, k, l] * 2\n",
		"make the operator smaller", "149 GiB");
	refused(a, "input A: f32[4000]\nB[i, j, k] = A[i] * A[j] * A[k]\n"
		   "C[i < 4] = sum(j < 4000, k < 100) B[i, j, k]\n", "make the operator smaller",
		"238 GiB for what lies between");
	refused(a, chain(a, 1000, "P * 1.5 + 0.5"), "cut it into several", "1000 operations");
	arena_free(a);
}

static void test_admitted(void **state)
{
	static const char *const specs[] = {
		"matmul:m=4096,n=4096,k=4096", "conv2d:ic=512,h=28,w=28,oc=512,k=3,p=1",
		"softmax:m=4096,n=4096", "relu:n=7",
	};
	struct arena *a = arena_new();

	(void)state;
	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		const struct dag *d = operator_build(a, specs[i]);

		if (!d || task_admit(task_new(a, d, specs[i], 1), MEMORY) < 0)
			fail_msg("%s: %s", specs[i], err_get());
	}
	arena_free(a);
}

static const struct aim aim = { .target = &target_x86_64_avx2, .threads = 2,
				.l2_bytes = 1 << 19, .peak = 100, .mem_gbs = 13 };

/* Inlined into each other they would have 3^50 nodes, and as many ways to reach the input. */
static void test_doubling(void **state)
{
	struct arena *a = arena_new();
	const struct task *t = parse(a, chain(a, 50, "P * P + P"));

	(void)state;
	assert_int_equal(task_admit(t, MEMORY), 0);
	struct sketch_vec sketches = sketches_of(a, t->dag, &aim);

	assert_true(sketches.n > 0);
	for (int i = 0; i < sketches.n; i++)
		for (int j = 0; j < sketches.at[i]->state->stages.n; j++) {
			const struct op *op = &sketches.at[i]->state->stages.at[j]->op;

			assert_true(op->kind != OP_COMPUTE || expr_size(op->body) <= 4096);
		}
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_admitted),
		cmocka_unit_test(test_doubling),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
