/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/dense/product.h - products of matrices, blocked for caches and registers: what the
 * evaluations of matmul and of convolutions run on.
 *
 * The second operand is asked for row by row, so that it may be the patches of an image which nobody
 * has written down. */
#ifndef HONE_GRAPH_OP_DENSE_PRODUCT_H
#define HONE_GRAPH_OP_DENSE_PRODUCT_H

#include "graph/eval/eval.h"
#include "graph/ir/infer.h"

/* A[m, k] x B[k, n] = C[m, n]. */
struct dense_product {
	enum element element;	/* f32, f64; u32 and u64 wrap, so that they do for signed ones */
	int64_t m, n, k;
	const void *a;		/* [i, p] at a + i * a_row + p * a_column, in elements */
	int64_t a_row, a_column;
	/* N elements of row P of B, from column J on, to OUT. */
	void (*fill)(const void *user, int64_t p, int64_t j, int64_t n, void *out);
	const void *user;
	void *c;		/* dense */
	void *room;		/* for the blocks being multiplied */
};

/* What elements E are multiplied and summed in. */
enum element product_element(enum element e);
/* The result of operands of E and F: of 8 bits i32, else E; ELEMENT_COUNT where they do not fit or
 * one is not known. */
enum element product_result(enum element e, enum element f);
/* The same for the operands of a call; -1 and a message where they are no numbers or do not fit. */
int infer_product_element(const struct infer *x, enum element *out);
int eval_product_element(const struct eval *x, enum element *out);

/* The elements of V as E, in scratch where they are not that already. */
const void *product_operand(struct eval *x, const struct array *v, enum element e);
/* Where to compute the elements E that will be those of Y, in scratch where Y is not of E; they are
 * brought there by product_store. NULL where Y is. */
void *product_target(struct eval *x, struct array *y, enum element e);
void product_store(struct array *y, enum element e, const void *computed);

/* N elements of SIZE bytes, 4 or 8, every STEP-th from IN on, to OUT. */
void copy_strided(void *out, const void *in, int64_t n, int64_t step, int64_t size);

/* Allocates the room for products of these extents or less. */
void product_room(struct eval *x, struct dense_product *p);
/* 0; -1 and a message where the run's time is over. */
int product_run(struct eval *x, const struct dense_product *p);

#endif
