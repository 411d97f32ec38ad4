/* SPDX-License-Identifier: Apache-2.0 */
/* bench/work/recognize.c - finds the one sum of products of a DAG and follows its result to the
 * output. */
#include "bench/work/recognize.h"

#include "bench/work/match.h"

/* The DAG's only reduction, NULL where there are more or none. */
static const struct op *only_reduction(const struct dag *d)
{
	const struct op *found = NULL;

	for (int i = 0; i < d->ops.n; i++) {
		const struct op *op = d->ops.at[i];

		if (op->kind != OP_COMPUTE || !op_is_reduction(op))
			continue;
		if (found)
			return NULL;
		found = op;
	}
	return found;
}

static int count_ops(const struct dag *d, bool outputs)
{
	int n = 0;

	for (int i = 0; i < d->ops.n; i++)
		n += d->ops.at[i]->kind == OP_COMPUTE && (!outputs || d->ops.at[i]->output);
	return n;
}

/* The two loads that OP sums up the products of; false where it does something else. */
static bool product_of(const struct op *op, const struct expr **x, const struct expr **w)
{
	const struct expr *e = op->body;

	if (op->reducer != REDUCE_SUM || e->kind != EXPR_MUL)
		return false;
	*x = expr_cast_load(e->arg[0]);
	*w = expr_cast_load(e->arg[1]);
	return *x && *w;
}

static bool is_byte(enum dtype t)
{
	return t == DTYPE_U8 || t == DTYPE_I8;
}

/* Are factors of types X and W summed up as SUM in a way that libraries have? */
static bool types_fit(enum dtype sum, enum dtype x, enum dtype w)
{
	switch (sum) {
	case DTYPE_I32:
		return is_byte(x) && is_byte(w);
	case DTYPE_F32:
		return x == w && (x == DTYPE_F32 || x == DTYPE_BF16);
	case DTYPE_BF16:
		return x == DTYPE_BF16 && w == DTYPE_BF16;
	default:
		return false;
	}
}

struct reads {
	const struct tensor *tensor;
	bool found;
};

static bool find_read(const struct expr *e, void *user)
{
	struct reads *r = user;

	r->found |= e->kind == EXPR_LOAD && e->tensor == r->tensor;
	return !r->found;
}

static const struct op *consumer(const struct dag *d, const struct op *of)
{
	for (int i = 0; i < d->ops.n; i++) {
		struct reads r = { &of->tensor, false };

		if (d->ops.at[i]->kind != OP_COMPUTE)
			continue;
		expr_visit(d->ops.at[i]->body, find_read, &r);
		if (r.found)
			return d->ops.at[i];
	}
	return NULL;
}

/* From the sum to the output; the number of ops on the way, -1 where one is not understood. */
static int follow(struct arena *a, const struct dag *d, const struct op *op, struct work *w,
		  const char **why)
{
	int n = 0;

	while (!op->output) {
		const struct op *next = consumer(d, op);

		if (!next || op_is_reduction(next) || !match_epilogue(a, d, next, op, w)) {
			*why = arena_printf(a, "%s, after the sum, is not understood",
					    next ? next->tensor.name : op->tensor.name);
			return -1;
		}
		op = next;
		n++;
	}
	w->y.op = op;
	w->y.view.tensor = &op->tensor;
	return n;
}

static bool match(const struct work_product *p, struct work *w, const struct op **padded)
{
	const struct work blank = *w;

	*padded = NULL;
	for (int order = 0; order < 2; order++) {
		/* The kernel axes of a convolution are there even where it is 1x1. */
		bool matmul_first = p->sum->nreduce == 1;

		for (int i = 0; i < 2; i++) {
			struct work_product q = *p;

			*w = blank;
			if (order == 1) {
				q.x = p->w;
				q.w = p->x;
			}
			if ((i == 0) == matmul_first ? match_matmul(&q, w)
						     : match_conv(&q, w, padded))
				return true;
			*padded = NULL;
		}
	}
	return false;
}

const struct work *recognize(struct arena *a, const struct dag *d, const char **why)
{
	struct work *w = arena_one(a, struct work);
	const struct op *sum = only_reduction(d);
	const struct op *padded;
	struct work_product p = { .a = a, .dag = d, .sum = sum };

	*why = NULL;
	if (count_ops(d, true) != 1)
		*why = "it has more than one output";
	else if (!sum || !product_of(sum, &p.x, &p.w))
		*why = "it is not one sum of products of two tensors";
	else if (!types_fit(sum->tensor.dtype, p.x->dtype, p.w->dtype))
		*why = "it multiplies neither f32 nor bf16 nor bytes summed up as i32";
	if (*why)
		return NULL;
	w->sum = sum->tensor.dtype;
	if (!match(&p, w, &padded)) {
		*why = "its indices are neither those of a matrix product nor of a convolution";
		return NULL;
	}
	int after = follow(a, d, sum, w, why);

	if (after < 0)
		return NULL;
	if (count_ops(d, false) == 1 + after + (padded != NULL))
		return w;
	*why = "there are operations in front of it";
	return NULL;
}
