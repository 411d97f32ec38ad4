/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_layout.c - storages of images: the choice against all choices tried out, and the graph
 * that follows against the one before. */
#include "tests/graph_fixture.h"

#include <math.h>

#include "graph/build/check.h"
#include "graph/eval/interp.h"
#include "graph/layout/apply.h"
#include "graph/layout/choose.h"
#include "graph/pass/costs.h"

enum { LANES = 8, SEEDS = 40, MOST_CHOICES = 20000 };

/* A stem of three channels, two branches, one with a pool, joined by a sum and by a concatenation. */
static struct graph_maker branches(void)
{
	struct graph_maker m = graph_maker_new();
	int x = input(&m, 1, 3, 10, 10);
	int stem = build(&m.b, &core_relu, norm(&m, conv(&m, x, 3, 16, 3, 1), 16));
	int left = build(&m.b, &core_relu, conv(&m, stem, 16, 16, 1, 0));
	int right = conv(&m, stem, 16, 16, 3, 1);
	int sum = build(&m.b, &core_add, left, right);
	struct attr_vec pool = { 0 }, axis = { 0 };

	attrs_ints(m.a, &pool, "kernel", 2, (int64_t[]){ 2, 2 });
	attrs_ints(m.a, &pool, "strides", 2, (int64_t[]){ 2, 2 });
	int small = build_with(&m.b, &core_max_pool, &pool, sum);
	int wide = conv(&m, small, 16, 12, 1, 0);

	attrs_int(m.a, &axis, "axis", 1);
	int both = build_with(&m.b, &core_concat, &axis, small, wide);

	finish(&m, conv(&m, both, 28, 8, 3, 0));
	return m;
}

static double *random_times(struct arena *a, struct rng *rng, int n)
{
	double *us = arena_many(a, double, n);

	for (int i = 0; i < n; i++)
		us[i] = 0.1 + 10 * rng_unit(rng);
	return us;
}

/* What STATE comes to by the weights of its tasks: another way than that of the choice. */
static double sum_of(struct arena *a, const struct layout_space *x, const double *us,
		     const int *state)
{
	const int *runs = layout_weights(a, x, state);
	double sum = 0;

	for (int i = 0; i < x->tasks.n; i++)
		sum += runs[i] * us[i];
	return sum;
}

static double least_of_all(struct arena *a, const struct layout_space *x, const double *us)
{
	int *state = arena_many(a, int, x->nodes.n);
	double least = INFINITY;
	int tried = 0;

	for (int i = 0; i < x->nodes.n;) {
		struct arena *scratch = arena_new();
		double sum = sum_of(scratch, x, us, state);

		arena_free(scratch);
		least = sum < least ? sum : least;
		assert_true(++tried <= MOST_CHOICES);
		for (i = 0; i < x->nodes.n && ++state[i] == x->nodes.at[i].nstates; i++)
			state[i] = 0;
	}
	return least;
}

static void no_storages_are_faster_than_those_chosen(void **unused)
{
	struct graph_maker m = branches();
	const struct layout_space *x = layout_space_new(m.a, passed(&m, "fuse"), LANES);
	struct rng rng = rng_seed(3);
	bool moved = false;

	(void)unused;
	assert_true(x->nodes.n >= 6);
	for (int i = 0; i < SEEDS / 8; i++) {
		const double *us = random_times(m.a, &rng, x->tasks.n);
		struct layout_choice c = layout_choose(m.a, x, us);

		assert_true(c.exact);
		assert_true(fabs(c.us - sum_of(m.a, x, us, c.state)) < 1e-9);
		assert_true(fabs(c.us - least_of_all(m.a, x, us)) < 1e-9);
		assert_true(fabs(c.us - c.bound) < 1e-9);
		assert_true(c.us <= c.greedy_us);
		for (int k = 0; k < MANNER_COUNT; k++)
			assert_true(c.us <= c.uniform_us[k]);
		for (int k = 0; k < x->nodes.n; k++)
			moved |= c.state[k] != 0;
	}
	assert_true(moved);
	arena_free(m.a);
}

