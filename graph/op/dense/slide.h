/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/dense/slide.h - windows that slide over the spatial dims of an image: what convolutions
 * and pools share.
 *
 * An image is a tensor [n, c, spatial...]. A window has taps, kernel[i] along spatial dim i, and is
 * put at places, out[i] along it; tap k at place p reads element p * stride + k * dilation - before.
 * Rows are the places (or elements) that differ in the last dim alone. */
#ifndef HONE_GRAPH_OP_DENSE_SLIDE_H
#define HONE_GRAPH_OP_DENSE_SLIDE_H

#include "graph/eval/eval.h"
#include "graph/ir/infer.h"
#include "graph/op/express.h"

enum { SLIDE_MAX = GRAPH_MAX_RANK - 2 };

struct slide {
	int nd;				/* spatial dims */
	int64_t in[SLIDE_MAX];		/* extents of the image */
	int64_t kernel[SLIDE_MAX];
	int64_t stride[SLIDE_MAX], dilation[SLIDE_MAX];
	int64_t before[SLIDE_MAX], after[SLIDE_MAX];	/* padding */
	int64_t out[SLIDE_MAX];		/* places */
};

/* The attributes of whatever slides a window; those with a kernel of their own have "kernel" too. */
#define SLIDE_ATTRS                                                                                \
	{ "strides", ATTR_INTS, 0, NULL, "between places; 1 by default" },                         \
	{ "pads", ATTR_INTS, 0, NULL, "at the begin of all spatial dims, then at the end" },       \
	{ "dilations", ATTR_INTS, 0, NULL, "between taps; 1 by default" },                         \
	{ "auto_pad", ATTR_STRING, 0, "explicit",                                                  \
	  "explicit, or same_upper, same_lower: as many places as strides in the image" }

/* Reads strides, dilations and pads of a CALL with ND spatial dims. NULL, or what is wrong in A's
 * words. */
const char *slide_read(struct arena *a, const struct binding *call, int nd, struct slide *s);
/* The attribute "kernel" as well. */
const char *slide_read_pool(struct arena *a, const struct binding *call, int nd, struct slide *s);

/* How many places window S, with its kernel, has along spatial dim I of extent IN. NULL, or what is
 * wrong. */
const char *slide_places(struct arena *a, const struct binding *call, const struct slide *s, int i,
			 struct dim in, struct dim *out);
/* Fills in `in` from SHAPE, the spatial extents of an image, `out`, and the padding that auto_pad
 * and ceil come to. NULL, or what is wrong. */
const char *slide_fit(struct arena *a, const struct binding *call, const int64_t *shape,
		      struct slide *s);

/* Products of the extents. */
int64_t slide_elements(const struct slide *s);
int64_t slide_places_count(const struct slide *s);
int64_t slide_taps(const struct slide *s);

/* One tap, what it reads wherever the window is. */
struct slide_tap {
	int64_t at[SLIDE_MAX];	/* element read at place 0; it may be outside */
	int64_t from, to;	/* places of a row at which it is inside, as far as the last dim says */
};

struct slide_tap slide_tap(const struct slide *s, int64_t tap);
/* The element of the image that place `from` of a row reads, ROW being the places in the other
 * dims; -1 where the row is outside. */
int64_t slide_read_row(const struct slide *s, const struct slide_tap *t, const int64_t *row);
/* The places of row ROW, row-major, in the other dims; and one further. */
void slide_row(const struct slide *s, int64_t row, int64_t *place);
void slide_next_row(const struct slide *s, int64_t *place);

/* The taps that read inside of the image at the places of one row, one after the other. */
struct slide_run {
	int64_t tap;		/* row-major */
	int64_t from, to;	/* places of the row */
	int64_t first;		/* element that place `from` reads; the next is a stride further */
	int64_t k[SLIDE_MAX], low[SLIDE_MAX], high[SLIDE_MAX];
};

/* The first run of the row at PLACE, the next one; false where there is none. */
bool slide_first_run(const struct slide *s, const int64_t *place, struct slide_run *r);
bool slide_next_run(const struct slide *s, const int64_t *place, struct slide_run *r);
/* Taps along dim I that read inside of the image (PADDED: or of its padding) at PLACE. */
int64_t slide_count(const struct slide *s, int i, int64_t place, bool padded);

/* Joins Y, a row of N places, with what a tap of weight W reads for them: X, X + step, ... */
typedef void slide_joiner(void *y, const void *x, const void *w, int64_t n, int64_t step);
/* Joins Y, one element of SIZE bytes for each place that the caller has given a value to begin with,
 * with what all taps read of the channel X. W: weights of the taps; NULL: none. */
void slide_join(const struct slide *s, size_t size, const void *x, const void *w, void *y,
		slide_joiner *join);

/* The window as te/ knows it; false and a message where it has no such. */
bool slide_express(const struct express *x, const struct slide *s, struct conv *c);

#endif
