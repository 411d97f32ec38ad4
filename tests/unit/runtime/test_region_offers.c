/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/runtime/test_region_offers.c - regions stay with their generator or go back to hone, by times that the
 * test plants. */
#include "tests/fixture/offers_fixture.h"

#include "graph/pass/pass.h"
#include "runtime/offload/judge.h"

enum { KERNELS, REGIONS, BACKENDS, LAYERS = 100 };

static const struct hone_pattern products[] = { { "dense", "matmul" }, { "act", "relu" }, { NULL, NULL } };

/* Of two regions, which tanh parts. */
#define MODEL                                                                                      \
	"fn @main(%x: f32[4, 4], %w: f32[4, 4]) {\n"                                               \
	"\t%0 = matmul(%x, %w)\n"                                                                  \
	"\t%1 = relu(%0)\n"                                                                        \
	"\t%2 = tanh(%1)\n"                                                                        \
	"\t%3 = relu(%2)\n"                                                                        \
	"\treturn %3\n}\n"

/* Generators of both grains, as a model has them; only the second has regions. */
struct region_case {
	struct arena *a;
	struct graph *g;
	struct fake *fake;
	struct backend backends[BACKENDS];
	struct choice_plan plan;
	struct offloaded m;
};

static struct region_case *region_case_new(const char *functions)
{
	struct arena *a = arena_new();
	struct region_case *c = arena_one(a, struct region_case);
	struct device *d = offers_device(a);

	*c = (struct region_case){ .a = a, .g = graph_passes(a, parsed(a, functions), OFFLOAD_AFTER) };
	if (!c->g)
		fail_msg("%s", err_get());
	c->backends[KERNELS] = fake_computer(a, "kernels", HONE_KERNELS, products)->backend;
	c->fake = fake_computer(a, "regions", HONE_REGIONS, products);
	c->backends[REGIONS] = c->fake->backend;
	c->plan = (struct choice_plan){
		.device = d, .now = calibration_of(d), .threads = 1,
		.offers = offers_begin(a, offers_options_of(a, d, c->backends, BACKENDS, 1)),
	};
	vec_push(a, &c->plan.generators.kernels, c->backends[KERNELS]);
	vec_push(a, &c->plan.generators.regions, c->backends[REGIONS]);
	return c;
}

/* C's model, cut by what is known. */
static void cut(struct region_case *c, enum offload_policy policy)
{
	const struct offload_request request = { 0 };

	offers_set_policy(c->plan.offers, policy);
	assert_ok(offloaded_new(c->a, c->g, &c->plan.generators.regions, &request, c->plan.offers, REGIONS, 1,
				&c->m));
}

static const struct function *region_at(const struct region_case *c, int i)
{
	const struct graph *g = c->m.cut.graph;

	return g->functions.at[graph_find_function(g, c->m.cut.regions.at[i].function)];
}

static void plant_of(struct region_case *c, struct hash128 key, int backend, double us)
{
	if (us > 0)
		offers_learn_region(c->plan.offers, key, "r", &(struct offer){ .backend = backend, .us = us },
				    &us, 1);
}

/* Plants what the region KEY takes its generator and hone; 0: nothing is known. */
static void plant(struct region_case *c, struct hash128 key, double theirs, double ours)
{
	plant_of(c, key, REGIONS, theirs);
	plant_of(c, key, OFFER_HOST, ours);
}

/* The reason why the host computes the first call of OP; "": it does not. */
static const char *why_host(const struct region_case *c, const char *op)
{
	for (int i = 0; i < c->m.cut.calls.n; i++) {
		const struct offload_call *call = &c->m.cut.calls.at[i];
		const struct function *f = c->m.from->functions.at[call->function];

		if (strcmp(function_at(f, call->value)->op->name, op) == 0)
			return call->why ? call->why : "";
	}
	fail_msg("no call of %s", op);
	return NULL;
}

/* --- the rule */

