/* SPDX-License-Identifier: Apache-2.0 */
/* graph/quantize/histogram.h - where the elements of a tensor lie, in bounded memory however many there are.
 *
 * Bins are of one width and begin at 0, on either side. What lies beyond makes them twice as wide, two
 * becoming one, so that nothing is read twice and at least half of them are in use on one side.
 * Holds: what is counted does not depend on how the elements were dealt out to calls, but for the first
 *        call's say in the width. */
#ifndef HONE_GRAPH_QUANTIZE_HISTOGRAM_H
#define HONE_GRAPH_QUANTIZE_HISTOGRAM_H

#include <stdint.h>

enum { HISTOGRAM_SIDE = 2048 };	/* bins on either side of 0 */

struct histogram {
	double width;		/* of a bin; 0 as long as all elements were 0 */
	double low, high;	/* the least and the greatest element; 0 as long as there is none */
	int64_t count;		/* of finite elements */
	int64_t odd;		/* infinite or NaN: in no bin */
	int64_t bin[2 * HISTOGRAM_SIDE];	/* [SIDE + i] counts elements in [i, i + 1) * width */
};

void histogram_add(struct histogram *h, const float *x, int64_t n);
/* Where the part Q of the elements is below, linear within a bin, within [low, high]. */
double histogram_quantile(const struct histogram *h, double q);
/* How many elements have a magnitude of [i, i + 1) * width, by i. */
void histogram_magnitudes(const struct histogram *h, int64_t count[HISTOGRAM_SIDE]);

#endif
