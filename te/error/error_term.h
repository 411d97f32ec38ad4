/* SPDX-License-Identifier: Apache-2.0 */
/* te/error/error_term.h - what the files of te/error/ share: expressions with their errors. */
#ifndef HONE_TE_ERROR_ERROR_TERM_H
#define HONE_TE_ERROR_ERROR_TERM_H

#include "te/error/error.h"

/* An expression of the DAG as the reference computes it. The error of a kernel's value is at most
 * relative * |value| + rest. */
struct term {
	const struct expr *value;	/* f64 for floats; integers and bools as they are */
	double relative;		/* 0 for integers and bools */
	const struct expr *rest;	/* f64, NULL: none. Of a bool: 1 where it may be either */
	struct domain domain;
};

/* An op of the DAG in the reference. */
struct shadow {
	const struct op *value, *error;	/* error may be NULL */
	double relative;
	struct domain domain;		/* of the value */
};

struct error_maker {
	struct arena *a;
	const struct dag *from;
	struct dag *to;
	struct shadow *shadow;		/* by position in `from` */
	const struct op *op;		/* of `from`, that is being translated */
	int guards;			/* selects around the expression that guard indices */
};

/* E, of an op whose producers have shadows. */
struct term error_term(struct error_maker *m, const struct expr *e);
/* All of T's error in one expression; NULL: none. */
const struct expr *error_whole(struct error_maker *m, const struct term *t);
/* T rounded to precision P: with UNITS roundoffs more, and what underflow and overflow make. */
struct term error_rounded(struct error_maker *m, struct term t, struct precision p, double units);

/* A new op of the reference over the space axes of OP, and its reduce axes unless REDUCER is NONE.
 * BODY is in OP's axes; the new op gets its own. */
struct op *error_op(struct error_maker *m, const struct op *op, const char *suffix,
		    enum reducer reducer, const struct expr *body);
/* The element of OP, of the reference, at the space axes of m->op. */
const struct expr *error_at_space(struct error_maker *m, const struct op *op);

/* What node E, of value V, makes of the errors of its operands: relative and rest of the result. */
struct term error_of_unary(struct error_maker *m, const struct expr *e, const struct expr *v,
			   const struct term *x);
struct term error_of_binary(struct error_maker *m, const struct expr *e, const struct expr *v,
			    const struct term *x, const struct term *y);
struct term error_of_cast(struct error_maker *m, const struct expr *e, const struct term *x);

/* Expressions in f64. NULL is zero in sums, products and maxima. */
const struct expr *error_number(struct error_maker *m, double v);
const struct expr *error_or_zero(struct error_maker *m, const struct expr *x);
const struct expr *error_plus(struct error_maker *m, const struct expr *x, const struct expr *y);
const struct expr *error_times(struct error_maker *m, const struct expr *x, const struct expr *y);
const struct expr *error_scaled(struct error_maker *m, double factor, const struct expr *x);
const struct expr *error_greater(struct error_maker *m, const struct expr *x,
				 const struct expr *y);
/* Value and |value| as f64. */
const struct expr *error_f64(struct error_maker *m, const struct term *t);
const struct expr *error_magnitude(struct error_maker *m, const struct term *t);
/* expr_binary and expr_select in the reference's arena. */
const struct expr *error_binary(struct error_maker *m, enum expr_kind k, const struct expr *x,
				const struct expr *y);
const struct expr *error_choose(struct error_maker *m, const struct expr *cond,
				const struct expr *x, const struct expr *y);

#endif
