/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/dense/convolve.h - convolutions as products: for each image and group the weights
 * [oc, ic * taps] times the patches [ic * taps, places], of which no more is written down than a
 * block of the product needs. */
#ifndef HONE_GRAPH_OP_DENSE_CONVOLVE_H
#define HONE_GRAPH_OP_DENSE_CONVOLVE_H

#include "graph/op/dense/product.h"
#include "graph/op/dense/slide.h"

struct patches;

struct convolution {
	enum element element;		/* that is computed in: of product_element */
	int64_t images, groups;
	int64_t ic, oc;			/* channels of a group */
	int64_t plane;			/* elements of a channel of the image */
	const char *x;			/* [images, groups * ic, plane] */
	const void *w;			/* [groups * oc, ic, taps] */
	char *y;			/* [images, groups * oc, places] */
	struct slide slide;
	int64_t taps, places;
	/* Writes what tap TAP of CHANNEL reads at the N places from J on to OUT. */
	void (*read)(const struct patches *from, int64_t channel, int64_t tap, int64_t j, int64_t n,
		     void *out);
	const void *more;		/* for `read` */
};

/* Those of one group of one image. */
struct patches {
	const struct convolution *of;
	int64_t image, group;
	const char *x;			/* the first channel */
};

/* The attribute "groups" is a number of groups; -1 and a message. */
int infer_groups(const struct infer *x);
/* The type of a convolution of operand 0 with operand 1, or of its transpose. CHANNELS gives the
 * result's channels for image and weight (-1 and a message where these do not fit), EXTENT its dim I
 * for one of IN along it (what is wrong, or NULL). */
int infer_convolution(struct infer *x,
		      int (*channels)(const struct infer *x, const struct type *image,
				      const struct type *weight, struct dim *out),
		      const char *(*extent)(struct arena *a, const struct binding *call,
					    struct slide *s, int i, struct dim in, struct dim *out));
/* 0; -1 and a message where the run's time is over. */
int convolve(struct eval *x, const struct convolution *c);

#endif
