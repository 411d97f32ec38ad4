/* SPDX-License-Identifier: Apache-2.0 */
/* te/index/domain.c - intervals and common divisors through expressions and reductions. */
#include "te/index/domain.h"

#include <float.h>
#include <math.h>

static const struct precision f32 = { 24, 0x1p-24, 0x1p-149, 0x1p-126, 0x1p128 };
static const struct precision f64 = { 53, 0x1p-53, 0x1p-1074, 0x1p-1022, INFINITY };
static const struct precision f16 = { 11, 0x1p-11, 0x1p-24, 0x1p-14, 65520 };
static const struct precision bf16 = { 8, 0x1p-8, 0x1p-133, 0x1p-126, 0x1.ffp127 };
static const struct precision integer = { 64, 0, 0, 0, INFINITY };

struct precision precision_of_arithmetic(enum dtype t)
{
	if (!dtype_is_float(t))
		return integer;
	return t == DTYPE_F64 ? f64 : f32;
}

struct precision precision_of_storage(enum dtype t)
{
	return t == DTYPE_F16 ? f16 : t == DTYPE_BF16 ? bf16 : precision_of_arithmetic(t);
}

double domain_reach(struct domain d)
{
	return fmax(fabs(d.low), fabs(d.high));
}

bool domain_is_exact(struct domain d, struct precision p)
{
	return p.unit == 0 || (domain_reach(d) <= ldexp(d.quantum, p.bits) && d.quantum >= p.tiny);
}

bool domain_underflows(struct domain d, struct precision p)
{
	return p.unit > 0 && d.quantum < p.tiny && d.low < p.normal && d.high > -p.normal;
}

bool domain_overflows(struct domain d, struct precision p)
{
	return p.unit > 0 && !(domain_reach(d) < p.greatest);
}

const char *trouble_text(enum trouble t)
{
	switch (t) {
	case TROUBLE_NONE:
		return "nothing is wrong";
	case TROUBLE_SQRT:
		return "the square root of a negative number";
	case TROUBLE_LOG:
		return "the logarithm of zero or of a negative number";
	case TROUBLE_DIVISION:
		return "a division by zero";
	case TROUBLE_POW:
		return "a power of a negative number, or of zero";
	case TROUBLE_OVERFLOW:
		return "a number beyond the range of its type";
	}
	return "";
}

/* The greatest power of two that divides V. */
static double divisor(double v)
{
	int exponent;

	if (v == 0 || isinf(v))	/* infinity is a multiple of all */
		return INFINITY;
	if (isnan(v))
		return 0;
	double m = ldexp(frexp(fabs(v), &exponent), DBL_MANT_DIG);
	int64_t whole = (int64_t)m;

	return ldexp((double)(whole & -whole), exponent - DBL_MANT_DIG);
}

/* 0 * infinity and the like say nothing. */
static struct domain enclose(double low, double high, double quantum)
{
	return (struct domain){
		isnan(low) ? -INFINITY : low,
		isnan(high) ? INFINITY : high,
		isnan(quantum) ? 0 : quantum,
	};
}

/* The least and greatest of four corners. */
static struct domain corners(double a, double b, double c, double d, double quantum)
{
	if (isnan(a) || isnan(b) || isnan(c) || isnan(d))
		return enclose(-INFINITY, INFINITY, quantum);
	return enclose(fmin(fmin(a, b), fmin(c, d)), fmax(fmax(a, b), fmax(c, d)), quantum);
}

static double least_of(enum dtype t)
{
	return t == DTYPE_BOOL || t == DTYPE_U8 ? 0 : t == DTYPE_I8 ? INT8_MIN
	     : t == DTYPE_I32 ? INT32_MIN : (double)INT64_MIN;
}

static double most_of(enum dtype t)
{
	return t == DTYPE_BOOL ? 1 : t == DTYPE_U8 ? UINT8_MAX : t == DTYPE_I8 ? INT8_MAX
	     : t == DTYPE_I32 ? INT32_MAX : (double)INT64_MAX;
}

/* As a T holds it: integers wrap. */
static struct domain held(enum dtype t, struct domain d)
{
	if (dtype_is_float(t))
		return d;
	if (d.low < least_of(t) || d.high > most_of(t))
		return (struct domain){ least_of(t), most_of(t), 1 };
	return (struct domain){ d.low, d.high, fmax(d.quantum, 1) };
}

static struct domain product(const struct expr *e, struct domain x, struct domain y)
{
	double q = x.quantum == 0 || y.quantum == 0 ? 0 : x.quantum * y.quantum;
	struct domain d = corners(x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high, q);

	if (expr_equal(e->arg[0], e->arg[1]))	/* a square */
		d.low = x.low > 0 ? x.low * x.low : x.high < 0 ? x.high * x.high : 0;
	return d;
}

