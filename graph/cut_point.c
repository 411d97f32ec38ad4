/* SPDX-License-Identifier: Apache-2.0 */
/* graph/cut_point.c - pointwise operators: activations through the operator library, so that a
 * model's task is the one the command line names, the rest as expressions of their own. */
#include <math.h>

#include "base/err.h"
#include "graph/cut.h"
#include "graph/op.h"
#include "te/operator.h"
#include "te/ops/build.h"

#define no_task(...) (err_set(__VA_ARGS__), (struct op *)NULL)

enum { MAX_OPERANDS = 8 };

/* --- activations of the operator library */

static const struct {
	enum oper op;
	const char *label;
	struct op *(*build)(struct dag *d, struct op *x);
} activations[] = {
	{ OPER_RELU, "+relu", op_relu },
	{ OPER_SIGMOID, "+sigmoid", op_sigmoid },
	{ OPER_HARD_SWISH, "+hard_swish", op_hard_swish },
	{ OPER_TANH, "+tanh", op_tanh },
};

/* The bound that is attribute NAME up to opset 10 and operand I after. */
static bool bound(const struct cut *c, const struct call *call, const char *name, int i,
		  double otherwise, double *v)
{
	int value = call_arg(call, i);

	*v = call_float(call, name, otherwise);
	return value == VALUE_NONE || cut_scalar(c, value, v);
}

/* The smaller or larger of X and V. */
static struct op *limit(struct cut *c, enum expr_kind kind, struct op *x, double v)
{
	struct axis *axes[TENSOR_MAX_DIMS];

	if (!x)
		return NULL;
	axes_like(c->dag, x, axes);
	return build_map(c->dag, "clip", axes, x->tensor.ndim,
			 build_binary_const(c->dag, kind, read_axes(c->dag, x, axes), v));
}

static struct op *cut_clip(struct cut *c, const struct call *call, const struct type *out)
{
	double low, high;

	if (!dtype_is_float(out->dtype))
		return no_task("a clip of %s", dtype_name(out->dtype));
	if (!bound(c, call, "min", 1, -INFINITY, &low) ||
	    !bound(c, call, "max", 2, INFINITY, &high))
		return no_task("a clip whose bounds are not constant");
	struct op *x = cut_value(c, call->args[0], "X");

	text_puts(&c->op, low == 0 && high == 6 ? "+relu6" : "+clip");
	if (isinf(high))
		return limit(c, EXPR_MAX, x, low);
	if (isinf(low))
		return limit(c, EXPR_MIN, x, high);
	return op_clip(c->dag, x, low, high);
}

/* NULL without a message where CALL is none of these. */
static struct op *cut_activation(struct cut *c, const struct call *call, const struct type *out,
				 bool *is_one)
{
	double alpha = call_float(call, "alpha", 0.2);
	double beta = call_float(call, "beta", 0.5);

	*is_one = true;
	for (size_t i = 0; i < sizeof(activations) / sizeof(activations[0]); i++) {
		if (activations[i].op != call->op)
			continue;
		text_puts(&c->op, activations[i].label);
		return activations[i].build(c->dag, cut_value(c, call->args[0], "X"));
	}
	if (call->op == OPER_CLIP)
		return cut_clip(c, call, out);
	if (call->op == OPER_LEAKY_RELU) {
		text_puts(&c->op, "+leaky_relu");
		return op_leaky_relu(c->dag, cut_value(c, call->args[0], "X"),
				     call_float(call, "alpha", 0.01));
	}
	if (call->op == OPER_HARD_SIGMOID && fabs(alpha - 1.0 / 6) < 1e-6 && beta == 0.5) {
		text_puts(&c->op, "+hard_sigmoid");
		return op_hard_sigmoid(c->dag, cut_value(c, call->args[0], "X"));
	}
	*is_one = false;
	return NULL;
}

/* --- expressions */

typedef const struct expr *(*make_fn)(struct dag *d, const struct call *call,
				      const struct expr *const *e, int n);

static const struct expr *one(struct dag *d, const struct expr *x)
{
	return expr_const(d->arena, x->dtype, 1);
}

