/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/move/pad.c - elements more, or fewer, at both ends of axes.
 *
 * Each axis has a table: for each place of the result that of x, or OUTSIDE. */
#include <stdlib.h>

#include "base/err.h"
#include "graph/op/move/along.h"
#include "graph/op/move/axes.h"
#include "graph/op/move/strided.h"
#include "graph/op/move/tables.h"
#include "te/ops/build.h"

/* Operands. */
enum { X, PADS, VALUE, AXES };

enum pad_mode { PAD_CONSTANT, PAD_REFLECT, PAD_EDGE, PAD_WRAP, PAD_MODES };

static enum pad_mode mode_of(const struct binding *call)
{
	static const char *const names[] = { "constant", "reflect", "edge", "wrap" };

	return (enum pad_mode)call_choice(call, "mode", names, PAD_MODES);
}

/* What is put before and behind each axis, negative where elements go; false where the lists do not
 * fit RANK. */
static bool padding(int rank, int npads, const int64_t *pads, int naxes, const int64_t *axes,
		    int64_t *before, int64_t *behind)
{
	int where[GRAPH_MAX_RANK];

	if (!axes_find(naxes, axes, rank, where) || npads != 2 * naxes)
		return false;
	for (int i = 0; i < rank; i++) {
		before[i] = where[i] < 0 ? 0 : pads[where[i]];
		behind[i] = where[i] < 0 ? 0 : pads[naxes + where[i]];
	}
	return true;
}

static int pad_type(struct infer *x)
{
	const struct type *from = infer_type(x, X);
	struct dim out[GRAPH_MAX_RANK];
	int where[GRAPH_MAX_RANK];
	int n, naxes = from->rank;
	enum element e = from->element;

	if (mode_of(x->call) == PAD_MODES)
		return infer_error(x, "no mode '%s'", call_string(x->call, "mode"));
	if (infer_class(x, X, CLASS_ANY) < 0 || infer_list(x, PADS) < 0 ||
	    infer_class(x, VALUE, CLASS_ANY) < 0 || infer_list(x, AXES) < 0)
		return -1;
	if (infer_has(x, VALUE) && infer_type(x, VALUE)->element != ELEMENT_COUNT) {
		if (e != ELEMENT_COUNT && e != infer_type(x, VALUE)->element)
			return infer_error(x, "a value of %s for %s",
					   element_name(infer_type(x, VALUE)->element),
					   element_name(e));
		e = infer_type(x, VALUE)->element;
	}
	if (!type_is_ranked(from))
		return infer_unranked(x, e);
	const int64_t *axes = infer_ints(x, AXES, &naxes);
	const struct dim *pads = infer_elements(x, PADS, &n);

	if (!pads || (infer_has(x, AXES) && !axes))
		return infer_ranked(x, e, from->rank);
	if (!axes_find(naxes, axes, from->rank, where) || n != 2 * naxes)
		return infer_error(x, "%d pads of %d axes of rank %d", n, naxes, from->rank);
	for (int i = 0; i < from->rank; i++) {
		out[i] = from->dim[i];
		if (where[i] < 0)
			continue;
		out[i] = dim_add(x->arena, out[i], pads[where[i]]);
		out[i] = dim_add(x->arena, out[i], pads[naxes + where[i]]);
	}
	return infer_tensor(x, e, from->rank, out);
}

/* --- evaluation */

/* The place among N elements that stands at place V, as repeated mirrors show them. */
static int64_t mirrored(int64_t v, int64_t n)
{
	int64_t period = n > 1 ? 2 * (n - 1) : 1;

	v = ((v % period) + period) % period;
	return v < n ? v : period - v;
}

static int64_t place(enum pad_mode mode, int64_t v, int64_t n)
{
	if (v >= 0 && v < n)
		return v;
	switch (mode) {
	case PAD_REFLECT:
		return mirrored(v, n);
	case PAD_EDGE:
		return v < 0 ? 0 : n - 1;
	case PAD_WRAP:
		return ((v % n) + n) % n;
	case PAD_CONSTANT:
	case PAD_MODES:
		break;
	}
	return OUTSIDE;
}

