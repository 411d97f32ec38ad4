/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/graph/test_integer_factors.c - what brings sums to the scale of their result is exact, and never too large. */
#include "tests/fixture/integers_fixture.h"

/* Do all numbers of channel C of S fit at SHIFT? As it is written down, with the least factor that will do. */
static bool fits_at(const struct function *f, const struct quant_site *s, int c, double out, double term, int shift)
{
	const struct array *w = function_const(f, s->weight);
	int64_t n = w->count / s->channels;
	const float *v = (const float *)w->data + c * n;
	double unit = ldexp(out, -shift), data = (double)s->grid.scale, most = 0, sum = 0;
	double other = term > 0 ? fmax(rint(term / unit), 1) : 0;

	for (int64_t i = 0; i < n; i++)
		most = fmax(most, fabs((double)v[i]));
	double by = fmax(ceil(most / 127 * data / unit), 1);

	for (int64_t i = 0; i < n; i++)
		sum += fmin(rint(fabs((double)v[i]) / (by * unit / data)), 127);
	return by <= INT16_MAX && other <= INT16_MAX &&
	       128 * (sum * by + other) + fabs(rint(quant_bias_of(f, s, c) / unit)) + ldexp(1, shift - 1) < 0x1p31;
}

/* What S came to is exact, no coarser than it says, and of the shifts that fit the largest. */
static void check_scale(const struct function *f, const struct quant_site *s, const struct integer_scale *r,
			double out, double term)
{
	const struct array *w = function_const(f, s->weight);
	int64_t n = w->count / s->channels;
	double unit = ldexp(out, -r->shift), half = ldexp(1, r->shift - 1);
	bool more = r->shift < 24;

	for (int c = 0; c < s->channels; c++) {
		const int8_t *q = (const int8_t *)r->weight.q->data + c * n;
		const float *v = (const float *)w->data + c * n;
		double scale = r->by[c] * unit / (double)s->grid.scale;

		assert_true(fabs(scale - (double)r->weight.scale[c]) <= 1e-6 * scale);
		for (int64_t i = 0; i < n; i++)
			assert_true(fabs(q[i] * scale - (double)v[i]) <= scale * 0.5000001);
		assert_true(fabs((r->add[c] - half) * unit - quant_bias_of(f, s, c)) <= unit * 0.5000001);
		assert_true(fits_at(f, s, c, out, term, r->shift));
		more &= fits_at(f, s, c, out, term, r->shift + 1);
	}
	assert_false(more);
	if (term > 0)
		assert_true(fabs(r->term[0] * unit - term) <= unit / 2 || r->term[0] == 1);
}

/* No data makes a sum of S leave 32 bits, counted in integers. */
static void check_sums(const struct quant_site *s, const struct integer_scale *r, bool term)
{
	int64_t n = r->weight.q->count / s->channels, half = INT64_C(1) << (r->shift - 1);

	for (int c = 0; c < s->channels; c++) {
		int64_t sum = 0;

		for (int64_t i = 0; i < n; i++)
			sum += abs(((const int8_t *)r->weight.q->data)[c * n + i]);
		assert_true(128 * sum * r->by[c] + llabs(r->add[c] - half) + half + (term ? 128 * r->term[0] : 0) <=
			    INT32_MAX);
	}
}

static void test_factors(void **state)
{
	int fits = 0;

	(void)state;
	for (int i = 0; i < 300; i++) {
		struct graph_maker m = graph_maker_new();
		int64_t oc = 1 + i % 5, ic = 1 + i * 7 % 90, k = 1 + i % 3;

		m.rng = rng_seed((uint64_t)i);
		int x = input(&m, 1, ic, 6, 6), w = uneven(&m, DIMS(oc, ic, k, k), exp(symmetric(&m.rng) * 6));
		int b = uneven(&m, DIMS(oc, 1, 1), exp(symmetric(&m.rng) * 6));
		double out = exp(symmetric(&m.rng) * 6), term = i % 2 ? out * exp(symmetric(&m.rng) * 3) : 0;
		struct integer_scale r;
		const char *why;

		finish(&m, build(&m.b, &core_add, build(&m.b, &core_conv, x, w), b));
		struct quant q;

		assert_int_equal(quant_new(m.a, m.g, &(struct quant_options){ .scheme = &quant_integers }, &q), 0);
		struct quant_site *s = &q.sites.at[0];

		s->grid.scale = (float)exp(symmetric(&m.rng) * 4);
		if (integer_scale_site(m.a, graph_main(m.g), s, out, term > 0, &term, &r, &why)) {
			check_scale(graph_main(m.g), s, &r, out, term);
			check_sums(s, &r, term > 0);
			fits++;
		} else {
			assert_non_null(why);
		}
		arena_free(m.a);
	}
	assert_true(fits > 100);
}

static void test_factors_of_terms(void **state)
{
	struct rng rng = rng_seed(5);

	(void)state;
	for (int i = 0; i < 1000; i++) {
		double ratio[2] = { exp(symmetric(&rng) * 5), exp(symmetric(&rng) * 5) };
		double count[2] = { (double)(1 + rng_below(&rng, 200)), 1 };
		struct integer_scale r;
		int n = 1 + i % 2;
		double most = 0;

		if (!integer_scale_terms(n, ratio, count, &r))
			continue;
		for (int k = 0; k < n; k++) {
			assert_true(r.term[k] >= 1 && r.term[k] <= INT16_MAX);
			assert_true(fabs(r.term[k] - ldexp(ratio[k], r.shift)) <= 0.5 || r.term[k] == 1);
			most += 128 * count[k] * r.term[k];
		}
		assert_true(most + ldexp(1, r.shift - 1) < 0x1p31);
	}
	/* more than 15 bits in one, or a sum of more than 31 */
	struct integer_scale r;

	assert_true(integer_scale_terms(1, (double[]){ 1.0 / 49 }, (double[]){ 49 }, &r));
	assert_true(r.term[0] > 16000);
	assert_false(integer_scale_terms(1, (double[]){ 40000 }, (double[]){ 1 }, &r));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_factors),
		cmocka_unit_test(test_factors_of_terms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
