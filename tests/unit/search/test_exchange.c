/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/search/test_exchange.c - what is decided of two axes changes places, and nothing is made up. */
#include "search/space/genes/exchange.h"
#include "search/space/sampling/sample.h"
#include "tests/te_run.h"

static const struct aim aim = { .target = &target_x86_64_avx2, .threads = 1,
				.l1_bytes = 1 << 15, .l2_bytes = 1 << 19, .peak = 100, .l2_gbs = 50, .mem_gbs = 13 };

enum { TRIES = 300 };

static bool is_split(const struct sketch *sketch, int i)
{
	return sketch->steps.at[i].step.kind == STEP_SPLIT;
}

/* In how many splits X and Y differ, and the product of all sizes of each. */
static int compare_sizes(const struct sketch *sketch, const struct genes *x, const struct genes *y, double product[2])
{
	int other = 0;

	product[0] = product[1] = 1;
	for (int i = 0; i < x->n; i++) {
		if (!is_split(sketch, i))
			continue;
		other += x->at[i].step.size != y->at[i].step.size;
		product[0] *= (double)x->at[i].step.size;
		product[1] *= (double)y->at[i].step.size;
	}
	return other;
}

/* Sizes are those that there were, at other axes; with them there are kernels, mostly. */
static void test_sizes(void **state)
{
	struct run r = run_new("conv2d:ic=8,h=14,w=14,oc=16,k=3,p=1");
	struct sketch_vec sketches = sketches_of(r.a, r.d, &aim);
	struct rng rng = rng_seed(7);
	int exchanged = 0, moved = 0, made = 0;

	(void)state;
	for (int i = 0; i < TRIES; i++) {
		const struct sketch *sketch = sketches.at[i % sketches.n];
		struct genes before;
		double product[2];

		if (!sample(r.a, r.d, sketch, &aim, &rng, NULL, &before))
			continue;
		struct genes after = genes_copy(r.a, &before);

		if (!exchange_axes(&after, sketch, &rng))
			continue;
		exchanged++;
		moved += compare_sizes(sketch, &before, &after, product) > 0;
		assert_true(product[0] == product[1]);
		made += sample(r.a, r.d, sketch, &aim, &rng, &after, NULL) != NULL;
	}
	assert_true(exchanged > TRIES / 2 && moved > exchanged / 4);
	assert_true(made > exchanged / 2);
	arena_free(r.a);
}

/* Back again, sizes are as they were. */
static void test_twice(void **state)
{
	struct run r = run_new("avg_pool:c=4,h=12,w=12,k=2,s=2");
	const struct sketch *sketch = sketches_of(r.a, r.d, &aim).at[0];
	struct rng rng = rng_seed(1), same = rng;
	struct genes before;
	double product[2];

	(void)state;
	assert_non_null(sample(r.a, r.d, sketch, &aim, &rng, NULL, &before));
	struct genes after = genes_copy(r.a, &before);

	rng = same;
	assert_true(exchange_axes(&after, sketch, &rng));
	rng = same;
	assert_true(exchange_axes(&after, sketch, &rng));
	assert_int_equal(compare_sizes(sketch, &before, &after, product), 0);
	arena_free(r.a);
}

static void test_nothing_alike(void **state)
{
	struct run r = run_new("relu:n=999");
	const struct sketch *sketch = sketches_of(r.a, r.d, &aim).at[0];
	struct rng rng = rng_seed(1);
	struct genes genes;

	(void)state;
	assert_non_null(sample(r.a, r.d, sketch, &aim, &rng, NULL, &genes));
	struct genes after = genes_copy(r.a, &genes);

	assert_false(exchange_axes(&after, sketch, &rng));
	assert_int_equal(genes_distance(&genes, &after), 0);
	arena_free(r.a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_twice),
		cmocka_unit_test(test_nothing_alike),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
