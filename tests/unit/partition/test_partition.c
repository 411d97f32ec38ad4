/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/partition/test_partition.c - patterns, claims, and graphs cut between the host and generators. */
#include "tests/fake/fake_generator.h"
#include "tests/fixture/run_fixture.h"

#include <string.h>

#include "graph/build/check.h"
#include "graph/text/text.h"
#include "partition/offload.h"

/* --- patterns */

static void test_bad_patterns(void **state)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
		{ "", "column 1: it ends too early" },
		{ "conv relu)", "column 10: nothing opens this" },
		{ "conv (relu | tanh", "column 18: ')' is missing" },
		{ "conv[groups=1", "column 5: ']' is missing" },
		{ "konv", "'konv' is no operator" },
		{ "conv[colour=1]", "conv has no attribute 'colour'" },
		{ "conv[groups=one]", "'one' is no number" },
		{ "conv[big]", "'big' is no predicate" },
		{ "conv ??", "an operator is missing" },
		{ "any[groups=1]", "not every operator has an attribute 'groups'" },
		{ "any[big]", "'big' is no predicate" },
	};
	struct arena *a = arena_new();

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_null(pattern_parse(a, bad[i].text));
		if (!strstr(err_get(), bad[i].says))
			fail_msg("'%s': %s", bad[i].text, err_get());
	}
	arena_free(a);
}

/* How many calls of G's main TEXT matches from VALUE on. */
static int matched(struct graph_maker *m, const char *text, int value)
{
	const struct pattern *p = pattern_parse(m->a, text);
	struct flow flow = flow_new(m->a, graph_main(m->g));
	struct value_vec members;

	if (!p)
		fail_msg("%s", err_get());
	return pattern_match(m->a, p, &flow, value, &members) ? members.n : 0;
}

static void test_matches(void **state)
{
	struct graph_maker m = graph_maker_new();
	int x = input(&m, 1, 8, 6, 6);
	int c = conv(&m, x, 8, 8, 3, 1);
	int b = build(&m.b, &core_add, c, weight(&m, 1, 8, 1, 1));
	int r = build(&m.b, &core_relu, b);
	int d = conv(&m, r, 8, 8, 1, 0);
	int s = build(&m.b, &core_add, d, r);

	(void)state;
	finish(&m, build(&m.b, &core_tanh, s));
	assert_int_equal(matched(&m, "conv", c), 1);
	assert_int_equal(matched(&m, "conv2d bias_add? relu?", c), 3);
	assert_int_equal(matched(&m, "conv2d bias_add", d), 0);		/* a residual sum */
	assert_int_equal(matched(&m, "conv2d bias_add?", d), 1);
	assert_int_equal(matched(&m, "conv add (relu | tanh)", d), 3);
	assert_int_equal(matched(&m, "conv add (relu | tanh)", c), 3);
	assert_int_equal(matched(&m, "conv (add relu | add)", d), 2);	/* the first way leads nowhere */
	assert_int_equal(matched(&m, "(bias_add relu)? conv", b), 0);	/* two read the relu */
	assert_int_equal(matched(&m, "conv[groups=1, rank<=4, f32, const]", c), 1);
	assert_int_equal(matched(&m, "conv[groups=2]", c), 0);
	assert_int_equal(matched(&m, "conv[pads=1]", c), 1);
	assert_int_equal(matched(&m, "conv[pads=1]", d), 0);
	assert_int_equal(matched(&m, "conv1d", c), 0);
	assert_int_equal(matched(&m, "conv[f16]", c), 0);
	assert_int_equal(matched(&m, "any", s), 1);
	assert_int_equal(matched(&m, "any[rank=4] any? any", c), 3);
	assert_int_equal(matched(&m, "any[i64]", c), 0);
	assert_int_equal(matched(&m, "any any", r), 0);	/* two read the relu */
	arena_free(m.a);
}

/* --- generators that claim and do nothing */

static int no_wide(const struct hone_region *region, char *why)
{
	if (region->tensors[region->outputs[0]].dim[1] <= 12)
		return 0;
	strcpy(why, "too many channels");
	return -1;
}

static struct backend backend(struct arena *a, const char *name, const struct hone_pattern *patterns)
{
	struct fake *f = fake_claimer(a, name, patterns);

	f->generator.claims = no_wide;
	return f->backend;
}

