/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/dense/window_gradient.h - gradients of what slides a window, as calls of conv and
 * conv_transpose.
 *
 * IMAGE is [n, ic, in...], PLACES [n, oc, out...], W [oc, ic / groups, kernel...], of which the
 * spatial extents are those of S, and conv would make PLACES of IMAGE and W. */
#ifndef HONE_GRAPH_OP_DENSE_WINDOW_GRADIENT_H
#define HONE_GRAPH_OP_DENSE_WINDOW_GRADIENT_H

#include "graph/op/dense/slide.h"
#include "graph/op/gradient.h"

/* The N spatial extents of VALUE; -1 and a message where one is not known. */
int window_extents(const struct gradient *x, int value, int64_t *dim, int n);

/* The places that conv makes of IMAGE and W. */
int window_places(struct builder *b, int image, int w, const struct slide *s, int64_t groups);
/* The gradient by the image, where PLACES is that by the places. */
int window_by_image(struct builder *b, int places, int w, const struct slide *s, int64_t groups);
/* The gradient by the weight, where one of IMAGE and PLACES is a gradient. */
int window_by_weight(struct builder *b, int image, int places, const struct slide *s,
		     int64_t groups);

#endif
