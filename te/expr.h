/* SPDX-License-Identifier: Apache-2.0 */
/* te/expr.h - scalar expressions: immutable nodes in an arena, shared freely.
 *
 * The same nodes serve tensor expressions (axes are those of an op) and nests (axes are loops). */
#ifndef HONE_TE_EXPR_H
#define HONE_TE_EXPR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "te/dtype.h"

enum { TENSOR_MAX_DIMS = 12 };

/* A dense, row-major array; its address is its identity. */
struct tensor {
	const char *name;
	enum dtype dtype;
	int ndim;
	int64_t shape[TENSOR_MAX_DIMS];
};

/* A variable of index arithmetic with values in [lo, hi). */
struct axis {
	const char *name;
	int64_t lo, hi;
	bool reduce;
};

enum __attribute__((packed)) expr_kind {
#define X(name, text, arity, form) EXPR_##name,
#include "te/expr.def"
#undef X
	EXPR_KIND_COUNT
};

struct expr {
	enum expr_kind kind;
	enum dtype dtype;
	bool simple : 1;	/* expr_simplify gives it back as it is */
	bool compares : 1;	/* a < or <= is in it, indices of loads included */
	bool loads : 1;		/* a load is in it */
	bool casts : 1;		/* a cast is in it, indices of loads included: without, arithmetic is of one type */
	uint32_t axes;		/* axis_bit of each axis in it */
	union {
		int64_t i;			/* EXPR_INT */
		double f;			/* EXPR_FLOAT, rounded to dtype */
		const struct axis *axis;	/* EXPR_AXIS */
		struct {			/* EXPR_LOAD */
			const struct tensor *tensor;
			const struct expr *const *index;	/* tensor->ndim of them, i64 */
		};
		const struct expr *arg[3];	/* the others */
	};
};

/* Expressions that have no bit in common have no axis in common; axes may share a bit. */
static inline uint32_t axis_bit(const struct axis *axis)
{
	return UINT32_C(1) << ((uint32_t)((uintptr_t)axis / ARENA_ALIGN) * UINT32_C(2654435769) >> 27);
}

/* The slot of E in a memo of N, a power of two of at most 2^16, by address. */
static inline unsigned expr_slot(const struct expr *e, unsigned n)
{
	return ((uint32_t)((uintptr_t)e / ARENA_ALIGN) * UINT32_C(2654435769) >> 16) % n;
}

enum expr_form { FORM_LEAF, FORM_INFIX, FORM_CALL, FORM_PREFIX };
const char *expr_kind_text(enum expr_kind k);
/* Arguments of each kind; a load's are as many as its tensor has dims. */
extern const signed char expr_arity[EXPR_KIND_COUNT];
static inline int expr_kind_arity(enum expr_kind k)
{
	return expr_arity[k];
}
enum expr_form expr_kind_form(enum expr_kind k);

/* Constructors. Types of arguments must fit (assert): a constant of another type is cast first by
 * expr_const. Constants are folded where that is exact: integers, and x*1, x+0 on integers. */
const struct expr *expr_int(struct arena *a, int64_t v);	/* an i64 */
const struct expr *expr_const(struct arena *a, enum dtype t, double v);
/* A copy of AXIS, in A, for its values [LO, HI) alone: an axis of its own. */
const struct axis *axis_part(struct arena *a, const struct axis *axis, int64_t lo, int64_t hi);
const struct expr *expr_axis(struct arena *a, const struct axis *axis);
const struct expr *expr_load(struct arena *a, const struct tensor *t,
			     const struct expr *const *index);
const struct expr *expr_unary(struct arena *a, enum expr_kind k, const struct expr *x);
const struct expr *expr_binary(struct arena *a, enum expr_kind k, const struct expr *x,
			       const struct expr *y);
/* The same, where the caller knows that simplifying the node changes nothing: for te/index/index.c. */
const struct expr *expr_simple(struct arena *a, enum expr_kind k, const struct expr *x,
			       const struct expr *y);
const struct expr *expr_select(struct arena *a, const struct expr *cond, const struct expr *x,
			       const struct expr *y);
const struct expr *expr_cast(struct arena *a, enum dtype t, const struct expr *x);

/* Short forms for index arithmetic on i64. */
const struct expr *expr_add(struct arena *a, const struct expr *x, const struct expr *y);
const struct expr *expr_mul(struct arena *a, const struct expr *x, int64_t factor);
/* Both hold; X may be NULL, and then it is Y. */
const struct expr *expr_and(struct arena *a, const struct expr *x, const struct expr *y);

bool expr_is_int(const struct expr *e, int64_t *v);
/* The number 0, of whatever type and sign. */
bool expr_is_zero(const struct expr *e);
bool expr_equal(const struct expr *x, const struct expr *y);

/* Calls VISIT on E and all below, parents first; stops below a node where it returns false.
 * Indices of loads are visited too. */
void expr_visit(const struct expr *e, bool (*visit)(const struct expr *e, void *user), void *user);

/* The same, where what E has at several places may be visited once. */
void expr_visit_once(const struct expr *e, bool (*visit)(const struct expr *e, void *user), void *user);

/* Nodes of E as a tree, those of indices included; those that load T. */
int64_t expr_size(const struct expr *e);
int64_t expr_loads(const struct expr *e, const struct tensor *t);

/* A copy of E in which REPLACE was asked at each node from the root down: a non-NULL answer stands
 * for the node and is not entered. Parts that stay the same are shared. A node that E has at several places may be
 * asked about once, with one answer for all, and is one in the copy then, too. */
const struct expr *expr_rewrite(struct arena *a, const struct expr *e,
				const struct expr *(*replace)(struct arena *a,
							      const struct expr *e, void *user),
				void *user);

/* E with axis FROM[i] replaced by TO[i]. */
const struct expr *expr_substitute(struct arena *a, const struct expr *e,
				   const struct axis *const *from, const struct expr *const *to,
				   int n);
/* The load that E is, as it is or cast; NULL: neither. */
const struct expr *expr_cast_load(const struct expr *e);
bool expr_uses_axis(const struct expr *e, const struct axis *axis);

#endif