static const struct hone_pattern of_conv[] = {
	{ "conv", "conv bias_add? relu?" }, { "relu", "relu" }, { NULL, NULL } };
static const struct hone_pattern of_pointwise[] = {
	{ "sum", "add" }, { "act", "tanh" }, { "pool", "max_pool" }, { NULL, NULL } };
static const struct hone_pattern of_all[] = {
	{ "conv", "conv bias_add? relu?" }, { "any", "any" }, { NULL, NULL } };

static struct offload cut(struct arena *a, struct graph *g, const struct backend *b, int n)
{
	struct offload_options o = { .backends = b, .n = n };
	struct offload out;

	if (offload_all(a, g, &o, &out) < 0 || graph_check(out.graph) < 0)
		fail_msg("%s", err_get());
	return out;
}

static int applied(const struct graph *g, const char *generator)
{
	int n = 0;

	for (int v = 0; v < graph_main(g)->bindings.n; v++) {
		const struct function *f = graph_applied(g, function_at(graph_main(g), v));
		const char *of = f ? function_generator(f) : NULL;

		n += of && strcmp(of, generator) == 0;
	}
	return n;
}

/* The other way round a diamond leads through the host: two regions, not one. */
static void test_no_cycle(void **state)
{
	struct graph_maker m = graph_maker_new();
	int x = input(&m, 1, 8, 6, 6);
	int top = conv(&m, x, 8, 8, 1, 0);
	int host = build(&m.b, &core_sigmoid, top);
	int sum = build(&m.b, &core_mul, host, conv(&m, top, 8, 8, 3, 1));
	struct backend b;

	(void)state;
	finish(&m, conv(&m, sum, 8, 8, 1, 0));
	b = backend(m.a, "c", of_conv);
	struct offload out = cut(m.a, m.g, &b, 1);

	assert_int_equal(out.regions.n, 2);
	assert_int_equal(applied(out.graph, "c"), 2);
	arena_free(m.a);
}

static void test_refusals_are_told(void **state)
{
	struct graph_maker m = graph_maker_new();
	int x = input(&m, 1, 8, 6, 6);
	int wide = conv(&m, x, 8, 16, 1, 0);
	struct backend b;
	int refused = 0, unmatched = 0;

	(void)state;
	finish(&m, build(&m.b, &core_tanh, conv(&m, wide, 16, 8, 1, 0)));
	b = backend(m.a, "c", of_conv);
	struct offload out = cut(m.a, m.g, &b, 1);

	assert_int_equal(out.regions.n, 1);
	for (int i = 0; i < out.calls.n; i++) {
		const struct offload_call *c = &out.calls.at[i];

		assert_true((c->backend == REGION_HOST) == (c->why != NULL));
		refused += c->why && strcmp(c->why, "too many channels") == 0;
		unmatched += c->why && strcmp(c->why, "no pattern matches") == 0;
		assert_true(c->backend == REGION_HOST || strcmp(c->pattern, "conv") == 0);
	}
	assert_int_equal(refused, 1);
	assert_int_equal(unmatched, 1);
	arena_free(m.a);
}

static void assert_same_results(struct arena *a, const struct graph *g, const struct graph *h)
{
	const struct array *want = graph_result(a, g), *got = graph_result(a, h);

	assert_same_bits(got, want);
	array_release(want);
	array_release(got);
}

static const char drawn[] =
	"digraph hone {\n"
	"node [fontname=\"sans-serif\" fontsize=10]\n"
	"subgraph cluster_0 {\n"
	"\tlabel=\"main\\nf32[1, 2, 4, 4]\"\n"
	"\tv0_0 [shape=ellipse label=\"parameter\\nf32[1, 2, 4, 4]\"]\n"
	"subgraph cluster_0_1 {\n"
	"\tlabel=\"c: c_1\\n(f32[1, 2, 4, 4], f32[1, 2, 4, 4])\"\n"
	"\tstyle=filled fillcolor=\"#eeeeee\"\n"
	"\tv0_1_2 [shape=box label=\"conv\\nf32[1, 2, 4, 4]\"]\n"
	"\tv0_1_3 [shape=box label=\"relu\\nf32[1, 2, 4, 4]\"]\n"
	"}\n"
	"\tv0_0 -> v0_1_2\n"
	"\tv0_1_2 -> v0_1_3\n"
	"\tv0_4 [shape=box label=\"tanh\\nf32[1, 2, 4, 4]\"]\n"
	"\tv0_1_2 -> v0_4\n"
	"\tv0_5 [shape=box label=\"add\\nf32[1, 2, 4, 4]\"]\n"
	"\tv0_4 -> v0_5\n"
	"\tv0_1_3 -> v0_5\n"
	"\tr0 [shape=plaintext label=\"results\"]\n"
	"\tv0_5 -> r0\n"
	"}\n"
	"}\n";

