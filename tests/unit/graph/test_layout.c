/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/graph/test_layout.c - storages of images: the choice against all choices tried out, and the graph
 * that follows against the one before. */
#include "tests/fixture/run_fixture.h"

#include <math.h>

#include "graph/build/check.h"
#include "graph/layout/apply.h"
#include "graph/layout/choose.h"
#include "graph/pass/costs.h"
#include "search/space/parts.h"

enum { LANES = 8, SEEDS = 40, MOST_CHOICES = 20000 };

/* Maximum over windows of 2x2. */
static int pool(struct graph_maker *m, int x)
{
	struct attr_vec attrs = { 0 };

	attrs_ints(m->a, &attrs, "kernel", 2, (int64_t[]){ 2, 2 });
	attrs_ints(m->a, &attrs, "strides", 2, (int64_t[]){ 2, 2 });
	return build_with(&m->b, &core_max_pool, &attrs, x);
}

static int concat(struct graph_maker *m, int x, int y)
{
	struct attr_vec attrs = { 0 };

	attrs_int(m->a, &attrs, "axis", 1);
	return build_with(&m->b, &core_concat, &attrs, x, y);
}

/* A stem of three channels, two branches, one with a pool, joined by a sum and by a concatenation. */
static struct graph_maker branches(void)
{
	struct graph_maker m = graph_maker_new();
	int x = input(&m, 1, 3, 10, 10);
	int stem = build(&m.b, &core_relu, norm(&m, conv(&m, x, 3, 16, 3, 1), 16));
	int left = build(&m.b, &core_relu, conv(&m, stem, 16, 16, 1, 0));
	int right = conv(&m, stem, 16, 16, 3, 1);
	int sum = build(&m.b, &core_add, left, right);
	int small = pool(&m, sum);
	int wide = conv(&m, small, 16, 12, 1, 0);

	finish(&m, conv(&m, concat(&m, small, wide), 28, 8, 3, 0));
	return m;
}

/* Two convolutions of one image, each with a pool behind it: they may be combined, the pools may join
 * them. */
static struct graph_maker siblings(void)
{
	struct graph_maker m = graph_maker_new();
	int x = build(&m.b, &core_relu, input(&m, 1, 16, 10, 10));
	int left = conv(&m, x, 16, 8, 1, 0), right = conv(&m, x, 16, 24, 1, 0);

	finish(&m, concat(&m, pool(&m, left), pool(&m, right)));
	return m;
}

/* An activation that may join the convolution behind it, and a residual sum that may be by itself. */
static struct graph_maker residual(void)
{
	struct graph_maker m = graph_maker_new();
	int x = input(&m, 1, 3, 8, 8), scale = input(&m, 1, 16, 4, 4);
	int stem = build(&m.b, &core_relu, conv(&m, x, 3, 16, 3, 1));
	int sum = build(&m.b, &core_add, conv(&m, stem, 16, 16, 3, 1), stem);
	int y = build(&m.b, &core_mul, pool(&m, sum), scale);

	finish(&m, conv(&m, y, 16, 8, 3, 1));
	return m;
}

/* A depthwise convolution of C channels with a window of 3x3 and a STRIDE. */
static int depthwise(struct graph_maker *m, int x, int64_t c, int64_t stride)
{
	struct attr_vec attrs = { 0 };

	attrs_ints(m->a, &attrs, "pads", 4, (int64_t[]){ 1, 1, 1, 1 });
	attrs_ints(m->a, &attrs, "strides", 2, (int64_t[]){ stride, stride });
	attrs_int(m->a, &attrs, "groups", c);
	return build_with(&m->b, &core_conv, &attrs, x, weight(m, c, 1, 3, 3));
}

/* An inverted residual block that narrows to C channels behind one that halves the image. Channels are in
 * blocks of a vector, and C in halves of that where it allows no other. */
