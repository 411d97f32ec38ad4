/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/runtime/test_keep_float.c - how many sites of a classifier stay float, on networks where what is expected
 * is wrong. */
#include "tests/fixture/graph_fixture.h"
#include "tests/fixture/db_fixture.h"

#include <stdlib.h>

#include "runtime/quantize/agreement.h"
#include "runtime/quantize/class_check.h"
#include "runtime/quantize/keep_float.h"

/* --- the binomial bound */

static void test_agreement(void **state)
{
	(void)state;
	/* none of n: 0.97^n <= 0.2 */
	assert_int_equal(agreement_may_change(52, 0.97), -1);
	assert_int_equal(agreement_may_change(53, 0.97), 0);
	/* at most one of n: 0.5^n (1 + n) <= 0.2 */
	assert_int_equal(agreement_may_change(4, 0.5), 0);
	assert_int_equal(agreement_may_change(5, 0.5), 1);
	assert_int_equal(agreement_may_change(0, 0.97), -1);
	assert_int_equal(agreement_may_change(1000, 1), -1);
	assert_int_equal(agreement_may_change(9, 0), 9);
	int rows = agreement_rows(0.97);

	assert_true(agreement_may_change(rows, 0.97) > agreement_may_change(rows - 1, 0.97));
	assert_true((1 - 0.97) * rows > agreement_may_change(rows, 0.97));
	assert_true(agreement_rows(0.99) > 2 * rows);
	assert_int_equal(agreement_rows(1), AGREEMENT_MOST_ROWS);
}

/* --- networks */

/* Of steps of weights in which the two differ there are a few. */
#define NEAR 0.015

enum { INPUTS = 16, CLASSES = 512, SAMPLES = 16, MANY = 2000 };

static double symmetric(struct rng *rng)
{
	return 2 * rng_unit(rng) - 1;
}

static int any_weight(struct graph_maker *m)
{
	struct array *x = array_in(m->a, ELEMENT_F32, 2, (int64_t[]){ INPUTS, INPUTS });

	for (int64_t i = 0; i < x->count; i++)
		((float *)x->data)[i] = (float)symmetric(&m->rng);
	return build_const(&m->b, x);
}

/* Columns of small elements but for two of large ones, NEAR each other. */
static int weight_of_two(struct graph_maker *m, double near)
{
	struct array *x = array_in(m->a, ELEMENT_F32, 2, (int64_t[]){ INPUTS, CLASSES });

	for (int i = 0; i < INPUTS; i++) {
		float *w = (float *)x->data + i * CLASSES;

		for (int j = 0; j < CLASSES; j++)
			w[j] = (float)(1e-3 * symmetric(&m->rng));
		w[0] = (float)symmetric(&m->rng);
		w[1] = w[0] + (float)(near * symmetric(&m->rng));
	}
	return build_const(&m->b, x);
}

/* Two classes whose scores are large and NEAR each other, and many that have no say: the mean over all classes
 * is much less than the error of these two. */
static struct graph *two_of_many(struct graph_maker *m, double near)
{
	int x = input(m, 1, INPUTS);
	int h = build(&m->b, &core_relu, build(&m->b, &core_matmul, x, any_weight(m)));
	struct array *bias = array_in(m->a, ELEMENT_F32, 2, (int64_t[]){ 1, CLASSES });

	((float *)bias->data)[0] = ((float *)bias->data)[1] = 20;	/* one of them wins always */
	finish(m, build(&m->b, &core_add,
			build(&m->b, &core_matmul, h, weight_of_two(m, near)),
			build_const(&m->b, bias)));
	return passed(m, "scales");
}

static struct quant calibrated(struct graph_maker *m, const struct graph *g, const struct open_options *o,
			       const struct sample_source *samples)
{
	struct quant_options options = { .method = QUANT_MINMAX, .element = ELEMENT_U8 };
	struct quant q;

	if (quant_new(m->a, g, &options, &q) < 0 || calibrate(&q, o, samples, true) < 0)
		fail_msg("%s", err_get());
	return q;
}

/* The part of rows that change class on samples of SEED with the sites of Q that are quantized. */
static double part_that_changes(const struct quant *q, const struct open_options *o, uint64_t seed)
{
	struct sample_source samples = samples_random(graph_main(q->graph), seed, MANY);
	struct quant_report r = { .nresults = 0 };
	struct quantized z;

	if (quant_apply(q, &z) < 0 || calibrate_report(q, &z, o, &samples, &r) < 0)
		fail_msg("%s", err_get());
	return 1 - quant_error_top1(&r.results[0]);
}

