/* SPDX-License-Identifier: Apache-2.0 */
/* te/derive/reciprocal.c - the divisor that is shared, and the products with its reciprocal. */
#include "te/derive/reciprocal.h"

#include <string.h>

/* Rounding errors of a product with a reciprocal over that of a quotient, to first order (Higham, Accuracy and Stability
 * of Numerical Algorithms, 2nd ed., section 3.1): each of the two operations rounds once. */
static const double AMPLIFICATION = 2;

struct divisor_search {
	const struct op *op;
	int64_t least;
	const struct expr *found;
};

/* Quotients E of OP that have one divisor: values of the axes that move the dividend and not the divisor. */
static int64_t sharing(const struct op *op, const struct expr *e)
{
	int64_t n = 1;

	for (int i = 0; i < op->tensor.ndim + op->nreduce; i++) {
		const struct axis *axis = i < op->tensor.ndim ? op->space[i] : op->reduce[i - op->tensor.ndim];

		if (expr_uses_axis(e->arg[0], axis) && !expr_uses_axis(e->arg[1], axis))
			n *= axis->hi;
	}
	return n;
}

static bool is_quotient(const struct expr *e)
{
	return e->kind == EXPR_DIV && (e->dtype == DTYPE_F32 || e->dtype == DTYPE_F64);
}

static bool find_divisor(const struct expr *e, void *user)
{
	struct divisor_search *s = user;

	if (!s->found && is_quotient(e) && sharing(s->op, e) >= s->least)
		s->found = e->arg[1];
	return !s->found && e->kind != EXPR_LOAD;
}

const struct expr *reciprocal_divisor(const struct op *op, int64_t least)
{
	struct divisor_search s = { op, least, NULL };

	if (least > 1)
		expr_visit_once(op->body, find_divisor, &s);
	return s.found;
}

static const struct expr *multiply(struct arena *a, const struct expr *e, void *user)
{
	const struct expr *divisor = user;

	if (!is_quotient(e) || !expr_equal(e->arg[1], divisor))
		return NULL;
	const struct expr *dividend = expr_rewrite(a, e->arg[0], multiply, user);
	const struct expr *one = expr_const(a, divisor->dtype, 1);

	return expr_binary(a, EXPR_MUL, dividend, expr_binary(a, EXPR_DIV, one, divisor));
}

bool reciprocal_derive(struct arena *a, const struct op *op, int64_t least, struct derived *out, const char **why)
{
	const struct expr *divisor = reciprocal_divisor(op, least);

	memset(out, 0, sizeof(*out));
	if (!divisor) {
		if (why)
			*why = "it divides no floats by what so many of them share";
		return false;
	}
	struct op *own = arena_memdup(a, op, sizeof(*op));

	/* what is rewritten is not entered: a divisor holds none of its own quotients */
	own->body = expr_rewrite(a, op->body, multiply, (void *)divisor);
	out->op[out->n++] = own;
	out->amplification = AMPLIFICATION;
	return true;
}
