/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/move/slice.c - every n-th element from a place to another along axes. */
#include "base/err.h"
#include "base/integer.h"
#include "graph/op/move/along.h"
#include "graph/op/move/axes.h"
#include "graph/op/move/slice.h"
#include "graph/op/move/strided.h"
#include "te/index/index.h"

/* Operands. */
enum { X, STARTS, ENDS, AXES, STEPS };

/* What is taken of one axis. */
struct range_taken {
	int64_t start, step, count;
};

static int64_t clamp(int64_t v, int64_t low, int64_t high)
{
	return v < low ? low : v > high ? high : v;
}

/* Of EXTENT elements those from START to END, both from the end where negative, and clamped. STEP is
 * not 0. */
static struct range_taken take(int64_t extent, int64_t start, int64_t end, int64_t step)
{
	/* bounds beyond any extent, so that nothing below overflows */
	start = clamp(start, -2 * GRAPH_MAX_DIM, 2 * GRAPH_MAX_DIM);
	end = clamp(end, -2 * GRAPH_MAX_DIM, 2 * GRAPH_MAX_DIM);
	step = clamp(step, -2 * GRAPH_MAX_DIM, 2 * GRAPH_MAX_DIM);
	start += start < 0 ? extent : 0;
	end += end < 0 ? extent : 0;
	start = step > 0 ? clamp(start, 0, extent) : clamp(start, -1, extent - 1);
	end = step > 0 ? clamp(end, 0, extent) : clamp(end, -1, extent - 1);
	int64_t length = step > 0 ? end - start : start - end;
	int64_t stride = step > 0 ? step : -step;

	return (struct range_taken){ start, step, length > 0 ? ceil_div(length, stride) : 0 };
}

/* --- types */

/* Place V, negative from the end, within EXTENT; unknown where its sign is. */
static struct dim place(struct infer *x, struct dim v, struct dim extent)
{
	int64_t number;
	bool is_number = dim_value(v, &number);

	if (is_number && number >= GRAPH_MAX_DIM)
		return extent;
	if (is_number && number < 0)
		return dim_max(x->arena, dim_add(x->arena, extent, v), dim_number(0));
	if (is_number || (v.expr && expr_range(v.expr).lo >= 0))
		return dim_min(x->arena, v, extent);
	return dim_unknown();
}

static struct dim taken(struct infer *x, struct dim extent, struct dim start, struct dim end,
			struct dim step)
{
	int64_t from, to, by;
	bool numbers = dim_value(start, &from) && dim_value(end, &to);

	if (!dim_value(step, &by))
		return dim_unknown();
	if (numbers && extent.n >= 0)
		return dim_number(take(extent.n, from, to, by).count);
	if (by == -1 && numbers && from >= GRAPH_MAX_DIM && to < -GRAPH_MAX_DIM)
		return extent;
	if (by < 0)
		return dim_unknown();
	struct dim low = place(x, start, extent), high = place(x, end, extent);
	struct dim length = dim_equal(low, dim_number(0))
				    ? high
				    : dim_max(x->arena, dim_sub(x->arena, high, low), dim_number(0));

	return by == 1 ? length
		       : dim_div(x->arena, dim_add(x->arena, length, dim_number(by - 1)),
				 dim_number(by));
}

/* The axes, where each stands in the lists in WHERE; 0: they are not known; -1 and a message. */
static int infer_axes(const struct infer *x, int rank, int *where)
{
	int n = infer_length(x, STARTS), naxes;
	const int64_t *axes = infer_ints(x, AXES, &naxes);

	if (infer_length(x, ENDS) >= 0 && n >= 0 && infer_length(x, ENDS) != n)
		return infer_error(x, "%d starts, %d ends", n, infer_length(x, ENDS));
	if (n < 0 || (infer_has(x, AXES) && !axes))
		return 0;
	if (axes && naxes != n)
		return infer_error(x, "%d starts, %d axes", n, naxes);
	if (infer_has(x, STEPS) && infer_length(x, STEPS) >= 0 && infer_length(x, STEPS) != n)
		return infer_error(x, "%d starts, %d steps", n, infer_length(x, STEPS));
	if (!axes_find(n, axes, rank, where))
		return infer_error(x, "axes that rank %d has not, or twice", rank);
	return 1;
}

