/* SPDX-License-Identifier: Apache-2.0 */
/* graph/ir/infer.h - a call whose type is to be found: for the type relations of graph/op/.
 *
 * A relation reads operands by infer_type, infer_const and infer_elements, and sets x->result. */
#ifndef HONE_GRAPH_IR_INFER_H
#define HONE_GRAPH_IR_INFER_H

#include "graph/ir/op.h"

struct infer {
	struct arena *arena;
	const struct function *function;	/* that the call is in */
	const struct binding *call;		/* op, args, attrs; its type is not known yet */
	const struct type *result;
};

/* A message with the operator in front. Returns -1. */
int infer_error(const struct infer *x, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The type of operand I; type_unknown where it was left out. */
const struct type *infer_type(const struct infer *x, int i);
bool infer_has(const struct infer *x, int i);
/* The array that operand I is; NULL where it is no constant. */
const struct array *infer_const(const struct infer *x, int i);
/* What is known of the elements of operand I, integers or bool of rank 0 or 1, and their number;
 * NULL where nothing is, not even how many there are. In x->arena. */
const struct dim *infer_elements(const struct infer *x, int i, int *n);
/* The same where all of them are numbers of any sign; else NULL. */
const int64_t *infer_ints(const struct infer *x, int i, int *n);

/* The rank of operand I; -1 where it is not known. */
int infer_rank(const struct infer *x, int i);
/* AXIS counted from the front, in *OUT; -1 and a message where RANK has no such axis. */
int infer_axis(const struct infer *x, int64_t axis, int rank, int *out);
/* The dim that two operands agree on, where BROADCAST one of them may be 1; -1 and a message. */
int infer_agree(const struct infer *x, struct dim a, struct dim b, bool broadcast,
		struct dim *out);
/* Sets the result to the types of all operands broadcast, with elements E. -1 and a message. */
int infer_broadcast(struct infer *x, enum element e);
/* The element type that all operands have in common (ELEMENT_COUNT: not known); -1 and a message
 * where two differ. */
int infer_same_element(const struct infer *x, enum element *out);
/* -1 and a message where operand I, of known type, is no tensor of elements of the classes in the
 * bit set CLASSES. */
int infer_class(const struct infer *x, int i, unsigned classes);

#define CLASS_BIT(name) (1u << ELEMENT_CLASS_##name)
#define CLASS_INTEGERS	(CLASS_BIT(SIGNED) | CLASS_BIT(UNSIGNED))
#define CLASS_NUMBERS	(CLASS_BIT(FLOAT) | CLASS_INTEGERS)
#define CLASS_ANY	(CLASS_NUMBERS | CLASS_BIT(BOOL) | CLASS_BIT(STRING))

/* The result: a tensor of E with these dims. Returns 0, or -1 and a message where numbers among them
 * are negative or beyond the bounds. */
int infer_tensor(struct infer *x, enum element e, int rank, const struct dim *dim);
/* The same of the type of operand I, with elements E. */
int infer_like(struct infer *x, int i, enum element e);
/* The result: a tensor of E of which the rank is not known. Returns 0. */
int infer_unranked(struct infer *x, enum element e);
/* The result: a tensor of E and RANK of which no dim is known. -1 and a message where it is too
 * great a rank. */
int infer_ranked(struct infer *x, enum element e, int rank);
/* The result: a tuple of types. Returns 0. */
int infer_tuple(struct infer *x, int n, const struct type *const *fields);

/* For operators that change no more than the shape: what is known of the elements of operand 0. */
bool infer_same_elements(struct infer *x, struct dim *out);

/* The number of elements of dims [from, to) of T. */
struct dim infer_product(const struct infer *x, const struct type *t, int from, int to);

#endif
