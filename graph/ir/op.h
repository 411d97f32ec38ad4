/* SPDX-License-Identifier: Apache-2.0 */
/* graph/ir/op.h - what a core operator is; those that there are stand in graph/op/ops.def.
 *
 * All that is known of an operator is in one place, its file in graph/op/: attributes, type
 * relation, evaluation, the tensor expression it becomes, how it fuses, its gradient. Nothing else in
 * the project asks for an operator by name but the reader that makes calls of it and the patterns of
 * passes. */
#ifndef HONE_GRAPH_IR_OP_H
#define HONE_GRAPH_IR_OP_H

#include "graph/ir/ir.h"

enum { ARGS_MANY = INT32_MAX };

/* How an operator may run in one kernel with others (the kinds of Relay [Roesch et al. 2019]). */
enum fusion {
	FUSION_INJECTIVE,	/* each element of the result comes from one of each operand */
	FUSION_REDUCTION,	/* combines elements; injective operators before it may join */
	FUSION_COMPLEX,		/* as a convolution: injective operators behind it may join */
	FUSION_OPAQUE,		/* alone */
};

struct infer;
struct eval;
struct express;
struct gradient;

struct core_op {
	const char *name;
	const char *summary;		/* for people, with operands by name */
	int min_args, max_args;		/* ARGS_MANY: a list */
	unsigned any;			/* bit I: operand I may be any value; else it is a tensor */
	const struct attr_spec *attrs;	/* NULL: none */
	enum fusion fusion;
	bool pointwise;	/* injective, each element from those at the same place of all operands,
			 * broadcast: it may join whatever it has the shape of */
	bool impure;	/* two calls may differ: neither folded nor merged */
	/* Sets x->result. 0, or -1 and a message where the operands cannot be. Whatever depends on
	 * what is not known yet is left to eval. */
	int (*type)(struct infer *x);
	/* Fills in what is known of the elements of a result of integers or bool, of rank 0 or 1
	 * with static type; false: nothing. May be NULL. */
	bool (*elements)(struct infer *x, struct dim *out);
	/* Computes the results. 0, or -1 and a message. Never NULL. */
	int (*eval)(struct eval *x);
	/* The tensor expression, added to x->dag; NULL and a message where there is none for these
	 * operands. NULL: there never is. */
	struct op *(*express)(struct express *x);
	/* Adds what the operands' gradients are. NULL: the operator is not differentiable, and its
	 * result constant to whoever differentiates where it is an integer. */
	int (*gradient)(struct gradient *x);
};

#define X(name) extern const struct core_op core_##name;
#include "graph/op/ops.def"
#undef X

/* The I-th operator; NULL beyond the last. */
const struct core_op *core_op_at(int i);
/* NULL where there is none. */
const struct core_op *core_op_find(const char *name);
/* Can a value of type T be operand I of OP, as far as T says? */
bool core_op_takes(const struct core_op *op, int i, const struct type *t);
/* A message with the operator of the call B in front. Returns -1. */
int call_error(const struct binding *b, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));
/* The attribute NAME of OP; NULL where it has none. */
const struct attr_spec *core_op_attr(const struct core_op *op, const char *name);

#endif