static int slice_type(struct infer *x)
{
	const struct type *from = infer_type(x, X);
	int n, where[GRAPH_MAX_RANK];
	struct dim out[GRAPH_MAX_RANK];
	int64_t by;

	if (infer_class(x, X, CLASS_ANY) < 0)
		return -1;
	for (int i = STARTS; i <= STEPS; i++)
		if (infer_list(x, i) < 0)
			return -1;
	if (!type_is_ranked(from))
		return infer_unranked(x, from->element);
	int known = infer_axes(x, from->rank, where);

	if (known <= 0)
		return known < 0 ? -1 : infer_ranked(x, from->element, from->rank);
	const struct dim *start = infer_elements(x, STARTS, &n);
	const struct dim *end = infer_elements(x, ENDS, &n);
	const struct dim *step = infer_has(x, STEPS) ? infer_elements(x, STEPS, &n) : NULL;

	for (int i = 0; i < from->rank; i++) {
		int at = where[i];
		struct dim one = infer_has(x, STEPS) ? dim_unknown() : dim_number(1);

		if (at >= 0 && step && dim_value(step[at], &by) && by == 0)
			return infer_error(x, "a step of 0");
		out[i] = at < 0 ? from->dim[i]
				: taken(x, from->dim[i], start ? start[at] : dim_unknown(),
					end ? end[at] : dim_unknown(), step ? step[at] : one);
	}
	return infer_tensor(x, from->element, from->rank, out);
}

static bool slice_elements(struct infer *x, struct dim *out)
{
	int n, m;
	const struct dim *from = infer_elements(x, X, &n);
	const int64_t *start = infer_ints(x, STARTS, &m);
	const int64_t *end = infer_ints(x, ENDS, &m);
	const int64_t *step = infer_has(x, STEPS) ? infer_ints(x, STEPS, &m) : &(int64_t){ 1 };

	if (!from || !start || !end || !step || m != 1)
		return false;
	struct range_taken r = take(n, *start, *end, *step);

	for (int64_t i = 0; i < r.count; i++)
		out[i] = from[r.start + i * r.step];
	return true;
}

/* --- evaluation */

/* What is taken of each axis of X, from operands that LIST reads; false where they do not fit. */
static bool ranges(const int64_t *const list[], const int length[], int rank, const int64_t *dim,
		   struct range_taken *out)
{
	int where[GRAPH_MAX_RANK];
	int n = length[STARTS];

	if (length[ENDS] != n || (list[AXES] && length[AXES] != n) ||
	    (list[STEPS] && length[STEPS] != n) || !axes_find(n, list[AXES], rank, where))
		return false;
	for (int i = 0; i < rank; i++) {
		int at = where[i];
		int64_t step = list[STEPS] && at >= 0 ? list[STEPS][at] : 1;

		if (step == 0)
			return false;
		out[i] = at < 0 ? (struct range_taken){ 0, 1, dim[i] }
				: take(dim[i], list[STARTS][at], list[ENDS][at], step);
	}
	return true;
}

static int slice_eval(struct eval *x)
{
	const struct array *from = eval_array(x, X);
	const int64_t *list[STEPS + 1] = { NULL };
	int length[STEPS + 1];
	struct range_taken taken[GRAPH_MAX_RANK];
	int64_t stride[GRAPH_MAX_RANK], first = 0;
	struct strided s = { .rank = from->rank };

	for (int i = STARTS; i <= STEPS; i++)
		list[i] = eval_ints(x, i, &length[i]);
	if (!ranges(list, length, from->rank, from->dim, taken))
		return eval_error(x, "starts, ends, axes and steps do not fit rank %d", from->rank);
	dense_strides(from->rank, from->dim, stride);
	for (int i = 0; i < from->rank; i++) {
		s.extent[i] = taken[i].count;
		s.from[i] = taken[i].count > 1 ? stride[i] * taken[i].step : 0;
		first += taken[i].start * stride[i];
	}
	dense_strides(s.rank, s.extent, s.to);
	struct array *y = eval_result(x, 0, from->element, s.rank, s.extent);

	if (y && y->count)
		strided_copy(&s, y->data, array_at(from, first), element_bytes(y->element));
	return y ? 0 : -1;
}

/* --- as a tensor expression */

