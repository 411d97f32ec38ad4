/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/graph/test_task.c - fused functions as DAGs: the tasks that the command line names. */
#include "tests/fixture/graph_fixture.h"

#include "graph/model.h"
#include "graph/task/task.h"
#include "te/operator.h"

static void assert_key(const struct model_task *t, const char *spec)
{
	struct arena *a = arena_new();
	struct dag *d = operator_build(a, spec);

	if (!t->dag)
		fail_msg("%s %s: %s", t->op, t->shape, t->reason);
	if (!d)
		fail_msg("%s", err_get());
	if (!hash_equal(t->key, dag_key(d)))
		fail_msg("%s %s is not %s", t->op, t->shape, spec);
	arena_free(a);
}

static struct model_task_vec tasks_of(struct graph_maker *m)
{
	return graph_tasks(m->a, passed(m, NULL));
}

/* Two blocks of the same shape are one task, and what scales and shifts becomes weight and bias. */
static void equal_groups(void **state)
{
	(void)state;
	struct graph_maker m = graph_maker_new();
	int x = input(&m, 1, 8, 8, 8);

	for (int i = 0; i < 2; i++)
		x = build(&m.b, &core_relu, norm(&m, conv(&m, x, 8, 8, 3, 1), 8));
	finish(&m, x);
	struct model_task_vec tasks = tasks_of(&m);

	assert_int_equal(tasks.n, 1);
	assert_int_equal(tasks.at[0].weight, 2);
	assert_int_equal(tasks.at[0].uses.n, 2);
	assert_int_equal(tasks.at[0].uses.at[1].inputs.n, 3);
	assert_string_equal(tasks.at[0].op, "conv2d+bias+relu");
	assert_string_equal(tasks.at[0].shape, "n=1,ic=8,h=8,w=8,oc=8,k=3,s=1,p=1");
	assert_key(&tasks.at[0], "conv2d:ic=8,h=8,w=8,oc=8,k=3,p=1,bias=1,act=relu");
	arena_free(m.a);
}

static struct graph *tiny_cnn(struct arena *a)
{
	struct graph *g = model_open(a, TOP_SRCDIR "/examples/tiny_cnn.onnx", NULL, NULL, NULL);

	if (!g)
		fail_msg("%s", err_get());
	return g;
}

static void bundled_model(void **state)
{
	(void)state;
	struct arena *a = arena_new();
	struct model_task_vec tasks = graph_tasks(a, tiny_cnn(a));

	assert_int_equal(tasks.n, 15);
	for (int i = 0; i < tasks.n; i++) {
		assert_non_null(tasks.at[i].dag);
		assert_int_equal(tasks.at[i].weight, 1);
		assert_true(tasks.at[i].flop > 0);
	}
	assert_string_equal(tasks.at[1].op, "conv2d+bias+relu");
	assert_string_equal(tasks.at[1].shape, "n=1,ic=16,h=32,w=32,oc=16,k=3,s=1,p=1");
	assert_key(&tasks.at[1], "conv2d:ic=16,h=32,w=32,oc=16,k=3,s=1,p=1,bias=1,act=relu");
	assert_key(&tasks.at[4], "depthwise:c=64,h=32,w=32,k=3,s=2,p=1,bias=1,act=relu6");
	assert_key(&tasks.at[9], "max_pool:c=24,h=16,w=16,k=2,s=2");
	assert_key(&tasks.at[12], "global_avg_pool:c=96,h=8,w=8");
	assert_key(&tasks.at[14], "softmax:m=1,n=10");
	arena_free(a);
}

static int result_of(const struct occurrence *o)
{
	return o->args.at[o->args.n - 1];
}

/* Each occurrence reads what was computed before it; the residual add and what is behind the
 * Flatten too. */
static void sequence_of_model(void **state)
{
	(void)state;
	struct arena *a = arena_new();
	struct graph *g = tiny_cnn(a);
	struct model_task_vec tasks = graph_tasks(a, g);
	struct occurrence_vec s = graph_sequence(a, g, &tasks);

	assert_int_equal(s.n, 15);
	for (int i = 0; i < s.n; i++) {
		assert_int_equal(s.at[i].task, i);
		assert_int_equal(s.at[i].args.at[0], i ? result_of(&s.at[i - 1]) : 0);
	}
	assert_int_equal(s.at[2].args.n, 5);	/* x, weight, bias, the other operand, result */
	assert_int_equal(s.at[2].args.at[1], VALUE_NONE);
	assert_int_equal(s.at[2].args.at[2], VALUE_NONE);
	assert_int_equal(s.at[2].args.at[3], result_of(&s.at[0]));
	arena_free(a);
}

