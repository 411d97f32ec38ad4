/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_onnx_write.c - models written of DAGs: hone's own reader finds in them the
 * shapes and the numbers of the DAG. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "tests/te_run.h"

#include "bench/contest/onnx_write.h"
#include "graph/infer.h"
#include "graph/onnx.h"
#include "graph/onnx.pb-c.h"
#include "graph/task.h"

struct written {
	struct arena *a;
	Onnx__ModelProto *proto;
	struct graph *graph;
	struct model_task_vec tasks;
};

static struct written write_and_read(const struct run *r)
{
	struct written w = { .a = r->a };
	const char *why = NULL;
	const struct work *work = recognize(r->a, r->d, &why);
	size_t size = 0;
	unsigned char *data = NULL;

	if (work)
		data = onnx_write(r->a, r->d, work, r->args, &size, &why);
	if (!data)
		fail_msg("%s: %s", r->d->name, why);
	w.proto = onnx__model_proto__unpack(NULL, size, data);
	assert_non_null(w.proto);
	w.graph = onnx_parse(r->a, r->d->name, data, size);
	if (!w.graph || graph_infer(w.graph) < 0)
		fail_msg("%s", err_get());
	w.tasks = graph_tasks(r->a, w.graph, graph_group(r->a, w.graph));
	return w;
}

/* How the memory of an argument and the model's tensor belong together. */
struct order {
	int n;
	int64_t shape[TENSOR_MAX_DIMS];
	int rank[TENSOR_MAX_DIMS];
};

static struct order order_of(const struct written *w, const char *name, int64_t count)
{
	struct order o = { .n = 1, .shape = { count } };
	const char *text = NULL;

	for (size_t i = 0; i < w->proto->n_metadata_props; i++)
		if (strcmp(w->proto->metadata_props[i]->key, name) == 0)
			text = w->proto->metadata_props[i]->value;
	if (!text)
		return o;
	struct scan s = scan_text(name, text);
	int64_t rank;

	for (o.n = 0; scan_int(&s, &o.shape[o.n]); o.n++)
		;
	assert_true(scan_token(&s, "/"));
	for (int i = 0; i < o.n; i++) {
		assert_true(scan_int(&s, &rank));
		o.rank[i] = (int)rank;
	}
	assert_true(scan_at_end(&s));
	return o;
}

/* The place in memory of element I of the model's tensor. */
static int64_t place(const struct order *o, int64_t i)
{
	int64_t stride[TENSOR_MAX_DIMS], at = 0;

	stride[o->n - 1] = 1;
	for (int d = o->n - 1; d > 0; d--)
		stride[d - 1] = stride[d] * o->shape[d];
	for (int d = o->n - 1; d >= 0; d--) {
		at += i % o->shape[o->rank[d]] * stride[o->rank[d]];
		i /= o->shape[o->rank[d]];
	}
	return at;
}

static int arg_number(const char *name)
{
	assert_true(strncmp(name, "arg", 3) == 0);
	return atoi(name + 3);
}

/* The arguments of the model's task: R's in the model's order, constants as the model has them. */
static void fill_args(const struct written *w, const struct run *r, const struct model_task *t,
		      void **args)
{
	int next = 0;

	for (int i = 0; i < t->dag->ops.n; i++) {
		const struct op *op = t->dag->ops.at[i];
		int64_t count = tensor_count(&op->tensor);

		if (dag_arg(t->dag, op) < 0)
			continue;
		float *data = args[dag_arg(t->dag, op)] =
			arena_alloc(r->a, tensor_bytes(&op->tensor));

		if (op->kind == OP_COMPUTE)
			continue;
		const struct binding *b =
			&w->graph->main->bindings.at[t->uses.at[0].inputs.at[next++]];

		if (b->kind == BIND_CONST) {
			memcpy(data, b->data, tensor_bytes(&op->tensor));
			continue;
		}
		const struct order o = order_of(w, b->name, count);
		const float *memory = r->args[arg_number(b->name)];

		for (int64_t j = 0; j < count; j++)
			data[j] = memory[place(&o, j)];
	}
}

static void compare(const struct written *w, const struct run *r, const float *got)
{
	const char *name = w->proto->graph->output[0]->name;
	int64_t count = tensor_count(&r->op[r->n - 1]->tensor);
	const struct order o = order_of(w, name, count);

	assert_int_equal(arg_number(name), r->n - 1);
	for (int64_t i = 0; i < count; i++)
		check_close(r->d->name, i, (double)got[i], at(r, r->n - 1, place(&o, i)), 1e-5);
}

