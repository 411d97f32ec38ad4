/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/compose.h - what normalisers say again and again, in terms of core operators.
 *
 * All take and give values of the function being made; what is made of VALUE_FAILED is
 * VALUE_FAILED, its message set. Shapes may be symbolic unless said otherwise. */
#ifndef HONE_GRAPH_ONNX_COMPOSE_H
#define HONE_GRAPH_ONNX_COMPOSE_H

#include "graph/onnx/node.h"

/* Lists of one attribute. */
const struct attr_vec *with_int(struct builder *b, const char *name, int64_t value);
const struct attr_vec *with_float(struct builder *b, const char *name, double value);
const struct attr_vec *with_string(struct builder *b, const char *name, const char *value);
const struct attr_vec *with_element(struct builder *b, const char *name, enum element value);
const struct attr_vec *with_ints(struct builder *b, const char *name, int n, const int64_t *value);

/* Operand I, or where it was left out the node's attribute NAME: a list as i64[n], a number as an
 * element of LIKE's type; VALUE_NONE where there is neither. */
int compose_list(struct node *n, int i, const char *name);
int compose_scalar(struct node *n, int i, const char *name, int like);

/* The element type of X; ELEMENT_COUNT and a message where it is not known. */
enum element compose_element(const struct builder *b, int x);
/* The rank of X; -1 and a message where it is not known. */
int compose_rank(const struct builder *b, int x);
/* AXIS of X counted from the front; -1 and a message where X of known rank has none. */
int compose_axis(const struct builder *b, int x, int64_t axis);
/* Has X one element, as far as is known? */
bool compose_is_single(const struct builder *b, int x);

/* X as elements E; X itself where it has them. */
int compose_cast(struct builder *b, int x, enum element e);
/* X with the elements of LIKE. */
int compose_cast_like(struct builder *b, int x, int like);
/* The number V as an element of LIKE's type, without dims. */
int compose_number(struct builder *b, int like, double v);
/* x OP v. */
int compose_with_number(struct builder *b, const struct core_op *op, int x, double v);
/* X to the power of P, by less than a power where that is enough. */
int compose_power(struct builder *b, int x, double p);
/* x > y */
int compose_greater(struct builder *b, int x, int y);

/* The extent of AXIS, which may count from the back, as i64[1]; the number of elements as i64[]. */
int compose_extent(struct builder *b, int x, int64_t axis);
int compose_count(struct builder *b, int x);
/* 0, 1, ... below the one element of N: i64[n]. */
int compose_iota(struct builder *b, int n);

/* With numbers for shape, axes, permutation. */
int compose_reshape(struct builder *b, int x, int n, const int64_t *shape);
int compose_transpose(struct builder *b, int x, int n, const int64_t *perm);
int compose_squeeze(struct builder *b, int x, int64_t axis);
int compose_unsqueeze(struct builder *b, int x, int64_t axis);
/* [from, to) of AXIS, as slices are. */
int compose_slice(struct builder *b, int x, int64_t axis, int64_t from, int64_t to);
/* The elements of X at INDICES of AXIS. */
int compose_gather(struct builder *b, int x, int64_t axis, int indices);
int compose_concat(struct builder *b, int64_t axis, int n, const int *parts);
/* reduce_OP of X over N axes. */
int compose_reduce(struct builder *b, const struct core_op *op, int x, int n, const int64_t *axes,
		   bool keepdims);
/* The same over all axes from FIRST on, which stay with extent 1; the rank is known. */
int compose_reduce_from(struct builder *b, const struct core_op *op, int x, int first);
/* V[c] as [1, c, 1, ...], to stand beside a tensor of RANK dims of which AXIS is c. A V without
 * dims stays. */
int compose_along(struct builder *b, int v, int rank, int axis);
/* X as a matrix: the dims before AXIS, and those from it on. */
int compose_flatten(struct builder *b, int x, int axis);
/* Each slice along AXIS TIMES times: a a b b. The rank is known. */
int compose_repeat(struct builder *b, int x, int axis, int64_t times);

#define ARRAY_LEN(a) ((int)(sizeof(a) / sizeof((a)[0])))
#define INTS(...)                                                                                  \
	(int)(sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t)), (int64_t[]){ __VA_ARGS__ }
#define VALUES(...)                                                                                \
	(int)(sizeof((int[]){ __VA_ARGS__ }) / sizeof(int)), (int[]){ __VA_ARGS__ }

#endif
