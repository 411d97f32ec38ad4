/* SPDX-License-Identifier: Apache-2.0 */
/* te/ops/matmul.c - products of matrices. */
#include "te/operator.h"
#include "te/ops/build.h"

/* The extent that X and Y broadcast to in dimension I of N, aligned at the end; 0 where they do
 * not. */
static int64_t broadcast(const struct tensor *x, const struct tensor *y, int i, int n)
{
	int at_x = i - (n - x->ndim);
	int at_y = i - (n - y->ndim);
	int64_t ex = at_x < 0 ? 1 : x->shape[at_x];
	int64_t ey = at_y < 0 ? 1 : y->shape[at_y];

	return ex == ey || ey == 1 ? ex : ex == 1 ? ey : 0;
}

/* X at the leading axes LEAD (those of the result, aligned at the end) and then ROW, COL. */
static const struct expr *read_matrix(struct dag *d, const struct op *x, struct axis *const *lead,
				      int nlead, const struct axis *row, const struct axis *col)
{
	const struct expr *index[TENSOR_MAX_DIMS];
	int n = x->tensor.ndim - 2;

	for (int i = 0; i < n; i++)
		index[i] = x->tensor.shape[i] == 1 ? expr_int(d->arena, 0)
						   : axis_expr(d, lead[nlead - n + i]);
	index[n] = axis_expr(d, row);
	index[n + 1] = axis_expr(d, col);
	return read_at(d, x, index);
}

static struct op *contract(struct dag *d, const char *name, struct op *a, struct op *b,
			   bool trans_a, bool trans_b)
{
	static const char *const letters[] = { "b", "b2", "b3", "b4", "b5", "b6", "b7", "b8", "b9",
					       "b10" };
	struct axis *space[TENSOR_MAX_DIMS];

	if (!a || !b)
		return NULL;
	const struct tensor *x = &a->tensor;
	const struct tensor *y = &b->tensor;

	if (x->ndim < 2 || y->ndim < 2)
		return op_error("%s: %s and %s are not both matrices", name, x->name, y->name);
	int n = (x->ndim > y->ndim ? x->ndim : y->ndim) - 2;
	int64_t k = x->shape[x->ndim - (trans_a ? 2 : 1)];
	int64_t rows = x->shape[x->ndim - (trans_a ? 1 : 2)];
	int64_t columns = y->shape[y->ndim - (trans_b ? 2 : 1)];
	int64_t other = y->shape[y->ndim - (trans_b ? 1 : 2)];

	if (k != other)
		return op_error("%s: %s has %jd columns, but %s has %jd rows", name, x->name,
				(intmax_t)k, y->name, (intmax_t)other);
	for (int i = 0; i < n; i++) {
		int64_t extent = broadcast(x, y, i, n + 2);

		if (extent == 0)
			return op_error("%s: leading dimension %d of %s and %s does not broadcast",
					name, i, x->name, y->name);
		space[i] = dag_axis(d, letters[i], extent);
	}
	struct axis *i = dag_axis(d, "i", rows);
	struct axis *j = dag_axis(d, "j", columns);
	struct axis *r = dag_axis(d, "k", k);
	const struct expr *body = build_product(d, name,
					  read_matrix(d, a, space, n, trans_a ? r : i,
						      trans_a ? i : r),
					  read_matrix(d, b, space, n, trans_b ? j : r,
						      trans_b ? r : j));

	space[n] = i;
	space[n + 1] = j;
	return body ? build_reduce(d, name, space, n + 2, REDUCE_SUM, &r, 1, body) : NULL;
}

struct op *op_matmul(struct dag *d, struct op *a, struct op *b)
{
	return contract(d, "matmul", a, b, false, false);
}

struct op *op_batch_matmul(struct dag *d, struct op *a, struct op *b)
{
	if (a && b && a->tensor.ndim < 3 && b->tensor.ndim < 3)
		return op_error("batch_matmul: neither operand has a leading dimension");
	return contract(d, "batch_matmul", a, b, false, false);
}

struct op *op_dense(struct dag *d, struct op *x, struct op *w, bool trans_x, bool trans_w)
{
	return contract(d, "dense", x, w, trans_x, trans_w);
}

static struct op *build_matmul(struct dag *d, const struct args *args)
{
	int64_t a[] = { args_int(args, "m"), args_int(args, "k") };
	int64_t b[] = { args_int(args, "k"), args_int(args, "n") };
	enum dtype t = args_dtype(args);
	struct op *x = build_input(d, "A", t, 2, a, false);

	return op_matmul(d, x, build_input(d, "B", args_weight_dtype(args), 2, b, args_int(args, "const")));
}

const struct operator operator_matmul = {
	.name = "matmul",
	.summary = "C[m, n] = A[m, k] x B[k, n]",
	.params = (const struct param[]){ SIZE("m", "rows of A"), SIZE("n", "columns of B"),
					  SIZE("k", "columns of A, rows of B"), PARAM_CONST,
					  PARAM_OF_DTYPE, PARAM_OF_WEIGHT, PARAM_END },
	.build = build_matmul,
};

static struct op *build_batch_matmul(struct dag *d, const struct args *args)
{
	int64_t batch = args_int(args, "b");
	int64_t a[] = { batch, args_int(args, "m"), args_int(args, "k") };
	int64_t b[] = { batch, args_int(args, "k"), args_int(args, "n") };
	enum dtype t = args_dtype(args);
	struct op *x = build_input(d, "A", t, 3, a, false);

	return op_batch_matmul(d, x, build_input(d, "B", args_weight_dtype(args), 3, b, args_int(args, "const")));
}

const struct operator operator_batch_matmul = {
	.name = "batch_matmul",
	.summary = "C[b, m, n] = A[b, m, k] x B[b, k, n]",
	.params = (const struct param[]){ SIZE("b", "number of matrices"), SIZE("m", "rows of A"),
					  SIZE("n", "columns of B"),
					  SIZE("k", "columns of A, rows of B"),
					  FLAG("const", "0", "1: B is a weight"), PARAM_OF_DTYPE, PARAM_OF_WEIGHT,
					  PARAM_END },
	.build = build_batch_matmul,
};

static struct op *build_dense(struct dag *d, const struct args *args)
{
	bool trans = args_int(args, "trans");
	int64_t m = args_int(args, "m");
	int64_t n = args_int(args, "n");
	int64_t k = args_int(args, "k");
	int64_t shape_x[] = { m, k };
	int64_t shape_w[] = { trans ? n : k, trans ? k : n };
	enum dtype t = args_dtype(args);
	struct op *x = build_input(d, "X", t, 2, shape_x, false);
	struct op *w = build_input(d, "W", args_weight_dtype(args), 2, shape_w, args_int(args, "const"));

	return build_epilogue(d, op_dense(d, x, w, false, trans), args, n, LAYOUT_NCHW);
}

const struct operator operator_dense = {
	.name = "dense",
	.summary = "fully connected layer: Y[m, n] = act(X[m, k] x W + bias)",
	.params = (const struct param[]){SIZE("m", "rows of X"), SIZE("n", "outputs"),
					 SIZE("k", "inputs"),
					 FLAG("trans", "1", "1: W is [n, k], 0: [k, n]"),
					 FLAG("bias", "1", "1: add a bias"), PARAM_ACT, PARAM_CONST,
					 PARAM_OF_DTYPE, PARAM_OF_WEIGHT, PARAM_SHIFT, PARAM_END},
	.build = build_dense,
};
