/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/graph/test_quantize_trained.c - a network that learned to tell images apart still does so in
 * integers: trained and run by the interpreter, the same at each run. */
#include "tests/fixture/quantize_fixture.h"

#include <math.h>

#include "graph/diff/diff.h"
#include "graph/text/text.h"

enum { CLASSES = 4, SIDE = 8, BATCH = 32, STEPS = 300, TEST_BATCHES = 32, SEEN_BATCHES = 4, WEIGHTS = 6 };

static const char network[] =
	"graph \"network\"\n"
	"fn @scores(%x: f32[32, 1, 8, 8], %w1: f32[8, 1, 3, 3], %b1: f32[8, 1, 1],"
	" %w2: f32[16, 8, 3, 3], %b2: f32[16, 1, 1], %w3: f32[16, 4], %b3: f32[4]) -> f32[32, 4] {\n"
	"	%c1 = conv(%x, %w1) {pads = [1, 1, 1, 1]}\n"
	"	%a1 = add(%c1, %b1)\n"
	"	%r1 = relu(%a1)\n"
	"	%p1 = max_pool(%r1) {kernel = [2, 2], strides = [2, 2]}\n"
	"	%c2 = conv(%p1, %w2) {pads = [1, 1, 1, 1]}\n"
	"	%a2 = add(%c2, %b2)\n"
	"	%r2 = relu(%a2)\n"
	"	%p2 = max_pool(%r2) {kernel = [4, 4]}\n"
	"	%s = const i64[2] [32, -1]\n"
	"	%f = reshape(%p2, %s)\n"
	"	%m = matmul(%f, %w3)\n"
	"	%a3 = add(%m, %b3)\n"
	"	return %a3\n"
	"}\n"
	"fn @main(%x: f32[32, 1, 8, 8], %y: f32[32, 4], %w1: f32[8, 1, 3, 3], %b1: f32[8, 1, 1],"
	" %w2: f32[16, 8, 3, 3], %b2: f32[16, 1, 1], %w3: f32[16, 4], %b3: f32[4]) -> f32[] {\n"
	"	%a = call @scores(%x, %w1, %b1, %w2, %b2, %w3, %b3)\n"
	"	%l = log_softmax(%a)\n"
	"	%h = mul(%l, %y)\n"
	"	%s = reduce_sum(%h) {keepdims = 0}\n"
	"	%n = const f32[] [-32]\n"
	"	%loss = div(%s, %n)\n"
	"	return %loss\n"
	"}\n";

struct image_batch {
	struct value images, labels;	/* of the labels one is 1 for each image */
};

/* A bar in noise: level, upright, or along one of the diagonals. */
static void draw(struct rng *rng, int label, float *image)
{
	static const int step[CLASSES][2] = { { 0, 1 }, { 1, 0 }, { 1, 1 }, { 1, -1 } };
	int length = 4 + (int)rng_below(rng, 3), dy = step[label][0], dx = step[label][1];
	int y = (int)rng_below(rng, SIDE - dy * (length - 1));
	int x = (int)rng_below(rng, SIDE - abs(dx) * (length - 1)) + (dx < 0 ? length - 1 : 0);

	for (int i = 0; i < SIDE * SIDE; i++)
		image[i] = (float)(rng_unit(rng) * 1.6 - 0.8);
	for (int i = 0; i < length; i++)
		image[(y + i * dy) * SIDE + x + i * dx] += 1;
}

static struct image_batch make_batch(struct arena *a, struct rng *rng)
{
	struct array *x = array_in(a, ELEMENT_F32, 4, (int64_t[]){ BATCH, 1, SIDE, SIDE });
	struct array *y = array_in(a, ELEMENT_F32, 2, (int64_t[]){ BATCH, CLASSES });

	for (int i = 0; i < BATCH; i++) {
		int label = (int)rng_below(rng, CLASSES);

		draw(rng, label, (float *)x->data + i * SIDE * SIDE);
		((float *)y->data)[i * CLASSES + label] = 1;
	}
	return (struct image_batch){ value_of_array(x), value_of_array(y) };
}

/* Adds to G a step of gradient descent: (images, labels, weights) -> better weights; main is it then. */
static void make_step(struct graph *g, double rate)
{
	int gradient = graph_gradient(g, g->main), results[WEIGHTS], args[2 + WEIGHTS + 1];
	const struct function *f = graph_main(g);
	struct builder b = builder_begin(g, "step");

	assert_int_not_equal(gradient, FUNCTION_NONE);
	for (int i = 0; i < f->nparams; i++)
		args[i] = build_param(&b, f->bindings.at[i].name, f->bindings.at[i].type);
	args[f->nparams] = build_scalar(&b, ELEMENT_F32, 1);
	int all = build_inline(&b, gradient, f->nparams + 1, args);

	for (int i = 0; i < WEIGHTS; i++)	/* behind the loss and the gradients by the data */
		results[i] = build(&b, &core_sub, args[2 + i],
				   build(&b, &core_mul, build_field(&b, all, 3 + i),
					 build_scalar(&b, ELEMENT_F32, rate)));
	build_prune(&b, WEIGHTS, results);
	g->main = builder_end(&b, WEIGHTS, results);
	assert_int_not_equal(g->main, FUNCTION_NONE);
}