/* A region of two results, drawn: edges go through its border, and no node stands for its application. */
static void test_drawn(void **state)
{
	struct graph_maker m = graph_maker_new();
	int x = conv(&m, input(&m, 1, 2, 4, 4), 2, 2, 1, 0);
	int act = build(&m.b, &core_relu, x);
	struct text dot = { 0 };

	(void)state;
	finish(&m, build(&m.b, &core_add, build(&m.b, &core_tanh, x), act));
	struct backend b = backend(m.a, "c", of_conv);
	struct offload out = cut(m.a, m.g, &b, 1);

	graph_print_dot(&dot, out.graph);
	assert_string_equal(dot.s, drawn);
	text_free(&dot);
	arena_free(m.a);
}

/* --- random graphs */

enum { GRAPHS = 60, CALLS = 60, CHANNELS = 8 };

static struct graph_maker random_graph(int seed)
{
	struct graph_maker m = graph_maker_new();
	int values[CALLS + 1], n = 0;

	m.rng = rng_seed((uint64_t)seed);
	values[n++] = input(&m, 1, CHANNELS, 4, 4);
	for (int i = 0; i < CALLS; i++) {
		int near = n < 5 ? n : 5;
		int x = values[n - 1 - (int)rng_below(&m.rng, near)];
		int y = values[(int)rng_below(&m.rng, n)];

		switch (rng_below(&m.rng, 6)) {
		case 0:
			x = conv(&m, x, CHANNELS, CHANNELS, 1, 0);
			break;
		case 1:
			x = build(&m.b, &core_add, x, weight(&m, 1, CHANNELS, 1, 1));
			break;
		case 2:
			x = build(&m.b, &core_relu, x);
			break;
		case 3:
			x = build(&m.b, &core_add, x, y);
			break;
		case 4:
			x = build(&m.b, &core_tanh, x);
			break;
		default:
			x = build(&m.b, &core_sigmoid, x);
			break;
		}
		values[n++] = x;
	}
	finish(&m, build(&m.b, &core_add, values[n - 1], values[n / 2]));
	return m;
}

/* That a cut graph can be built at all says that no region waits for another. */
static void test_random_graphs(void **state)
{
	int regions = 0, several = 0;

	(void)state;
	for (int i = 0; i < GRAPHS; i++) {
		struct graph_maker m = random_graph(i);
		struct backend b[] = { backend(m.a, "c", of_conv), backend(m.a, "p", of_pointwise) };
		struct offload out = cut(m.a, m.g, b, 1 + i % 2);

		assert_same_results(m.a, m.g, out.graph);
		assert_int_equal(applied(out.graph, "c") + applied(out.graph, "p"), out.regions.n);
		for (int c = 0; c < out.calls.n; c++)
			assert_true(out.calls.at[c].region < out.regions.n);
		regions += out.regions.n;
		several += out.regions.n < out.calls.n / 3;
		arena_free(m.a);
	}
	assert_true(regions > GRAPHS && several > 0);
}

/* --- limits */

/* The tensors of the calls of F, in bytes, each once. */
static size_t tensor_bytes(struct arena *a, const struct function *f)
{
	bool *seen = arena_many(a, bool, f->bindings.n);
	size_t bytes = 0;

	for (int v = 0; v < f->bindings.n; v++) {
		const struct binding *b = function_at(f, v);

		for (int i = -1; b->kind == BIND_CALL && i < b->nargs; i++) {
			int t = i < 0 ? v : b->args[i];

			if (t >= 0 && !seen[t])
				bytes += (size_t)type_bytes(function_at(f, t)->type);
			seen[t < 0 ? v : t] = true;
		}
	}
	return bytes;
}

