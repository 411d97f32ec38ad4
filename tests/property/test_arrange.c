/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/test_arrange.c - on stored inputs an arranged DAG gives the stored outputs.
 *
 * The operators of tests/unit/te/specs.def and random DAGs under random arrangements, by the naive
 * evaluation. HONE_SEED=n runs one case and prints it. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/err.h"
#include "te/eval.h"
#include "te/text/text.h"
#include "tests/property/arranged.h"
#include "tests/property/library.h"
#include "tests/property/random_dag.h"

enum { CASES = 3000, FIRST = 60000000 };
/* Of the DAGs from the operator library. */
#define LIBRARY_SHARE 0.4

struct arranged_case {
	struct arena *a;
	const struct dag *plain, *stored;	/* stored: NULL where it was refused */
	struct arrangement *how;
	struct rng r;
};

static struct arranged_case case_new(uint64_t seed)
{
	struct arranged_case c = { .a = arena_new(), .r = rng_seed(seed) };
	const char *text;

	c.plain = rng_chance(&c.r, LIBRARY_SHARE) ? library_dag(c.a, &c.r, &text)
						  : random_dag(c.a, &c.r, &text);
	c.how = random_arrangements(c.a, &c.r, c.plain);
	c.stored = dag_arrange(c.a, c.plain, c.how);
	return c;
}

static void case_print(const struct arranged_case *c, uint64_t seed)
{
	struct text t = { 0 };

	dag_print(&t, c->plain);
	text_puts(&t, "# >>> stored\n");
	if (c->stored)
		dag_print(&t, c->stored);
	else
		text_printf(&t, "refused: %s\n", err_get());
	fprintf(stderr, "\nHONE_SEED=%" PRIu64 "\n%s", seed, text_str(&t));
	text_free(&t);
}

/* False with the first difference on stderr. */
static bool outputs_equal(const struct arranged_case *c, int arg, const void *want, const void *got)
{
	const struct tensor *t = &dag_arg_op(c->stored, arg)->tensor;
	enum closeness agreement = dag_is_exact(c->plain) ? AGREES_EXACTLY : AGREES_ROUNDED;

	for (int64_t i = 0; i < tensor_count(t); i++) {
		double x = dtype_load(t->dtype, want, i), y = dtype_load(t->dtype, got, i);

		if (value_is_close(t->dtype, x, y, agreement))
			continue;
		fprintf(stderr, "element %jd of %s is %g, not %g\n", (intmax_t)i, t->name, y, x);
		return false;
	}
	return true;
}

static bool holds(struct arranged_case *c)
{
	int n = dag_arg_count(c->plain);
	void **plain = arena_many(c->a, void *, n), **stored = arena_many(c->a, void *, n);
	void **want = arena_many(c->a, void *, n);

	for (int i = 0; i < n; i++) {
		const struct op *op = dag_arg_op(c->plain, i);
		size_t bytes = tensor_bytes(&op->tensor);

		plain[i] = arena_alloc(c->a, bytes);
		stored[i] = arena_alloc(c->a, bytes);
		want[i] = arena_alloc(c->a, bytes);
		if (op->kind != OP_COMPUTE)
			random_fill(&c->r, op->tensor.dtype, plain[i], tensor_count(&op->tensor));
		store_arranged(&c->how[i], &op->tensor, plain[i], stored[i]);
	}
	dag_eval(c->plain, plain);
	dag_eval(c->stored, stored);
	for (int i = 0; i < n; i++) {
		store_arranged(&c->how[i], &dag_arg_op(c->plain, i)->tensor, plain[i], want[i]);
		if (!outputs_equal(c, i, want[i], stored[i]))
			return false;
	}
	return true;
}

static void test_arranged(void **state)
{
	int arranged = 0, failed = 0;

	(void)state;
	for (int i = 0; i < CASES && failed < 5; i++) {
		uint64_t seed = FIRST + (uint64_t)i;
		struct arranged_case c = case_new(seed);

		arranged += c.stored != NULL;
		if (c.stored && !holds(&c)) {
			failed++;
			case_print(&c, seed);
		}
		arena_free(c.a);
	}
	assert_int_equal(failed, 0);
	assert_true(arranged > CASES * 99 / 100);	/* or the test would say little */
}

static void test_one(void **state)
{
	uint64_t seed = strtoull(getenv("HONE_SEED"), NULL, 0);
	struct arranged_case c = case_new(seed);

	(void)state;
	case_print(&c, seed);
	assert_true(!c.stored || holds(&c));
	arena_free(c.a);
}

int main(void)
{
	const struct CMUnitTest one[] = { cmocka_unit_test(test_one) };
	const struct CMUnitTest all[] = { cmocka_unit_test(test_arranged) };

	if (getenv("HONE_SEED"))
		return cmocka_run_group_tests(one, NULL, NULL);
	return cmocka_run_group_tests(all, NULL, NULL);
}
