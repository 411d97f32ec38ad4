/* SPDX-License-Identifier: Apache-2.0 */
/* A small convolution network learns: its loss is written in text form, a step of gradient descent
 * is made of its gradient, and the interpreter runs both. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/rng.h"
#include "graph/build/build.h"
#include "graph/diff/diff.h"
#include "graph/eval/interp.h"
#include "graph/text/text.h"

enum { CLASSES = 4, SIDE = 12, BATCH = 32, BATCHES = 12, TEST_BATCHES = 4, EPOCHS = 20 };
enum { WEIGHTS = 6 };

static const char network[] =
	"graph \"network\"\n"
	"fn @scores(%x: f32[32, 1, 12, 12], %w1: f32[8, 1, 3, 3], %b1: f32[8, 1, 1],"
	" %w2: f32[16, 8, 3, 3], %b2: f32[16, 1, 1], %w3: f32[16, 4], %b3: f32[4]) -> f32[32, 4] {\n"
	"	%c1 = conv(%x, %w1) {pads = [1, 1, 1, 1]}\n"
	"	%a1 = add(%c1, %b1)\n"
	"	%r1 = relu(%a1)\n"
	"	%p1 = max_pool(%r1) {kernel = [2, 2], strides = [2, 2]}\n"
	"	%c2 = conv(%p1, %w2) {pads = [1, 1, 1, 1]}\n"
	"	%a2 = add(%c2, %b2)\n"
	"	%r2 = relu(%a2)\n"
	"	%p2 = max_pool(%r2) {kernel = [6, 6]}\n"
	"	%s = const i64[2] [32, -1]\n"
	"	%f = reshape(%p2, %s)\n"
	"	%m = matmul(%f, %w3)\n"
	"	%a3 = add(%m, %b3)\n"
	"	%l = log_softmax(%a3)\n"
	"	return %l\n"
	"}\n"
	"fn @main(%x: f32[32, 1, 12, 12], %y: f32[32, 4], %w1: f32[8, 1, 3, 3], %b1: f32[8, 1, 1],"
	" %w2: f32[16, 8, 3, 3], %b2: f32[16, 1, 1], %w3: f32[16, 4], %b3: f32[4]) -> f32[] {\n"
	"	%l = call @scores(%x, %w1, %b1, %w2, %b2, %w3, %b3)\n"
	"	%h = mul(%l, %y)\n"
	"	%s = reduce_sum(%h) {keepdims = 0}\n"
	"	%n = const f32[] [-32]\n"
	"	%loss = div(%s, %n)\n"
	"	return %loss\n"
	"}\n";

struct training {
	struct arena *arena;
	struct graph *graph;
	int step;	/* (images, labels, weights) -> (loss, better weights) */
	int scores;
	struct value weight[WEIGHTS];
	struct rng rng;
};

/* The negative log likelihood's gradient, and a step against it. */
static int make_step(struct graph *g, double rate)
{
	int gradient = graph_gradient(g, g->main);
	const struct function *f = graph_main(g);
	struct builder b = builder_begin(g, "step");
	int args[2 + WEIGHTS + 1], results[1 + WEIGHTS];

	assert_int_not_equal(gradient, FUNCTION_NONE);
	for (int i = 0; i < f->nparams; i++)
		args[i] = build_param(&b, f->bindings.at[i].name, f->bindings.at[i].type);
	args[f->nparams] = build_scalar(&b, ELEMENT_F32, 1);
	int all = build_inline(&b, gradient, f->nparams + 1, args);
	int factor = build_scalar(&b, ELEMENT_F32, rate);

	results[0] = build_field(&b, all, 0);
	for (int i = 0; i < WEIGHTS; i++) {	/* behind the loss and what the data's gradients are */
		int by = build_field(&b, all, 3 + i);

		results[1 + i] = build(&b, &core_sub, args[2 + i], build(&b, &core_mul, by, factor));
	}
	build_prune(&b, 1 + WEIGHTS, results);
	return builder_end(&b, 1 + WEIGHTS, results);
}

static double symmetric(struct rng *rng, double bound)
{
	return bound * (2 * rng_unit(rng) - 1);
}

/* Weights of variance 2 / inputs, as in He et al. 2015, Delving deep into rectifiers; biases of 0. */
static struct value first_weight(struct training *t, const struct type *type)
{
	int64_t dim[GRAPH_MAX_RANK], inputs = 1;

	assert_true(type_shape(type, dim));
	struct array *x = array_in(t->arena, ELEMENT_F32, type->rank, dim);

	if (type->rank == 4)
		inputs = dim[1] * dim[2] * dim[3];
	else if (type->rank == 2)
		inputs = dim[0];
	for (int64_t i = 0; inputs > 1 && i < x->count; i++)
		element_store(ELEMENT_F32, x->data, i,
			      symmetric(&t->rng, sqrt(6.0 / (double)inputs)));
	return value_of_array(x);
}

static struct training begin(uint64_t seed)
{
	struct arena *a = arena_new();
	struct training t = { .arena = a, .graph = graph_parse(a, "network", network),
			      .rng = rng_seed(seed) };