/* What is expected is wrong by an order of magnitude; the check finds out. */
static void test_expected_too_much(void **state)
{
	struct graph_maker m = graph_maker_new();
	struct graph *g = two_of_many(&m, NEAR);
	struct open_options o = { .threads = 1 };
	struct sample_source samples = samples_random(graph_main(g), 0, SAMPLES);
	struct sample_source others = samples_random(graph_main(g), SAMPLES, AGREEMENT_MOST_ROWS);
	struct quant q = calibrated(&m, g, &o, &samples);
	double with_all = part_that_changes(&q, &o, 10000);
	struct keep_float k;

	(void)state;
	if (keep_float(&q, &o, &samples, &others, 0.97, &k) < 0)
		fail_msg("%s", err_get());
	print_message("expected %.4f, seen %.4f; %d stay float in %d tries: expected %.4f, %d of %d change\n",
		      k.before, 1 - with_all, k.kept, k.tries, k.after, k.changed, k.rows);
	assert_true(k.before > 0.985);		/* nothing would stay float for it */
	assert_true(with_all > 0.05);
	assert_int_equal(k.rows, agreement_rows(0.97));
	assert_true(k.tries > 1 || k.kept == q.sites.n);
	assert_in_range(k.kept, 1, q.sites.n);
	assert_in_range(k.changed, 0, k.may_change);
	int float_sites = 0;

	for (int i = 0; i < q.sites.n; i++)
		float_sites += q.sites.at[i].why != NULL;
	assert_int_equal(float_sites, k.kept);
	assert_true(part_that_changes(&q, &o, 10000) < 0.05);
	arena_free(m.a);
}

/* Of too few samples nothing is said but what is expected. */
static void test_too_few(void **state)
{
	struct graph_maker m = graph_maker_new();
	struct graph *g = two_of_many(&m, NEAR);
	struct open_options o = { .threads = 1 };
	struct sample_source samples = samples_random(graph_main(g), 0, SAMPLES);
	struct quant q = calibrated(&m, g, &o, &samples);
	struct keep_float k;

	(void)state;
	if (keep_float(&q, &o, &samples, &samples, 0.97, &k) < 0)
		fail_msg("%s", err_get());
	assert_int_equal(k.rows, 0);
	assert_int_equal(k.tries, 0);
	assert_int_equal(k.kept, 0);
	/* no number of samples shows that all keep their class: none rounds then */
	if (keep_float(&q, &o, &samples, &samples, 1, &k) < 0)
		fail_msg("%s", err_get());
	assert_int_equal(k.kept, q.sites.n);
	assert_true(k.after == 1);
	arena_free(m.a);
}

/* A count that leaves out what cannot change is that of all. */
static void test_count(void **state)
{
	struct graph_maker m = graph_maker_new();
	struct graph *g = two_of_many(&m, 0.5);
	struct open_options o = { .threads = 1 };
	struct sample_source samples = samples_random(graph_main(g), 0, SAMPLES);
	struct sample_source others = samples_random(graph_main(g), SAMPLES, 1000);
	struct quant q = calibrated(&m, g, &o, &samples);
	struct switched s;
	struct class_check c;
	int changed = 0;

	(void)state;
	assert_int_equal(switched_begin(&q, &o, 0, &s), 0);
	assert_int_equal(class_check_new(m.a, &s, &others, others.n, 0.9, &c), 0);
	assert_int_equal(c.rows, others.n);
	for (int i = 1; i < c.n; i++)
		assert_true(c.by_lead[i - 1].lead <= c.by_lead[i].lead);
	switched_set(&s, true, NULL, 0);
	for (int i = 0; i < c.n; i++) {
		struct quant_error e = { .rows = 0 };
		const struct array *y = switched_run(&s, &others, c.by_lead[i].at);

		quant_error_add(&e, y, c.by_lead[i].scores);
		changed += e.agree < e.rows;
		array_release(y);
	}
	print_message("%d of %d change\n", changed, c.n);
	assert_in_range(changed, 1, c.may_change);
	assert_int_equal(class_check_count(&c, &s), changed);
	c.may_change = changed - 1;	/* no more than needed */
	assert_int_equal(class_check_count(&c, &s), changed);
	c.may_change = 0;
	assert_int_equal(class_check_count(&c, &s), 1);
	switched_set(&s, false, NULL, 0);
	assert_int_equal(class_check_count(&c, &s), 0);
	class_check_end(&c);
	switched_end(&s);
	arena_free(m.a);
}

/* Kernels are kept in a folder of the test's own. */
static int folder_new(void **state)
{
	return fixture_new(state) < 0 ? -1 : setenv("XDG_CACHE_HOME", ((struct fixture *)*state)->folder, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_agreement),
		cmocka_unit_test(test_expected_too_much),
		cmocka_unit_test(test_too_few),
		cmocka_unit_test(test_count),
	};

	return cmocka_run_group_tests(tests, folder_new, fixture_free);
}
