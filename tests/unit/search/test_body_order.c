/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/search/test_body_order.c - whatever is drawn, a written-out body comes in an order in which few values wait. */
#include "search/space/sampling/body_order.h"
#include "tests/te_run.h"

enum { SEEDS = 200 };

/* A tile of 14 columns and two vectors of channels of a convolution with stride 2, all nine taps written out. */
#define CONV "input X: f32[16, 29, 29]\ninput W: f32[16, 3, 3, 2]\n" \
	"C[c < 2, y < 14, x < 14] = sum(r < 16, i < 3, j < 3) X[r, y * 2 + i, x * 2 + j] * W[r, i, j, c]\n"

static struct run run;
static const struct stage *stage;
static int c, x, i, j;

static int iter_of(const char *name)
{
	for (int k = 0; k < stage->iters.n; k++)
		if (strcmp(stage->iters.at[k].name, name) == 0)
			return k;
	fail_msg("no loop '%s'", name);
	return -1;
}

static int setup(void **state)
{
	(void)state;
	run = run_new(CONV);
	const struct state *s = state_new(run.a, run.d);

	stage = s->stages.at[state_find_stage(s, "C")];
	c = iter_of("c");
	x = iter_of("x");
	i = iter_of("i");
	j = iter_of("j");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	arena_free(run.a);
	return 0;
}

static struct step step_of(int first, int second, int third, int last)
{
	return (struct step){ .kind = STEP_REORDER, .n = 4,
			      .list = { (int16_t)first, (int16_t)second, (int16_t)third, (int16_t)last } };
}

static int place_of(const struct step *step, int iter)
{
	int at = 0;

	while (step->list[at] != iter)
		at++;
	return at;
}

/* Columns outside, channels inside: a column's value is used for both, and two of the weights wait. The other way round 14 columns do. */
static void an_order_keeps_few_values(void **state)
{
	(void)state;
	for (int seed = 0; seed < SEEDS; seed++) {
		struct rng rng = rng_seed((uint64_t)seed);
		struct step step = step_of(i, c, j, x);

		body_order(stage, &rng, &step);
		assert_true(place_of(&step, x) < place_of(&step, c));
		assert_true(place_of(&step, i) < place_of(&step, x) && place_of(&step, j) < place_of(&step, x));
	}
}

/* What does not matter is drawn. */
static void orders_differ(void **state)
{
	bool first[2] = { false };

	(void)state;
	for (int seed = 0; seed < SEEDS; seed++) {
		struct rng rng = rng_seed((uint64_t)seed);
		struct step step = step_of(i, j, x, c);

		body_order(stage, &rng, &step);
		first[place_of(&step, i) < place_of(&step, j)] = true;
	}
	assert_true(first[0] && first[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_order_keeps_few_values),
		cmocka_unit_test(orders_differ),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