static int run(struct eval *x, enum pad_mode mode, const int64_t *before, const int64_t *dim)
{
	const struct array *from = eval_array(x, X);
	struct array *to = eval_result(x, 0, from->element, from->rank, dim);
	const int64_t *tables[GRAPH_MAX_RANK];

	if (!to)
		return -1;
	if (mode == PAD_CONSTANT)
		array_fill(to, eval_array(x, VALUE));
	if (to->count == 0)
		return 0;
	for (int i = 0; i < from->rank; i++) {
		int64_t *table = eval_scratch(x, (size_t)dim[i] * sizeof(*table));

		for (int64_t at = 0; at < dim[i]; at++)
			table[at] = place(mode, at - before[i], from->dim[i]);
		tables[i] = table;
	}
	tables_copy(to, from, tables);
	return 0;
}

static int pad_eval(struct eval *x)
{
	const struct array *from = eval_array(x, X), *value = eval_array(x, VALUE);
	enum pad_mode mode = mode_of(x->call);
	int64_t before[GRAPH_MAX_RANK], behind[GRAPH_MAX_RANK], dim[GRAPH_MAX_RANK];
	int n, naxes;
	const int64_t *pads = eval_ints(x, PADS, &n);
	const int64_t *axes = eval_ints(x, AXES, &naxes);

	if (!padding(from->rank, n, pads, axes ? naxes : from->rank, axes, before, behind))
		return eval_error(x, "%d pads and the axes do not fit rank %d", n, from->rank);
	if (value && value->count != 1)
		return eval_error(x, "a value of %lld elements", (long long)value->count);
	for (int i = 0; i < from->rank; i++) {
		if (llabs(before[i]) > GRAPH_MAX_DIM || llabs(behind[i]) > GRAPH_MAX_DIM)
			return eval_error(x, "padding beyond any size");
		dim[i] = from->dim[i] + before[i] + behind[i];
		if (dim[i] < 0 || (from->dim[i] == 0 && dim[i] > 0 && mode != PAD_CONSTANT))
			return eval_error(x, "extent %lld cannot become %lld",
					  (long long)from->dim[i], (long long)dim[i]);
	}
	return run(x, mode, before, dim);
}

/* --- as a tensor expression */

static const struct expr *bound(struct arena *a, enum expr_kind k, const struct expr *x, int64_t v)
{
	return expr_binary(a, k, x, expr_int(a, v));
}

/* Place V among N as place() has it, for one mirror at each end. */
static const struct expr *express_place(struct arena *a, enum pad_mode mode, const struct expr *v,
					int64_t n)
{
	const struct expr *last = expr_int(a, n - 1);

	if (mode == PAD_WRAP)
		return bound(a, EXPR_MOD, v, n);
	if (mode == PAD_REFLECT) {
		v = expr_binary(a, EXPR_MAX, v, expr_mul(a, v, -1));
		v = expr_binary(a, EXPR_MIN, v, expr_add(a, expr_int(a, 2 * (n - 1)),
							 expr_mul(a, v, -1)));
	}
	return expr_binary(a, EXPR_MIN, bound(a, EXPR_MAX, v, 0), last);
}

