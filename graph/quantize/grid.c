/* SPDX-License-Identifier: Apache-2.0 */
/* graph/quantize/grid.c - ranges, and grids of them. */
#include "graph/quantize/grid.h"

#include <float.h>
#include <math.h>
#include <string.h>

const char *quant_method_name(enum quant_method m)
{
	static const char *const names[] = {
#define X(name, text, meaning) [QUANT_##name] = (text),
		QUANT_METHODS
#undef X
	};

	return names[m];
}

bool quant_method_parse(const char *name, enum quant_method *out)
{
	for (int m = 0; m < QUANT_METHOD_COUNT; m++)
		if (strcmp(quant_method_name((enum quant_method)m), name) == 0) {
			*out = (enum quant_method)m;
			return true;
		}
	return false;
}

/* Levels that magnitudes are to be told apart by: those of 7 bits beside the sign [Migacz 2017]. */
enum { LEVELS = 128 };

/* What is lost, in nats, where the first N bins of P are all there is, what lies beyond joins the last of
 * them, and they are told apart by LEVELS levels alone: the divergence of Kullback and Leibler. A level
 * stands for each of its bins that is not empty equally. SUM is of all bins. */
static double divergence(const int64_t *p, int n, double sum)
{
	double inside = 0, lost = 0;

	for (int i = 0; i < n; i++)
		inside += (double)p[i];
	double beyond = sum - inside;

	if (inside <= 0)
		return INFINITY;
	for (int level = 0; level < LEVELS; level++) {
		int from = (int)((int64_t)level * n / LEVELS);
		int to = (int)((int64_t)(level + 1) * n / LEVELS), filled = 0;
		double mass = 0;

		for (int i = from; i < to; i++) {
			mass += (double)p[i];
			filled += p[i] > 0;
		}
		for (int i = from; i < to; i++) {
			double here = (double)p[i] + (i == n - 1 ? beyond : 0);

			if (here <= 0)
				continue;
			if (p[i] <= 0)	/* no level stands for what was cut off */
				return INFINITY;
			lost += here / sum * log(here / sum / (mass / filled / inside));
		}
	}
	return lost;
}

/* The magnitude to cut off at, as S. Migacz, 8-bit inference with TensorRT, GTC 2017, has it: the range
 * whose levels tell most of what the histogram does. */
static double cut_off(const struct histogram *h)
{
	int64_t p[HISTOGRAM_SIDE];
	double sum = 0, least = INFINITY;
	int best = HISTOGRAM_SIDE, last = 0;

	histogram_magnitudes(h, p);
	for (int i = 0; i < HISTOGRAM_SIDE; i++) {
		sum += (double)p[i];
		last = p[i] ? i + 1 : last;
	}
	if (last <= LEVELS)	/* as many levels as bins */
		return last * h->width;
	for (int n = LEVELS; n <= last; n++) {
		double lost = divergence(p, n, sum);

		if (lost < least) {
			least = lost;
			best = n;
		}
	}
	return best * h->width;
}

void quant_range(const struct histogram *h, enum quant_method m, double percentile, double *low,
		 double *high)
{
	double cut;

	*low = h->low;
	*high = h->high;
	switch (m) {
	case QUANT_MINMAX:
		break;
	case QUANT_PERCENTILE:
		*low = histogram_quantile(h, 1 - percentile / 100);
		*high = histogram_quantile(h, percentile / 100);
		break;
	case QUANT_ENTROPY:
		cut = cut_off(h);
		*low = fmax(h->low, -cut);
		*high = fmin(h->high, cut);
		break;
	case QUANT_METHOD_COUNT:
		break;
	}
	*low = fmin(*low, 0);
	*high = fmax(*high, 0);
}

struct quant_grid quant_grid_of(enum element e, double low, double high)
{
	int least = (int)element_min(e), most = (int)element_max(e);
	float scale = (float)((high - low) / (most - least));
	struct quant_grid grid = { e, scale > FLT_MIN ? scale : 1, least };

	if (scale > FLT_MIN)
		grid.zero = (int)fmin(fmax(rint(least - low / (double)scale), least), most);
	return grid;
}

int quant_round(struct quant_grid grid, float x)
{
	float q = rintf(x / grid.scale) + (float)grid.zero;
	float least = (float)element_min(grid.element), most = (float)element_max(grid.element);

	return (int)(q < least ? least : q < most ? q : most);
}

float quant_value(struct quant_grid grid, int q)
{
	return (float)(q - grid.zero) * grid.scale;
}