/* No region of CUT is beyond the limits of B, and no call of one that is not told. */
static void assert_within(struct arena *a, const struct offload *out, const struct backend *b)
{
	for (int i = 0; i < out->regions.n; i++) {
		int index = graph_find_function(out->graph, out->regions.at[i].function);
		const struct function *f = out->graph->functions.at[index];
		const struct hone_generator *g = b[out->regions.at[i].backend].generator;
		int calls = function_calls(a, f).n, told = 0;

		for (int c = 0; c < out->calls.n; c++)
			told += out->calls.at[c].region == i;
		assert_int_equal(told, calls);
		assert_true(!g->most_calls || calls <= g->most_calls);
		assert_true(!g->most_bytes || tensor_bytes(a, f) <= g->most_bytes);
	}
}

/* Calls that one claim took are in one region; each follows the one before it. */
static void assert_claims_whole(const struct graph *g, const struct offload *out)
{
	const struct function *f = graph_main(g);
	int *region = arena_many(g->arena, int, f->bindings.n);
	const char **pattern = arena_many(g->arena, const char *, f->bindings.n);

	for (int c = 0; c < out->calls.n; c++) {
		region[out->calls.at[c].value] = out->calls.at[c].region;
		pattern[out->calls.at[c].value] = out->calls.at[c].pattern;
	}
	/* Of the patterns for tests only "conv" takes several calls. */
	for (int v = f->nparams; v < f->bindings.n; v++)
		if (pattern[v] && strcmp(pattern[v], "conv") == 0 && function_at(f, v)->op != &core_conv)
			assert_int_equal(region[v], region[function_at(f, v)->args[0]]);
}

static struct backend limited_backend(struct arena *a, const char *name, const struct hone_pattern *patterns,
				      int calls, size_t bytes)
{
	struct fake *f = fake_claimer(a, name, patterns);

	f->generator.claims = no_wide;
	f->generator.most_calls = calls;
	f->generator.most_bytes = bytes;
	return f->backend;
}

/* That a cut graph can be built says that no piece waits for another; pieces are within limits. */
static void test_random_limits(void **state)
{
	/* A convolution's: 256 bytes of weights, its bias, three tensors of 512. */
	enum { LEAST_BYTES = 256 + 32 + 4 * 512 };
	int more = 0;

	(void)state;
	for (int i = 0; i < GRAPHS; i++) {
		struct graph_maker m = random_graph(i);
		int calls = 3 + i % 5;
		size_t bytes = LEAST_BYTES + (size_t)(i % 7) * 512;
		const struct hone_pattern *first = i % 4 ? of_conv : of_all;
		struct backend whole[] = { backend(m.a, "c", first), backend(m.a, "p", of_pointwise) };
		struct backend b[] = {
			limited_backend(m.a, "c", first, i % 3 == 1 ? 0 : calls, i % 3 == 0 ? 0 : bytes),
			limited_backend(m.a, "p", of_pointwise, i % 3 == 1 ? 0 : calls, i % 3 == 0 ? 0 : bytes),
		};
		struct offload out = cut(m.a, m.g, b, 1 + i % 2);
		struct offload uncut = cut(m.a, m.g, whole, 1 + i % 2);

		assert_same_results(m.a, m.g, out.graph);
		assert_within(m.a, &out, b);
		assert_claims_whole(m.g, &out);
		for (int c = 0; c < out.calls.n; c++)
			assert_int_equal(out.calls.at[c].backend, uncut.calls.at[c].backend);
		assert_true(out.regions.n >= uncut.regions.n);
		more += out.regions.n - uncut.regions.n;
		arena_free(m.a);
	}
	assert_true(more > GRAPHS);
}

/* A claim that is beyond a limit is the host's; a smaller one of another pattern is not. */
static void test_beyond_limits(void **state)
{
	static const struct hone_pattern list[] = {
		{ "wide", "conv bias_add relu" }, { "act", "relu" }, { NULL, NULL } };
	struct graph_maker m = graph_maker_new();
	int x = input(&m, 1, 8, 6, 6);
	int y = build(&m.b, &core_add, conv(&m, x, 8, 8, 1, 0), weight(&m, 1, 8, 1, 1));

	(void)state;
	finish(&m, build(&m.b, &core_relu, y));
	struct backend b = limited_backend(m.a, "c", list, 2, 0);
	struct offload out = cut(m.a, m.g, &b, 1);

	assert_int_equal(out.calls.n, 3);
	assert_string_equal(out.calls.at[0].why, "3 calls, more than the 2 that it takes at once");
	assert_string_equal(out.calls.at[2].pattern, "act");
	b = limited_backend(m.a, "c", list, 0, 2 * 8 * 6 * 6 * sizeof(float));
	out = cut(m.a, m.g, &b, 1);
	assert_int_equal(out.calls.at[0].backend, REGION_HOST);
	assert_non_null(strstr(out.calls.at[0].why, "more than the 2304 that it takes at once"));
	assert_string_equal(out.calls.at[2].pattern, "act");	/* two tensors of it, just as many bytes */
	arena_free(m.a);
}