static const struct expr *read_padded(const struct express *x, const struct expr *const *axes)
{
	struct arena *a = x->dag->arena;
	enum pad_mode mode = mode_of(x->call);
	int64_t before[GRAPH_MAX_RANK], behind[GRAPH_MAX_RANK], dim[GRAPH_MAX_RANK];
	const struct expr *index[GRAPH_MAX_RANK], *inside = NULL;
	int n = 0, rank = express_shape(x, X, dim), naxes = rank;
	const int64_t *pads = express_ints(x, PADS, &n), *listed = NULL;
	bool given = call_arg(x->call, VALUE) != VALUE_NONE;
	double value = 0;

	if (!pads || (call_arg(x->call, AXES) != VALUE_NONE &&
		      !(listed = express_ints(x, AXES, &naxes))))
		return NULL;
	if (!padding(rank, n, pads, naxes, listed, before, behind) || shape_count(rank, dim) == 0 ||
	    (given && !express_scalar(x, VALUE, &value)))
		return express_error(x, "no kernel has such padding"), NULL;
	for (int i = 0; i < rank; i++) {
		bool mirrors = before[i] >= dim[i] || behind[i] >= dim[i];

		if (mode == PAD_REFLECT && mirrors)
			return express_error(x, "no kernel mirrors more than once"), NULL;
		index[i] = expr_add(a, axes[i], expr_int(a, -before[i]));
		if (mode != PAD_CONSTANT)
			index[i] = express_place(a, mode, index[i], dim[i]);
		else if (before[i] > 0)
			inside = build_and(x->dag, inside,
					   expr_binary(a, EXPR_LE, expr_int(a, before[i]), axes[i]));
		if (mode == PAD_CONSTANT && behind[i] > 0)
			inside = build_and(x->dag, inside,
					   bound(a, EXPR_LT, axes[i], dim[i] + before[i]));
	}
	const struct expr *load = express_load(x, X, index);

	return inside && load ? expr_select(a, inside, load, expr_const(a, load->dtype, value)) : load;
}

static struct op *pad_express(struct express *x)
{
	return express_map(x, "pad", read_padded);
}

/* --- gradient */

/* Of constant padding: that of the elements of x, by padding with the opposite sign. */
static int cut_back(struct gradient *x)
{
	struct builder *b = x->builder;
	int g = x->of_result[0];
	int back = build(b, &core_neg, x->call->args[PADS]);

	x->of_arg[X] = build(b, &core_pad, g, back, VALUE_NONE, call_arg(x->call, AXES));
	if (call_arg(x->call, VALUE) != VALUE_NONE)
		x->of_arg[VALUE] = gradient_like(
			b,
			build(b, &core_sub, build(b, &core_reduce_sum, g),
			      build(b, &core_reduce_sum, x->of_arg[X])),
			call_arg(x->call, VALUE));
	return 0;
}

static int pad_along(struct gradient *x, int axis, int place)
{
	struct builder *b = x->builder;
	const struct array *axes = build_array(b, call_arg(x->call, AXES));
	const struct array *pads = build_array(b, x->call->args[PADS]);
	int64_t before[GRAPH_MAX_RANK], behind[GRAPH_MAX_RANK];
	int rank = build_type(b, x->call->args[X])->rank;

	if (!pads || (call_arg(x->call, AXES) != VALUE_NONE && !axes) ||
	    !padding(rank, (int)pads->count, pads->data, axes ? (int)axes->count : rank,
		     axes ? axes->data : NULL, before, behind))
		return err_set("pad: its gradient needs constant pads and axes"), VALUE_FAILED;
	struct attr_vec attrs = { 0 };

	attrs_string(b->arena, &attrs, "mode", call_string(x->call, "mode"));
	return build_with(b, &core_pad, &attrs, place,
			  build_ints(b, 2, (const int64_t[]){ before[axis], behind[axis] }));
}

static int pad_gradient(struct gradient *x)
{
	return mode_of(x->call) == PAD_CONSTANT ? cut_back(x) : gradient_along(x, pad_along);
}

const struct core_op core_pad = {
	.name = "pad",
	.summary = "x with pads (all before, then all behind axes; negative: elements less) of value",
	.min_args = 2,
	.max_args = 4,
	.attrs = (const struct attr_spec[]){
		{ "mode", ATTR_STRING, 0, "constant", "constant, reflect, edge, wrap" },
		{ 0 } },
	.fusion = FUSION_INJECTIVE,
	.type = pad_type,
	.eval = pad_eval,
	.express = pad_express,
	.gradient = pad_gradient,
};