static struct graph_maker inverted(int64_t c)
{
	struct graph_maker m = graph_maker_new();
	int x = build(&m.b, &core_relu, input(&m, 1, 2 * c, 8, 8));
	int narrow = conv(&m, build(&m.b, &core_relu, depthwise(&m, x, 2 * c, 2)), 2 * c, c, 1, 0);
	int wide = build(&m.b, &core_relu, norm(&m, conv(&m, narrow, c, 4 * c, 1, 0), 4 * c));
	int deep = build(&m.b, &core_relu, norm(&m, depthwise(&m, wide, 4 * c, 1), 4 * c));
	int back = norm(&m, conv(&m, deep, 4 * c, c, 1, 0), c);

	finish(&m, build(&m.b, &core_add, back, narrow));
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
		double sum = layout_holds(x, state) ? sum_of(scratch, x, us, state) : INFINITY;

		arena_free(scratch);
		least = sum < least ? sum : least;
		assert_true(++tried <= MOST_CHOICES);
		for (i = 0; i < x->nodes.n && ++state[i] == x->nodes.at[i].states.n; i++)
			state[i] = 0;
	}
	return least;
}

/* Some choices are of alternatives to the rules of fusion. */
static bool has_alternatives(const struct layout_space *x, const int *state)
{
	for (int i = 0; i < x->nodes.n; i++)
		if (!x->nodes.at[i].states.at[state[i]].usual)
			return true;
	return false;
}

static void assert_least(struct graph_maker m)
{
	const struct layout_space *x = layout_space_new(m.a, passed(&m, "fuse"), LANES);
	struct rng rng = rng_seed(3);
	bool moved = false, alternatives = false;

	for (int i = 0; i < SEEDS / 8; i++) {
		const double *us = random_times(m.a, &rng, x->tasks.n);
		struct layout_choice c = layout_choose(m.a, x, us);

		assert_true(c.exact);
		assert_true(layout_holds(x, c.state));
		assert_true(fabs(c.us - sum_of(m.a, x, us, c.state)) < 1e-9);
		assert_true(fabs(c.us - least_of_all(m.a, x, us)) < 1e-9);
		assert_true(fabs(c.us - c.bound) < 1e-9);
		assert_true(c.us <= c.greedy_us);
		for (int k = 0; k < MANNER_COUNT; k++)
			assert_true(c.us <= c.uniform_us[k]);
		for (int k = 0; k < x->nodes.n; k++)
			moved |= c.state[k] != 0;
		alternatives |= has_alternatives(x, c.state);
	}
	assert_true(moved && alternatives);
	arena_free(m.a);
}

