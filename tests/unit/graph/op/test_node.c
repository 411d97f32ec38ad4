/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/graph/op/test_node.c - what ONNX's own cases leave open of nodes: early operator sets, symbols,
 * any equation, attributes that cannot be. */
#include "tests/fixture/node_fixture.h"

#include <math.h>

#include "base/rng.h"
#include "base/text.h"

/* The type of the model's result reads TEXT. */
static void assert_result(struct node_model *m, const char *text)
{
	struct graph *g = node_read(m);
	struct text shown = { 0 };

	if (!g)
		fail_msg("%s", err_get());
	type_print(&shown, graph_main(g)->result);
	assert_string_equal(text_str(&shown), text);
	text_free(&shown);
}

static void softmax_of_early_sets_is_of_all_axes_from_one_on(void **state)
{
	(void)state;
	for (int opset = 11; opset <= 13; opset += 2) {
		struct node_model m = node_model("Softmax", opset);

		node_ramp(&m, ELEMENT_F32, DIMS(2, 3, 4), 0, 0);
		node_attr_int(&m, "axis", 1);
		struct value y = node_run(&m);

		for (int i = 0; i < 24; i++)
			assert_true(fabs(array_float(y.array, i) * (opset < 13 ? 12 : 3) - 1) <
				    1e-5);
		value_release(y);
		arena_free(m.a);
	}
}

static void an_attribute_that_became_an_operand_is_both(void **state)
{
	(void)state;
	const int64_t axes[] = { 0, 2 };

	for (int early = 0; early < 2; early++) {
		struct node_model m = node_model("Unsqueeze", early ? 11 : 13);

		node_ramp(&m, ELEMENT_F32, DIMS(5), 0, 1);
		if (early)
			node_attr_ints(&m, "axes", 2, axes);
		else
			node_operand_add(&m, array_around(m.a, ELEMENT_I64, 1, &(int64_t){ 2 },
							  axes), NULL);
		struct value y = node_run(&m);

		assert_int_equal(y.array->rank, 3);
		assert_int_equal(y.array->dim[1], 5);
		value_release(y);
		arena_free(m.a);
	}
}

/* --- symbols stay what they are */

static void depth_to_space_of_symbols(void **state)
{
	(void)state;
	struct node_model m = node_model("DepthToSpace", 13);

	node_ramp(&m, ELEMENT_F32, DIMS(1, 8, 2, 3), 0, 1);
	m.args[0].dims = "N=HW";
	node_attr_int(&m, "blocksize", 2);
	assert_result(&m, "f32[N, 2, H * 2, W * 2]");
	arena_free(m.a);
}

static void flatten_of_symbols(void **state)
{
	(void)state;
	struct node_model m = node_model("Flatten", 13);

	node_ramp(&m, ELEMENT_F32, DIMS(1, 8, 2), 0, 1);
	m.args[0].dims = "N==";
	assert_result(&m, "f32[N, 16]");
	arena_free(m.a);
}

static void a_split_of_symbols_has_even_parts(void **state)
{
	(void)state;
	struct node_model m = node_model("Split", 13);

	node_ramp(&m, ELEMENT_F32, DIMS(4, 9), 0, 1);
	m.args[0].dims = "N=";
	m.nouts = 3;
	node_attr_int(&m, "axis", 1);
	assert_result(&m, "(f32[N, 3], f32[N, 3], f32[N, 3])");
	arena_free(m.a);
}

/* --- any equation */

struct equation {
	const char *text;
	const char *terms[3];	/* labels of the operands; NULL ends them */
	const char *result;
};

static const struct equation equations[] = {
	{ "ij,jk->ik", { "ij", "jk" }, "ik" },
	{ "bij,bkj->bik", { "bij", "bkj" }, "bik" },
	{ "ij,kl->", { "ij", "kl" }, "" },
	{ "ii->i", { "ii" }, "i" },
	{ "iij,jk->ki", { "iij", "jk" }, "ki" },
	{ "abc,cd,de->ea", { "abc", "cd", "de" }, "ea" },
	{ "ij,ij->ij", { "ij", "ij" }, "ij" },
	{ "i,j->ji", { "i", "j" }, "ji" },
	{ "bhid,bhjd->bhij", { "bhid", "bhjd" }, "bhij" },
};

