/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/search/test_seed.c - a campaign tries a chain as its parts are computed by then, and again when one of them has
 * become faster, whether it runs through or is stopped after each batch. */
#include "tests/stopped_campaign.h"

#include "te/text/text.h"

#define WINDOW "const K: f32[3, 16]\nD[y < 14, c < 16] = sum(r < 3) X[y + r, c] * K[r, c]\n"
#define PRODUCT "const W: f32[16, 24]\nO[y < 14, k < 24] = sum(c < 16) D[y, c] * W[c, k]\n"

static const char *const texts[] = {
	"input X: f32[16, 16]\n" WINDOW,
	"input D: f32[14, 16]\n" PRODUCT,
	"input X: f32[16, 16]\n" WINDOW PRODUCT,
};

enum { TASKS = 3, TRIALS = 160, BATCH = 8 };

/* How many new batches of the last campaign had seeds. */
static int seeded;

static void propose(const struct problem *p, struct arena *a, struct rng *rng, struct batch *b)
{
	char line[120];

	snprintf(line, sizeof(line), "%s %jd %jd %d\n", p->task->name,
		 (intmax_t)p->history->trials, (intmax_t)p->ahead, b->n);
	if (stopped_note(line))
		seeded += b->n > 0;
	if (b->n > 0) {
		assert_string_equal(p->task->name, "chain");
		assert_int_equal(p->seeds.n, 1);
		assert_string_equal(b->at[0].steps, p->seeds.at[0].steps);
	}
	strategy_find("random")->propose(p, a, rng, b);
}

static const struct strategy noting = { .name = "noting", .model = &cost_model_analytic, .propose = propose };

static void add_tasks(struct arena *a, struct task_vec *tasks)
{
	static const char *const names[] = { "window", "product", "chain" };

	for (int i = 0; i < TASKS; i++) {
		struct dag *d = dag_parse(a, names[i], texts[i]);

		assert_non_null(d);
		vec_push(a, tasks, task_new(a, d, names[i], 1));
	}
}

static const struct stopped_campaign campaign = { "chain", &noting, TRIALS, BATCH, add_tasks };

static void test_seeded(void **state)
{
	struct fixture *f = *state;
	int runs;
	const char *whole = stopped_play(f, &campaign, "whole", false, &runs);

	assert_int_equal(runs, 1);
	assert_in_range(seeded, 2, TRIALS / BATCH - 2);
	assert_string_equal(stopped_play(f, &campaign, "pieces", true, &runs), whole);
	assert_true(runs > 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_seeded, fixture_new, fixture_free),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