/* A region has to save 2 us and 2% to stay: it divides a list of steps. */
static void test_rule(void **state)
{
	static const struct {
		double theirs, ours;
		const char *why;
	} cases[] = {
		{ 10, 12.1, "hone is no slower: 12.1 us against 10.0" },
		{ 10, 12.3, "" },
		{ 10, 9, "hone is no slower: 9.0 us against 10.0" },
		{ 1000, 1010, "hone is no slower: 1010.0 us against 1000.0" },
		{ 1000, 1030, "" },
		{ 10, 0, "" },		/* nobody knows hone's */
		{ 0, 10, "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct region_case *c = region_case_new(MODEL);

		cut(c, OFFLOAD_ALL);
		assert_int_equal(c->m.cut.regions.n, 2);
		plant(c, region_key(region_at(c, 0)), cases[i].theirs, cases[i].ours);
		cut(c, OFFLOAD_FASTEST);
		assert_string_equal(why_host(c, "matmul"), cases[i].why);
		assert_int_equal(c->m.cut.regions.n, *cases[i].why ? 1 : 2);
		cut(c, OFFLOAD_ALL);		/* whoever wants all gets all */
		assert_string_equal(why_host(c, "matmul"), "");
		arena_free(c->a);
	}
}

static double told_us;

static struct hone_cost tell(const struct hone_region *r, int threads)
{
	(void)r, (void)threads;
	return (struct hone_cost){ .kernels_us = told_us / 2, .launches_us = told_us / 4, .transfers_us = told_us / 4 };
}

/* What a generator tells counts, whatever was measured. */
static void test_told(void **state)
{
	static const struct {
		double told, measured;
		const char *why;
	} cases[] = {
		{ 10, 1000, "" },
		{ 1000, 10, "hone is no slower: 100.0 us against 1000.0" },
		{ 0, 10, "" },		/* it does not know: what was measured counts */
		{ 0, 1000, "hone is no slower: 100.0 us against 1000.0" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct region_case *c = region_case_new(MODEL);

		c->fake->generator.cost = tell;
		told_us = 0;
		cut(c, OFFLOAD_ALL);
		const struct hash128 key = region_key(region_at(c, 0));

		plant(c, key, cases[i].measured, 100);
		told_us = cases[i].told;
		cut(c, OFFLOAD_FASTEST);
		assert_string_equal(why_host(c, "matmul"), cases[i].why);
		cut(c, OFFLOAD_ALL);
		assert_true(region_us(&c->plan, &c->m, 0) == (told_us > 0 ? told_us : cases[i].measured));
		assert_int_equal(c->m.times[0].told, told_us > 0);
		arena_free(c->a);
	}
}

/* What is known under the number of another generator is not known of this one. */
static void test_whose_times(void **state)
{
	struct region_case *c = region_case_new(MODEL);

	(void)state;
	cut(c, OFFLOAD_ALL);
	const struct hash128 key = region_key(region_at(c, 0));

	plant_of(c, key, KERNELS, 100);
	plant_of(c, key, OFFER_HOST, 1);
	cut(c, OFFLOAD_FASTEST);
	assert_int_equal(c->m.cut.regions.n, 2);
	assert_float_equal(region_us(&c->plan, &c->m, 0), 0, 0);
	arena_free(c->a);
}

/* Every other operator supported, each region too small to be worth it: not a hundred launches. */
static void test_alternating(void **state)
{
	struct arena *a = arena_new();
	const char *text = "fn @main(%x: f32[4, 4]) {\n";

	(void)state;
	for (int i = 0; i < 2 * LAYERS; i++)
		text = arena_printf(a, "%s\t%%%d = %s(%%%s)\n", text, i, i % 2 ? "tanh" : "relu",
				    i ? arena_printf(a, "%d", i - 1) : "x");
	text = arena_printf(a, "%s\treturn %%%d\n}\n", text, 2 * LAYERS - 1);
	struct region_case *c = region_case_new(text);

	cut(c, OFFLOAD_ALL);
	assert_int_equal(c->m.cut.regions.n, LAYERS);
	plant(c, region_key(region_at(c, 0)), 1, 2);	/* all are the same */
	cut(c, OFFLOAD_FASTEST);
	assert_int_equal(c->m.cut.regions.n, 0);
	arena_free(c->a);
	arena_free(a);
}

/* --- what fails */

static void test_init_fails(void **state)
{
	struct region_case *c = region_case_new(MODEL);

	(void)state;
	c->fake->generator.init = fake_no_init;
	cut(c, OFFLOAD_ALL);
	assert_int_equal(c->m.cut.regions.n, 0);
	assert_non_null(strstr(why_host(c, "matmul"), "generator regions: no such primitive"));
	assert_non_null(strstr(why_host(c, "relu"), "no such primitive"));
	assert_string_equal(why_host(c, "tanh"), "no pattern matches");
	arena_free(c->a);
}

/* --- keys */

static struct hash128 key_of(struct arena *a, const char *functions)
{
	return region_key(graph_main(parsed(a, functions)));
}

#define REGION(dims, weight, op)                                                                   \
	"fn @main(%x: f32[2, 2]) {\n\t%w = const f32[" dims "] [" weight "]\n"                     \
	"\t%0 = " op "(%x, %w)\n\treturn %0\n}\n"

/* What takes the same time is the same; other elements of a constant are. */
static void test_keys(void **state)
{
	static const char *const others[] = {
		REGION("2, 2", "1, 2, 3, 4", "add"),
		REGION("2", "1, 2", "mul"),
		"fn @main(%x: f32[2, 2], %w: f32[2, 2]) {\n\t%0 = mul(%x, %w)\n\treturn %0\n}\n",
		"fn @main(%x: f32[2, 2]) {\n\t%w = const f32[2, 2] [1, 2, 3, 4]\n"
		"\t%0 = mul(%w, %x)\n\treturn %0\n}\n",
	};
	struct arena *a = arena_new();
	const struct hash128 key = key_of(a, REGION("2, 2", "1, 2, 3, 4", "mul"));

	(void)state;
	assert_true(hash_equal(key, key_of(a, REGION("2, 2", "5, 6, 7, 8", "mul"))));
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_false(hash_equal(key, key_of(a, others[i])));
	arena_free(a);
}

/* --- judging */

static struct hone_cost told_cost(const struct hone_region *r, int threads)
{
	(void)threads;
	return (struct hone_cost){ .kernels_us = 1000.0, .launches_us = r->ncalls };
}

/* Each region is timed once both ways; what a generator says of itself is not timed. */
static void test_judged_once(void **state)
{
	struct region_case *c = region_case_new(MODEL);
	struct offer host;

	(void)state;
	c->fake->generator.cost = told_cost;
	cut(c, OFFLOAD_ALL);
	assert_int_equal(regions_judge(&c->plan, &c->m, false), 2);
	assert_int_equal(regions_judge(&c->plan, &c->m, false), 0);
	for (int i = 0; i < 2; i++) {
		assert_float_equal(region_us(&c->plan, &c->m, i), (float)(1002 - i), 0);
		assert_true(offers_get(c->plan.offers, region_key(region_at(c, i)), OFFER_HOST, &host));
		assert_true(host.us > 0);
	}
	assert_ok(offers_keep(c->plan.offers));
	c->plan.offers = offers_begin(c->a, offers_options(c->plan.offers));
	assert_int_equal(regions_judge(&c->plan, &c->m, false), 0);	/* nor after a start */
	assert_int_equal(regions_judge(&c->plan, &c->m, true), 2);
	arena_free(c->a);
}

static int run_fails(void *handle, const void *const *inputs, void *const *outputs, char *why)
{
	(void)handle, (void)inputs, (void)outputs;
	strcpy(why, "the device is gone");
	return -1;
}

static void test_judged_run_fails(void **state)
{
	struct region_case *c = region_case_new(MODEL);

	(void)state;
	c->fake->generator.run = run_fails;
	cut(c, OFFLOAD_ALL);
	assert_int_equal(regions_judge(&c->plan, &c->m, false), -1);
	assert_err("generator regions: the device is gone");
	arena_free(c->a);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, offers_fixture_new, fixture_free)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_rule),
		TEST(test_told),
		TEST(test_whose_times),
		TEST(test_alternating),
		TEST(test_init_fails),
		TEST(test_keys),
		TEST(test_judged_once),
		TEST(test_judged_run_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
