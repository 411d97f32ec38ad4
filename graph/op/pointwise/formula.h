/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/pointwise/formula.h - the formulas of graph/op/pointwise/pointwise.def as trees.
 *
 * A tree has no types: it is evaluated, said in te/ or built as calls in whatever type its operands
 * have. */
#ifndef HONE_GRAPH_OP_POINTWISE_FORMULA_H
#define HONE_GRAPH_OP_POINTWISE_FORMULA_H

#include "graph/ir/op.h"

enum { PRIMITIVE_ARITY = 3 };

enum primitive {
#define PRIMITIVE(name, ...) PRIMITIVE_##name,
#define FORMULA(...)
#include "graph/op/pointwise/pointwise.def"
#undef PRIMITIVE
#undef FORMULA
	PRIMITIVE_COUNT
};

struct primitive_info {
	const char *name;
	const struct core_op *op;	/* the call that it is */
	int arity;
	enum expr_kind te;		/* EXPR_KIND_COUNT: te/ cannot say it */
	bool smooth;			/* has the derivatives below */
	const char *derivative[PRIMITIVE_ARITY];
};

const struct primitive_info *primitive_info(enum primitive p);

enum formula_kind { FORMULA_OPERAND, FORMULA_NUMBER, FORMULA_CALL };

struct formula {
	enum formula_kind kind;
	int operand;		/* which */
	double number;
	enum primitive primitive;
	const struct formula *arg[PRIMITIVE_ARITY];
};

/* What is done to the operands of CALL, in A: its operator's formula with the attributes as numbers,
 * reduced to the operands that CALL has. */
const struct formula *formula_of_call(struct arena *a, const struct binding *call);

/* TEXT, of which the names x, y, z are ARG[0..3) and r is RESULT; attributes are those of CALL,
 * which may be NULL. */
const struct formula *formula_parse(struct arena *a, const char *text, const struct binding *call,
				    const struct formula *const *arg,
				    const struct formula *result);

/* Constants are folded; so are x + 0, x * 1, x / 1, logic with one constant, and min and max with an
 * infinite bound. An argument that is NULL was left out. */
const struct formula *formula_call(struct arena *a, enum primitive p,
				   const struct formula *const *arg);
const struct formula *formula_number(struct arena *a, double v);
const struct formula *formula_operand(struct arena *a, int which);
bool formula_is(const struct formula *f, double v);

/* The derivative of F by operand WHICH; NULL where F has none. Parts of F are shared. */
const struct formula *formula_derive(struct arena *a, const struct formula *f, int which);

#endif
