/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_graph.c - shape inference, folding and grouping on graphs built by hand. */
#include "graph/extract.h"
#include "tests/graph_fixture.h"

/* The type of VALUE as text. */
static void assert_type(struct maker *m, int value, const char *want)
{
	struct text t = { 0 };

	type_print(&t, &m->g->main->bindings.at[value].type);
	assert_string_equal(text_str(&t), want);
	text_free(&t);
}

static void windows(void **state)
{
	(void)state;
	struct maker m = maker_new(13);
	int x = image(&m, 1, 3, 109, 110);
	int c = conv(&m, x, 8, 3, 3, 2);
	struct attr pool[] = {
		attr_ints(&m, "kernel_shape", 2, (int64_t[]){ 3, 3 }),
		attr_ints(&m, "strides", 2, (int64_t[]){ 2, 2 }),
		attr_int(&m, "ceil_mode", 1),
	};
	int p = call_with(&m, "MaxPool", 1, &x, 3, pool);
	int q = call_with(&m, "MaxPool", 1, &x, 2, pool);
	struct attr same = { .name = "auto_pad", .kind = ATTR_STRING, .n = 1,
			     .string = "SAME_UPPER" };
	struct attr strides = pool[1];
	int s = call_with(&m, "Conv", 2, (int[]){ x, weight(&m, 4, (int64_t[]){ 8, 3, 5, 5 }) }, 2,
			  (struct attr[]){ same, strides });
	int t = call_with(&m, "ConvTranspose", 2,
			  (int[]){ x, weight(&m, 4, (int64_t[]){ 3, 8, 4, 4 }) }, 1, &strides);

	finish(&m, c);
	assert_type(&m, c, "f32[1, 8, 55, 55]");
	assert_type(&m, p, "f32[1, 3, 54, 55]");
	assert_type(&m, q, "f32[1, 3, 54, 54]");
	assert_type(&m, s, "f32[1, 8, 55, 55]");
	assert_type(&m, t, "f32[1, 8, 220, 222]");
	arena_free(m.a);
}

static void products(void **state)
{
	(void)state;
	struct maker m = maker_new(13);
	int x = image(&m, 2, 1, 7, 5);
	int mm = binary(&m, "MatMul", x, weight(&m, 3, (int64_t[]){ 6, 5, 9 }));
	int mv = binary(&m, "MatMul", x, weight(&m, 1, (int64_t[]){ 5 }));
	int flat = unary(&m, "Flatten", x);
	struct attr trans = attr_int(&m, "transB", 1);
	int gemm = call_with(&m, "Gemm", 2,
			     (int[]){ flat, weight(&m, 2, (int64_t[]){ 11, 35 }) }, 1, &trans);

	finish(&m, gemm);
	assert_type(&m, mm, "f32[2, 6, 7, 9]");
	assert_type(&m, mv, "f32[2, 1, 7]");
	assert_type(&m, gemm, "f32[2, 11]");
	arena_free(m.a);
}

/* Shape, Gather, Unsqueeze, Concat, Reshape: how exporters flatten. */
static void folds_shapes(void **state)
{
	(void)state;
	struct maker m = maker_new(13);
	int x = image(&m, 2, 3, 4, 5);
	int shape = unary(&m, "Shape", x);
	struct type scalar = type_tensor(DTYPE_I64, 0, NULL);
	int first = function_const(m.a, m.g->main, "0", scalar, arena_alloc(m.a, 8));
	int n = binary(&m, "Gather", shape, first);
	int list = binary(&m, "Unsqueeze", n, ints(&m, 1, (int64_t[]){ 0 }));
	int rest = ints(&m, 1, (int64_t[]){ -1 });
	struct attr axis = attr_int(&m, "axis", 0);
	int to = call_with(&m, "Concat", 2, (int[]){ list, rest }, 1, &axis);
	int y = binary(&m, "Reshape", x, to);
	int part = call(&m, "Slice", 3,
			(int[]){ shape, ints(&m, 1, (int64_t[]){ -2 }),
				 ints(&m, 1, (int64_t[]){ INT64_MAX }) });

	finish(&m, y);
	assert_type(&m, y, "f32[2, 60]");
	const struct binding *b = &m.g->main->bindings.at[part];

	assert_int_equal(b->kind, BIND_CONST);
	assert_memory_equal(b->data, ((int64_t[]){ 4, 5 }), 16);
	arena_free(m.a);
}

