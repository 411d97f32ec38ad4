/* SPDX-License-Identifier: Apache-2.0 */
/* graph/build/fold.c - constant calls, computed by the interpreter within the graph's budget. */
#include "graph/build/fold.h"

#include "base/err.h"
#include "base/file.h"
#include "graph/eval/interp.h"

/* A result that is no larger than this is folded wherever it comes from: shapes, scales, masks. */
#define SMALL_BYTES (INT64_C(64) << 10)
/* Else it may be so many times as large as its operands: weights of 4 bits that become floats. */
enum { GROWTH = 8 };
/* Products of elements that combining operators may need: about a second of the interpreter. */
#define MOST_WORK 2e9

bool fold_is_worth(const struct builder *b, const struct binding *call)
{
	int64_t bytes = type_bytes(call->type);
	int64_t operands = 0, largest = 0;

	if (b->plain || call->op->impure || call->op->eval == NULL)
		return false;
	for (int i = 0; i < call->nargs; i++) {
		const struct array *c = function_const(b->function, call->args[i]);

		if (call->args[i] == VALUE_NONE)
			continue;
		if (!c)
			return false;
		operands += (int64_t)array_bytes(c);
		largest = c->count > largest ? c->count : largest;
	}
	if (b->graph->budget.seconds <= 0)
		return false;
	if (call->type->kind != TYPE_TENSOR)	/* tuples: only of what is small */
		return call->type->kind == TYPE_TUPLE && operands <= SMALL_BYTES;
	if (call->op->fusion != FUSION_INJECTIVE && bytes > 0 &&
	    (double)type_count(call->type) * (double)largest > MOST_WORK)
		return false;
	if (bytes < 0)	/* its shape comes from the data */
		return operands <= SMALL_BYTES;
	return bytes <= b->graph->budget.bytes && (bytes <= SMALL_BYTES || bytes / GROWTH <= operands);
}

static int keep(struct builder *b, struct value v)
{
	if (v.kind == VALUE_ARRAY)
		return build_const(b, array_keep(b->arena, v.array));
	if (v.kind != VALUE_TUPLE)
		return VALUE_NONE;
	int *fields = arena_many(b->arena, int, v.items->n);

	for (int i = 0; i < v.items->n; i++) {
		if (v.items->at[i].kind != VALUE_ARRAY)
			return VALUE_NONE;
		fields[i] = keep(b, v.items->at[i]);
	}
	return build_tuple(b, v.items->n, fields);
}

static int64_t value_bytes(struct value v)
{
	int64_t bytes = 0;

	if (v.kind == VALUE_ARRAY)
		return (int64_t)array_bytes(v.array);
	for (int i = 0; v.kind == VALUE_TUPLE && i < v.items->n; i++)
		bytes += value_bytes(v.items->at[i]);
	return bytes;
}

int fold_call(struct builder *b, const struct binding *call)
{
	struct fold_budget *budget = &b->graph->budget;
	struct interp_limits limits = { .bytes = budget->bytes, .seconds = budget->seconds, .depth = 1 };
	struct interp interp = interp_begin(b->arena, NULL, limits);
	struct value *args = arena_many(b->arena, struct value, call->nargs);
	int64_t begin = clock_ns();
	struct value v;

	for (int i = 0; i < call->nargs; i++)
		args[i] = call->args[i] == VALUE_NONE
				  ? value_empty()
				  : value_of_array(function_const(b->function, call->args[i]));
	int rc = interp_binding(&interp, call, args, &v);

	interp_end(&interp);
	budget->seconds -= (double)(clock_ns() - begin) * 1e-9;
	if (rc < 0)
		return VALUE_FAILED;
	budget->bytes -= value_bytes(v);
	int value = keep(b, v);

	value_release(v);
	return value;
}