static const struct expr *unary(struct dag *d, enum expr_kind k, const struct expr *x)
{
	return expr_unary(d->arena, k, x);
}

static const struct expr *make_reciprocal(struct dag *d, const struct call *call,
					  const struct expr *const *e, int n)
{
	(void)call;
	(void)n;
	return build_binary(d, EXPR_DIV, one(d, e[0]), e[0]);
}

/* log(1 + exp(x)) as max(x, 0) + log(1 + exp(-|x|)), which does not overflow. */
static const struct expr *make_softplus(struct dag *d, const struct call *call,
					const struct expr *const *e, int n)
{
	(void)call;
	(void)n;
	const struct expr *small =
		unary(d, EXPR_EXP, unary(d, EXPR_NEG, unary(d, EXPR_ABS, e[0])));

	return build_binary(d, EXPR_ADD, build_binary_const(d, EXPR_MAX, e[0], 0),
			    unary(d, EXPR_LOG, build_binary(d, EXPR_ADD, one(d, e[0]), small)));
}

static const struct expr *make_softsign(struct dag *d, const struct call *call,
					const struct expr *const *e, int n)
{
	(void)call;
	(void)n;
	return build_binary(d, EXPR_DIV, e[0],
			    build_binary(d, EXPR_ADD, one(d, e[0]), unary(d, EXPR_ABS, e[0])));
}

/* gamma * (x < 0 ? alpha * (exp(x) - 1) : x) */
static const struct expr *exp_unit(struct dag *d, const struct expr *x, double alpha, double gamma)
{
	const struct expr *low = build_binary_const(
		d, EXPR_MUL, build_binary(d, EXPR_SUB, unary(d, EXPR_EXP, x), one(d, x)),
		alpha * gamma);
	const struct expr *high = gamma == 1 ? x : build_binary_const(d, EXPR_MUL, x, gamma);

	return expr_select(d->arena, build_binary_const(d, EXPR_LT, x, 0), low, high);
}

static const struct expr *make_elu(struct dag *d, const struct call *call,
				   const struct expr *const *e, int n)
{
	(void)n;
	return exp_unit(d, e[0], call_float(call, "alpha", 1), 1);
}

/* The defaults are ONNX's, from Klambauer et al. 2017. */
static const struct expr *make_selu(struct dag *d, const struct call *call,
				    const struct expr *const *e, int n)
{
	(void)n;
	return exp_unit(d, e[0], call_float(call, "alpha", 1.67326319217681884765625),
			call_float(call, "gamma", 1.05070102214813232421875));
}

static const struct expr *make_hard_sigmoid(struct dag *d, const struct call *call,
					    const struct expr *const *e, int n)
{
	(void)n;
	const struct expr *line = build_binary_const(
		d, EXPR_ADD,
		build_binary_const(d, EXPR_MUL, e[0], call_float(call, "alpha", 0.2)),
		call_float(call, "beta", 0.5));

	return build_binary_const(d, EXPR_MIN, build_binary_const(d, EXPR_MAX, line, 0), 1);
}

static const struct expr *make_prelu(struct dag *d, const struct call *call,
				     const struct expr *const *e, int n)
{
	(void)call;
	(void)n;
	return expr_select(d->arena, build_binary_const(d, EXPR_LT, e[0], 0),
			   build_binary(d, EXPR_MUL, e[0], e[1]), e[0]);
}

static const struct expr *make_sum(struct dag *d, const struct call *call,
				   const struct expr *const *e, int n)
{
	const struct expr *sum = e[0];

	for (int i = 1; i < n; i++)
		sum = build_binary(d, EXPR_ADD, sum, e[i]);
	return call->op == OPER_MEAN ? build_binary_const(d, EXPR_DIV, sum, n) : sum;
}