static void nothing_is_faster_than_what_is_chosen(void **unused)
{
	(void)unused;
	assert_least(siblings());
	assert_least(residual());
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

/* A choice at random, but such that pacts hold. */
static int *random_state(struct arena *a, const struct layout_space *x, struct rng *rng)
{
	int *state = arena_many(a, int, x->nodes.n);

	do
		for (int k = 0; k < x->nodes.n; k++)
			state[k] = (int)rng_below(rng, x->nodes.at[k].states.n);
	while (!layout_holds(x, state));
	return state;
}

static void assert_same_results(struct graph_maker m)
{
	const struct graph *plain = passed(&m, "fuse");
	const struct layout_space *x = layout_space_new(m.a, plain, LANES);
	const struct array *want = graph_result(m.a, plain);
	struct rng rng = rng_seed(5);

	for (int i = 0; i < SEEDS; i++) {
		struct arena *a = arena_new();
		const int *state = random_state(a, x, &rng);
		struct graph *g = layout_apply(a, x, state);

		if (!g || graph_check(g) < 0)
			fail_msg("%s", err_get());
		const struct array *got = graph_result(a, g);

		assert_same_bits(got, want);
		assert_tasks(a, x, state, g);
		array_release(got);
		arena_free(a);
	}
	array_release(want);
	arena_free(m.a);
}

static void no_choice_changes_a_result(void **unused)
{
	(void)unused;
	assert_same_results(branches());
	assert_same_results(siblings());
	assert_same_results(residual());
	assert_same_results(inverted(8));
	assert_same_results(inverted(12));
}

struct likeness_price {
	const struct layout_space *x;
	const struct value_vec *like;	/* tasks */
};

static double price_like(void *ctx, const struct dag_part *part)
{
	const struct likeness_price *p = ctx;

	for (int i = 0; i < p->like->n; i++)
		if (hash_equal(dag_key(part->dag), p->x->tasks.at[p->like->at[i]].key))
			return 1;
	return INFINITY;
}

/* The parts of chain TASK of X have the keys of the tasks that it is like. */
static void assert_parts(struct arena *a, const struct layout_space *x, int task)
{
	const struct value_vec *like = &x->like.at[task].tasks;
	struct likeness_price price = { x, like };
	struct dag_part_vec parts = parts_of(a, x->tasks.at[task].dag, price_like, &price);

	assert_int_equal(parts.n, like->n);
	for (int i = 0; i < parts.n; i++)
		if (!hash_equal(dag_key(parts.at[i].dag), x->tasks.at[like->at[i]].key))
			fail_msg("part %d of %s, %s", i, x->tasks.at[task].op, x->tasks.at[task].shape);
}

static void assert_chains(struct graph_maker m, int chains)
{
	const struct layout_space *x = layout_space_new(m.a, passed(&m, "fuse"), LANES);
	int found = 0;

	for (int i = 0; i < x->tasks.n; i++) {
		if (!x->like.at[i].spared)
			continue;
		assert_non_null(strchr(x->tasks.at[i].op, '>'));
		assert_parts(m.a, x, i);
		found++;
	}
	assert_int_equal(found, chains);
	arena_free(m.a);
}

/* Three chains in each storage: what was tuned apart is known of them. None where a convolution has a larger
 * window, or where somebody else reads the image. */
static void parts_of_chains_are_tasks(void **unused)
{
	(void)unused;
	assert_chains(inverted(8), 3 * MANNER_COUNT);
	assert_chains(inverted(12), 3 * MANNER_COUNT);
	assert_chains(branches(), 0);
}

struct asked {
	struct kernel_costs costs;
	double alternative_us;	/* 0: not measured */
	double chosen_us;
};

static double *answer(void *user, struct arena *a, const struct model_task_vec *tasks, int expected)
{
	const struct asked *x = user;
	double *us = arena_many(a, double, tasks->n);

	for (int i = 0; i < tasks->n; i++)
		us[i] = i < expected ? 10 : x->alternative_us;
	return us;
}

static void note_choice(void *user, const struct layout_choice *c)
{
	((struct asked *)user)->chosen_us = c->us;
}

/* Calls of the graph that the pass makes of residual(). */
static int calls_with(double alternative_us, double *us)
{
	struct graph_maker m = residual();
	struct asked x = { .alternative_us = alternative_us };
	int calls = 0;

	x.costs = (struct kernel_costs){ LANES, answer, note_choice, &x };
	m.g->costs = &x.costs;
	const struct function *main = graph_main(passed(&m, "layout"));

	for (int v = 0; v < main->bindings.n; v++)
		calls += function_at(main, v)->kind == BIND_APPLY;
	*us = x.chosen_us;
	arena_free(m.a);
	return calls;
}

/* Four calls as the rules of fusion have it: two convolutions with what joins them, pool and product,
 * a third convolution; others where they are measured and faster. */
static void alternatives_wait_for_times(void **unused)
{
	double usual, measured;

	(void)unused;
	int calls = calls_with(0, &usual);

	assert_int_equal(calls, 4);
	assert_true(usual == 10 * calls);
	calls_with(1, &measured);
	assert_true(measured < usual);
	assert_true(calls_with(100, &measured) == calls && measured == usual);
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
		cmocka_unit_test(nothing_is_faster_than_what_is_chosen),
		cmocka_unit_test(no_choice_changes_a_result),
		cmocka_unit_test(parts_of_chains_are_tasks),
		cmocka_unit_test(alternatives_wait_for_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