/* A model of many layers, every other of which a generator takes. */
static void test_many_calls(void **state)
{
	enum { LAYERS = 25000 };
	struct graph_maker m = graph_maker_new();
	int x = input(&m, 1, CHANNELS, 2, 2);

	(void)state;
	for (int i = 0; i < LAYERS; i++)
		x = build(&m.b, i % 2 ? &core_relu : &core_tanh, x);
	finish(&m, x);
	struct backend b = backend(m.a, "c", of_conv);
	struct offload out = cut(m.a, m.g, &b, 1);

	assert_int_equal(out.regions.n, LAYERS / 2);
	assert_int_equal(out.calls.n, LAYERS);
	arena_free(m.a);
}

/* Equal constants of two sides stay two, and one that both read is none that closes a cycle. */
static void test_shared_constants(void **state)
{
	struct graph_maker m = graph_maker_new();
	int x = input(&m, 1, CHANNELS, 4, 4);
	int shared = weight(&m, 1, CHANNELS, 1, 1);
	int left = build(&m.b, &core_add, conv(&m, x, CHANNELS, CHANNELS, 1, 0), shared);
	int host = build(&m.b, &core_sigmoid, build(&m.b, &core_mul, left, shared));

	(void)state;
	finish(&m, build(&m.b, &core_add, conv(&m, host, CHANNELS, CHANNELS, 1, 0), shared));
	struct backend b = backend(m.a, "c", of_conv);
	struct offload out = cut(m.a, m.g, &b, 1);

	assert_int_equal(out.regions.n, 2);
	assert_same_results(m.a, m.g, out.graph);
	arena_free(m.a);
}

/* What fails is not offered again, and told. */
static void test_refused_before(void **state)
{
	struct graph_maker m = graph_maker_new();
	int c = conv(&m, input(&m, 1, CHANNELS, 4, 4), CHANNELS, CHANNELS, 1, 0);
	struct offload_options o = { .n = 1 };
	struct offload out;
	int told = 0;

	(void)state;
	finish(&m, build(&m.b, &core_relu, c));
	struct backend b = backend(m.a, "c", of_conv);

	o.backends = &b;
	vec_push(m.a, &o.refusals, (struct offload_refusal){ m.g->main, c, "no such primitive" });
	assert_int_equal(offload_all(m.a, m.g, &o, &out), 0);
	assert_int_equal(out.regions.n, 1);	/* the relu alone */
	for (int i = 0; i < out.calls.n; i++)
		told += out.calls.at[i].why && strcmp(out.calls.at[i].why, "no such primitive") == 0;
	assert_int_equal(told, 1);
	assert_same_results(m.a, m.g, out.graph);
	arena_free(m.a);
}

/* Whoever claims nothing changes nothing. */
static void test_nothing_claimed(void **state)
{
	static const struct hone_pattern none[] = { { "pool", "max_pool" }, { NULL, NULL } };
	struct graph_maker m = random_graph(7);
	struct backend b = backend(m.a, "n", none);
	struct offload out = cut(m.a, m.g, &b, 1);

	(void)state;
	assert_int_equal(out.regions.n, 0);
	assert_ptr_equal(out.graph, m.g);
	for (int i = 0; i < out.calls.n; i++)
		assert_string_equal(out.calls.at[i].why, "no pattern matches");
	arena_free(m.a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bad_patterns),
		cmocka_unit_test(test_matches),
		cmocka_unit_test(test_no_cycle),
		cmocka_unit_test(test_refusals_are_told),
		cmocka_unit_test(test_drawn),
		cmocka_unit_test(test_random_graphs),
		cmocka_unit_test(test_nothing_claimed),
		cmocka_unit_test(test_random_limits),
		cmocka_unit_test(test_beyond_limits),
		cmocka_unit_test(test_many_calls),
		cmocka_unit_test(test_shared_constants),
		cmocka_unit_test(test_refused_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