/* The extent of a label. */
static int64_t extent(char label)
{
	return 2 + label % 3;
}

static double element(const struct array *x, const char *labels, const int64_t *at)
{
	int64_t i = 0;

	for (const char *p = labels; *p; p++)
		i = i * extent(*p) + at[*p - 'a'];
	return array_float(x, i);
}

/* Adds what all labels at all values give to the sums by the result's. */
static void sum_products(const struct node_model *m, const struct equation *e, double *sums)
{
	int64_t at[26] = { 0 };
	char labels[27] = "";

	for (int k = 0; k < m->nargs; k++)
		for (const char *p = e->terms[k]; *p; p++)
			if (!strchr(labels, *p))
				strncat(labels, p, 1);
	for (size_t i = 0; i < strlen(labels);) {
		double product = 1;
		int64_t to = 0;

		for (int k = 0; k < m->nargs; k++)
			product *= element(m->args[k].value, e->terms[k], at);
		for (const char *p = e->result; *p; p++)
			to = to * extent(*p) + at[*p - 'a'];
		sums[to] += product;
		for (i = 0; i < strlen(labels) && ++at[labels[i] - 'a'] == extent(labels[i]); i++)
			at[labels[i] - 'a'] = 0;
	}
}

static void einsum_is_the_sum_of_products(void **state)
{
	(void)state;
	for (size_t k = 0; k < sizeof(equations) / sizeof(equations[0]); k++) {
		const struct equation *e = &equations[k];
		struct node_model m = node_model("Einsum", 12);
		double sums[1024] = { 0 };

		node_attr_string(&m, "equation", e->text);
		for (int i = 0; i < 3 && e->terms[i]; i++) {
			int64_t dim[GRAPH_MAX_RANK];
			int rank = (int)strlen(e->terms[i]);

			for (int d = 0; d < rank; d++)
				dim[d] = extent(e->terms[i][d]);
			node_ramp(&m, ELEMENT_F64, rank, dim, -3, 0.5);
		}
		sum_products(&m, e, sums);
		struct value y = node_run(&m);

		assert_int_equal(y.array->rank, strlen(e->result));
		for (int64_t i = 0; i < y.array->count; i++)
			assert_true(fabs(array_float(y.array, i) - sums[i]) < 1e-9);
		value_release(y);
		arena_free(m.a);
	}
}

/* --- trees */

/* x <= 0.5: 1, else x <= 2: 2, else 3; the second question leads to node TO where it says yes. */
static struct node_model one_tree(int64_t to)
{
	struct node_model m = node_model("TreeEnsembleRegressor", 3);
	const char *const modes[] = { "BRANCH_LEQ", "LEAF", "BRANCH_LEQ", "LEAF", "LEAF" };
	const int64_t zeros[5] = { 0 }, numbers[] = { 0, 1, 2, 3, 4 };
	const int64_t yes[] = { 1, 0, to, 0, 0 }, no[] = { 2, 0, 4, 0, 0 };

	m.domain = "ai.onnx.ml";
	node_attr_strings(&m, "nodes_modes", 5, modes);
	node_attr_floats(&m, "nodes_values", 5, (const float[]){ 0.5f, 0, 2, 0, 0 });
	node_attr_ints(&m, "nodes_featureids", 5, zeros);
	node_attr_ints(&m, "nodes_treeids", 5, zeros);
	node_attr_ints(&m, "nodes_nodeids", 5, numbers);
	node_attr_ints(&m, "nodes_truenodeids", 5, yes);
	node_attr_ints(&m, "nodes_falsenodeids", 5, no);
	node_attr_ints(&m, "target_ids", 3, zeros);
	node_attr_ints(&m, "target_treeids", 3, zeros);
	node_attr_ints(&m, "target_nodeids", 3, (const int64_t[]){ 1, 3, 4 });
	node_attr_floats(&m, "target_weights", 3, (const float[]){ 1, 2, 3 });
	node_ramp(&m, ELEMENT_F32, DIMS(3, 1), 0.5, 1.5);
	return m;
}

