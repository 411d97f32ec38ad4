/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/list/optional.c - values that may not be there. One that is there is the value itself. */
#include "graph/op/move/axes.h"

/* --- optional(x?) */

static int optional_type(struct infer *x)
{
	x->result = type_optional(x->arena, infer_type(x, 0));
	return 0;
}

static int optional_eval(struct eval *x)
{
	return eval_pass(x, 0, 0);
}

const struct core_op core_optional = {
	.name = "optional",
	.summary = "x as a value that may not be there; none without x",
	.min_args = 0,
	.max_args = 1,
	.any = 1,
	.fusion = FUSION_OPAQUE,
	.type = optional_type,
	.eval = optional_eval,
};

/* --- optional_get(x) */

static int get_type(struct infer *x)
{
	const struct type *t = infer_type(x, 0);

	x->result = t->kind == TYPE_OPTIONAL ? t->field[0] : t;
	return 0;
}

static int get_eval(struct eval *x)
{
	return eval_has(x, 0) ? eval_pass(x, 0, 0) : eval_error(x, "there is no value");
}

const struct core_op core_optional_get = {
	.name = "optional_get",
	.summary = "the value that an optional has, or x itself",
	.min_args = 1,
	.max_args = 1,
	.any = 1,
	.fusion = FUSION_OPAQUE,
	.type = get_type,
	.eval = get_eval,
};

/* --- optional_has(x?) */

static int has_type(struct infer *x)
{
	return infer_tensor(x, ELEMENT_BOOL, 0, NULL);
}

static int has_eval(struct eval *x)
{
	struct array *y = eval_result(x, 0, ELEMENT_BOOL, 0, NULL);

	if (y)
		*(bool *)y->data = eval_has(x, 0);
	return y ? 0 : -1;
}

const struct core_op core_optional_has = {
	.name = "optional_has",
	.summary = "whether there is a value, as bool[]",
	.min_args = 0,
	.max_args = 1,
	.any = 1,
	.fusion = FUSION_OPAQUE,
	.type = has_type,
	.eval = has_eval,
};