static struct domain quotient(const struct expr *e, struct domain x, struct domain y,
			      enum trouble *trouble)
{
	bool has_zero = y.low <= 0 && y.high >= 0;

	if (!dtype_is_float(e->dtype)) {
		double reach = domain_reach(x);

		return (struct domain){ x.low >= 0 && y.low >= 0 ? 0 : -reach, reach, 1 };
	}
	if (has_zero) {
		*trouble = TROUBLE_DIVISION;
		return (struct domain){ x.low >= 0 && y.low >= 0 ? 0 : -INFINITY, INFINITY, 0 };
	}
	double q = y.low == y.high && divisor(y.low) == fabs(y.low) ? x.quantum / fabs(y.low) : 0;

	return corners(x.low / y.low, x.low / y.high, x.high / y.low, x.high / y.high, q);
}

static struct domain power(struct domain x, struct domain y, enum trouble *trouble)
{
	bool whole = y.low == y.high && y.low == floor(y.low);

	if (x.low > 0 || (x.low == 0 && y.low >= 0))
		return corners(pow(x.low, y.low), pow(x.low, y.high), pow(x.high, y.low),
			       pow(x.high, y.high), 0);
	if (whole && y.low >= 0) {
		double reach = pow(domain_reach(x), y.low);

		return (struct domain){ fmod(y.low, 2) == 0 ? 0 : -reach, reach, 0 };
	}
	*trouble = TROUBLE_POW;
	return (struct domain){ -INFINITY, INFINITY, 0 };
}

static struct domain of_unary(const struct expr *e, struct domain x, enum trouble *trouble)
{
	double whole = fmax(x.quantum, 1);

	switch (e->kind) {
	case EXPR_NEG:
		return (struct domain){ -x.high, -x.low, x.quantum };
	case EXPR_ABS:
		return (struct domain){ x.low <= 0 && x.high >= 0 ? 0 : fmin(fabs(x.low), fabs(x.high)),
					domain_reach(x), x.quantum };
	case EXPR_EXP:
		return (struct domain){ exp(x.low), exp(x.high), 0 };
	case EXPR_LOG:
		*trouble = x.low > 0 ? TROUBLE_NONE : TROUBLE_LOG;
		return enclose(x.low > 0 ? log(x.low) : -INFINITY, x.high > 0 ? log(x.high) : NAN, 0);
	case EXPR_SQRT:
		*trouble = x.low >= 0 ? TROUBLE_NONE : TROUBLE_SQRT;
		return (struct domain){ x.low > 0 ? sqrt(x.low) : 0, x.high > 0 ? sqrt(x.high) : 0, 0 };
	case EXPR_SIN:
	case EXPR_COS:
		return (struct domain){ -1, 1, 0 };
	case EXPR_TANH:
		return (struct domain){ tanh(x.low), tanh(x.high), 0 };
	case EXPR_ERF:
		return (struct domain){ erf(x.low), erf(x.high), 0 };
	case EXPR_FLOOR:
		return (struct domain){ floor(x.low), floor(x.high), whole };
	case EXPR_CEIL:
		return (struct domain){ ceil(x.low), ceil(x.high), whole };
	case EXPR_ROUND:
		return (struct domain){ rint(x.low), rint(x.high), whole };
	default:
		return (struct domain){ 0, 1, 1 };	/* ! */
	}
}

static struct domain of_binary(const struct expr *e, struct domain x, struct domain y,
			       enum trouble *trouble)
{
	double q = fmin(x.quantum, y.quantum);

	switch (e->kind) {
	case EXPR_ADD:
		return enclose(x.low + y.low, x.high + y.high, q);
	case EXPR_SUB:
		return enclose(x.low - y.high, x.high - y.low, q);
	case EXPR_MUL:
		return product(e, x, y);
	case EXPR_DIV:
		return quotient(e, x, y, trouble);
	case EXPR_MOD:
		return (struct domain){ fmin(y.low, 0), fmax(y.high, 0), 1 };
	case EXPR_MIN:
		return (struct domain){ fmin(x.low, y.low), fmin(x.high, y.high), q };
	case EXPR_MAX:
		return (struct domain){ fmax(x.low, y.low), fmax(x.high, y.high), q };
	case EXPR_POW:
		return power(x, y, trouble);
	default:
		return (struct domain){ 0, 1, 1 };	/* comparisons and logic */
	}
}

static struct domain of_leaf(const struct expr *e)
{
	if (e->kind == EXPR_AXIS)
		return (struct domain){ (double)e->axis->lo, (double)(e->axis->hi - 1), 1 };
	double v = e->kind == EXPR_INT ? (double)e->i : e->f;