static void a_tree_asks_down_to_a_leaf(void **state)
{
	(void)state;
	struct node_model m = one_tree(3);
	struct value y = node_run(&m);

	for (int i = 0; i < 3; i++)
		assert_true(array_float(y.array, i) == i + 1);
	value_release(y);
	arena_free(m.a);
}

static void a_tree_that_is_none_is_refused(void **state)
{
	(void)state;
	const int64_t ways[] = { 0, 2, 7, -1 };

	for (int i = 0; i < 4; i++) {
		struct node_model m = one_tree(ways[i]);

		assert_null(node_read(&m));
		assert_non_null(strstr(err_get(), i < 2 ? "two ways" : "no node"));
		arena_free(m.a);
	}
}

/* --- what cannot be */

struct refused {
	const char *op;
	int opset, rank;
	const char *attr;
	int64_t value;
	const char *string;	/* in place of the number */
	const char *message;
};

static const struct refused refused[] = {
	{ "DepthToSpace", 13, 4, "blocksize", 0, NULL, "blocksize 0" },
	{ "DepthToSpace", 13, 3, "blocksize", 2, NULL, "4 dims" },
	{ "SpaceToDepth", 13, 4, "blocksize", INT64_MAX, NULL, "blocksize" },
	{ "Split", 18, 2, "num_outputs", INT64_MAX, NULL, "num_outputs" },
	{ "Split", 18, 2, "num_outputs", -1, NULL, "num_outputs" },
	{ "Flatten", 13, 2, "axis", 7, NULL, "axis 7" },
	{ "Softmax", 11, 2, "axis", 2, NULL, "axis 2" },
	{ "LayerNormalization", 17, 2, "axis", -3, NULL, "axis -3" },
	{ "Einsum", 12, 2, "equation", 0, "ij->k", "label" },
	{ "Einsum", 12, 2, "equation", 0, "ijk->k", "labels do not agree" },
	{ "Einsum", 12, 2, "equation", 0, "i!j", "no label" },
	{ "Einsum", 12, 2, "equation", 0, "...->...abcdefgh", "more than 8 dims" },
	{ "LpPool", 18, 4, "p", 2, NULL, "kernel of 0 dims" },
	{ "BitShift", 11, 1, "direction", 0, "UP", "UP" },
	{ "Relu", 14, 2, "no_such", 0, NULL, NULL },	/* unknown attributes say nothing */
};

static void nodes_that_cannot_be_say_why(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		const struct refused *r = &refused[i];
		const int64_t dim[] = { 2, 4, 2, 2 };
		struct node_model m = node_model(r->op, r->opset);

		node_ramp(&m, ELEMENT_F32, r->rank, dim, 0, 1);
		if (r->string)
			node_attr_string(&m, r->attr, r->string);
		else
			node_attr_int(&m, r->attr, r->value);
		struct graph *g = node_read(&m);

		if (!g != !!r->message)
			fail_msg("%s: %s", r->op, g ? "it was read" : err_get());
		if (r->message && (!strstr(err_get(), r->message) || !strstr(err_get(), r->op)))
			fail_msg("'%s' does not name %s and say '%s'", err_get(), r->op,
				 r->message);
		arena_free(m.a);
	}
}

static void an_attribute_of_another_kind_is_refused(void **state)
{
	(void)state;
	struct node_model m = node_model("Softmax", 13);

	node_ramp(&m, ELEMENT_F32, DIMS(2, 2), 0, 1);
	node_attr_string(&m, "axis", "last");
	assert_null(node_read(&m));
	assert_non_null(strstr(err_get(), "axis"));
	arena_free(m.a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(softmax_of_early_sets_is_of_all_axes_from_one_on),
		cmocka_unit_test(an_attribute_that_became_an_operand_is_both),
		cmocka_unit_test(depth_to_space_of_symbols),
		cmocka_unit_test(flatten_of_symbols),
		cmocka_unit_test(a_split_of_symbols_has_even_parts),
		cmocka_unit_test(einsum_is_the_sum_of_products),
		cmocka_unit_test(a_tree_asks_down_to_a_leaf),
		cmocka_unit_test(a_tree_that_is_none_is_refused),
		cmocka_unit_test(nodes_that_cannot_be_say_why),
		cmocka_unit_test(an_attribute_of_another_kind_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