static const struct {
	enum oper op;
	const char *name;
	int arity;		/* 0: any */
	bool floats;		/* only floats, else any number */
	enum expr_kind kind;	/* where make is NULL */
	make_fn make;
} pointwise[] = {
	{ OPER_ADD, "add", 2, false, EXPR_ADD, NULL },
	{ OPER_SUB, "sub", 2, false, EXPR_SUB, NULL },
	{ OPER_MUL, "mul", 2, false, EXPR_MUL, NULL },
	{ OPER_DIV, "div", 2, true, EXPR_DIV, NULL },
	{ OPER_POW, "pow", 2, true, EXPR_POW, NULL },
	{ OPER_MIN, "min", 2, false, EXPR_MIN, NULL },
	{ OPER_MAX, "max", 2, false, EXPR_MAX, NULL },
	{ OPER_NEG, "neg", 1, true, EXPR_NEG, NULL },
	{ OPER_ABS, "abs", 1, true, EXPR_ABS, NULL },
	{ OPER_EXP, "exp", 1, true, EXPR_EXP, NULL },
	{ OPER_LOG, "log", 1, true, EXPR_LOG, NULL },
	{ OPER_SQRT, "sqrt", 1, true, EXPR_SQRT, NULL },
	{ OPER_ERF, "erf", 1, true, EXPR_ERF, NULL },
	{ OPER_FLOOR, "floor", 1, true, EXPR_FLOOR, NULL },
	{ OPER_CEIL, "ceil", 1, true, EXPR_CEIL, NULL },
	{ OPER_ROUND, "round", 1, true, EXPR_ROUND, NULL },
	{ OPER_RECIPROCAL, "reciprocal", 1, true, EXPR_DIV, make_reciprocal },
	{ OPER_SOFTPLUS, "softplus", 1, true, EXPR_LOG, make_softplus },
	{ OPER_SOFTSIGN, "softsign", 1, true, EXPR_DIV, make_softsign },
	{ OPER_ELU, "elu", 1, true, EXPR_EXP, make_elu },
	{ OPER_SELU, "selu", 1, true, EXPR_EXP, make_selu },
	{ OPER_HARD_SIGMOID, "hard_sigmoid", 1, true, EXPR_MIN, make_hard_sigmoid },
	{ OPER_PRELU, "prelu", 2, false, EXPR_MUL, make_prelu },
	{ OPER_SUM, "add", 0, false, EXPR_ADD, make_sum },
	{ OPER_MEAN, "mean", 0, true, EXPR_ADD, make_sum },
};

/* Axes over the result: named as those of an operand that has its shape, where there is one. */
static void result_axes(struct cut *c, const struct type *t, struct op *const *ops, int n,
			struct axis **axes)
{
	static const char *const letters[] = { "i", "j", "k", "l", "m", "n", "o", "p" };

	for (int i = 0; i < n; i++) {
		bool same = ops[i] && ops[i]->tensor.ndim == t->rank;

		for (int j = 0; same && j < t->rank; j++)
			same = ops[i]->tensor.shape[j] == t->dim[j].n;
		if (same) {
			axes_like(c->dag, ops[i], axes);
			return;
		}
	}
	for (int j = 0; j < t->rank; j++)
		axes[j] = dag_axis(c->dag, letters[j], t->dim[j].n);
}

/* X at the last of the N axes; an extent of 1 stays at 0. */
static const struct expr *read_broadcast(struct cut *c, const struct op *x,
					 struct axis *const *axes, int n)
{
	const struct expr *index[TENSOR_MAX_DIMS];
	int skip = n - x->tensor.ndim;

	for (int i = 0; i < x->tensor.ndim; i++)
		index[i] = x->tensor.shape[i] == 1 && axes[skip + i]->hi > 1
				   ? expr_int(c->dag->arena, 0)
				   : axis_expr(c->dag, axes[skip + i]);
	return read_at(c->dag, x, index);
}

/* Y, a product or sum of the data X and a constant with one element a channel. */
static struct op *cut_channelwise(struct cut *c, const struct call *call, bool *is_one)
{
	struct op *(*build)(struct dag *, struct op *, struct op *, enum layout) =
		call->op == OPER_ADD ? op_bias : op_scale;

