/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/test_passes.c - random graphs compute the same behind every pass, and the DAGs of
 * their fused functions what the functions do. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/fixture/graph_fixture.h"

#include "graph/build/check.h"
#include "graph/eval/interp.h"
#include "graph/task/task.h"
#include "graph/text/text.h"
#include "runtime/values/agree.h"
#include "te/eval.h"

enum { GRAPHS = 150, CALLS = 24 };

/* A value so far that random calls may read, an image f32[1, c, h, h]. */
static int any_image(struct graph_maker *m)
{
	int n = m->b.function->bindings.n;
	int value = (int)rng_below(&m->rng, n);

	while (build_type(&m->b, value)->rank != 4 || build_array(&m->b, value))
		value = (value + 1) % n;
	return value;
}

static int64_t extent(const struct graph_maker *m, int value, int dim)
{
	return build_type(&m->b, value)->dim[dim].n;
}

static int pointwise(struct graph_maker *m, int x)
{
	static const struct core_op *const unary[] = { &core_relu, &core_neg, &core_sigmoid,
						       &core_abs, &core_identity, &core_tanh };
	static const struct core_op *const binary[] = { &core_add, &core_mul, &core_sub,
							&core_max };
	int64_t c = extent(m, x, 1);
	int other = any_image(m);

	switch (rng_below(&m->rng, 4)) {
	case 0:
		return build(&m->b, unary[rng_below(&m->rng, 6)], x);
	case 1:
		return build(&m->b, binary[rng_below(&m->rng, 4)], x, weight(m, 1, c, 1, 1));
	case 2:
		return build(&m->b, binary[rng_below(&m->rng, 3)], x,
			     build_scalar(&m->b, ELEMENT_F32, (double)rng_below(&m->rng, 3)));
	default:
		return type_equal(build_type(&m->b, x), build_type(&m->b, other))
			       ? build(&m->b, binary[rng_below(&m->rng, 4)], x, other)
			       : build(&m->b, &core_relu, x);
	}
}

static int pad_spatial(struct graph_maker *m, int x)
{
	int64_t pads[8] = { 0 };

	for (int i = 0; i < 8; i++)
		pads[i] = i % 4 < 2 ? 0 : rng_below(&m->rng, 2);
	return build(&m->b, &core_pad, x, build_ints(&m->b, 8, pads));
}

static int permute(struct graph_maker *m, int x)
{
	static const int64_t perms[][4] = { { 0, 2, 3, 1 }, { 0, 3, 1, 2 }, { 0, 1, 3, 2 },
					    { 1, 0, 2, 3 } };
	struct attr_vec attrs = { 0 };

	attrs_ints(m->a, &attrs, "perm", 4, perms[rng_below(&m->rng, 4)]);
	x = build_with(&m->b, &core_transpose, &attrs, x);
	/* Images have one batch: what was there goes to the channels. */
	return build(&m->b, &core_reshape, x, build_ints(&m->b, 4, (int64_t[]){
		1, extent(m, x, 0) * extent(m, x, 1), extent(m, x, 2), extent(m, x, 3) }));
}

static int window(struct graph_maker *m, int x)
{
	struct attr_vec attrs = { 0 };

	attrs_ints(m->a, &attrs, "kernel", 2, (int64_t[]){ 2, 1 });
	attrs_ints(m->a, &attrs, "pads", 4, (int64_t[]){ 1, 0, 0, 0 });
	return build_with(&m->b, rng_chance(&m->rng, 0.5) ? &core_max_pool : &core_avg_pool,
			  &attrs, x);
}

static int reduce(struct graph_maker *m, int x)
{
	return build(&m->b, rng_chance(&m->rng, 0.5) ? &core_reduce_mean : &core_reduce_max, x,
		     build_ints(&m->b, 2, (int64_t[]){ 2, 3 }));
}

static int random_call(struct graph_maker *m)
{
	struct attr_vec attrs = { 0 };
	int x = any_image(m);
	int64_t c = extent(m, x, 1);

	switch (rng_below(&m->rng, 9)) {
	case 0:
		return c > 16 ? pointwise(m, x)
			      : conv(m, x, c, 1 + rng_below(&m->rng, 4), 1, 0);
	case 1:
		return norm(m, x, c);
	case 2:
		return pad_spatial(m, x);
	case 3:
		return permute(m, x);
	case 4:
		return window(m, x);
	case 5:
		return reduce(m, x);
	case 6:
		attrs_int(m->a, &attrs, "axis", 1);
		return c > 16 ? pointwise(m, x)
			      : build_with(&m->b, &core_concat, &attrs, x, x);
	default:
		return pointwise(m, x);
	}
}

static struct graph_maker random_graph(uint64_t seed)
{
	struct graph_maker m = graph_maker_new();
	int results[3];

	m.rng = rng_seed(seed);
	input(&m, 1, 3, 4, 4);
	input(&m, 1, 3, 4, 4);
	for (int i = 0; i < CALLS; i++)
		if (random_call(&m) < 0)
			fail_msg("seed %llu: %s", (unsigned long long)seed, err_get());
	results[0] = m.b.function->bindings.n - 1;
	results[1] = any_image(&m);
	results[2] = any_image(&m);
	if (builder_end(&m.b, 3, results) == FUNCTION_NONE)
		fail_msg("seed %llu: %s", (unsigned long long)seed, err_get());
	return m;
}

