/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_task.c - groups of models as DAGs: the tasks the command line names, and the
 * numbers that ONNX's own tests want. */
#include <glob.h>
#include <math.h>
#include <stdio.h>

#include "tests/graph_fixture.h"
#include "tests/skip.h"

#include "base/file.h"
#include "graph/onnx.h"
#include "graph/onnx.pb-c.h"
#include "graph/sequence.h"
#include "te/eval.h"
#include "te/operator.h"

static struct model_task_vec tasks_of(struct arena *a, struct graph *g)
{
	return graph_tasks(a, g, graph_group(a, g));
}

static void assert_key(const struct model_task *t, const char *spec)
{
	struct arena *a = arena_new();
	struct dag *d = operator_build(a, spec);

	assert_non_null(t->dag);
	if (!d)
		fail_msg("%s", err_get());
	if (!hash_equal(t->key, dag_key(d)))
		fail_msg("%s %s is not %s", t->op, t->shape, spec);
	arena_free(a);
}

static void bundled_model(void **state)
{
	(void)state;
	struct arena *a = arena_new();
	struct graph *g = onnx_read(a, TOP_SRCDIR "/examples/tiny_cnn.onnx");

	assert_non_null(g);
	assert_int_equal(graph_infer(g), 0);
	struct model_task_vec tasks = tasks_of(a, g);

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

/* Two blocks of the same shape are one task, and a batch norm behind a constant weight a bias. */
static void equal_groups(void **state)
{
	(void)state;
	struct maker m = maker_new(13);
	int x = image(&m, 1, 8, 8, 8);

	for (int i = 0; i < 2; i++) {
		int c[5] = { conv(&m, x, 8, 8, 3, 1) };

		for (int j = 1; j < 5; j++)
			c[j] = weight(&m, 1, (int64_t[]){ 8 });
		x = unary(&m, "Relu", call(&m, "BatchNormalization", 5, c));
	}
	finish(&m, x);
	struct model_task_vec tasks = tasks_of(m.a, m.g);

	assert_int_equal(tasks.n, 1);
	assert_int_equal(tasks.at[0].weight, 2);
	assert_int_equal(tasks.at[0].uses.n, 2);
	assert_int_equal(tasks.at[0].uses.at[1].inputs.n, 3);
	assert_int_equal(tasks.at[0].uses.at[1].inputs.at[2], VALUE_NONE);
	assert_key(&tasks.at[0], "conv2d:ic=8,h=8,w=8,oc=8,k=3,p=1,bias=1,act=relu");
	arena_free(m.a);
}

static struct occurrence_vec sequence_of(struct arena *a, struct graph *g)
{
	struct grouping *groups = graph_group(a, g);
	struct model_task_vec tasks = graph_tasks(a, g, groups);

	return graph_sequence(a, g, groups, &tasks);
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
	struct graph *g = onnx_read(a, TOP_SRCDIR "/examples/tiny_cnn.onnx");

	assert_non_null(g);
	assert_int_equal(graph_infer(g), 0);
	struct occurrence_vec s = sequence_of(a, g);

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

/* A task that occurs twice, and between the occurrences what is no task. */
static void sequence_with_gap(void **state)
{
	(void)state;
	struct maker m = maker_new(13);
	int x = image(&m, 1, 8, 8, 8);
	int first = conv(&m, x, 8, 8, 3, 1);
	int odd = unary(&m, "Frobnicate", first);

	finish(&m, conv(&m, first, 8, 8, 3, 1));
	struct occurrence_vec s = sequence_of(m.a, m.g);

	assert_true(odd > first);
	assert_int_equal(s.n, 2);
	assert_int_equal(s.at[0].task, s.at[1].task);
	assert_int_equal(s.at[0].args.at[0], x);
	assert_int_equal(s.at[1].args.at[0], first);
	arena_free(m.a);
}

static void padded_average(void **state)
{
	(void)state;
	struct maker m = maker_new(13);
	int x = image(&m, 1, 8, 8, 8);
	int pad = binary(&m, "Pad", x, ints(&m, 8, (int64_t[]){ 0, 0, 1, 1, 0, 0, 1, 1 }));
	struct attr kernel = attr_ints(&m, "kernel_shape", 2, (int64_t[]){ 3, 3 });
	struct attr strides = attr_ints(&m, "strides", 2, (int64_t[]){ 2, 2 });
	int y = call_with(&m, "AveragePool", 1, &pad, 2, (struct attr[]){ kernel, strides });

	finish(&m, y);
	struct model_task_vec tasks = tasks_of(m.a, m.g);

	assert_int_equal(tasks.n, 1);
	assert_non_null(tasks.at[0].dag);
	assert_string_equal(tasks.at[0].op, "avg_pool");
	assert_string_equal(tasks.at[0].shape, "n=1,c=8,h=8,w=8,k=3,s=2,p=1");
	arena_free(m.a);
}

static void not_tunable(void **state)
{
	(void)state;
	struct maker m = maker_new(13);
	int x = image(&m, 1, 8, 8, 8);
	int y = unary(&m, "Frobnicate", unary(&m, "LogSoftmax", binary(&m, "Concat", x, x)));

	finish(&m, y);
	struct model_task_vec tasks = tasks_of(m.a, m.g);

	assert_int_equal(tasks.n, 3);
	assert_string_equal(tasks.at[0].reason, "only moves data");
	assert_string_equal(tasks.at[1].reason, "no tunable form of this operator yet");
	assert_string_equal(tasks.at[2].reason, "unknown operator");
	assert_string_equal(tasks.at[2].op, "Frobnicate");
	arena_free(m.a);
}

/* --- ONNX's node tests, where Debian's libonnx-testdata is installed */

/* The tensor in a file of a test; NULL where it is none of f32. */
static const float *read_tensor(struct arena *a, const char *dir, const char *what, int i)
{
	char *path = arena_printf(a, "%s/test_data_set_0/%s_%d.pb", dir, what, i);
	size_t size;
	char *data = file_read(a, path, 1 << 24, &size);
	Onnx__TensorProto *p =
		data ? onnx__tensor_proto__unpack(NULL, size, (uint8_t *)data) : NULL;
	const float *out = NULL;

	if (p && p->data_type == ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT)
		out = p->has_raw_data ? arena_memdup(a, p->raw_data.data, p->raw_data.len)
				      : arena_memdup(a, p->float_data, 4 * p->n_float_data);
	if (p)
		onnx__tensor_proto__free_unpacked(p, NULL);
	return out;
}

/* Where the model in DIR is one task of f32: runs it, compares, and is true. */
static bool check_node(struct arena *a, const char *dir)
{
	struct graph *g = onnx_read(a, arena_printf(a, "%s/model.onnx", dir));

	if (!g || graph_infer(g) < 0)
		return false;
	struct model_task_vec tasks = tasks_of(a, g);
	const struct model_task *t = &tasks.at[0];

	if (tasks.n != 1 || !t->dag || t->weight != 1)
		return false;
	const struct value_vec *inputs = &t->uses.at[0].inputs;
	struct grouping *groups = graph_group(a, g);
	void *args[16];

	if (groups->groups.at[t->uses.at[0].group].output != g->main->results[0] || inputs->n > 15)
		return false;
	for (int i = 0; i < inputs->n; i++) {
		int value = inputs->at[i];

		if (value == VALUE_NONE)
			return false;
		const struct binding *b = &g->main->bindings.at[value];
		const void *data =
			b->kind == BIND_CONST ? b->data : read_tensor(a, dir, "input", value);

		if (!data || b->type.dtype != DTYPE_F32)
			return false;
		args[i] = (void *)(uintptr_t)data;
	}
	const struct type *out = &g->main->bindings.at[g->main->results[0]].type;
	const float *want = read_tensor(a, dir, "output", 0);
	float *have = arena_alloc(a, type_bytes(out));

	if (!want || out->dtype != DTYPE_F32 || dag_arg_count(t->dag) != inputs->n + 1)
		return false;
	args[inputs->n] = have;
	dag_eval(t->dag, args);
	for (int64_t i = 0; i < type_count(out); i++)
		if (!(fabsf(have[i] - want[i]) <= 1e-4f + 1e-3f * fabsf(want[i])))
			fail_msg("%s: %s: element %lld is %g, not %g", dir, t->op, (long long)i,
				 (double)have[i], (double)want[i]);
	return true;
}

static void onnx_node_tests(void **state)
{
	(void)state;
	glob_t dirs;
	int checked = 0;

	if (glob("/usr/lib/python3/dist-packages/onnx/backend/test/data/node/test_*", 0, NULL,
		 &dirs) != 0)
		skip_test("the standard's models are not here: install libonnx-testdata");
	for (size_t i = 0; i < dirs.gl_pathc; i++) {
		struct arena *a = arena_new();

		checked += check_node(a, dirs.gl_pathv[i]);
		arena_free(a);
	}
	print_message("%d of %zu node tests are tasks\n", checked, dirs.gl_pathc);
	assert_true(checked > 100);
	globfree(&dirs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bundled_model),
		cmocka_unit_test(equal_groups),
		cmocka_unit_test(sequence_of_model),
		cmocka_unit_test(sequence_with_gap),
		cmocka_unit_test(padded_average),
		cmocka_unit_test(not_tunable),
		cmocka_unit_test(onnx_node_tests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
