/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/pointwise/express.c - formulas as tensor expressions. */
#include "graph/op/express.h"

#include "graph/op/pointwise/pointwise.h"
#include "te/ops/build.h"

/* The expression that a formula becomes, at one element of the result. */
struct translation {
	struct express *x;
	const struct expr *operand[PRIMITIVE_ARITY];
	enum dtype dtype;	/* of numbers */
	const char *missing;	/* what te/ cannot say */
};

/* Quotients of te/ are rounded down, and powers are floats. */
static bool only_of_floats(enum primitive p)
{
	return p == PRIMITIVE_div || p == PRIMITIVE_pow;
}

/* X shifted to the right by Y: quotients of te/ are rounded down. NULL where Y is no constant, or where 2
 * to the Y is none of i32's. */
static const struct expr *shifted(struct translation *t, const struct expr *x, const struct expr *y)
{
	int64_t bits;

	if (t->dtype == DTYPE_I32 && expr_is_int(y, &bits) && bits >= 0 && bits <= 30)
		return build_binary_const(t->x->dag, EXPR_DIV, x, (double)(INT64_C(1) << bits));
	t->missing = "shift_right but of i32 by a constant of 0 to 30";
	return NULL;
}

static const struct expr *translate(struct translation *t, const struct formula *f)
{
	struct arena *a = t->x->dag->arena;
	const struct expr *arg[PRIMITIVE_ARITY];

	if (f->kind == FORMULA_OPERAND)
		return t->operand[f->operand];
	if (f->kind == FORMULA_NUMBER)
		return expr_const(a, t->dtype, f->number);
	const struct primitive_info *info = primitive_info(f->primitive);

	if ((info->te == EXPR_KIND_COUNT && f->primitive != PRIMITIVE_shift_right) ||
	    (only_of_floats(f->primitive) && !dtype_is_float(t->dtype))) {
		t->missing = info->name;
		return NULL;
	}
	for (int i = 0; i < info->arity; i++) {
		arg[i] = translate(t, f->arg[i]);
		if (!arg[i])
			return NULL;
	}
	if (f->primitive == PRIMITIVE_shift_right)
		return shifted(t, arg[0], arg[1]);
	switch (info->arity) {
	case 1:
		return expr_unary(a, info->te, arg[0]);
	case 2:
		return build_binary(t->x->dag, info->te, arg[0], arg[1]);
	default:
		return expr_select(a, arg[0], arg[1], arg[2]);
	}
}

/* Axes over the result: named as those of an operand that has its shape, where there is one. */
static void result_axes(const struct express *x, struct axis **axes)
{
	static const char *const letters[GRAPH_MAX_RANK] = { "i", "j", "k", "l", "m", "n", "o", "p" };
	int64_t dim[GRAPH_MAX_RANK];
	int rank = express_result(x, dim);

	for (int i = 0; i < x->call->nargs; i++) {
		const struct op *op = x->ops[i];

		if (op && op->tensor.ndim == rank &&
		    memcmp(op->tensor.shape, dim, (size_t)rank * sizeof(*dim)) == 0) {
			axes_like(x->dag, op, axes);
			return;
		}
	}
	for (int i = 0; i < rank; i++)
		axes[i] = dag_axis(x->dag, letters[i], dim[i]);
}

/* Element of operand I at the result's AXES. */
static const struct expr *read_operand(const struct express *x, int i, struct axis *const *axes)
{
	const struct expr *index[TENSOR_MAX_DIMS];
	const struct op *op = x->ops[i];
	int skip = x->call->type->rank - op->tensor.ndim;

	for (int d = 0; d < op->tensor.ndim; d++)
		index[d] = op->tensor.shape[d] == 1 && axes[skip + d]->hi > 1
				   ? expr_int(x->dag->arena, 0)
				   : axis_expr(x->dag, axes[skip + d]);
	return read_at(x->dag, op, index);
}

/* A sum or product with one constant for each channel, written with the data in front; NULL where the
 * call is none. */
static struct op *channelwise(struct express *x)
{
	bool sum = x->call->op == &core_add;

	for (int i = 0; (sum || x->call->op == &core_mul) && i < 2; i++) {
		struct op *v = x->ops[1 - i] ? express_channels(x, i, 1 - i) : NULL;

		if (v)
			return sum ? op_bias(x->dag, x->ops[1 - i], v, LAYOUT_NCHW)
				   : op_scale(x->dag, x->ops[1 - i], v, LAYOUT_NCHW);
	}
	return NULL;
}

static int read_operands(struct translation *t, struct axis *const *axes)
{
	const struct express *x = t->x;
	double scalar;

	for (int i = 0; i < x->call->nargs; i++) {
		const char letter = pointwise_of(x->call->op)->signature[i];
		enum dtype dtype = element_dtype(x->types[i]->element);

		if (call_arg(x->call, i) == VALUE_NONE)
			continue;
		if (letter != 'B')
			t->dtype = t->dtype == DTYPE_COUNT ? dtype : t->dtype;
		if (letter != 'B' && dtype != t->dtype)
			return err_set("%s: of different types", x->call->op->name);
		if (express_scalar(x, i, &scalar))
			t->operand[i] = expr_const(x->dag->arena, dtype, scalar);
		else if (x->ops[i])
			t->operand[i] = read_operand(x, i, axes);
		else
			return err_set("%s: a constant that is no scalar", x->call->op->name);
	}
	return 0;
}

struct op *pointwise_express(struct express *x)
{
	struct axis *axes[TENSOR_MAX_DIMS];
	struct translation t = { .x = x, .dtype = DTYPE_COUNT };
	int rank = x->call->type->rank;

	if (express_dtype(x) == DTYPE_COUNT)
		return express_error(x, "no kernel computes with %s",
				     element_name(x->call->type->element));
	struct op *y = channelwise(x);

	if (y)
		return y;
	result_axes(x, axes);
	if (read_operands(&t, axes) < 0)
		return NULL;
	const struct formula *f = formula_of_call(x->dag->arena, x->call);

	if (f->kind == FORMULA_NUMBER)
		return express_error(x, "it is constant");
	const struct expr *body = translate(&t, f);

	if (!body)
		return express_error(x, "no kernel computes %s", t.missing);
	return build_map(x->dag, x->call->op->name, axes, rank, body);
}