/* Weights of variance 2 / inputs, as in He et al. 2015, Delving deep into rectifiers; biases of 0. */
static void first_weights(struct arena *a, const struct function *f, struct rng *rng, struct value *out)
{
	for (int i = 0; i < WEIGHTS; i++) {
		const struct type *t = f->bindings.at[2 + i].type;
		int64_t dim[GRAPH_MAX_RANK], inputs = 0;

		type_shape(t, dim);
		struct array *x = array_in(a, ELEMENT_F32, t->rank, dim);

		if (i % 2 == 0)
			inputs = t->rank == 2 ? dim[0] : x->count / dim[0];
		for (int64_t k = 0; inputs && k < x->count; k++)
			((float *)x->data)[k] =
				(float)(sqrt(6.0 / (double)inputs) * (2 * rng_unit(rng) - 1));
		out[i] = value_of_array(x);
	}
}

/* A graph of the scores, whose weights are constants, as a model's file has them. */
static struct graph *frozen(struct arena *a, struct graph *g, const struct value *weights)
{
	struct builder b = builder_begin(g, "frozen");
	int scores = graph_find_function(g, "scores"), args[1 + WEIGHTS];

	args[0] = build_param(&b, "images", g->functions.at[scores]->bindings.at[0].type);
	for (int i = 0; i < WEIGHTS; i++)
		args[1 + i] = build_const(&b, weights[i].array);
	int result = build_inline(&b, scores, 1 + WEIGHTS, args);

	g->main = builder_end(&b, 1, &result);
	struct graph *out = graph_passes(a, g, "scales");

	if (!out)
		fail_msg("%s", err_get());
	return out;
}

static int best(const struct array *x, int row)
{
	int at = 0;

	for (int i = 1; i < CLASSES; i++)
		at = array_float(x, row * CLASSES + i) > array_float(x, row * CLASSES + at) ? i : at;
	return at;
}

static double accuracy(struct arena *a, const struct graph *g, const struct image_batch *test)
{
	int right = 0;

	for (int k = 0; k < TEST_BATCHES; k++) {
		struct value y;

		run_main(a, g, &test[k].images, &y);
		for (int i = 0; i < BATCH; i++)
			right += best(y.array, i) == best(test[k].labels.array, i);
		value_release(y);
	}
	return (double)right / (TEST_BATCHES * BATCH);
}

struct trained {
	struct arena *a;
	struct graph *graph;
	struct image_batch test[TEST_BATCHES];
	struct value seen[SEEN_BATCHES];
	struct value weights[WEIGHTS];	/* constants of the graph */
};

static struct trained train(void)
{
	struct trained t = { .a = arena_new() };
	struct graph *g = graph_parse(t.a, "network", network);
	struct rng rng = rng_seed(7);
	struct value args[2 + WEIGHTS], better[WEIGHTS];

	if (!g)
		fail_msg("%s", err_get());
	g->main = graph_find_function(g, "main");
	first_weights(t.a, graph_main(g), &rng, args + 2);
	make_step(g, 0.1);
	for (int step = 0; step < STEPS; step++) {
		struct image_batch b = make_batch(t.a, &rng);

		args[0] = b.images;
		args[1] = b.labels;
		run_main(t.a, g, args, better);
		for (int i = 0; i < WEIGHTS; i++) {
			value_release(args[2 + i]);
			args[2 + i] = better[i];
		}
	}
	for (int i = 0; i < TEST_BATCHES; i++)
		t.test[i] = make_batch(t.a, &rng);
	for (int i = 0; i < SEEN_BATCHES; i++)
		t.seen[i] = make_batch(t.a, &rng).images;
	t.graph = frozen(t.a, g, args + 2);
	memcpy(t.weights, args + 2, sizeof(t.weights));
	return t;
}

static void test_accuracy(void **state)
{
	struct trained t = train();
	double real = accuracy(t.a, t.graph, t.test);

	(void)state;
	print_message("f32: %.4f of %d images\n", real, TEST_BATCHES * BATCH);
	assert_true(real > 0.85);	/* chance is 0.25 */
	for (int m = 0; m < QUANT_METHOD_COUNT; m++)
		for (int e = 0; e < 2; e++) {
			struct quant_options o = { .method = (enum quant_method)m, .percentile = 99.99,
						   .element = e ? ELEMENT_I8 : ELEMENT_U8 };
			struct quant q;
			struct quantized z;

			assert_int_equal(quant_new(t.a, t.graph, &o, &q), 0);
			calibrate_by(&q, SEEN_BATCHES, t.seen, true);
			assert_int_equal(q.sites.n, 3);
			for (int i = 0; i < 3; i++)
				assert_null(q.sites.at[i].why);
			assert_int_equal(quant_apply(&q, &z), 0);
			double got = accuracy(t.a, z.graph, t.test);

			print_message("%s, %s: %.4f\n", quant_method_name(o.method), element_name(o.element),
				      got);
			assert_true(fabs(got - real) <= 0.01);
		}
	values_release(t.weights, WEIGHTS);
	arena_free(t.a);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_accuracy) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