static struct value random_argument(struct rng *r, const struct type *t)
{
	int64_t dim[GRAPH_MAX_RANK];

	type_shape(t, dim);
	struct array *x = array_new(t->element, t->rank, dim);

	for (int64_t i = 0; i < x->count; i++)
		element_store(t->element, x->data, i, 2 * rng_unit(r) - 1);
	return value_of_array(x);
}

/* What FUNCTION of G gives for ARGS, which keep their holders. */
static struct value interpreted(struct arena *a, const struct graph *g, int function,
				struct value *args)
{
	const struct function *f = g->functions.at[function];
	struct interp x = interp_begin(a, g, interp_usual_limits);
	struct value *held = values_held(args, f->nparams);
	struct value out;

	if (interp_run(&x, function, held, f->nparams, &out) < 0)
		fail_msg("%s", err_get());
	interp_end(&x);
	free(held);
	return out;
}

static void assert_same(struct arena *a, uint64_t seed, const char *pass, struct value want,
			struct value got)
{
	const struct agreement *same = results_agree(a, got.items->at, want.items->at, 3, AGREE_BOUND);

	for (int i = 0; i < 3; i++)
		if (!same[i].agrees)
			fail_msg("HONE_SEED=%llu: behind %s result %d: %s",
				 (unsigned long long)seed, pass, i, same[i].why);
}

static void check_seed(uint64_t seed)
{
	struct graph_maker m = random_graph(seed);
	struct rng r = rng_seed(seed + 1);
	struct graph *g = m.g;
	struct value args[2];

	for (int i = 0; i < 2; i++)
		args[i] = random_argument(&r, function_at(graph_main(g), i)->type);
	struct value want = interpreted(m.a, g, g->main, args);

	for (int i = 0; pass_at(i); i++) {
		g = pass_at(i)->run(m.a, g);
		if (!g || graph_check(g) < 0)
			fail_msg("HONE_SEED=%llu: %s: %s", (unsigned long long)seed,
				 pass_at(i)->name, err_get());
		struct value got = interpreted(m.a, g, g->main, args);

		assert_same(m.a, seed, pass_at(i)->name, want, got);
		value_release(got);
	}
	value_release(want);
	values_release(args, 2);
	arena_free(m.a);
}

/* The seeds to check: HONE_SEED alone where it is set. */
static void for_seeds(void (*check)(uint64_t seed))
{
	const char *one = getenv("HONE_SEED");

	if (one)
		check(strtoull(one, NULL, 0));
	for (uint64_t seed = 1; !one && seed <= GRAPHS; seed++)
		check(seed);
}

static void every_pass_keeps_what_is_computed(void **state)
{
	(void)state;
	for_seeds(check_seed);
}

/* The DAG of task T, of one application in G, on random arguments against the interpreter. */
static void check_task(struct arena *a, const struct graph *g, const struct model_task *t,
		       struct rng *r)
{
	const struct model_use *use = &t->uses.at[0];
	const struct function *f = g->functions.at[use->function];
	const struct binding *apply = function_at(f, use->value);
	struct value *args = arena_many(a, struct value, apply->nargs);
	void **buffers = arena_many(a, void *, use->inputs.n + 1);
	int64_t dim[GRAPH_MAX_RANK];

	type_shape(apply->type, dim);
	struct array *got = array_in(a, apply->type->element, apply->type->rank, dim);

	for (int i = 0; i < apply->nargs; i++) {
		const struct array *c = function_const(f, apply->args[i]);

		args[i] = c ? value_of_array(array_hold(c))
			    : random_argument(r, function_at(f, apply->args[i])->type);
		for (int j = 0; j < use->inputs.n; j++)
			if (use->inputs.at[j] == apply->args[i])
				buffers[j] = args[i].array->data;
	}
	buffers[use->inputs.n] = got->data;
	assert_int_equal(dag_arg_count(t->dag), use->inputs.n + 1);
	dag_eval(t->dag, buffers);
	struct value want = interpreted(a, g, apply->function, args);
	struct value have = value_of_array(got);
	const struct agreement *same = results_agree(a, &have, &want, 1, AGREE_BOUND);

	if (!same->agrees)
		fail_msg("%s %s: %s", t->op, t->shape, same->why);
	value_release(want);
	values_release(args, apply->nargs);
}

static void check_tasks(uint64_t seed)
{
	struct graph_maker m = random_graph(seed);
	struct rng r = rng_seed(seed + 1);
	const struct graph *g = passed(&m, NULL);
	struct model_task_vec tasks = graph_tasks(m.a, g);

	for (int i = 0; i < tasks.n; i++) {
		if (!tasks.at[i].dag)
			fail_msg("HONE_SEED=%llu: %s %s: %s", (unsigned long long)seed,
				 tasks.at[i].op, tasks.at[i].shape, tasks.at[i].reason);
		check_task(m.a, g, &tasks.at[i], &r);
	}
	arena_free(m.a);
}

static void tasks_compute_what_functions_do(void **state)
{
	(void)state;
	for_seeds(check_tasks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_pass_keeps_what_is_computed),
		cmocka_unit_test(tasks_compute_what_functions_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