/* Layouts, windows, groups, epilogues, products of all kinds. */
static const char *const specs[] = {
	"conv2d:n=2,ic=3,h=9,w=7,oc=5,k=3,s=2,p=1",
	"conv2d:ic=6,h=9,w=8,oc=4,k=3x1,dil=2,p=2x0,g=2,bias=1,act=relu",
	"conv2d:ic=4,h=8,w=8,oc=6,k=3,s=2,layout=nhwc,bias=1,act=relu6",
	"conv2d:n=2,ic=32,h=6,w=5,oc=16,k=3,p=1,layout=nchw16c,bias=1,act=silu",
	"conv2d:ic=3,h=6,w=5,oc=2,k=3,p=1,const=0,act=leaky_relu",
	"depthwise:c=5,h=9,w=9,k=5,p=2,act=hard_swish",
	"conv1d:ic=4,w=20,oc=3,k=3,p=1,layout=nhwc,act=tanh",
	"conv3d:ic=2,d=4,h=5,w=6,oc=3,k=3,p=1,act=sigmoid",
	"matmul:m=7,n=5,k=11",
	"matmul:m=7,n=5,k=11,const=0",
	"dense:m=3,n=10,k=17,act=relu",
	"dense:m=3,n=10,k=17,const=0,bias=0",
	"batch_matmul:b=3,m=4,n=5,k=6",
	"input A: f32[8, 4]\nconst B: f32[8, 6]\nC[i, j] = sum(k < 8) A[k, i] * B[k, j]\n",
	"input A: f32[4, 8]\nconst B: f32[8, 6]\nC[j, i] = sum(k < 8) A[i, k] * B[k, j]\n",
	"input A: f32[4, 8]\nconst B: f32[8, 6]\nconst V: f32[6]\ninput R: f32[4, 6]\n"
	"C[i, j] = sum(k < 8) A[i, k] * B[k, j]\nD[i, j] = max(R[i, j] + (C[i, j] + V[j]), 0)\n",
};

static void same_numbers(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(specs) / sizeof(*specs); i++) {
		struct run r = run_spec(specs[i]);
		struct written w = write_and_read(&r);
		void *args[ARGS_MAX];

		if (w.tasks.n != 1 || !w.tasks.at[0].dag)
			fail_msg("%s: %d tasks, not one", specs[i], w.tasks.n);
		fill_args(&w, &r, &w.tasks.at[0], args);
		dag_eval(w.tasks.at[0].dag, args);
		compare(&w, &r, args[dag_arg_count(w.tasks.at[0].dag) - 1]);
		onnx__model_proto__free_unpacked(w.proto, NULL);
		arena_free(r.a);
	}
}

/* What hone reads as several tasks is at least typed through to its end. */
static void typed(void **state)
{
	(void)state;
	static const char *const others[] = {
		"conv2d:ic=2,h=5,w=5,oc=2,k=3,act=gelu",
		"conv2d:ic=2,h=5,w=5,oc=2,k=3,act=hard_sigmoid",
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		struct run r = run_spec(others[i]);
		struct written w = write_and_read(&r);
		const struct function *f = w.graph->main;
		const struct type *t = &f->bindings.at[f->results[0]].type;

		assert_true(type_is_static(t) && t->rank == 4 && t->dim[2].n == 3);
		onnx__model_proto__free_unpacked(w.proto, NULL);
		arena_free(r.a);
	}
}

/* The reasons of what has no form in ONNX. */
static void refused(void **state)
{
	(void)state;
	static const char *const cases[][2] = {
		{ "input A: f32[4, 4]\ninput B: f32[4, 4]\n"
		  "C[i, j] = sum(k < 4) A[i, k] * B[k, j]\nD[i, j] = C[i, j] + A[j, i]\n",
		  "two ways" },
		{ "input X: f32[1, 2, 9]\nconst W: f32[3, 2, 3]\n"
		  "Y[n, o, x < 5] = sum(c < 2, k < 3) X[n, c, x + k] * W[o, c, k]\n", "windows" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct run r = run_spec(cases[i][0]);
		const char *why = NULL;
		const struct work *work = recognize(r.a, r.d, &why);
		size_t size;

		assert_non_null(work);
		assert_null(onnx_write(r.a, r.d, work, r.args, &size, &why));
		assert_non_null(strstr(why, cases[i][1]));
		arena_free(r.a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_numbers),
		cmocka_unit_test(typed),
		cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
