/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/runtime/test_large_region.c - a region of 25,000 calls: its structure, and memory in proportion. */
#include "tests/fake/fake_generator.h"
#include "tests/skip.h"

#include <malloc.h>

#include "graph/build/check.h"
#include "runtime/offload/regions.h"

enum { CALLS = 25000, ELEMENTS = 4 };

static const struct hone_pattern any[] = { { "any", "any" }, { NULL, NULL } };

/* A chain of N sums with the same constant, of which every other reads a value from far back as well. */
static struct graph_maker chain(int n)
{
	struct graph_maker m = graph_maker_new();
	int *values = arena_many(m.a, int, n + 1);

	values[0] = input(&m, ELEMENTS);
	int w = weight(&m, ELEMENTS);

	for (int i = 1; i <= n; i++)
		values[i] = build(&m.b, &core_add, values[i - 1], i % 2 ? w : values[i / 2]);
	finish(&m, values[n]);
	return m;
}

static size_t in_use(void)
{
	const struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

/* A chain of N cut and made ready; what that takes in bytes. */
static size_t cut_and_prepare(int n)
{
	struct graph_maker m = chain(n);
	struct backend_vec backends = { 0 };
	const struct offload_request request = { 0 };
	struct offloaded out;
	size_t before = in_use();

	vec_push(m.a, &backends, fake_computer(m.a, "fake", HONE_REGIONS, any)->backend);
	if (offloaded_new(m.a, m.g, &backends, &request, NULL, 0, 1, &out) < 0 || graph_check(out.graph) < 0)
		fail_msg("%s", err_get());
	size_t bytes = in_use() - before;

	assert_int_equal(out.cut.regions.n, 1);
	assert_int_equal(out.cut.calls.n, n);
	const struct graph *g = out.cut.graph;
	const struct function *f = g->functions.at[graph_find_function(g, out.cut.regions.at[0].function)];

	assert_int_equal(function_calls(m.a, f).n, n);
	assert_int_equal(f->nparams, 1);
	assert_int_equal(f->nresults, 1);
	assert_int_equal(f->bindings.n, n + 2);		/* the constant once */
	assert_int_equal(graph_main(out.graph)->bindings.n, 2);
	assert_non_null(out.ready[0]);
	arena_free(m.a);
	return bytes;
}

static void test_memory(void **state)
{
	size_t half = cut_and_prepare(CALLS / 2), whole = cut_and_prepare(CALLS);

	(void)state;
	if (half == 0)
		skip_test("mallinfo2() tells nothing: another malloc, as AddressSanitizer's");
	if (whole > 3 * half)
		fail_msg("%zu bytes for %d calls, %zu for half of them", whole, CALLS, half);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
