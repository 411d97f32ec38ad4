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

/* A bin of fewer elements tells as much of chance as of the distribution, which levels that stand for
 * several bins would seem to lose: so many of them on average, or the bins are made wider. */
enum { BIN_ELEMENTS = 32 };

/* What is lost, in nats, where the first N bins of P are all there is and are told apart by LEVELS levels
 * alone: the divergence of Kullback and Leibler. A level stands for each of its bins that is not empty
 * equally; what lies beyond is the last of these bins. SUM is of all bins. */
static double divergence(const int64_t *p, int n, double sum)
{
	double inside = 0, lost = 0;
	int last = -1;

	for (int i = 0; i < n; i++) {
		inside += (double)p[i];
		last = p[i] ? i : last;
	}
	for (int level = 0; level < LEVELS; level++) {
		int from = (int)((int64_t)level * n / LEVELS);
		int to = (int)((int64_t)(level + 1) * n / LEVELS), filled = 0;
		double mass = 0;

		for (int i = from; i < to; i++) {
			mass += (double)p[i];
			filled += p[i] > 0;
		}
		for (int i = from; i < to; i++) {
			double here = (double)p[i] + (i == last ? sum - inside : 0);

			if (p[i] > 0)
				lost += here / sum * log(here / sum / (mass / filled / inside));
		}
	}
	return last < 0 ? INFINITY : lost;
}

/* Makes the bins of P wider while that leaves twice the levels and their elements are few. Returns how
 * many are in use; *WIDER: as many times as wide. */
static int gather(int64_t *p, int *wider)
{
	int last = 0, filled = 0;
	int64_t sum = 0;

	for (int i = 0; i < HISTOGRAM_SIDE; i++) {
		sum += p[i];
		filled += p[i] > 0;
		last = p[i] ? i + 1 : last;
	}
	for (*wider = 1; filled * (int64_t)BIN_ELEMENTS > sum && last >= 4 * LEVELS; *wider *= 2) {
		filled = 0;
		for (int i = 0; i < (last + 1) / 2; i++) {
			p[i] = p[2 * i] + (2 * i + 1 < last ? p[2 * i + 1] : 0);
			filled += p[i] > 0;
		}
		last = (last + 1) / 2;
	}
	return last;
}

/* The magnitude to cut off at, as S. Migacz, 8-bit inference with TensorRT, GTC 2017, has it: the range
 * whose levels tell most of what the histogram does. */
static double cut_off(const struct histogram *h)
{
	int64_t p[HISTOGRAM_SIDE];
	double sum = 0, least = INFINITY;
	int wider;

	histogram_magnitudes(h, p);
	p[0] = p[1];	/* 0 has an integer of its own: its many are not spread over a level */
	int last = gather(p, &wider), best = last;

	for (int i = 0; i < last; i++)
		sum += (double)p[i];
	for (int n = LEVELS; n <= last; n++) {
		double lost = divergence(p, n, sum);

		if (lost < least) {
			least = lost;
			best = n;
		}
	}
	return best * wider * h->width;
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
		cut = h->width > 0 ? cut_off(h) : 0;
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
