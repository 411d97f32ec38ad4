/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/bench/test_onnx_operator.c - operators that are no sums of products as models: hone's own interpreter of models,
 * which knows nothing of their DAGs, computes the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/te_run.h"

#include "bench/contest/referee/folder.h"
#include "graph/eval/interp.h"
#include "graph/ir/array.h"
#include "graph/onnx/onnx.h"

static const char *const specs[] = {
	"conv2d_transpose:ic=5,h=6,w=7,oc=4,k=4,s=2,p=1",
	"conv2d_transpose:ic=5,h=6,w=7,oc=4,k=3x2,s=2,p=1x0,op=1x0",
	"conv2d_transpose:ic=5,h=6,w=7,oc=4,k=3,dil=2,const=0",
	"max_pool:c=3,h=9,w=8,k=3,s=2,p=1",
	"avg_pool:n=2,c=3,h=9,w=8,k=3x2,s=2x1,p=1x0",
	"avg_pool:c=3,h=8,w=8,k=3,p=1,count_pad=1",
	"global_avg_pool:c=5,h=4,w=3",
	"softmax:m=3,n=4",
	"layer_norm:m=3,n=20",
	"matrix_norm:b=2,m=5,n=9",
	"add:n=3x5",
	"mul:n=35",
	"relu:n=35",
	"sigmoid:n=35",
	"tanh:n=35",
	"hard_swish:n=35",
};

static const struct array *array_of(const struct run *r, int i)
{
	const struct tensor *t = &r->op[i]->tensor;

	return array_around(r->a, ELEMENT_F32, t->ndim, t->shape, r->args[i]);
}

/* What the model of R, SIZE bytes of DATA, gives for its inputs. */
static struct value evaluate(const struct run *r, const unsigned char *data, size_t size)
{
	const struct graph *g = onnx_parse(r->a, "model", NULL, data, size, NULL);
	struct value args[ARGS_MAX], out;
	int n = 0;

	if (!g)
		fail_msg("%s: %s", r->d->name, err_get());
	for (int i = 0; i < r->n; i++)
		if (r->op[i]->kind == OP_INPUT)
			args[n++] = value_of_array(array_of(r, i));
	struct interp x = interp_begin(r->a, g, interp_usual_limits);

	if (interp_run(&x, g->main, args, n, &out) < 0)
		fail_msg("%s: %s", r->d->name, err_get());
	interp_end(&x);
	assert_int_equal(out.kind, VALUE_ARRAY);
	return out;
}

static void test_computes_the_same(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(specs) / sizeof(*specs); i++) {
		struct run r = run_spec(specs[i]);
		const char *why = "";
		size_t size;
		const unsigned char *data = folder_model(r.a, specs[i], r.d, r.args, &size, &why);

		if (!data)
			fail_msg("%s has no model: %s", specs[i], why);
		struct value out = evaluate(&r, data, size);

		assert_int_equal(out.array->count, tensor_count(&r.op[r.n - 1]->tensor));
		for (int64_t j = 0; j < out.array->count; j++)
			check_close(specs[i], j, (double)((const float *)out.array->data)[j], at(&r, r.n - 1, j), 1e-5);
		value_release(out);
		arena_free(r.a);
	}
}

static const struct {
	const char *spec, *name, *why;
} others[] = {
	{ "conv2d_transpose:ic=5,h=6,w=7,oc=4,k=3,bias=1", NULL, "what follows" },
	{ "max_pool:c=16,h=9,w=8,k=2,layout=nchw16c", NULL, "NCHW" },
	{ "global_avg_pool:c=5,h=4,w=3,layout=nhwc", NULL, "NCHW" },
	{ "softmax:m=3,n=4,dtype=f64", NULL, "f32 alone" },
	{ "capsule_conv2d:h=5,w=5,ic=2,oc=2,k=3,p=1", NULL, "indices" },
	/* a name that is no operator's, and one that is another's */
	{ "softmax:m=3,n=4", "attention", "sum of products" },
	{ "softmax:m=3,n=4", "softmax:m=4,n=3", "sum of products" },
};

static void test_others(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		struct run r = run_new(others[i].spec);
		const char *name = others[i].name ? others[i].name : others[i].spec, *why = "";
		size_t size;

		if (folder_model(r.a, name, r.d, r.args, &size, &why))
			fail_msg("%s as '%s' has a model", others[i].spec, name);
		if (!strstr(why, others[i].why))
			fail_msg("%s as '%s': '%s', not '%s'", others[i].spec, name, why, others[i].why);
		arena_free(r.a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_computes_the_same),
		cmocka_unit_test(test_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
