/* SPDX-License-Identifier: Apache-2.0 */
/* graph/quantize/histogram.c - bins that double. */
#include "graph/quantize/histogram.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Each two neighbours become one. Towards 0 from both ends: none is read behind its time. */
static void widen(struct histogram *h)
{
	int64_t *zero = h->bin + HISTOGRAM_SIDE;

	for (int i = 0; i < HISTOGRAM_SIDE; i++)
		zero[i] = 2 * i < HISTOGRAM_SIDE ? zero[2 * i] + zero[2 * i + 1] : 0;
	for (int i = -1; i >= -HISTOGRAM_SIDE; i--)
		zero[i] = 2 * i >= -HISTOGRAM_SIDE ? zero[2 * i] + zero[2 * i + 1] : 0;
	h->width *= 2;
}

static void reach(struct histogram *h, double most)
{
	if (h->width == 0 && most > 0)	/* the greatest is inside its bin, not at its end */
		h->width = most / HISTOGRAM_SIDE * (1 + 0x1p-20);
	while (most >= h->width * HISTOGRAM_SIDE && most > 0)
		widen(h);
}

void histogram_add(struct histogram *h, const float *x, int64_t n)
{
	int64_t *zero = h->bin + HISTOGRAM_SIDE;
	float low = INFINITY, high = -INFINITY;

	for (int64_t i = 0; i < n; i++) {
		if (!isfinite(x[i]))
			continue;
		low = x[i] < low ? x[i] : low;
		high = x[i] > high ? x[i] : high;
	}
	if (low > high) {	/* none is finite */
		h->odd += n;
		return;
	}
	bool first = h->count == 0;

	h->low = first || low < h->low ? low : h->low;
	h->high = first || high > h->high ? high : h->high;
	reach(h, fmax(fabs(low), fabs(high)));
	double per = h->width > 0 ? 1 / h->width : 0;

	for (int64_t i = 0; i < n; i++) {
		if (!isfinite(x[i])) {
			h->odd++;
			continue;
		}
		int at = (int)floor((double)x[i] * per);

		/* a product may be rounded up to the end */
		at = at < -HISTOGRAM_SIDE ? -HISTOGRAM_SIDE : at;
		zero[at < HISTOGRAM_SIDE ? at : HISTOGRAM_SIDE - 1]++;
		h->count++;
	}
}

double histogram_quantile(const struct histogram *h, double q)
{
	double want = q * (double)h->count, below = 0, at = h->high;

	for (int i = 0; i < 2 * HISTOGRAM_SIDE; i++) {
		double here = (double)h->bin[i];

		if (here > 0 && below + here >= want) {
			at = (i - HISTOGRAM_SIDE + (want - below) / here) * h->width;
			break;
		}
		below += here;
	}
	return fmin(fmax(at, h->low), h->high);
}

void histogram_magnitudes(const struct histogram *h, int64_t count[HISTOGRAM_SIDE])
{
	const int64_t *zero = h->bin + HISTOGRAM_SIDE;

	for (int i = 0; i < HISTOGRAM_SIDE; i++)
		count[i] = zero[i] + zero[-1 - i];
}
