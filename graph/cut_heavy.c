/* SPDX-License-Identifier: Apache-2.0 */
/* graph/cut_heavy.c - heavy operators through the operator library; those with a window are in
 * graph/cut_window.c. */
#include "graph/cut_heavy.h"

#include "te/ops/build.h"

/* The batch norm right behind the member whose statistics, and the weight it scales, are constants:
 * it becomes part of weight and bias when the model is compiled. VALUE_NONE: there is none. */
static int folded_norm(const struct heavy *h)
{
	const struct grouping *g = h->cut->grouping;
	const struct value_vec *members = &h->cut->group->members;

	if (!g->constant[h->infer.call->args[1]])
		return VALUE_NONE;
	for (int i = 0; i < members->n; i++) {
		const struct binding *b = cut_at(h->cut, members->at[i]);

		if (b->kind != BIND_CALL || b->call.op != OPER_BATCH_NORM ||
		    b->call.args[0] != h->value)
			continue;
		for (int j = 1; j < b->call.nargs; j++)
			if (!g->constant[b->call.args[j]])
				return VALUE_NONE;
		return members->at[i];
	}
	return VALUE_NONE;
}

struct op *heavy_bias(struct heavy *h, struct op *y, int i, int64_t channels)
{
	int norm = folded_norm(h);
	int bias = call_arg(h->infer.call, i);
	bool constant = bias == VALUE_NONE || h->cut->grouping->constant[bias];

	if (!y || (bias == VALUE_NONE && norm == VALUE_NONE))
		return y;
	text_puts(&h->cut->op, "+bias");
	if (norm != VALUE_NONE && constant) {
		y = op_bias(h->cut->dag, y,
			    cut_input(h->cut, VALUE_NONE, "bias", h->out->dtype, 1, &channels),
			    LAYOUT_NCHW);
		cut_define(h->cut, norm, y);
		return y;
	}
	return op_bias(h->cut->dag, y,
		       cut_input(h->cut, bias, "bias", h->out->dtype, 1, &channels), LAYOUT_NCHW);
}

static void note_product(struct heavy *h, int64_t m, int64_t n, int64_t k)
{
	note(h->cut, "m", m);
	note(h->cut, "n", n);
	note(h->cut, "k", k);
}

/* alpha and beta of a Gemm go into the constants they scale. */
static struct op *cut_gemm(struct heavy *h)
{
	const struct call *call = h->infer.call;
	bool trans_a = call_int(call, "transA", 0) != 0;
	bool trans_b = call_int(call, "transB", 0) != 0;
	const bool *constant = h->cut->grouping->constant;
	int bias = call_arg(call, 2);
	int64_t columns = size(h->out, 1);

	if (call_float(call, "alpha", 1) != 1 && !constant[call->args[1]])
		return no_task("alpha scales no constant");
	if (bias != VALUE_NONE && call_float(call, "beta", 1) != 1 && !constant[bias])
		return no_task("beta scales no constant");
	text_puts(&h->cut->op, "dense");
	note_product(h, size(h->out, 0), columns, size(h->in, !trans_a));
	struct op *x = cut_value(h->cut, h->data, "X");
	struct op *y = op_dense(h->cut->dag, x, cut_value(h->cut, call->args[1], "W"), trans_a,
				trans_b);

	if (bias == VALUE_NONE || type_count(infer_arg(&h->infer, 2)) == columns)
		return heavy_bias(h, y, 2, columns);
	text_puts(&h->cut->op, "+add");
	return op_add(h->cut->dag, y, cut_value(h->cut, bias, "R"));
}

static struct op *cut_matmul(struct heavy *h)
{
	const struct type *other = infer_arg(&h->infer, 1);
	int rank = h->out->rank;

	if (h->in->rank < 2 || other->rank < 2)
		return no_task("a product with a vector");
	text_puts(&h->cut->op, rank > 2 ? "batch_matmul" : "matmul");
	if (rank > 2) {
		struct dim batch = infer_product(h->out, 0, rank - 2);

		note(h->cut, "b", batch.n);
	}
	note_product(h, size(h->out, rank - 2), size(h->out, rank - 1),
		     size(h->in, h->in->rank - 1));
	struct op *x = cut_value(h->cut, h->data, "A");

	return op_matmul(h->cut->dag, x, cut_value(h->cut, h->infer.call->args[1], "B"));
}

static void note_elements(struct heavy *h)
{
	int64_t shape[GRAPH_MAX_RANK];

	for (int i = 0; i < h->in->rank; i++)
		shape[i] = size(h->in, i);
	cut_note(h->cut, "n", h->in->rank, shape);
}

static struct op *cut_softmax(struct heavy *h)
{
	bool old = h->cut->graph->opset < 13;	/* all dims from the axis on as one */
	int axis =
		infer_axis(&h->infer, call_int(h->infer.call, "axis", old ? 1 : -1), h->in->rank);

	if (axis < 0)
		return NULL;
	for (int i = axis + 1; old && i < h->in->rank; i++)
		if (size(h->in, i) != 1)
			return no_task("a softmax over more than one dim");
	text_puts(&h->cut->op, "softmax");
	note_elements(h);
	if (axis != h->in->rank - 1)
		note(h->cut, "axis", axis);
	return op_softmax(h->cut->dag, cut_value(h->cut, h->data, "X"), axis);
}

static struct op *cut_layer_norm(struct heavy *h)
{
	const struct call *call = h->infer.call;
	int bias = call_arg(call, 2);