	*is_one = false;
	for (int i = 0; i < 2 && (call->op == OPER_ADD || call->op == OPER_MUL); i++) {
		const struct type *v = &cut_at(c, call->args[i])->type;
		const struct type *x = &cut_at(c, call->args[1 - i])->type;
		int channel = v->rank - (x->rank - 1);	/* of v, where x has it in dim 1 */

		if (!c->grouping->constant[call->args[i]] || x->rank < 2 || channel < 0 ||
		    channel > 1 || type_count(v) < 2 || v->dim[channel].n != type_count(v) ||
		    v->dim[channel].n != x->dim[1].n)
			continue;
		*is_one = true;
		text_puts(&c->op, call->op == OPER_ADD ? "+bias" : "+scale");
		struct op *data = cut_value(c, call->args[1 - i], "X");

		return build(c->dag, data,
			     cut_input(c, call->args[i], "v", v->dtype, 1, &x->dim[1].n),
			     LAYOUT_NCHW);
	}
	return NULL;
}

static struct op *cut_expression(struct cut *c, const struct call *call, const struct type *out)
{
	size_t which = 0;
	struct op *ops[MAX_OPERANDS] = { NULL };
	const struct expr *e[MAX_OPERANDS];
	struct axis *axes[TENSOR_MAX_DIMS];
	double scalar;

	while (which < sizeof(pointwise) / sizeof(pointwise[0]) && pointwise[which].op != call->op)
		which++;
	if (which == sizeof(pointwise) / sizeof(pointwise[0]) || call->nargs > MAX_OPERANDS ||
	    (pointwise[which].arity && pointwise[which].arity != call->nargs))
		return no_task("no tunable form of %s yet", oper_name(call->op));
	if (out->rank == 0 || (pointwise[which].floats && !dtype_is_float(out->dtype)) ||
	    out->dtype == DTYPE_BOOL)
		return no_task("%s of %s, rank %d", oper_name(call->op), dtype_name(out->dtype),
			       out->rank);
	for (int i = 0; i < call->nargs; i++) {
		if (cut_scalar(c, call->args[i], &scalar))
			continue;
		if (cut_at(c, call->args[i])->type.dtype != out->dtype)
			return no_task("%s of different types", oper_name(call->op));
		ops[i] = cut_value(c, call->args[i], i ? "R" : "X");
		if (!ops[i])
			return NULL;
	}
	result_axes(c, out, ops, call->nargs, axes);
	for (int i = 0; i < call->nargs; i++)
		e[i] = cut_scalar(c, call->args[i], &scalar)
			       ? expr_const(c->dag->arena, out->dtype, scalar)
			       : read_broadcast(c, ops[i], axes, out->rank);
	text_printf(&c->op, "+%s", pointwise[which].name);
	const struct expr *body =
		pointwise[which].make	? pointwise[which].make(c->dag, call, e, call->nargs)
		: call->nargs == 1	? unary(c->dag, pointwise[which].kind, e[0])
					: build_binary(c->dag, pointwise[which].kind, e[0], e[1]);

	return build_map(c->dag, pointwise[which].name, axes, out->rank, body);
}

/* A batch norm that no weight takes in: one scale and one shift a channel, from its constants. */
static struct op *cut_norm(struct cut *c, const struct call *call, const struct type *out)
{
	for (int i = 1; i < call->nargs; i++)
		if (!c->grouping->constant[call->args[i]])
			return no_task("a batch norm whose statistics are not constant");
	text_puts(&c->op, "+scale+bias");
	struct op *x = cut_value(c, call->args[0], "X");
	struct op *y = op_scale(c->dag, x,
				cut_input(c, VALUE_NONE, "scale", out->dtype, 1, &out->dim[1].n),
				LAYOUT_NCHW);

	return op_bias(c->dag, y,
		       cut_input(c, VALUE_NONE, "shift", out->dtype, 1, &out->dim[1].n),
		       LAYOUT_NCHW);
}

struct op *cut_pointwise(struct cut *c, int value)
{
	const struct call *call = &cut_at(c, value)->call;
	const struct type *out = &cut_at(c, value)->type;
	bool is_one;

	if (out->rank == 0)
		return no_task("a scalar");
	if (call->op == OPER_BATCH_NORM)
		return cut_norm(c, call, out);
	struct op *y = cut_activation(c, call, out, &is_one);

	if (is_one)
		return y;
	y = cut_channelwise(c, call, &is_one);
	return is_one ? y : cut_expression(c, call, out);
}
