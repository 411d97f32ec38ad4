/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node/ml/forest.h - trees of decisions, all of which take a step at once.
 *
 * Leaves are nodes whose both ways lead to themselves, so that after as many steps as the deepest
 * leaf needs all are at theirs. */
#ifndef HONE_GRAPH_ONNX_NODE_ML_FOREST_H
#define HONE_GRAPH_ONNX_NODE_ML_FOREST_H

#include "graph/onnx/compose.h"

/* What a node asks of its feature: the standard's numbers. */
enum branch {
	BRANCH_LEQ,
	BRANCH_LT,
	BRANCH_GTE,
	BRANCH_GT,
	BRANCH_EQ,
	BRANCH_NEQ,
	BRANCH_MEMBER,	/* one of its set */
	BRANCH_LEAF,
	BRANCH_COUNT,
};

/* How leaves of several trees are one: the standard's numbers. */
enum gathered {
	GATHERED_AVERAGE,
	GATHERED_SUM,
	GATHERED_MIN,
	GATHERED_MAX,
};

struct forest {
	int64_t nodes, trees, targets;
	int64_t *feature, *yes, *no, *mode;	/* of each node */
	int64_t *missing;	/* 1: NaN goes the way of yes */
	double *split;
	int64_t members;	/* of the largest set */
	double *set;		/* [nodes, members], NaN where there are fewer */
	int64_t *root;		/* of each tree */
	double *vote;		/* [nodes, targets] */
	int64_t *votes;		/* [nodes, targets]: 1 where there is one */
};

/* A forest with room for all that; NULL and a message where numbers are beyond bounds. */
struct forest *forest_new(struct arena *a, int64_t nodes, int64_t trees, int64_t targets,
			  int64_t members);
/* The leaves' votes for rows of X [n, features]: [n, targets] of f64. VALUE_FAILED and a message
 * where the nodes are no trees. */
int forest_votes(struct builder *b, const struct forest *f, int x, enum gathered how);

#endif
