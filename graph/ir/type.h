/* SPDX-License-Identifier: Apache-2.0 */
/* graph/ir/type.h - the types of a graph's values: immutable, shared freely, in the graph's arena. */
#ifndef HONE_GRAPH_IR_TYPE_H
#define HONE_GRAPH_IR_TYPE_H

#include "base/vec.h"
#include "graph/ir/array.h"
#include "graph/ir/dim.h"

enum type_kind {
	TYPE_UNKNOWN,
	TYPE_TENSOR,
	TYPE_TUPLE,
	TYPE_SEQUENCE,	/* any number of one type */
	TYPE_OPTIONAL,	/* a value, or none */
	TYPE_FUNCTION,
};

enum { RANK_UNKNOWN = -1 };

struct type {
	enum type_kind kind;
	enum element element;		/* tensor; ELEMENT_COUNT: unknown */
	int rank;			/* tensor; RANK_UNKNOWN */
	const struct dim *dim;		/* tensor: rank of them */
	const char *layout;		/* tensor: NULL as the dims say, else as nchw16c */
	int nfields;			/* tuple, function: parameters; sequence, optional: 1 */
	const struct type *const *field;
	const struct type *result;	/* function */
};

struct type_vec VEC(const struct type *);

extern const struct type type_unknown;

const struct type *type_tensor(struct arena *a, enum element e, int rank, const struct dim *dim);
/* With numbers for dims. */
const struct type *type_shaped(struct arena *a, enum element e, int rank, const int64_t *dim);
/* A tensor of which only the element type is known (ELEMENT_COUNT: not even that). */
const struct type *type_unranked(struct arena *a, enum element e);
const struct type *type_tuple(struct arena *a, int n, const struct type *const *fields);
const struct type *type_sequence(struct arena *a, const struct type *of);
const struct type *type_optional(struct arena *a, const struct type *of);
const struct type *type_function(struct arena *a, int n, const struct type *const *params,
				 const struct type *result);
/* That of X. */
const struct type *type_of_array(struct arena *a, const struct array *x);

bool type_is_tensor(const struct type *t);
/* A tensor whose rank is known. */
bool type_is_ranked(const struct type *t);
/* A tensor whose element type and dims are all known, the dims as numbers. */
bool type_is_static(const struct type *t);
/* Number of elements; -1 where the type is not static or there are more than the bound. */
int64_t type_count(const struct type *t);
/* Bytes of all elements; -1 where type_count is. */
int64_t type_bytes(const struct type *t);
/* The numbers of a ranked tensor's dims; false where one is none. */
bool type_shape(const struct type *t, int64_t *dim);

/* Types in T, itself among them; MOST where there are as many or more. */
int type_parts(const struct type *t, int most);
/* The same, as far as is known. */
bool type_equal(const struct type *x, const struct type *y);
/* What a value of X or of Y is: what both have in common. */
const struct type *type_join(struct arena *a, const struct type *x, const struct type *y);
/* What is known of a value that is both an X and a Y: the dims of X where it has them, else those of
 * Y. NULL where they contradict each other. */
const struct type *type_meet(struct arena *a, const struct type *x, const struct type *y);
/* Might a value of type GIVEN be passed where WANTED stands? Unknown parts fit all; a value is an
 * optional that has it. */
bool type_fits(const struct type *given, const struct type *wanted);
/* T where symbol S has the extent TO. */
const struct type *type_substitute(struct arena *a, const struct type *t, const struct axis *s,
				   struct dim to);

/* f32[2, 3], f32[?, 2 * N], f32[...] of any rank, f32[2]@nchw16c; (a, b) and (a,) for tuples, [T] for
 * a sequence, T? for an optional, fn(a) -> b, and ? for what is not known. */
void type_print(struct text *out, const struct type *t);
/* The same as a string in A. */
const char *type_string(struct arena *a, const struct type *t);

#endif