static const struct array *run(struct arena *a, const struct graph *g)
{
	struct interp interp = interp_begin(a, g, interp_usual_limits);
	const struct function *main = graph_main(g);
	int64_t dim[GRAPH_MAX_RANK];

	type_shape(main->bindings.at[0].type, dim);
	struct array *x = array_new(ELEMENT_F32, main->bindings.at[0].type->rank, dim);
	struct rng rng = rng_seed(4);
	struct value arg = value_of_array(x), out;

	for (int64_t i = 0; i < x->count; i++)
		element_store(ELEMENT_F32, x->data, i, rng_unit(&rng) - 0.5);
	if (interp_run(&interp, g->main, &arg, 1, &out) < 0)
		fail_msg("%s", err_get());
	interp_end(&interp);
	return out.array;
}

/* The tasks that a graph really has are those that its choice was made by. */
static void assert_tasks(struct arena *a, const struct layout_space *x, const int *state,
			 const struct graph *g)
{
	struct model_task_vec tasks = graph_tasks(a, g);
	const int *runs = layout_weights(a, x, state);
	int found = 0, expected = 0;

	for (int i = 0; i < x->tasks.n; i++) {
		expected += runs[i] > 0;
		for (int j = 0; j < tasks.n; j++)
			if (hash_equal(tasks.at[j].key, x->tasks.at[i].key)) {
				assert_int_equal(tasks.at[j].weight, runs[i]);
				found++;
			}
	}
	assert_int_equal(found, expected);
}

static void storages_change_no_result(void **unused)
{
	struct graph_maker m = branches();
	const struct graph *plain = passed(&m, "fuse");
	const struct layout_space *x = layout_space_new(m.a, plain, LANES);
	const struct array *want = run(m.a, plain);
	struct rng rng = rng_seed(5);

	(void)unused;
	for (int i = 0; i < SEEDS; i++) {
		struct arena *a = arena_new();
		int *state = arena_many(a, int, x->nodes.n);

		for (int k = 0; k < x->nodes.n; k++)
			state[k] = (int)rng_below(&rng, (uint64_t)x->nodes.at[k].nstates);
		struct graph *g = layout_apply(a, x, state);

		if (!g || graph_check(g) < 0)
			fail_msg("%s", err_get());
		const struct array *got = run(a, g);

		assert_int_equal(got->count, want->count);
		assert_memory_equal(got->data, want->data, (size_t)got->count * sizeof(float));
		assert_tasks(a, x, state, g);
		array_release(got);
		arena_free(a);
	}
	array_release(want);
	arena_free(m.a);
}

static void images_are_named_by_their_order(void **unused)
{
	struct arena *a = arena_new();
	const struct type *t = type_shaped(a, ELEMENT_F32, DIMS(1, 32, 1, 7));

	(void)unused;
	assert_string_equal(storage_name(a, 4, STORE_NCHW), "nchw");
	assert_string_equal(storage_name(a, 3, STORE_NHWC), "nwc");
	assert_string_equal(storage_name(a, 5, 16), "ncdhw16c");
	assert_string_equal(type_string(a, storage_type(a, t, 16)), "f32[1, 2, 1, 7, 16]");
	assert_string_equal(type_string(a, storage_type(a, t, STORE_NHWC)), "f32[1, 1, 7, 32]");
	assert_false(storage_same(t, STORE_NCHW, STORE_NHWC));
	assert_true(storage_same(t, 32, STORE_NHWC));
	t = type_shaped(a, ELEMENT_F32, DIMS(1, 32, 1, 1));
	assert_true(storage_same(t, STORE_NCHW, 8));
	assert_false(storage_fits(t, 5));
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(images_are_named_by_their_order),
		cmocka_unit_test(no_storages_are_faster_than_those_chosen),
		cmocka_unit_test(storages_change_no_result),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
