/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node/ml/scores.h - scores of models of ai.onnx.ml, and the classes that they speak for. */
#ifndef HONE_GRAPH_ONNX_NODE_ML_SCORES_H
#define HONE_GRAPH_ONNX_NODE_ML_SCORES_H

#include "graph/onnx/compose.h"

/* Scores [n, classes] as the transform NAME makes them: NONE, SOFTMAX, LOGISTIC, SOFTMAX_ZERO
 * (scores that are 0 stay it), PROBIT. VALUE_FAILED and a message where there is no such. */
int scores_transformed(struct builder *b, int scores, const char *name);
/* The scores of one class of two as those of both: [1 - s, s] where EVEN, else [-s, s]. */
int scores_of_both(struct builder *b, int scores, bool even);
/* The labels of the highest scores: the node's list of integers INTS or strings STRINGS. */
int scores_labels(struct node *n, int scores, const char *ints, const char *strings);
/* How many labels the node has. */
int scores_classes(struct node *n, const char *ints, const char *strings);
/* The node's list of floats NAME as f32 with these dims, of which -1 is what is left; VALUE_NONE
 * where there is none. */
int scores_floats(struct node *n, const char *name, int rank, const int64_t *shape);

#endif
