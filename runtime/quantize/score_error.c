/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/quantize/score_error.c - errors of scores. */
#include "runtime/quantize/score_error.h"

#include <math.h>
#include <stdlib.h>

/* A site's share is the mean over so many samples: a factor of two does not change the order much. */
enum { SHARE_SAMPLES = 4 };
/* An error is that of so many at most: each has an error for every score. */
enum { ERROR_SAMPLES = 8 };

int score_error_new(struct arena *a, struct switched *s, const struct sample_source *samples,
		 struct score_error *out)
{
	*out = (struct score_error){ .s = s, .samples = samples,
				  .right = arena_many(a, const struct array *, samples->n),
				  .order = arena_many(a, int, s->w->n),
				  .square = arena_many(a, double, s->w->n + 1) };
	switched_set(s, false, NULL, 0);
	for (; out->nright < samples->n; out->nright++)
		if (!(out->right[out->nright] = switched_run(s, samples, out->nright)))
			return -1;
	for (int i = 0; i < s->w->n; i++)
		out->square[i] = -1;
	return 0;
}

void score_error_end(struct score_error *r)
{
	for (int i = 0; i < r->nright; i++)
		array_release(r->right[i]);
}

/* Squares of errors of the first N samples at most, by the switches as they are; the mean, in *OUT. */
static int mean_square(const struct score_error *r, int n, double *out)
{
	double sum = 0, count = 0;

	for (int i = 0; i < n && i < r->nright; i++) {
		const struct array *y = switched_run(r->s, r->samples, i), *want = r->right[i];

		if (!y)
			return -1;
		for (int64_t j = 0; j < y->count; j++) {
			double d = (double)((float *)y->data)[j] - (double)((float *)want->data)[j];

			sum += d * d;
		}
		count += (double)y->count;
		array_release(y);
	}
	*out = sum / fmax(count, 1);
	return 0;
}

/* Of a switch: its site's share of the error for each of its multiply-adds. */
struct ranked_switch {
	double share;
	int at;
};

static int by_share(const void *p, const void *q)
{
	const struct ranked_switch *x = p, *y = q;

	return x->share != y->share ? (x->share < y->share) - (x->share > y->share) : x->at - y->at;
}

int score_error_order(struct score_error *r, const struct quant *q)
{
	const struct quant_switches *w = r->s->w;
	struct ranked_switch *list = arena_many(q->arena, struct ranked_switch, w->n);

	for (int i = 0; i < w->n; i++) {
		double square;

		switched_set(r->s, false, &i, 1);
		if (mean_square(r, SHARE_SAMPLES, &square) < 0)
			return -1;
		list[i] = (struct ranked_switch){ square / fmax(q->sites.at[w->site[i]].macs, 1), i };
	}
	qsort(list, (size_t)w->n, sizeof(*list), by_share);
	for (int i = 0; i < w->n; i++)
		r->order[i] = list[i].at;
	return 0;
}

int score_error_without(struct score_error *r, int n, double *square)
{
	if (r->square[n] < 0) {
		switched_set(r->s, true, r->order, n);
		if (mean_square(r, ERROR_SAMPLES, &r->square[n]) < 0)
			return -1;
	}
	*square = r->square[n];
	return 0;
}

int score_error_fewest(struct score_error *r, int from, double square)
{
	int low = 0, high = r->s->w->n;	/* too few; enough. Whatever FROM is, the same errors are asked for */

	while (high - low > 1) {
		int n = low + (high - low) / 2;
		double got;

		if (score_error_without(r, n, &got) < 0)
			return -1;
		if (got <= square)
			high = n;
		else
			low = n;
	}
	return high > from ? high : from;
}

/* How likely the largest of N scores stays the largest when each is off by an error of this SQUARE. */
static double stays(const float *score, int64_t n, double square)
{
	int64_t best = 0;
	double likely = 1;

	for (int64_t i = 1; i < n; i++)
		best = score[i] > score[best] ? i : best;
	for (int64_t i = 0; i < n && square > 0; i++)	/* the difference of two is off by twice the square */
		if (i != best)
			likely *= 0.5 * erfc(-((double)score[best] - (double)score[i]) /
					     (2 * sqrt(square)));
	return likely;
}

double score_error_changes(const struct score_error *r, double square)
{
	double sum = 0;
	int64_t rows = 0;

	for (int i = 0; i < r->nright; i++) {
		const struct array *x = r->right[i];

		for (int64_t k = 0; k < x->dim[0]; k++, rows++)
			sum += 1 - stays((float *)x->data + k * x->dim[1], x->dim[1], square);
	}
	return rows ? sum / (double)rows : 0;
}