	return enclose(v, v, divisor(v));
}

struct domain domain_of_node(const struct expr *e, const struct domain *arg, enum trouble *trouble)
{
	struct domain d;

	*trouble = TROUBLE_NONE;
	if (e->kind == EXPR_INT || e->kind == EXPR_FLOAT || e->kind == EXPR_AXIS)
		return of_leaf(e);
	if (e->kind == EXPR_SELECT)
		return (struct domain){ fmin(arg[1].low, arg[2].low), fmax(arg[1].high, arg[2].high),
					fmin(arg[1].quantum, arg[2].quantum) };
	if (e->kind == EXPR_CAST)
		d = dtype_is_float(e->dtype) || !dtype_is_float(e->arg[0]->dtype)
		  ? arg[0]
		  : (struct domain){ trunc(arg[0].low), trunc(arg[0].high), fmax(arg[0].quantum, 1) };
	else
		d = expr_kind_arity(e->kind) == 1 ? of_unary(e, arg[0], trouble)
						  : of_binary(e, arg[0], arg[1], trouble);
	struct precision p = precision_of_arithmetic(e->dtype);

	if (*trouble == TROUBLE_NONE && domain_overflows(d, p) && isfinite(domain_reach(arg[0])))
		*trouble = TROUBLE_OVERFLOW;
	return held(e->dtype, d);
}

double op_terms(const struct op *op)
{
	double n = 1;

	for (int i = 0; i < op->nreduce; i++)
		n *= (double)op->reduce[i]->hi;
	return n;
}

struct domain domain_of_op(const struct op *op, struct domain body)
{
	double n = op_terms(op);
	double reach = pow(domain_reach(body), n);

	switch (op->reducer) {
	case REDUCE_NONE:
	case REDUCE_MAX:
	case REDUCE_MIN:
		return body;
	case REDUCE_SUM:
		return held(op->tensor.dtype, enclose(n * body.low, n * body.high, body.quantum));
	case REDUCE_PROD:
		return held(op->tensor.dtype,
			    enclose(body.low >= 0 ? pow(body.low, n) : -reach, reach,
				    pow(body.quantum, n)));
	}
	return body;
}

struct domain_walk {
	const struct dag *dag;
	const struct op *op;
	struct domain *of;
	int guards;		/* conditions on data around the node */
	struct domains found;
};

static void note(struct domain_walk *w, enum trouble t)
{
	if (t == TROUBLE_NONE || w->guards > 0)
		return;
	if (w->found.troubles++ == 0) {
		w->found.first = t;
		w->found.at = w->op;
	}
}

/* E compares ARG, or takes the greater or lesser of them. */
static void note_choice(struct domain_walk *w, const struct expr *e, const struct domain *arg)
{
	bool chooses = e->kind == EXPR_MIN || e->kind == EXPR_MAX || e->kind == EXPR_LT ||
		       e->kind == EXPR_LE;

	if (!chooses || !e->loads)
		return;
	w->found.decided += arg[0].high <= arg[1].low || arg[1].high <= arg[0].low;
	for (int i = 0; i < 2; i++)
		if (arg[i].low == arg[i].high && isfinite(arg[i].low))
			w->found.threshold = fmax(w->found.threshold, fabs(arg[i].low));
}

static struct domain of_expr(struct domain_walk *w, const struct expr *e)
{
	struct domain arg[3];
	enum trouble trouble;

	if (e->kind == EXPR_LOAD) {
		for (int i = 0; i < w->dag->ops.n; i++)
			if (&w->dag->ops.at[i]->tensor == e->tensor)
				return w->of[i];
	}
	for (int i = 0; i < expr_kind_arity(e->kind); i++) {
		bool guarded = e->kind == EXPR_SELECT && i > 0 && e->arg[0]->loads;

		w->guards += guarded;
		arg[i] = of_expr(w, e->arg[i]);
		w->guards -= guarded;
	}
	struct domain d = domain_of_node(e, arg, &trouble);

	note(w, trouble);
	note_choice(w, e, arg);
	return d;
}

struct domains domains_of_dag(const struct dag *d, struct domain *of)
{
	struct domain_walk w = { .dag = d, .of = of };

	for (int i = 0; i < d->ops.n; i++) {
		const struct op *op = d->ops.at[i];

		if (op->kind != OP_COMPUTE)
			continue;
		w.op = op;
		struct domain body = of_expr(&w, op->body);

		of[i] = domain_of_op(op, body);
		if (domain_overflows(of[i], precision_of_storage(op->tensor.dtype)) &&
		    isfinite(domain_reach(body)))
			note(&w, TROUBLE_OVERFLOW);
	}
	return w.found;
}