	if (!t.graph)
		fail_msg("%s", err_get());
	t.scores = graph_find_function(t.graph, "scores");
	t.graph->main = graph_find_function(t.graph, "main");
	t.step = make_step(t.graph, 0.1);
	if (t.step == FUNCTION_NONE)
		fail_msg("%s", err_get());
	for (int i = 0; i < WEIGHTS; i++)
		t.weight[i] = first_weight(&t, graph_main(t.graph)->bindings.at[2 + i].type);
	return t;
}

/* A line in an image of noise: level, upright, or along one of the diagonals. */
static void draw(struct rng *rng, int label, float *image)
{
	static const int step[CLASSES][2] = { { 0, 1 }, { 1, 0 }, { 1, 1 }, { 1, -1 } };
	int length = 5 + (int)rng_below(rng, 3);
	int y = (int)rng_below(rng, (uint64_t)(SIDE - step[label][0] * (length - 1)));
	int x = (int)rng_below(rng, (uint64_t)(SIDE - abs(step[label][1]) * (length - 1)));

	if (step[label][1] < 0)
		x += length - 1;
	for (int i = 0; i < SIDE * SIDE; i++)
		image[i] = (float)symmetric(rng, 0.5);
	for (int i = 0; i < length; i++)
		image[(y + i * step[label][0]) * SIDE + x + i * step[label][1]] += 1;
}

/* A batch of images and their labels, one of which is 1 for each. */
static void make_batch(struct training *t, struct value *images, struct value *labels)
{
	struct array *x = array_in(t->arena, ELEMENT_F32, 4, (int64_t[]){ BATCH, 1, SIDE, SIDE });
	struct array *y = array_in(t->arena, ELEMENT_F32, 2, (int64_t[]){ BATCH, CLASSES });

	for (int i = 0; i < BATCH; i++) {
		int label = (int)rng_below(&t->rng, CLASSES);

		draw(&t->rng, label, (float *)x->data + i * SIDE * SIDE);
		((float *)y->data)[i * CLASSES + label] = 1;
	}
	*images = value_of_array(x);
	*labels = value_of_array(y);
}

static struct value run(struct training *t, int function, int n, const struct value *args)
{
	struct interp x = interp_begin(t->arena, t->graph, interp_usual_limits);
	struct value held[2 + WEIGHTS], v;

	for (int i = 0; i < n; i++)
		held[i] = value_hold(args[i]);
	if (interp_run(&x, function, held, n, &v) < 0)
		fail_msg("%s", err_get());
	interp_end(&x);
	return v;
}

/* The loss before a step on this batch; the weights are better behind it. */
static double learn(struct training *t, struct value images, struct value labels)
{
	struct value args[2 + WEIGHTS] = { images, labels };

	memcpy(args + 2, t->weight, sizeof(t->weight));
	struct value v = run(t, t->step, 2 + WEIGHTS, args);
	double loss = array_float(v.items->at[0].array, 0);

	for (int i = 0; i < WEIGHTS; i++) {
		value_release(t->weight[i]);
		t->weight[i] = value_hold(v.items->at[1 + i]);
	}
	value_release(v);
	return loss;
}

static int best(const struct array *x, int row)
{
	int at = 0;

	for (int i = 1; i < CLASSES; i++)
		if (array_float(x, row * CLASSES + i) > array_float(x, row * CLASSES + at))
			at = i;
	return at;
}

/* The part of the images whose best score is that of their label. */
static double accuracy(struct training *t, int n, const struct value *images,
		       const struct value *labels)
{
	struct value args[1 + WEIGHTS];
	int right = 0;

	for (int k = 0; k < n; k++) {
		args[0] = images[k];
		memcpy(args + 1, t->weight, sizeof(t->weight));
		struct value v = run(t, t->scores, 1 + WEIGHTS, args);

		for (int i = 0; i < BATCH; i++)
			right += best(v.array, i) == best(labels[k].array, i);
		value_release(v);
	}
	return (double)right / (n * BATCH);
}

static void a_network_learns(void **state)
{
	struct training t = begin(3);
	struct value images[BATCHES], labels[BATCHES], test[TEST_BATCHES], truth[TEST_BATCHES];
	double first = 0, last = 0;

	(void)state;
	for (int i = 0; i < BATCHES; i++)
		make_batch(&t, &images[i], &labels[i]);
	for (int i = 0; i < TEST_BATCHES; i++)
		make_batch(&t, &test[i], &truth[i]);
	double before = accuracy(&t, TEST_BATCHES, test, truth);

	for (int epoch = 0; epoch < EPOCHS; epoch++)
		for (int i = 0; i < BATCHES; i++) {
			last = learn(&t, images[i], labels[i]);
			first = epoch + i == 0 ? last : first;
		}
	double after = accuracy(&t, TEST_BATCHES, test, truth);

	print_message("loss %.3f to %.3f, accuracy %.3f to %.3f\n", first, last, before, after);
	assert_true(before < 0.5);	/* chance is 0.25 */
	assert_true(after > 0.95);	/* of images that were not learned from */
	assert_true(last < first / 4);
	values_release(t.weight, WEIGHTS);
	arena_free(t.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_network_learns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