static void symbols_go_through(void **state)
{
	(void)state;
	struct maker m = maker_new(13);
	struct type t = type_tensor(DTYPE_F32, 4, (int64_t[]){ 0, 3, 8, 8 });

	t.dim[0] = (struct dim){ .n = -1, .name = "N" };
	int x = function_param(m.a, m.g->main, "x", t);
	int c = conv(&m, x, 4, 3, 3, 2);
	int f = unary(&m, "Flatten", unary(&m, "Relu", c));

	finish(&m, f);
	assert_type(&m, c, "f32[N, 4, 4, 4]");
	assert_type(&m, f, "f32[N, 64]");
	arena_free(m.a);
}

static void refuses_what_cannot_be(void **state)
{
	(void)state;
	struct maker m = maker_new(13);
	int x = image(&m, 1, 3, 8, 8);

	binary(&m, "Add", x, weight(&m, 1, (int64_t[]){ 5 }));
	assert_int_equal(graph_infer(m.g), -1);
	assert_non_null(strstr(err_get(), "(Add): sizes 8 and 5 do not go together"));
	arena_free(m.a);
	m = maker_new(13);
	x = image(&m, 1, 3, 8, 8);
	binary(&m, "Reshape", x, ints(&m, 2, (int64_t[]){ 5, -1 }));
	assert_int_equal(graph_infer(m.g), -1);
	assert_non_null(strstr(err_get(), "192 elements do not fit"));
	arena_free(m.a);
}

/* Each value is in one group, inputs come from outside, and only the output is read outside. */
static void assert_sound(const struct function *f, const struct grouping *g)
{
	int *seen = calloc((size_t)f->bindings.n, sizeof(int));

	for (int i = 0; i < g->groups.n; i++) {
		const struct group *at = &g->groups.at[i];

		for (int j = 0; j < at->members.n; j++) {
			seen[at->members.at[j]]++;
			assert_int_equal(g->group_of[at->members.at[j]], i);
		}
		for (int j = 0; j < at->inputs.n; j++) {
			int from = g->group_of[at->inputs.at[j]];

			assert_true(from < i);
			if (from >= 0)
				assert_int_equal(g->groups.at[from].output, at->inputs.at[j]);
		}
	}
	for (int v = 0; v < f->bindings.n; v++)
		assert_int_equal(seen[v], v >= f->nparams);
	free(seen);
}

static struct grouping *group(struct maker *m)
{
	struct grouping *g = graph_group(m->a, m->g);

	assert_sound(m->g->main, g);
	return g;
}

/* conv + batch norm + residual + relu of a downsampling block; the add goes to the later branch. */
static void groups_a_residual(void **state)
{
	(void)state;
	struct maker m = maker_new(13);
	int x = image(&m, 1, 8, 8, 8);
	int a = conv(&m, x, 16, 8, 3, 2);
	int c[4];

	for (int i = 0; i < 4; i++)
		c[i] = weight(&m, 1, (int64_t[]){ 16 });
	int bn = call(&m, "BatchNormalization", 5, (int[]){ a, c[0], c[1], c[2], c[3] });
	int b = conv(&m, x, 16, 8, 1, 2);
	int sum = binary(&m, "Add", bn, b);
	int out = unary(&m, "Relu", sum);

	finish(&m, out);
	struct grouping *g = group(&m);
	const struct group *late = &g->groups.at[g->group_of[out]];

	assert_int_equal(g->group_of[bn], g->group_of[a]);
	assert_int_equal(g->group_of[sum], g->group_of[b]);
	assert_int_equal(g->group_of[out], g->group_of[b]);
	assert_int_equal(late->heavy, b);
	assert_int_equal(late->output, out);
	assert_int_equal(late->members.n, 3);
	assert_int_equal(late->inputs.n, 3);	/* x, the weight, bn */
	assert_null(late->reason);
	arena_free(m.a);
}

