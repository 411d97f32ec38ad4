/* SPDX-License-Identifier: Apache-2.0 */
/* graph/task/label.h - what people call a task: conv2d+bias+relu, n=1,ic=64,h=56,...
 *
 * The words are those of the command line, so that a model's task reads as the operator spec that
 * tunes the same kernel. */
#ifndef HONE_GRAPH_TASK_LABEL_H
#define HONE_GRAPH_TASK_LABEL_H

#include "graph/op/express.h"

struct label {
	struct text op;		/* words joined by +, or by > in front of a second convolution */
	struct text shape;	/* KEY=SIZE,...; of the calls that have parameters */
	bool convolves;		/* there was a convolution */
};

/* Adds the words for a call that was expressed. */
void label_call(struct label *l, const struct express *x);
/* Those for a normalization with whatever scales and shifts it. */
void label_layer_norm(struct label *l, const struct binding *b);
/* The name of the operator alone. */
void label_plain(struct label *l, const struct binding *b);
void label_clear(struct label *l);
/* The two texts in A; RESULT, the kernel's, is the shape where no call gave one. Frees L. */
void label_end(struct label *l, struct arena *a, const struct type *result, const char **op,
	       const char **shape);

#endif
