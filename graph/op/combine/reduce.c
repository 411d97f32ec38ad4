/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/combine/reduce.c - sums, means, extremes and products over dims: types and evaluation. */
#include "graph/op/combine/reduce.h"

#include <math.h>

#include "graph/op/combine/axes.h"
#include "graph/op/pointwise/block.h"

const struct core_reduction *reduction_of(const struct core_op *op)
{
	static const struct core_reduction table[] = {
		{ &core_reduce_sum, PRIMITIVE_add, REDUCE_SUM, false },
		{ &core_reduce_mean, PRIMITIVE_add, REDUCE_SUM, true },
		{ &core_reduce_max, PRIMITIVE_max, REDUCE_MAX, false },
		{ &core_reduce_min, PRIMITIVE_min, REDUCE_MIN, false },
		{ &core_reduce_prod, PRIMITIVE_mul, REDUCE_PROD, false },
	};
	const struct core_reduction *r = table;

	while (r->op != op)
		r++;
	return r;
}

/* --- types */

int reduce_axes(struct infer *x, struct axis_set *out)
{
	int rank = infer_rank(x, 0), n = 0;
	const int64_t *axis = infer_has(x, 1) ? infer_ints(x, 1, &n) : NULL;

	if (rank == RANK_UNKNOWN || (infer_has(x, 1) && !axis))
		return 1;
	if (n == 0 && !call_flag(x->call, "noop")) {
		*out = axes_all(rank);
		return 0;
	}
	return axes_infer(x, rank, axis, n, out);
}

static int reduce_type(struct infer *x)
{
	const struct type *from = infer_type(x, 0);
	bool extreme = reduction_of(x->call->op)->reducer == REDUCE_MAX ||
		       reduction_of(x->call->op)->reducer == REDUCE_MIN;
	bool keep = call_flag(x->call, "keepdims");
	struct axis_set axes;
	struct dim out[GRAPH_MAX_RANK];
	int n = 0;

	if (infer_class(x, 0, CLASS_NUMBERS | (extreme ? CLASS_BIT(BOOL) : 0)) < 0)
		return -1;
	int open = reduce_axes(x, &axes);

	if (open < 0)
		return -1;
	if (open && (!keep || !type_is_ranked(from)))
		return infer_unranked(x, from->element);
	for (int i = 0; i < from->rank; i++) {
		if (open)
			out[n++] = dim_unknown();
		else if (!axes.over[i] || keep)
			out[n++] = axes.over[i] ? dim_number(1) : from->dim[i];
	}
	return infer_tensor(x, from->element, n, out);
}

/* All elements of a list, combined. */
static bool reduce_elements(struct infer *x, struct dim *out)
{
	static struct dim (*const combine[])(struct arena *, struct dim, struct dim) = {
		[REDUCE_SUM] = dim_add,
		[REDUCE_MAX] = dim_max,
		[REDUCE_MIN] = dim_min,
		[REDUCE_PROD] = dim_mul,
	};
	const struct core_reduction *r = reduction_of(x->call->op);
	struct axis_set axes;
	int n;
	const struct dim *from = infer_elements(x, 0, &n);

	if (!from || n == 0 || r->mean || reduce_axes(x, &axes) || type_count(x->result) != 1)
		return false;
	*out = from[0];
	for (int i = 1; i < n; i++)
		*out = combine[r->reducer](x->arena, *out, from[i]);
	return true;
}

/* --- evaluation */

/* What a reduction begins with. */
static void fill_identity(const struct core_reduction *r, enum compute c, enum element e, void *block)
{
	bool max = r->reducer == REDUCE_MAX;
	int64_t end = max ? element_min(e) : element_max(e);

	if (r->reducer == REDUCE_SUM || r->reducer == REDUCE_PROD)
		compute_fill(c, r->reducer == REDUCE_PROD, BLOCK, block);
	else if (element_is_float(e))
		compute_fill(c, max ? -INFINITY : INFINITY, BLOCK, block);
	else
		for (int i = 0; i < BLOCK; i++)
			((int64_t *)block)[i] = end;
}

/* Combines blocks of elements lane by lane. */
struct fold {
	const struct core_reduction *reduction;
	enum compute compute;
	enum element element;
	const void *data;
	double start[BLOCK], in[BLOCK], room[2][BLOCK];	/* of any type of 8 bytes */
	double *sum, *next;
};

/* All lanes of f->in. */
static void fold_block(struct fold *f)
{
	double *swap = f->sum;

	block_apply(f->compute, f->reduction->combine, f->sum, f->in, f->in, f->next);
	f->sum = f->next;
	f->next = swap;
}

/* N elements from offset AT on. */
static void fold_in(struct fold *f, int64_t at, int n)
{
	compute_get(f->compute, f->element, f->data, at, n, f->in);
	if (n < BLOCK)
		memcpy(f->in + n, f->start + n, (size_t)(BLOCK - n) * sizeof(double));
	fold_block(f);
}

/* The first N lanes as one, in the first. */
static void fold_lanes(struct fold *f, int n)
{
	while (n > 1) {
		int half = (n + 1) / 2;

		memcpy(f->in, f->start, sizeof(f->in));
		memcpy(f->in, f->sum + half, (size_t)(n - half) * sizeof(double));
		fold_block(f);
		n = half;
	}
}

