/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/partition/test_generator_blas.c - what the generator of OpenBLAS computes of single matches, against the
 * interpreter. */
#include "tests/generator/generator_check.h"

#include <unistd.h>

#include "tests/generator/generator_products.h"
#include "tests/skip.h"

/* See tests/unit/partition/test_generators.c. */
__attribute__((visibility("default"))) const char *__lsan_default_options(void);
const char *__lsan_default_options(void)
{
	return "use_tls=0";
}

static bool load(struct arena *a, struct backend *b)
{
	if (access("./hone-blas.so", R_OK) != 0) {
		skip_part("blas", "its library was not found by configure");
		return false;
	}
	if (backend_load(a, "./hone-blas.so", b) < 0)
		fail_msg("%s", err_get());
	return true;
}

static int layer(struct graph_maker *m)
{
	int x = input(m, 5, 13);

	return build(&m->b, &core_relu, affine(m, x, weight(m, 13, 9), false, weight(m, 9)));
}

static int layer_of_row(struct graph_maker *m)
{
	int x = input(m, 1, 13);

	return build(&m->b, &core_add, weight(m, 1, 11), product(m, x, weight(m, 11, 13), false, true));
}

static int row_by_matrix(struct graph_maker *m)
{
	int x = input(m, 1, 13);

	return product(m, x, weight(m, 13, 4), false, false);
}

static int column_and_number(struct graph_maker *m)
{
	int x = input(m, 1, 13);

	return build(&m->b, &core_add, product(m, x, weight(m, 1, 3), true, false), weight(m, 1));
}

static int two_products(struct graph_maker *m)
{
	int x = input(m, 13, 5);

	return affine(m, product(m, x, weight(m, 13, 9), true, false), weight(m, 9, 3), false, weight(m, 1));
}

/* One matrix for all of a stack. */
static int layer_of_stack(struct graph_maker *m)
{
	int x = input(m, 2, 3, 5, 7);

	return build(&m->b, &core_relu, affine(m, x, weight(m, 1, 6, 7), true, weight(m, 1, 1, 6)));
}

/* The dims before the matrices repeat, of either. */
static int stack_by_stack(struct graph_maker *m)
{
	int x = input(m, 2, 1, 5, 7), y = input(m, 3, 4, 7);

	return build(&m->b, &core_relu, product(m, x, y, false, true));
}

static int square(struct graph_maker *m)
{
	int x = input(m, 4, 3, 6);

	return product(m, x, x, true, false);
}

static void test_results(void **state)
{
	static const struct {
		const char *name;
		int (*make)(struct graph_maker *m);
	} cases[] = {
		{ "a layer", layer },
		{ "a layer of a row", layer_of_row },
		{ "a row by a matrix", row_by_matrix },
		{ "a column made of a row, and a number", column_and_number },
		{ "a layer of a stack", layer_of_stack },
		{ "a stack by a stack", stack_by_stack },
		{ "a stack by itself", square },
	};
	struct arena *a = arena_new();
	struct backend b;
	size_t n = load(a, &b) ? sizeof(cases) / sizeof(cases[0]) : 0;

	(void)state;
	for (size_t i = 0; i < n; i++) {
		struct graph_maker m = graph_maker_new();

		assert_int_equal(b.generator->grain, HONE_KERNELS);
		finish(&m, cases[i].make(&m));
		check_generator(&m, &b, cases[i].name);
		arena_free(m.a);
	}
	arena_free(a);
}

/* More than one match is no kernel. */
static void test_two_products(void **state)
{
	struct arena *a = arena_new();
	struct backend b;

	(void)state;
	if (load(a, &b)) {
		struct graph_maker m = graph_maker_new();

		finish(&m, two_products(&m));
		check_refusal(&m, &b, "two products", "no constant row");
		arena_free(m.a);
	}
	arena_free(a);
}

/* Does B claim X times a matrix where both X, of DIM, and the result are stored in this way? */
static bool claims_stored(const struct backend *b, const int64_t *dim, int channels, char *why)
{
	struct graph_maker m = graph_maker_new();
	int x = input_of(&m, 4, dim);
	const struct function *f = graph_main(m.g);
	struct value_vec members = { 0 };

	finish(&m, product(&m, x, weight(&m, dim[3], 5), false, false));
	struct flow flow = flow_new(m.a, f);
	int *stored = arena_many(m.a, int, f->bindings.n);

	for (int v = 0; v < f->bindings.n; v++) {
		stored[v] = channels;
		if (function_at(f, v)->kind == BIND_CALL)
			vec_push(m.a, &members, v);
	}
	int *room = region_view_room(m.a, f);
	const struct region_view *view = region_view_new(m.a, &flow, room, &members, stored);

	assert_non_null(view);
	bool claimed = b->generator->claims(&view->region, why) == 0;

	arena_free(m.a);
	return claimed;
}

static void test_storages(void **state)
{
	char why[HONE_WHY_BYTES] = "";
	struct arena *a = arena_new();
	struct backend b;

	(void)state;
	if (load(a, &b)) {
		assert_true(claims_stored(&b, (int64_t[]){ 2, 8, 3, 4 }, 0, why));
		assert_true(claims_stored(&b, (int64_t[]){ 2, 1, 3, 4 }, 1, why));	/* the same memory */
		assert_false(claims_stored(&b, (int64_t[]){ 2, 8, 3, 4 }, 8, why));
		assert_false(claims_stored(&b, (int64_t[]){ 2, 8, 3, 4 }, 1, why));
		assert_non_null(strstr(why, "not row-major"));
	}
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_results),
		cmocka_unit_test(test_two_products),
		cmocka_unit_test(test_storages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
