/* SPDX-License-Identifier: Apache-2.0 */
/* tests/generator/generator_products.h - graphs of products of matrices, for code generators. */
#ifndef HONE_TESTS_GENERATOR_GENERATOR_PRODUCTS_H
#define HONE_TESTS_GENERATOR_GENERATOR_PRODUCTS_H

#include "tests/fixture/graph_fixture.h"

static inline int product(struct graph_maker *m, int a, int b, bool trans_a, bool trans_b)
{
	struct attr_vec attrs = { 0 };

	attrs_int(m->a, &attrs, "trans_a", trans_a);
	attrs_int(m->a, &attrs, "trans_b", trans_b);
	return build_with(&m->b, &core_matmul, &attrs, a, b);
}

/* X times a constant, as it is or TRANSposed, and BIAS. */
static inline int affine(struct graph_maker *m, int x, int w, bool trans, int bias)
{
	return build(&m->b, &core_add, product(m, x, w, false, trans), bias);
}

/* A perceptron of three layers: the weights as they are, transposed, without a bias. */
static inline int layers(struct graph_maker *m)
{
	int x = input(m, 5, 13);

	x = build(&m->b, &core_relu, affine(m, x, weight(m, 13, 9), false, weight(m, 9)));
	x = affine(m, x, weight(m, 11, 9), true, weight(m, 1, 11));
	return build(&m->b, &core_relu, product(m, x, weight(m, 11, 4), false, false));
}

/* The same for one row, for which libraries have other functions, and a column made of it. */
static inline int layers_of_row(struct graph_maker *m)
{
	int x = input(m, 1, 13);

	x = build(&m->b, &core_relu, affine(m, x, weight(m, 13, 9), false, weight(m, 9)));
	x = affine(m, x, weight(m, 11, 9), true, weight(m, 1));
	return product(m, x, weight(m, 1, 3), true, false);
}

/* One matrix for all of a stack, with a row and a number behind it. */
static inline int stack_by_matrix(struct graph_maker *m)
{
	int x = input(m, 2, 3, 5, 7);

	x = build(&m->b, &core_relu, affine(m, x, weight(m, 7, 6), false, weight(m, 1, 1, 6)));
	return affine(m, x, weight(m, 1, 4, 6), true, weight(m, 1, 1));
}

/* Stacks whose dims before the matrices repeat, of either, or are absent. */
static inline int stacks(struct graph_maker *m)
{
	int a = input(m, 2, 1, 5, 7), b = input(m, 3, 7, 4), c = input(m, 5, 6), d = input(m, 2, 1, 8, 4);
	int x = product(m, a, b, false, false);		/* [2, 3, 5, 4] */
	int y = product(m, c, x, true, false);		/* [2, 3, 6, 4] */

	return build(&m->b, &core_relu, product(m, d, y, false, true));
}

#endif
