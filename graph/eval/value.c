/* SPDX-License-Identifier: Apache-2.0 */
/* graph/eval/value.c - holders of values. */
#include "graph/eval/value.h"

#include <stdlib.h>

#include "base/err.h"

struct value value_empty(void)
{
	return (struct value){ .kind = VALUE_EMPTY };
}

struct value value_of_array(const struct array *array)
{
	return (struct value){ .kind = VALUE_ARRAY, .array = array };
}

struct value value_of_items(enum value_kind kind, int n, const struct value *at)
{
	struct items *items = malloc(sizeof(*items) + (size_t)n * sizeof(items->at[0]));

	if (!items)
		die("out of memory");
	items->holders = 1;
	items->n = n;
	if (n)
		memcpy(items->at, at, (size_t)n * sizeof(*at));
	return (struct value){ .kind = kind, .items = items, .element = ELEMENT_COUNT };
}

struct value value_closure(int function, int n, const struct value *captured)
{
	struct value v = value_of_items(VALUE_CLOSURE, n, captured);

	v.function = function;
	return v;
}

struct value *values_new(int n)
{
	struct value *at = calloc((size_t)n + 1, sizeof(*at));	/* VALUE_EMPTY is 0 */

	if (!at)
		die("out of memory");
	return at;
}

struct value *values_held(const struct value *at, int n)
{
	struct value *held = values_new(n);

	for (int i = 0; i < n; i++)
		held[i] = value_hold(at[i]);
	return held;
}

struct value value_hold(struct value v)
{
	if (v.kind == VALUE_ARRAY)
		array_hold(v.array);
	else if (v.kind != VALUE_EMPTY)
		v.items->holders++;
	return v;
}

void value_release(struct value v)
{
	if (v.kind == VALUE_ARRAY) {
		array_release(v.array);
		return;
	}
	if (v.kind == VALUE_EMPTY || --v.items->holders)
		return;
	values_release(v.items->at, v.items->n);
	free(v.items);
}

void values_release(struct value *at, int n)
{
	for (int i = 0; i < n; i++)
		value_release(at[i]);
}

const struct type *value_type(struct arena *a, struct value v)
{
	switch (v.kind) {
	case VALUE_ARRAY:
		return type_of_array(a, v.array);
	case VALUE_SEQUENCE:
		return type_sequence(a, v.items->n ? value_type(a, v.items->at[0])
						   : type_unranked(a, v.element));
	case VALUE_TUPLE: {
		const struct type **fields = arena_many(a, const struct type *, v.items->n);

		for (int i = 0; i < v.items->n; i++)
			fields[i] = value_type(a, v.items->at[i]);
		return type_tuple(a, v.items->n, fields);
	}
	case VALUE_EMPTY:
	case VALUE_CLOSURE:
		break;
	}
	return &type_unknown;
}