/* A value that is used twice is an output: nothing joins behind it. */
static void keeps_shared_values(void **state)
{
	(void)state;
	struct maker m = maker_new(13);
	int x = image(&m, 1, 8, 8, 8);
	int a = conv(&m, x, 8, 8, 3, 1);
	int r = unary(&m, "Relu", a);
	int p = unary(&m, "GlobalAveragePool", r);
	int s = unary(&m, "Sigmoid", p);
	int out = binary(&m, "Mul", r, s);	/* squeeze and excite */

	finish(&m, out);
	struct grouping *g = group(&m);

	assert_int_equal(g->group_of[r], g->group_of[a]);
	assert_int_equal(g->group_of[s], g->group_of[p]);
	assert_int_not_equal(g->group_of[out], g->group_of[r]);
	assert_int_not_equal(g->group_of[out], g->group_of[s]);
	arena_free(m.a);
}

static void joins_silu(void **state)
{
	(void)state;
	struct maker m = maker_new(13);
	int x = image(&m, 1, 8, 8, 8);
	int a = conv(&m, x, 8, 8, 3, 1);
	int s = unary(&m, "Sigmoid", a);
	int y = binary(&m, "Mul", a, s);
	int b = conv(&m, y, 8, 8, 1, 1);
	int out = binary(&m, "Add", y, b);

	finish(&m, out);
	struct grouping *g = group(&m);

	assert_int_equal(g->group_of[y], g->group_of[a]);
	assert_int_equal(g->groups.at[g->group_of[a]].output, y);
	assert_int_equal(g->group_of[out], g->group_of[b]);
	arena_free(m.a);
}

static void says_why_not(void **state)
{
	(void)state;
	struct maker m = maker_new(13);
	int x = image(&m, 1, 8, 8, 8);
	int odd = unary(&m, "Frobnicate", x);
	int relu = unary(&m, "Relu", odd);
	int cat = binary(&m, "Concat", relu, x);
	int flat = unary(&m, "Flatten", cat);

	finish(&m, flat);
	struct grouping *g = group(&m);

	assert_string_equal(g->groups.at[g->group_of[odd]].reason, "unknown operator");
	assert_string_equal(g->groups.at[g->group_of[cat]].reason, "only moves data");
	assert_non_null(strstr(g->groups.at[g->group_of[relu]].reason, "not known"));
	assert_int_equal(g->groups.at[g->group_of[flat]].kind, GROUP_FREE);
	arena_free(m.a);
}

static void takes_padding_in(void **state)
{
	(void)state;
	struct maker m = maker_new(13);
	int x = image(&m, 1, 8, 8, 8);
	int pads = ints(&m, 8, (int64_t[]){ 0, 0, 1, 1, 0, 0, 1, 1 });
	int pad = binary(&m, "Pad", x, pads);
	struct attr kernel = attr_ints(&m, "kernel_shape", 2, (int64_t[]){ 3, 3 });
	int pool = call_with(&m, "AveragePool", 1, &pad, 1, &kernel);

	finish(&m, pool);
	struct grouping *g = group(&m);

	assert_type(&m, pool, "f32[1, 8, 8, 8]");
	assert_int_equal(g->group_of[pad], g->group_of[pool]);
	assert_int_equal(g->groups.at[g->group_of[pool]].heavy, pool);
	assert_null(g->groups.at[g->group_of[pool]].reason);
	arena_free(m.a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows),
		cmocka_unit_test(products),
		cmocka_unit_test(folds_shapes),
		cmocka_unit_test(symbols_go_through),
		cmocka_unit_test(refuses_what_cannot_be),
		cmocka_unit_test(groups_a_residual),
		cmocka_unit_test(keeps_shared_values),
		cmocka_unit_test(joins_silu),
		cmocka_unit_test(says_why_not),
		cmocka_unit_test(takes_padding_in),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
