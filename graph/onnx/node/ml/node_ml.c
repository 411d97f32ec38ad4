/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node/ml/node_ml.c - ai.onnx.ml: features scaled, selected and looked up. */
#include "graph/onnx/compose.h"

/* A list of the node's as a constant: the attribute <PREFIX>int64s, floats, strings or tensor;
 * VALUE_NONE where there is none. */
static int list_attr(struct node *n, const char *prefix)
{
	struct arena *a = n->b->arena;
	const char *tensor = arena_printf(a, "%stensor", prefix);
	int nints, nfloats, nstrings;
	const int64_t *ints = node_ints(n, arena_printf(a, "%sint64s", prefix), &nints);
	const double *floats = node_floats(n, arena_printf(a, "%sfloats", prefix), &nfloats);
	const char *const *strings =
		node_strings(n, arena_printf(a, "%sstrings", prefix), &nstrings);
	struct array *x;

	if (node_has_attr(n, tensor))
		return build_const(n->b, node_tensor(n, tensor));
	if (nints)
		return build_ints(n->b, nints, ints);
	if (nfloats) {
		x = array_in(a, ELEMENT_F32, 1, &(int64_t){ nfloats });
		element_put_f64(ELEMENT_F32, x->data, 0, nfloats, floats);
		return build_const(n->b, x);
	}
	if (!nstrings)
		return VALUE_NONE;
	x = array_in(a, ELEMENT_STRING, 1, &(int64_t){ nstrings });
	memcpy(x->data, strings, (size_t)nstrings * sizeof(*strings));
	return build_const(n->b, x);
}

/* A string without dims. */
static int string(struct builder *b, const char *s)
{
	struct array *x = array_in(b->arena, ELEMENT_STRING, 0, NULL);

	*(const char **)x->data = arena_strdup(b->arena, s);
	return build_const(b, x);
}

/* --- look-ups */

/* bool[..., keys]: which of KEYS an element of X is; NaN is NaN. */
static int matches(struct builder *b, int x, int keys)
{
	int each = compose_unsqueeze(b, x, -1);
	int same = build(b, &core_equal, each, keys);

	if (!element_is_float(compose_element(b, x)))
		return same;
	return build(b, &core_or, same, build(b, &core_and, build(b, &core_is_nan, each),
					      build(b, &core_is_nan, keys)));
}

/* The element of VALUES with the number of the last of KEYS that x is, else OTHERWISE. */
static int look_up(struct builder *b, int x, int keys, int values, int otherwise)
{
	int hits = compose_cast(b, matches(b, x, keys), ELEMENT_I64);
	struct attr_vec last = { 0 };

	attrs_int(b->arena, &last, "axis", -1);
	attrs_int(b->arena, &last, "keepdims", 0);
	attrs_int(b->arena, &last, "last", 1);
	int found = compose_cast(b, compose_reduce(b, &core_reduce_max, hits, INTS(-1), false),
				 ELEMENT_BOOL);
	int value = compose_gather(b, values, 0, build_with(b, &core_arg_max, &last, hits));

	return build(b, &core_where, found, value, otherwise);
}

/* What stands for a value that no key has: the attribute of the type of VALUES. */
static int default_value(struct node *n, int values)
{
	struct builder *b = n->b;

	if (node_has_attr(n, "default_tensor"))
		return compose_reshape(b, build_const(b, node_tensor(n, "default_tensor")), 0, NULL);
	if (compose_element(b, values) == ELEMENT_STRING)
		return string(b, node_string(n, "default_string", "_Unused"));
	if (element_is_float(compose_element(b, values)))
		return compose_number(b, values, node_float(n, "default_float", -0.0));
	return compose_number(b, values, (double)node_int(n, "default_int64", -1));
}

int node_label_encoder(struct node *n)
{
	int keys = list_attr(n, "keys_"), values = list_attr(n, "values_");

	if (keys == VALUE_NONE || values == VALUE_NONE)
		return node_error(n, "it has no keys or no values");
	return node_give(n, 0, look_up(n->b, node_arg(n, 0), keys, values,
				       default_value(n, values)));
}