	if (infer_axis(&h->infer, call_int(call, "axis", -1), h->in->rank) != h->in->rank - 1)
		return no_task("a layer norm over more than the last dim");
	text_puts(&h->cut->op, "layer_norm");
	note_elements(h);
	struct op *x = cut_value(h->cut, h->data, "X");
	struct op *scale = cut_value(h->cut, call->args[1], "scale");
	struct op *shift = bias == VALUE_NONE ? NULL : cut_value(h->cut, bias, "bias");

	if (bias != VALUE_NONE && !shift)
		return NULL;
	return op_layer_norm(h->cut->dag, x, scale, shift, call_float(call, "epsilon", 1e-5));
}

/* One partial result of a reduction over dims, and what is done to it. */
static const struct {
	enum oper op;
	const char *name;
	enum reducer reducer;
	bool square, mean, root;
} reductions[] = {
	{ OPER_REDUCE_SUM, "reduce_sum", REDUCE_SUM, false, false, false },
	{ OPER_REDUCE_MEAN, "reduce_mean", REDUCE_SUM, false, true, false },
	{ OPER_REDUCE_MAX, "reduce_max", REDUCE_MAX, false, false, false },
	{ OPER_REDUCE_MIN, "reduce_min", REDUCE_MIN, false, false, false },
	{ OPER_REDUCE_PROD, "reduce_prod", REDUCE_PROD, false, false, false },
	{ OPER_REDUCE_L2, "reduce_l2", REDUCE_SUM, true, false, true },
};

/* Which dims are reduced over; false where it cannot be told. */
static bool read_axes_of(struct heavy *h, bool *drop)
{
	int n;
	const int64_t *axes = infer_list(&h->infer, "axes", 1, &n);

	if (!axes && call_arg(h->infer.call, 1) != VALUE_NONE)
		return false;
	if (n == 0 && call_int(h->infer.call, "noop_with_empty_axes", 0))
		return false;
	for (int i = 0; i < h->in->rank; i++)
		drop[i] = n == 0;
	for (int i = 0; i < n; i++)
		drop[infer_axis(&h->infer, axes[i], h->in->rank)] = true;
	return true;
}

/* The mean or root of a sum. */
static struct op *finish_reduction(struct dag *d, struct op *sum, bool mean, double count)
{
	struct axis *axes[TENSOR_MAX_DIMS];

	if (!sum)
		return NULL;
	axes_like(d, sum, axes);
	const struct expr *v = read_axes(d, sum, axes);

	return build_map(d, mean ? "mean" : "root", axes, sum->tensor.ndim,
			 mean ? build_binary_const(d, EXPR_DIV, v, count)
			      : expr_unary(d->arena, EXPR_SQRT, v));
}

static struct op *cut_reduce(struct heavy *h)
{
	struct axis *axes[TENSOR_MAX_DIMS], *space[TENSOR_MAX_DIMS], *over[TENSOR_MAX_DIMS];
	bool keep = call_int(h->infer.call, "keepdims", 1) != 0;
	bool drop[GRAPH_MAX_RANK];
	int n = 0, nover = 0, which = 0;
	double count = 1;

	while (reductions[which].op != h->infer.call->op)
		which++;
	if (h->out->rank == 0 || !read_axes_of(h, drop) || !dtype_is_float(h->in->dtype))
		return no_task("only reductions of floats over some dims are tunable");
	struct dag *d = h->cut->dag;
	struct op *x = cut_value(h->cut, h->data, "X");

	if (!x)
		return NULL;
	text_puts(&h->cut->op, reductions[which].name);
	note_elements(h);
	axes_like(d, x, axes);
	for (int i = 0; i < h->in->rank; i++) {
		if (drop[i]) {
			over[nover++] = axes[i];
			count *= (double)axes[i]->hi;
			note(h->cut, "axis", i);
		}
		if (!drop[i] || keep)
			space[n++] = drop[i] ? dag_axis(d, "one", 1) : axes[i];
	}
	const struct expr *v = read_axes(d, x, axes);
	struct op *y = build_reduce(d, reductions[which].name, space, n, reductions[which].reducer,
				    over, nover,
				    reductions[which].square ? build_binary(d, EXPR_MUL, v, v) : v);

	if (!reductions[which].mean && !reductions[which].root)
		return y;
	return finish_reduction(d, y, reductions[which].mean, count);
}

struct op *cut_heavy(struct cut *c, int value)
{
	static const struct {
		enum oper op;
		struct op *(*cut)(struct heavy *h);
	} table[] = {
		{ OPER_CONV, cut_conv },
		{ OPER_CONV_TRANSPOSE, cut_conv_transpose },
		{ OPER_MAX_POOL, cut_pool },
		{ OPER_AVERAGE_POOL, cut_pool },
		{ OPER_GLOBAL_AVERAGE_POOL, cut_global_pool },
		{ OPER_GLOBAL_MAX_POOL, cut_global_pool },
		{ OPER_GEMM, cut_gemm },
		{ OPER_MATMUL, cut_matmul },
		{ OPER_SOFTMAX, cut_softmax },
		{ OPER_LAYER_NORM, cut_layer_norm },
		{ OPER_REDUCE_SUM, cut_reduce },
		{ OPER_REDUCE_MEAN, cut_reduce },
		{ OPER_REDUCE_MAX, cut_reduce },
		{ OPER_REDUCE_MIN, cut_reduce },
		{ OPER_REDUCE_PROD, cut_reduce },
		{ OPER_REDUCE_L2, cut_reduce },
	};
	const struct binding *b = cut_at(c, value);
	struct heavy h = {
		.cut = c,
		.infer = { .graph = c->graph, .f = c->f, .call = &b->call },
		.out = &b->type,
		.value = value,
		.data = b->call.args[0],
	};

	h.in = infer_arg(&h.infer, 0);
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (table[i].op == b->call.op)
			return table[i].cut(&h);
	return no_task("no tunable form of this operator yet");
}
