/* SPDX-License-Identifier: Apache-2.0 */
/* graph/build/fold.c - what is constant, computed by the interpreter within the graph's budget. */
#include "graph/build/fold.h"

#include "base/clock.h"
#include "base/err.h"
#include "graph/eval/interp.h"
#include "graph/ir/reach.h"

/* A result that is no larger than this is folded wherever it comes from: shapes, scales, masks. */
#define SMALL_BYTES (INT64_C(64) << 10)
/* Else it may be so many times as large as its operands: weights of 4 bits that become floats. */
enum { GROWTH = 8 };
/* Products of elements that combining operators may need: about a second of the interpreter. */
#define MOST_WORK 2e9
/* A function or loop on constants that takes longer may not end at all: it is left for the run. */
#define FUNCTION_SECONDS 0.2
enum { FUNCTION_DEPTH = 100 };

/* Bytes of what OF is computed of, and elements of the largest of it. */
struct fold_operands {
	int64_t bytes, largest;
};

/* False where an operand is no constant, or nothing is to be folded any more. */
static bool operands_of(const struct builder *b, const struct binding *of, struct fold_operands *out)
{
	*out = (struct fold_operands){ 0 };
	if (b->plain || b->graph->budget.seconds <= 0)
		return false;
	for (int i = 0; i < of->nargs; i++) {
		const struct array *c = function_const(b->function, of->args[i]);

		if (of->args[i] == VALUE_NONE)
			continue;
		if (!c)
			return false;
		out->bytes += (int64_t)array_bytes(c);
		out->largest = c->count > out->largest ? c->count : out->largest;
	}
	return true;
}

/* The most that may become of operands of so many bytes. */
static int64_t most_bytes(const struct builder *b, int64_t operands)
{
	int64_t most = operands > SMALL_BYTES / GROWTH ? operands * GROWTH : SMALL_BYTES;

	return most < b->graph->budget.bytes ? most : b->graph->budget.bytes;
}

bool fold_is_worth(const struct builder *b, const struct binding *call)
{
	int64_t bytes = type_bytes(call->type);
	struct fold_operands of;

	if (call->op->impure || call->op->eval == NULL || !operands_of(b, call, &of))
		return false;
	if (call->type->kind != TYPE_TENSOR)	/* tuples: only of what is small */
		return call->type->kind == TYPE_TUPLE && of.bytes <= SMALL_BYTES;
	if (call->op->fusion != FUSION_INJECTIVE && bytes > 0 &&
	    (double)type_count(call->type) * (double)of.largest > MOST_WORK)
		return false;
	if (bytes < 0)	/* its shape comes from the data */
		return of.bytes <= SMALL_BYTES;
	return bytes <= most_bytes(b, of.bytes);
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

/* The constants that OF reads, in ARGS, each with a holder. -1 and a message. */
static int lift_args(const struct builder *b, const struct binding *of, struct value *args)
{
	for (int i = 0; i < of->nargs; i++) {
		const struct array *x = of->args[i] == VALUE_NONE
						? NULL : function_const(b->function, of->args[i]);
		const struct array *lifted = x ? array_lift(x) : NULL;

		args[i] = lifted ? value_of_array(lifted) : value_empty();
		if (x && !lifted)
			return -1;
	}
	return 0;
}

/* OF computed within LIMITS, in *OUT, on the graph's time; what is allocated besides lives in A. */
static int compute(struct builder *b, const struct binding *of, struct interp_limits limits,
		   struct arena *a, struct value *out)
{
	const struct graph *g = of->kind == BIND_CALL ? NULL : b->graph;
	struct interp interp = interp_begin(a, g, limits);
	struct value *args = arena_many(a, struct value, of->nargs);
	int64_t begin = clock_ns();

	int rc = lift_args(b, of, args);

	if (rc == 0)
		rc = interp_binding(&interp, of, args, out);
	values_release(args, of->nargs);
	for (int i = 0; i < of->nargs; i++)
		if (of->args[i] != VALUE_NONE)
			array_unload(function_const(b->function, of->args[i]));

	interp_end(&interp);
	b->graph->budget.seconds -= seconds_since(begin);
	return rc;
}

static int keep_computed(struct builder *b, struct value v)
{
	b->graph->budget.bytes -= value_bytes(v);
	int value = keep(b, v);

	value_release(v);
	return value;
}

int fold_call(struct builder *b, const struct binding *call)
{
	struct fold_budget budget = b->graph->budget;
	struct interp_limits limits = { .bytes = budget.bytes, .seconds = budget.seconds, .depth = 1 };
	struct value v;

	return compute(b, call, limits, b->arena, &v) < 0 ? VALUE_FAILED : keep_computed(b, v);
}

/* Are the functions that a call of FUNCTION may run all made, and would another call give the same? */
static bool is_pure(struct arena *a, const struct graph *g, int function)
{
	int *callee;
	int n = function_callees(a, g, function, &callee);

	for (int i = 0; i < n; i++) {
		const struct function *f = g->functions.at[callee[i]];

		if (!f->results)
			return false;
		for (int v = 0; v < f->bindings.n; v++)
			if (f->bindings.at[v].kind == BIND_CALL && f->bindings.at[v].op->impure)
				return false;
	}
	return true;
}

int fold_function(struct builder *b, const struct binding *of)
{
	struct arena *a = arena_new();
	struct fold_operands operands;
	struct value v;
	int value = VALUE_NONE;

	if (operands_of(b, of, &operands) && is_pure(a, b->graph, of->function)) {
		int64_t most = most_bytes(b, operands.bytes);
		double left = b->graph->budget.seconds;
		struct interp_limits limits = {
			.bytes = most,
			.seconds = left < FUNCTION_SECONDS ? left : FUNCTION_SECONDS,
			.depth = FUNCTION_DEPTH };

		if (compute(b, of, limits, a, &v) == 0) {
			if (value_bytes(v) <= most)
				value = keep_computed(b, v);
			else
				value_release(v);
		}
	}
	arena_free(a);
	return value;
}
