/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/search/test_lag.c - what is known when a batch is proposed: all but the batch before it, whether the campaign
 * runs through or is stopped after each batch. */
#include "tests/stopped_campaign.h"

#include "te/operator.h"

#define SPEC "matmul:m=24,n=32,k=16"

enum { TRIALS = 40, BATCH = 8 };

static void propose(const struct problem *p, struct arena *a, struct rng *rng, struct batch *b)
{
	const struct history *h = p->history;
	char line[100];

	snprintf(line, sizeof(line), "%jd known, %jd ahead, best %.3f\n", (intmax_t)h->trials,
		 (intmax_t)p->ahead, h->n_best ? h->best[0].time_us : 0);
	stopped_note(line);
	strategy_find("random")->propose(p, a, rng, b);
}

/* It has a model so that what is known of records comes back with a run. */
static const struct strategy noting = { .name = "noting", .model = &cost_model_analytic,
					.propose = propose };

static void add_tasks(struct arena *a, struct task_vec *tasks)
{
	vec_push(a, tasks, task_new(a, operator_build(a, SPEC), SPEC, 1));
}

static const struct stopped_campaign campaign = { SPEC, &noting, TRIALS, BATCH, add_tasks };

static void test_lag(void **state)
{
	struct fixture *f = *state;
	int runs;
	const char *whole = stopped_play(f, &campaign, "whole", false, &runs);

	assert_int_equal(runs, 1);
	for (int i = 0; i < TRIALS / BATCH; i++) {
		int ahead = i > 0 ? BATCH : 0;
		const char *line = arena_printf(f->a, "%d known, %d ahead,", i * BATCH - ahead, ahead);

		if (!strstr(whole, line))
			fail_msg("'%s' is not in\n%s", line, whole);
	}
	assert_string_equal(stopped_play(f, &campaign, "pieces", true, &runs), whole);
	assert_true(runs > 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_lag, fixture_new, fixture_free),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