/* N lanes divided by COUNT, as elements of Y from AT on. */
static void fold_out(struct fold *f, int64_t count, struct array *y, int64_t at, int n)
{
	const void *out = f->sum;

	if (f->reduction->mean) {
		compute_fill(f->compute, (double)count, BLOCK, f->in);
		block_apply(f->compute, PRIMITIVE_div, f->sum, f->in, f->in, f->next);
		out = f->next;
	}
	compute_put(f->compute, y->element, y->data, at, n, out);
}

/* One result from elements side by side. */
static void reduce_rows(struct fold *f, const struct walk *stay, const struct walk *over,
			struct array *y)
{
	int64_t run = walk_run(over);

	for (int64_t i = 0; i < y->count; i++) {
		int64_t at = walk_at(stay, i);

		memcpy(f->sum, f->start, sizeof(f->start));
		for (int64_t j = 0; j < over->count; j += run) {
			int64_t row = at + walk_at(over, j);

			for (int64_t k = 0; k < run; k += BLOCK)
				fold_in(f, row + k, run - k < BLOCK ? (int)(run - k) : BLOCK);
		}
		fold_lanes(f, run < BLOCK ? (int)run : BLOCK);
		fold_out(f, over->count, y, i, 1);
	}
}

/* Results side by side, each from elements that are not. */
static void reduce_columns(struct fold *f, const struct walk *stay, const struct walk *over,
			   struct array *y)
{
	int64_t run = walk_run(stay);

	for (int64_t i = 0; i < y->count; i += run) {
		int64_t at = walk_at(stay, i);

		for (int64_t k = 0; k < run; k += BLOCK) {
			int n = run - k < BLOCK ? (int)(run - k) : BLOCK;

			memcpy(f->sum, f->start, sizeof(f->start));
			for (int64_t j = 0; j < over->count; j++)
				fold_in(f, at + k + walk_at(over, j), n);
			fold_out(f, over->count, y, i + k, n);
		}
	}
}

/* Results from too few elements side by side for vectors: a result a lane. */
static void reduce_scattered(struct fold *f, const struct walk *stay, const struct walk *over,
			     struct array *y)
{
	int64_t at[BLOCK];

	for (int64_t i = 0; i < y->count; i += BLOCK) {
		int n = y->count - i < BLOCK ? (int)(y->count - i) : BLOCK;

		for (int k = 0; k < n; k++)
			at[k] = walk_at(stay, i + k);
		memcpy(f->sum, f->start, sizeof(f->start));
		for (int64_t j = 0; j < over->count; j++) {
			int64_t step = walk_at(over, j);

			for (int k = 0; k < n; k++)
				compute_get(f->compute, f->element, f->data, at[k] + step, 1,
					    f->in + k);
			fold_block(f);
		}
		fold_out(f, over->count, y, i, n);
	}
}

/* With fewer elements side by side, blocks of them are mostly air. */
enum { LEAST_RUN = 32 };

static int reduce_eval(struct eval *x)
{
	const struct array *from = eval_array(x, 0);
	int64_t dim[GRAPH_MAX_RANK];
	struct axis_set axes;
	int n;
	const int64_t *axis = eval_ints(x, 1, &n);

	if (n == 0 && !call_flag(x->call, "noop"))
		axes = axes_all(from->rank);
	else if (axes_eval(x, from->rank, axis, n, &axes) < 0)
		return -1;
	struct array *y = eval_result(x, 0, from->element,
				      axes_left(&axes, from->dim, call_flag(x->call, "keepdims"), dim),
				      dim);

	if (!y)
		return -1;
	struct fold *f = eval_scratch(x, sizeof(*f));
	struct walk stay = walk_over(&axes, from->dim, false);
	struct walk over = walk_over(&axes, from->dim, true);

	f->reduction = reduction_of(x->call->op);
	f->compute = element_is_float(from->element) ? COMPUTE_F64 : compute_of(from->element);
	f->element = from->element;
	f->data = from->data;
	f->sum = f->room[0];
	f->next = f->room[1];
	fill_identity(f->reduction, f->compute, f->element, f->start);
	if (walk_run(&stay) < LEAST_RUN && walk_run(&over) < LEAST_RUN)
		reduce_scattered(f, &stay, &over, y);
	else if (walk_run(&stay) > walk_run(&over))
		reduce_columns(f, &stay, &over, y);
	else
		reduce_rows(f, &stay, &over, y);
	return 0;
}

/* --- the operators */

#define OPERATOR(id, text)                                                                         \
	const struct core_op core_##id = {                                                         \
		.name = #id,                                                                       \
		.summary = text " of x over these axes, or over all",                              \
		.min_args = 1,                                                                     \
		.max_args = 2,                                                                     \
		.attrs = (const struct attr_spec[]){                                               \
			{ "keepdims", ATTR_INT, 1, NULL, "1: an axis that is gone is an extent of 1" }, \
			{ "noop", ATTR_INT, 0, NULL, "1: without axes x stays as it is" },         \
			{ 0 } },                                                                   \
		.fusion = FUSION_REDUCTION,                                                        \
		.type = reduce_type,                                                               \
		.elements = reduce_elements,                                                       \
		.eval = reduce_eval,                                                               \
		.express = reduce_express,                                                         \
		.gradient = reduce_gradient,                                                       \
	};

OPERATOR(reduce_sum, "the sum")
OPERATOR(reduce_mean, "the mean")
OPERATOR(reduce_max, "the greatest")
OPERATOR(reduce_min, "the least")
OPERATOR(reduce_prod, "the product")
