/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/list/sequence.c - sequences of tensors: made, read and changed, each time a new one. */
#include <stdlib.h>

#include "graph/op/move/axes.h"

/* -1 and a message where operand 0 is known to be no sequence. */
static int check_sequence(const struct infer *x)
{
	const struct type *t = infer_type(x, 0);

	if (t->kind != TYPE_UNKNOWN && t->kind != TYPE_SEQUENCE)
		return infer_error(x, "operand 0 is no sequence");
	return 0;
}

/* What operand 0 is a sequence of. */
static const struct type *item_type(const struct infer *x)
{
	const struct type *t = infer_type(x, 0);

	return t->kind == TYPE_SEQUENCE ? t->field[0] : &type_unknown;
}

static const struct items *items_of(const struct eval *x)
{
	return eval_value(x, 0).items;
}

/* The place that operand I names among N; WITHOUT where it was left out; -1 and a message. */
static int64_t eval_place(const struct eval *x, int i, int64_t n, int64_t without)
{
	int64_t given = eval_has(x, i) ? eval_int(x, i) : without;
	int64_t place = index_among(given, n);

	if (place < 0)
		eval_error(x, "index %lld of %lld", (long long)given, (long long)n);
	return place;
}

/* The result: N values whose holders it takes over, on the heap, which it frees. */
static int give_sequence(struct eval *x, int n, struct value *at, enum element e)
{
	struct value v = value_of_items(VALUE_SEQUENCE, n, at);

	v.element = n && at[0].kind == VALUE_ARRAY ? at[0].array->element : e;
	free(at);
	eval_give(x, 0, v);
	return 0;
}

/* --- sequence(x...) */

static int sequence_type(struct infer *x)
{
	const struct type *of = type_unranked(x->arena, call_element(x->call, "element"));

	for (int i = 0; i < x->call->nargs; i++) {
		if (!infer_has(x, i) || infer_class(x, i, CLASS_ANY) < 0)
			return infer_error(x, "operand %d is no tensor", i);
		of = i ? type_join(x->arena, of, infer_type(x, i)) : infer_type(x, i);
		if (of->kind == TYPE_TENSOR && of->element == ELEMENT_COUNT)
			return infer_error(x, "operand %d has another element type", i);
	}
	x->result = type_sequence(x->arena, of);
	return 0;
}

static int sequence_eval(struct eval *x)
{
	return give_sequence(x, x->call->nargs, values_held(x->args, x->call->nargs),
			     call_element(x->call, "element"));
}

const struct core_op core_sequence = {
	.name = "sequence",
	.summary = "a sequence of tensors",
	.min_args = 0,
	.max_args = ARGS_MANY,
	.attrs = (const struct attr_spec[]){
		{ "element", ATTR_ELEMENT, ELEMENT_F32, NULL, "of its tensors, where there are none" },
		{ 0 } },
	.fusion = FUSION_OPAQUE,
	.type = sequence_type,
	.eval = sequence_eval,
};

/* --- sequence_at(s, i) */

static int at_type(struct infer *x)
{
	x->result = item_type(x);
	return check_sequence(x) < 0 || infer_list(x, 1) < 0 ? -1 : 0;
}

static int at_eval(struct eval *x)
{
	int64_t place = eval_place(x, 1, items_of(x)->n, 0);

	if (place < 0)
		return -1;
	eval_give(x, 0, value_hold(items_of(x)->at[place]));
	return 0;
}

const struct core_op core_sequence_at = {
	.name = "sequence_at",
	.summary = "the tensor at a place of a sequence, from the end where negative",
	.min_args = 2,
	.max_args = 2,
	.any = 1,
	.fusion = FUSION_OPAQUE,
	.type = at_type,
	.eval = at_eval,
};

/* --- sequence_insert(s, x, i?) */

static int insert_type(struct infer *x)
{
	const struct type *of = item_type(x), *more = infer_type(x, 1);

	if (check_sequence(x) < 0 || infer_class(x, 1, CLASS_ANY) < 0 || infer_list(x, 2) < 0)
		return -1;
	if (of->element != ELEMENT_COUNT && more->element != ELEMENT_COUNT &&
	    of->element != more->element)
		return infer_error(x, "%s into a sequence of %s", element_name(more->element),
				   element_name(of->element));
	x->result = type_sequence(x->arena, type_join(x->arena, of, more));
	return 0;
}

static int insert_eval(struct eval *x)
{
	const struct items *s = items_of(x);
	int64_t given = eval_has(x, 2) ? eval_int(x, 2) : s->n;
	int64_t place = given < 0 ? given + s->n : given;

	if (place < 0 || place > s->n)
		return eval_error(x, "place %lld of %d", (long long)given, s->n);
	struct value *at = values_new(s->n + 1);

	for (int i = 0; i <= s->n; i++)
		at[i] = value_hold(i < place    ? s->at[i]
				   : i == place ? eval_value(x, 1)
						: s->at[i - 1]);
	return give_sequence(x, s->n + 1, at, ELEMENT_COUNT);
}

const struct core_op core_sequence_insert = {
	.name = "sequence_insert",
	.summary = "the sequence with x put before the i-th tensor, or at its end",
	.min_args = 2,
	.max_args = 3,
	.any = 1,
	.fusion = FUSION_OPAQUE,
	.type = insert_type,
	.eval = insert_eval,
};

/* --- sequence_erase(s, i?) */

static int erase_type(struct infer *x)
{
	x->result = infer_type(x, 0);
	return check_sequence(x) < 0 || infer_list(x, 1) < 0 ? -1 : 0;
}

static int erase_eval(struct eval *x)
{
	const struct items *s = items_of(x);
	int64_t place = eval_place(x, 1, s->n, -1);

	if (place < 0)
		return -1;
	struct value *at = values_new(s->n - 1);

	for (int i = 0; i < s->n - 1; i++)
		at[i] = value_hold(s->at[i < place ? i : i + 1]);
	return give_sequence(x, s->n - 1, at, eval_value(x, 0).element);
}

const struct core_op core_sequence_erase = {
	.name = "sequence_erase",
	.summary = "the sequence without its i-th tensor, or its last",
	.min_args = 1,
	.max_args = 2,
	.any = 1,
	.fusion = FUSION_OPAQUE,
	.type = erase_type,
	.eval = erase_eval,
};

/* --- sequence_length(s) */

static int length_type(struct infer *x)
{
	return check_sequence(x) < 0 ? -1 : infer_tensor(x, ELEMENT_I64, 0, NULL);
}

static int length_eval(struct eval *x)
{
	struct array *y = eval_result(x, 0, ELEMENT_I64, 0, NULL);

	if (y)
		*(int64_t *)y->data = items_of(x)->n;
	return y ? 0 : -1;
}

const struct core_op core_sequence_length = {
	.name = "sequence_length",
	.summary = "how many tensors there are, as i64[]",
	.min_args = 1,
	.max_args = 1,
	.any = 1,
	.fusion = FUSION_OPAQUE,
	.type = length_type,
	.eval = length_eval,
};