/* Strings to integers or back. */
int node_category_mapper(struct node *n)
{
	struct builder *b = n->b;
	int nints, nstrings;
	const int64_t *ints = node_ints(n, "cats_int64s", &nints);
	const char *const *strings = node_strings(n, "cats_strings", &nstrings);
	struct array *names = array_in(b->arena, ELEMENT_STRING, 1, &(int64_t){ nstrings });

	if (nints != nstrings || !nints)
		return node_error(n, "%d integers and %d strings", nints, nstrings);
	memcpy(names->data, strings, (size_t)nstrings * sizeof(*strings));
	int numbers = build_ints(b, nints, ints), texts = build_const(b, names);
	bool to_numbers = node_element(n, 0) == ELEMENT_STRING;
	int values = to_numbers ? numbers : texts;

	return node_give(n, 0, look_up(b, node_arg(n, 0), to_numbers ? texts : numbers, values,
				       default_value(n, values)));
}

int node_one_hot_encoder(struct node *n)
{
	struct builder *b = n->b;
	int x = node_arg(n, 0), categories = list_attr(n, "cats_");

	if (categories == VALUE_NONE)
		return node_error(n, "it has no categories");
	if (compose_element(b, categories) == ELEMENT_I64)
		x = compose_cast(b, x, ELEMENT_I64);
	return node_give(n, 0, compose_cast(b, matches(b, x, categories), ELEMENT_F32));
}

/* --- numbers */

/* Elements of the last axis at the places in y; of a vector as a matrix of one row. */
int node_array_feature_extractor(struct node *n)
{
	struct builder *b = n->b;
	int x = node_arg(n, 0), places = compose_reshape(b, node_arg(n, 1), INTS(-1));

	if (compose_rank(b, x) == 1)
		x = compose_unsqueeze(b, x, 0);
	return node_give(n, 0, compose_gather(b, x, -1, places));
}

int node_binarizer(struct node *n)
{
	struct builder *b = n->b;
	int x = node_arg(n, 0);
	int threshold = build_scalar(b, ELEMENT_F64, node_float(n, "threshold", 0));
	int above = compose_greater(b, compose_cast(b, x, ELEMENT_F64), threshold);

	return node_give(n, 0, compose_cast_like(b, above, x));
}

int node_imputer(struct node *n)
{
	struct builder *b = n->b;
	int x = node_arg(n, 0), values = list_attr(n, "imputed_value_");
	bool floats = element_is_float(compose_element(b, x));
	double gone = floats ? node_float(n, "replaced_value_float", 0)
			     : (double)node_int(n, "replaced_value_int64", 0);

	if (values == VALUE_NONE)
		return node_error(n, "it has no values to put in");
	int missing = gone != gone ? build(b, &core_is_nan, x)
				   : build(b, &core_equal, x, compose_number(b, x, gone));

	return node_give(n, 0, build(b, &core_where, missing, compose_cast_like(b, values, x), x));
}

/* (x - offset) * scale */
int node_scaler(struct node *n)
{
	struct builder *b = n->b;
	const char *const names[] = { "offset", "scale" };
	const struct core_op *const ops[] = { &core_sub, &core_mul };
	int y = compose_cast(b, node_arg(n, 0), ELEMENT_F32);

	for (int i = 0; i < ARRAY_LEN(names); i++) {
		int count;
		const double *list = node_floats(n, names[i], &count);
		struct array *by = array_in(b->arena, ELEMENT_F32, 1, &(int64_t){ count });

		element_put_f64(ELEMENT_F32, by->data, 0, count, list);
		if (count)
			y = build(b, ops[i], y, build_const(b, by));
	}
	return node_give(n, 0, y);
}

/* Rows over their norm, where that is not 0. */
int node_normalizer(struct node *n)
{
	struct builder *b = n->b;
	int x = compose_cast(b, node_arg(n, 0), ELEMENT_F32), size = build(b, &core_abs, x);
	const char *norm = node_string(n, "norm", "MAX");
	double p = strcmp(norm, "L2") == 0 ? 2 : 1;
	bool most = strcmp(norm, "MAX") == 0;
	int total = most ? compose_reduce(b, &core_reduce_max, x, INTS(-1), true)
			 : compose_reduce(b, &core_reduce_sum, compose_power(b, size, p), INTS(-1),
					  true);
	int by = compose_power(b, total, 1 / p);
	int none = build(b, &core_equal, by, compose_number(b, by, 0));

	return node_give(n, 0, build(b, &core_where, none, x, build(b, &core_div, x, by)));
}

int node_feature_vectorizer(struct node *n)
{
	int *parts = arena_many(n->b->arena, int, n->nargs);

	for (int i = 0; i < n->nargs; i++) {
		int x = compose_cast(n->b, node_arg(n, i), ELEMENT_F32);

		parts[i] = compose_rank(n->b, x) == 1 ? compose_unsqueeze(n->b, x, 0) : x;
	}
	return node_give(n, 0, compose_concat(n->b, 1, n->nargs, parts));
}