/* Between two occurrences of one task stands what is no task. */
static void not_tunable(void **state)
{
	(void)state;
	struct graph_maker m = graph_maker_new();
	int first = conv(&m, input(&m, 1, 8, 8, 8), 8, 8, 3, 1);
	int odd = build(&m.b, &core_cumsum, first, build_int(&m.b, 1));

	finish(&m, conv(&m, odd, 8, 8, 3, 1));
	struct graph *g = passed(&m, NULL);
	struct model_task_vec tasks = graph_tasks(m.a, g);
	struct occurrence_vec s = graph_sequence(m.a, g, &tasks);

	assert_int_equal(tasks.n, 2);
	assert_null(tasks.at[1].dag);
	assert_string_equal(tasks.at[1].op, "cumsum");
	assert_string_equal(tasks.at[1].reason, "no tunable form of this operator");
	assert_int_equal(s.n, 2);
	assert_int_equal(s.at[0].task, s.at[1].task);
	arena_free(m.a);
}

static void padded_average(void **state)
{
	(void)state;
	struct graph_maker m = graph_maker_new();
	int x = input(&m, 1, 8, 8, 8);
	int pads = build_ints(&m.b, 8, (int64_t[]){ 0, 0, 1, 1, 0, 0, 1, 1 });
	struct attr_vec attrs = { 0 };

	attrs_ints(m.a, &attrs, "kernel", 2, (int64_t[]){ 3, 3 });
	attrs_ints(m.a, &attrs, "strides", 2, (int64_t[]){ 2, 2 });
	finish(&m, build_with(&m.b, &core_avg_pool, &attrs, build(&m.b, &core_pad, x, pads)));
	struct model_task_vec tasks = tasks_of(&m);

	assert_int_equal(tasks.n, 1);
	assert_non_null(tasks.at[0].dag);
	assert_string_equal(tasks.at[0].op, "avg_pool");
	assert_string_equal(tasks.at[0].shape, "n=1,c=8,h=8,w=8,k=3,s=2,p=1");
	arena_free(m.a);
}

/* A layer norm with its scale and shift is what te/ calls one. */
static void layer_norm(void **state)
{
	(void)state;
	struct graph_maker m = graph_maker_new();
	struct attr_vec attrs = { 0 };
	int x = input(&m, 4, 16);

	attrs_ints(m.a, &attrs, "axes", 1, (int64_t[]){ -1 });
	attrs_float(m.a, &attrs, "epsilon", 1e-5);
	x = build(&m.b, &core_mul, build_with(&m.b, &core_normalize, &attrs, x), weight(&m, 16));
	finish(&m, build(&m.b, &core_add, x, weight(&m, 16)));
	struct model_task_vec tasks = tasks_of(&m);

	assert_int_equal(tasks.n, 1);
	assert_string_equal(tasks.at[0].op, "layer_norm");
	assert_key(&tasks.at[0], "layer_norm:m=4,n=16");
	arena_free(m.a);
}

/* A value that goes two ways until they meet is in the kernel; one that goes further is not. */
static void residual_and_gate(void **state)
{
	(void)state;
	struct graph_maker m = graph_maker_new();
	int x = input(&m, 1, 8, 8, 8);
	int c = conv(&m, x, 8, 8, 3, 1);
	int gated = build(&m.b, &core_mul, c, build(&m.b, &core_sigmoid, c));

	x = build(&m.b, &core_add, conv(&m, gated, 8, 8, 3, 1), gated);
	finish(&m, build(&m.b, &core_relu, x));
	struct model_task_vec tasks = tasks_of(&m);

	assert_int_equal(tasks.n, 2);
	assert_string_equal(tasks.at[0].op, "conv2d+sigmoid+mul");
	assert_string_equal(tasks.at[1].op, "conv2d+add+relu");
	arena_free(m.a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bundled_model),
		cmocka_unit_test(equal_groups),
		cmocka_unit_test(residual_and_gate),
		cmocka_unit_test(layer_norm),
		cmocka_unit_test(padded_average),
		cmocka_unit_test(not_tunable),
		cmocka_unit_test(sequence_of_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
