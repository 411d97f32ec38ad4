/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/search/test_tails.c - what samples make of tiles that do not divide. */
#include "schedule/text/step_text.h"
#include "search/space/sampling/sample.h"
#include "search/space/genes/vary.h"
#include "tests/te_run.h"

enum { TRIES = 200 };

#define PRODUCT(rows)                                                                                      \
	"input A: f32[" rows ", 64]\ninput B: f32[64, 48]\n"                                               \
	"C[i, j] = sum(k < 64) A[i, k] * B[k, j]\n"

static struct aim aim_for(int threads)
{
	return (struct aim){ .target = &target_x86_64_avx512, .threads = threads, .l2_bytes = 1 << 19, .peak = 100,
			     .mem_gbs = 13 };
}

/* How often a tail was settled as each border. */
struct tails {
	int of[BORDER_COUNT];
};

/* Those of S. Only tiles that do not divide have any, but that none is left where all can be of one smaller size; lanes
 * have one size. */
static struct tails tails_of(const struct state *s)
{
	struct tails t = { { 0 } };

	for (int i = 0; i < s->steps.n; i++) {
		const struct step *step = &s->steps.at[i];
		const struct stage *g = s->stages.at[step->stage];

		if (step->kind != STEP_BORDER || !border_is_of_tile(step->border))
			continue;
		t.of[step->border]++;
		assert_true(stage_has_tail(g, step->iter) || step->border == BORDER_EVEN);
		if (step->border == BORDER_EVEN)
			assert_int_equal(g->iters.at[step->iter].annotation, ANNOTATION_UNROLL);
	}
	return t;
}

/* Over samples of SOURCE. Genes that a state tells give the same steps again. */
static struct tails sampled(const char *source, int threads)
{
	struct run r = run_new(source);
	struct aim aim = aim_for(threads);
	struct sketch_vec sketches = sketches_of(r.a, r.d, &aim);
	struct rng rng = rng_seed(11);
	struct tails all = { { 0 } };

	for (int i = 0; i < TRIES; i++) {
		const struct sketch *sketch = sketches.at[i % sketches.n];
		const struct state *s = sample(r.a, r.d, sketch, &aim, &rng, NULL, NULL);
		struct genes genes;

		if (!s)
			continue;
		struct tails t = tails_of(s);

		for (int b = 0; b < BORDER_COUNT; b++)
			all.of[b] += t.of[b];
		assert_true(genes_of(r.a, sketch, &s->steps, &genes));
		const struct state *again = sample(r.a, r.d, sketch, &aim, &rng, &genes, NULL);

		assert_non_null(again);
		assert_string_equal(steps_text(r.a, &again->steps), steps_text(r.a, &s->steps));
	}
	arena_free(r.a);
	return all;
}

/* Both are drawn where rows are a prime; threads might meet where one is shifted. */
static void test_drawn(void **state)
{
	struct tails alone = sampled(PRODUCT("13"), 1), together = sampled(PRODUCT("13"), 2);

	(void)state;
	assert_true(alone.of[BORDER_EVEN] > 0 && alone.of[BORDER_SHIFT] > 0);
	assert_true(together.of[BORDER_EVEN] > 0 && together.of[BORDER_SHIFT] == 0);
}

/* A mutation takes back that tiles are of two sizes, now and then; what is left is followed. */
static void test_mutated(void **state)
{
	struct run r = run_new(PRODUCT("14"));
	struct aim aim = aim_for(1);
	struct sketch_vec sketches = sketches_of(r.a, r.d, &aim);
	struct rng rng = rng_seed(5);
	int n = 0, changed = 0;

	(void)state;
	for (int i = 0; i < 5 * TRIES; i++) {
		const struct sketch *sketch = sketches.at[i % sketches.n];
		struct genes genes;
		const struct state *s = sample(r.a, r.d, sketch, &aim, &rng, NULL, &genes);

		if (!s || tails_of(s).of[BORDER_EVEN] == 0)
			continue;
		struct genes other = mutate(r.a, &genes, sketch, &rng);
		const struct state *mutant = sample(r.a, r.d, sketch, &aim, &rng, &other, NULL);

		n++;
		changed += mutant && tails_of(mutant).of[BORDER_EVEN] == 0;
	}
	assert_true(changed > 0 && changed < n);
	arena_free(r.a);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_drawn), cmocka_unit_test(test_mutated) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
