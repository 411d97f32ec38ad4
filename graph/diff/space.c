/* SPDX-License-Identifier: Apache-2.0 */
/* graph/diff/space.c - types of derivatives, zeros, sums. */
#include "graph/diff/forms.h"

#include "base/err.h"

const struct type *space_results(const struct diff *d, const struct type_vec *results)
{
	return results->n == 1 ? results->at[0] : type_tuple(d->arena, results->n, results->at);
}

static const struct type *adder(const struct diff *d)
{
	const struct type *any = &type_unknown;

	return type_function(d->arena, 1, &any, any);
}

const struct type *space_of(const struct diff *d, const struct type *t)
{
	struct type_vec fields = { 0 };

	switch (t->kind) {
	case TYPE_TENSOR:
		return t->element != ELEMENT_COUNT && element_is_float(t->element) ? t : NULL;
	case TYPE_FUNCTION:
		return d->forward ? NULL : adder(d);
	case TYPE_TUPLE:
		for (int i = 0; i < t->nfields; i++) {
			const struct type *field = space_of(d, t->field[i]);

			if (field)
				vec_push(d->arena, &fields, field);
		}
		return fields.n ? type_tuple(d->arena, fields.n, fields.at) : NULL;
	case TYPE_UNKNOWN:
	case TYPE_SEQUENCE:
	case TYPE_OPTIONAL:
		return NULL;
	}
	return NULL;
}

bool space_is_inert(const struct type *t)
{
	if (t->kind == TYPE_TENSOR)
		return t->element != ELEMENT_COUNT && !element_is_float(t->element);
	if (t->kind == TYPE_UNKNOWN || t->kind == TYPE_FUNCTION)
		return false;
	for (int i = 0; i < t->nfields; i++)
		if (!space_is_inert(t->field[i]))
			return false;
	return true;
}

int space_check(const struct type *t, const char *what)
{
	if (t->kind == TYPE_UNKNOWN || (t->kind == TYPE_TENSOR && t->element == ELEMENT_COUNT))
		return err_set("%s: of no known type, so that it cannot be differentiated", what);
	if ((t->kind == TYPE_SEQUENCE || t->kind == TYPE_OPTIONAL) && !space_is_inert(t))
		return err_set("%s: sequences and optionals of floats are not differentiated",
			       what);
	for (int i = 0; t->kind == TYPE_TUPLE && i < t->nfields; i++)
		if (space_check(t->field[i], what) < 0)
			return -1;
	return 0;
}

bool space_has_functions(const struct type *t)
{
	for (int i = 0; i < t->nfields; i++)
		if (space_has_functions(t->field[i]))
			return true;
	return t->kind == TYPE_FUNCTION;
}

/* The dual of function type T; see the header. */
static const struct type *dual_function(const struct diff *d, const struct type *t)
{
	const struct type *result = space_of(d, t->result);
	struct type_vec params = { 0 }, results = { 0 }, pulled = { 0 };

	vec_push(d->arena, &results, space_dual(d, t->result));
	if (!d->forward)
		vec_push(d->arena, &pulled, adder(d));
	for (int i = 0; i < t->nfields; i++) {
		const struct type *by = space_of(d, t->field[i]);

		vec_push(d->arena, &params, space_dual(d, t->field[i]));
		if (by && d->forward)
			vec_push(d->arena, &params, by);
		else if (by)
			vec_push(d->arena, &pulled, by);
	}
	if (result)
		vec_push(d->arena, &results,
			 d->forward ? result
				    : type_function(d->arena, 1, &result, space_results(d, &pulled)));
	return type_function(d->arena, params.n, params.at, space_results(d, &results));
}

const struct type *space_dual(const struct diff *d, const struct type *t)
{
	struct type *dual;
	const struct type **fields;

	if (!space_has_functions(t))
		return t;
	if (t->kind == TYPE_FUNCTION)
		return dual_function(d, t);
	fields = arena_many(d->arena, const struct type *, t->nfields);
	for (int i = 0; i < t->nfields; i++)
		fields[i] = space_dual(d, t->field[i]);
	dual = arena_one(d->arena, struct type);
	*dual = *t;
	dual->field = fields;
	return dual;
}

/* --- adders */

int space_no_adder(struct diff *d, struct builder *b)
{
	const struct type *any = &type_unknown;
	struct type_vec params = { &any, 1, 1 };
	int index = diff_find(d, "nothing", FUNCTION_NONE, 0);

	if (index == FUNCTION_NONE) {
		index = diff_declare(d, "nothing", FUNCTION_NONE, 0, &params, any);
		struct builder made = builder_resume(d->graph, index);

		builder_end(&made, 1, (int[]){ 0 });
	}
	return build_closure(b, index, 0, NULL);
}

/* Of two adders and a sum: what both add to it. */
static int both(struct diff *d)
{
	struct type_vec params = { (const struct type *[]){ adder(d), adder(d), &type_unknown }, 3, 3 };
	int index = diff_find(d, "both", FUNCTION_NONE, 0);

	if (index == FUNCTION_NONE) {
		index = diff_declare(d, "both", FUNCTION_NONE, 0, &params, &type_unknown);
		struct builder b = builder_resume(d->graph, index);
		int first = build_apply(&b, FUNCTION_NONE, 2, (int[]){ 0, 2 });
		int second = build_apply(&b, FUNCTION_NONE, 2, (int[]){ 1, first });

		builder_end(&b, 1, &second);
	}
	return index;
}

/* --- zero and sum */

static int zero_tuple(struct diff *d, struct builder *b, int value)
{
	const struct type *t = build_type(b, value);
	struct value_vec fields = { 0 };

	for (int i = 0; i < t->nfields; i++)
		if (space_of(d, t->field[i]))
			vec_push(d->arena, &fields, space_zero(d, b, build_field(b, value, i)));
	return build_tuple(b, fields.n, fields.at);
}

int space_zero(struct diff *d, struct builder *b, int value)
{
	const struct type *t = build_type(b, value);

	if (value == VALUE_FAILED)
		return VALUE_FAILED;
	if (t->kind == TYPE_TUPLE)
		return zero_tuple(d, b, value);
	if (t->kind == TYPE_FUNCTION)
		return space_no_adder(d, b);
	return build(b, &core_fill, build(b, &core_shape_of, value),
		     build_scalar(b, t->element, 0));
}

int space_plus(struct diff *d, struct builder *b, const struct type *t, int x, int y)
{
	if (t->kind == TYPE_FUNCTION)
		return build_closure(b, both(d), 2, (int[]){ x, y });
	if (t->kind != TYPE_TUPLE)
		return build(b, &core_add, x, y);
	int *fields = arena_many(d->arena, int, t->nfields);

	for (int i = 0; i < t->nfields; i++)
		fields[i] = space_plus(d, b, t->field[i], build_field(b, x, i),
				       build_field(b, y, i));
	return build_tuple(b, t->nfields, fields);
}