static const struct expr *read_sliced(const struct express *x, const struct expr *const *axes)
{
	struct arena *a = x->dag->arena;
	const int64_t *list[STEPS + 1] = { NULL };
	int length[STEPS + 1] = { 0 };
	struct range_taken taken[GRAPH_MAX_RANK];
	int64_t dim[GRAPH_MAX_RANK];
	const struct expr *index[GRAPH_MAX_RANK];
	int rank = express_shape(x, X, dim);

	for (int i = STARTS; i <= STEPS; i++)
		if (call_arg(x->call, i) != VALUE_NONE &&
		    !(list[i] = express_ints(x, i, &length[i])))
			return NULL;
	if (!ranges(list, length, rank, dim, taken))
		return express_error(x, "it takes no range of its operand"), NULL;
	for (int i = 0; i < rank; i++)
		index[i] = expr_add(a, expr_mul(a, axes[i], taken[i].step),
				    expr_int(a, taken[i].start));
	return express_load(x, X, index);
}

static struct op *slice_express(struct express *x)
{
	return express_map(x, "slice", read_sliced);
}

/* --- as a piece of memory */

static const int64_t *list_of(const struct function *f, int value, int *n)
{
	const struct array *list = value < 0 ? NULL : function_const(f, value);

	if (!list || list->element != ELEMENT_I64)
		return NULL;
	*n = (int)list->count;
	return list->data;
}

int64_t slice_begin(const struct function *f, const struct binding *b)
{
	const struct type *from = function_at(f, b->args[X])->type;
	const int64_t *list[STEPS + 1] = { NULL };
	int length[STEPS + 1] = { 0 };
	int64_t dim[GRAPH_MAX_RANK], stride[GRAPH_MAX_RANK];
	struct range_taken taken[GRAPH_MAX_RANK];
	int64_t begin = 0;
	bool one = true;	/* nothing before has more than one element */

	for (int i = STARTS; i <= STEPS; i++)
		if (call_arg(b, i) != VALUE_NONE && !(list[i] = list_of(f, call_arg(b, i), &length[i])))
			return -1;
	if (!type_shape(from, dim) || !ranges(list, length, from->rank, dim, taken))
		return -1;
	dense_strides(from->rank, dim, stride);
	for (int i = 0; i < from->rank; i++) {
		if (!one && taken[i].count != dim[i])
			return -1;
		if (taken[i].count > 1 && taken[i].step != 1)
			return -1;
		one &= taken[i].count == 1;
		begin += taken[i].start * stride[i];
	}
	return begin;
}

/* --- gradient */

/* Element AT of the list that operand I is, as i64[1]; VALUE_NONE where that was left out. */
static int list_at(struct gradient *x, int i, int at)
{
	struct builder *b = x->builder;
	int list = call_arg(x->call, i);

	return list == VALUE_NONE ? VALUE_NONE
				  : build(b, &core_slice, list, build_ints(b, 1, &(int64_t){ at }),
					  build_ints(b, 1, &(int64_t){ at + 1 }));
}

static int slice_along(struct gradient *x, int axis, int place)
{
	struct builder *b = x->builder;
	int rank = build_type(b, x->call->args[X])->rank;
	const struct array *axes = build_array(b, call_arg(x->call, AXES));
	int n = (int)type_count(build_type(b, x->call->args[STARTS]));

	if (n < 0 || (call_arg(x->call, AXES) != VALUE_NONE && !axes))
		return err_set("slice: its gradient needs constant axes"), VALUE_FAILED;
	for (int i = 0; i < n; i++)
		if (index_among(axes ? array_int(axes, i) : i, rank) == axis)
			return build(b, &core_slice, place, list_at(x, STARTS, i), list_at(x, ENDS, i),
				     build_ints(b, 1, &(int64_t){ 0 }), list_at(x, STEPS, i));
	return VALUE_NONE;
}

static int slice_gradient(struct gradient *x)
{
	return gradient_along(x, slice_along);
}

const struct core_op core_slice = {
	.name = "slice",
	.summary = "x from starts to ends along axes (0, 1, ... where none are given), by steps",
	.min_args = 3,
	.max_args = 5,
	.fusion = FUSION_INJECTIVE,
	.type = slice_type,
	.elements = slice_elements,
	.eval = slice_eval,
	.express = slice_express,
	.gradient = slice_gradient,
};
