/* SPDX-License-Identifier: Apache-2.0 */
/* graph/quantize/weight.c - a scale for each output channel [Krishnamoorthi 2018, Quantizing deep
 * convolutional networks for efficient inference: a whitepaper]. */
#include "graph/quantize/weight.h"

#include <math.h>

/* A bias has so many steps at most: what is left of 32 bits is for the sum. */
#define BIAS_STEPS 0x1p30
/* Of a channel without a weight the bias is all there is: so many steps are as good as an f32. */
#define LONE_STEPS 0x1p24

/* The elements of one output channel: element I is at first + I / run * skip + I % run. */
struct channel_walk {
	int64_t first, run, skip, n;
};

static struct channel_walk walk_of(const struct array *w, int dim, int64_t channel)
{
	struct channel_walk walk = { .run = 1, .n = w->count / w->dim[dim] };

	for (int i = dim + 1; i < w->rank; i++)
		walk.run *= w->dim[i];
	walk.skip = walk.run * w->dim[dim];
	walk.first = channel * walk.run;
	return walk;
}

static int64_t walk_at(const struct channel_walk *walk, int64_t i)
{
	return walk->first + i / walk->run * walk->skip + i % walk->run;
}

static double largest(const float *w, const struct channel_walk *walk, double *sum)
{
	double most = 0;

	*sum = 0;
	for (int64_t i = 0; i < walk->n; i++) {
		double v = fabs((double)w[walk_at(walk, i)]);

		if (!(v < INFINITY))
			return INFINITY;
		*sum += v;
		most = v > most ? v : most;
	}
	return most;
}

double quant_channel_largest(const struct array *w, int dim, int64_t channel, double *sum)
{
	struct channel_walk walk = walk_of(w, dim, channel);

	return largest(w->data, &walk, sum);
}

struct quant_channel_sums quant_round_channel(const struct array *w, int dim, int64_t channel, double scale,
					      struct array *q)
{
	struct channel_walk walk = walk_of(w, dim, channel);
	struct quant_channel_sums s = { 0, 0 };

	for (int64_t i = 0; i < walk.n; i++) {
		int64_t at = walk_at(&walk, i);
		double v = rint((double)((float *)w->data)[at] / scale);

		v = fmin(fmax(v, -QUANT_WEIGHT_MOST), QUANT_WEIGHT_MOST);
		((int8_t *)q->data)[at] = (int8_t)v;
		s.sum += v;
		s.size += fabs(v);
	}
	return s;
}

/* How far from a step of its grid a weight that lies on one may be: rounding of f32 by some factors
 * leaves 1e-5 of a step at 127 steps, and a chance hit beside it loses less than rounding to 127 would. */
#define ON_GRID 1e-3

/* The widest steps of which all weights are multiples, as those are that a model's own quantization left
 * behind; 0 where there are none of up to QUANT_WEIGHT_MOST. */
static double own_steps(const float *w, const struct channel_walk *walk, double most)
{
	for (int steps = 1; steps <= QUANT_WEIGHT_MOST; steps++) {
		double step = most / steps;
		int64_t i = 0;

		for (; i < walk->n; i++) {
			double at = (double)w[walk_at(walk, i)] / step;

			if (fabs(at - rint(at)) > ON_GRID)
				break;
		}
		if (i == walk->n)
			return step;
	}
	return 0;
}

static double scale_of(const float *w, const struct channel_walk *walk, double data_scale, double bias)
{
	double size, most = largest(w, walk, &size);

	if (most == 0)
		return bias == 0 ? 1 : fmax(fabs(bias) / data_scale / LONE_STEPS, 0x1p-100);
	double own = own_steps(w, walk, most);
	double scale = own > 0 ? own : most / QUANT_WEIGHT_MOST;

	return fmax(scale, fabs(bias) / data_scale / BIAS_STEPS);
}

double quant_bias_of(const struct function *f, const struct quant_site *s, int c)
{
	const struct array *bias = s->bias < 0 ? NULL : array_aligned(function_const(f, s->bias));
	double v = s->shift ? s->shift[c] : 0;

	return bias ? v + array_float(bias, bias->count == 1 ? 0 : c) : v;
}

bool quant_weight_of(struct arena *a, const struct graph *g, const struct quant_site *s,
		     struct quant_weight *out, const char **why)
{
	const struct function *f = graph_main(g);
	const struct array *w = array_aligned(function_const(f, s->weight));
	struct array *q = array_in(a, ELEMENT_I8, w->rank, w->dim);
	float *scale = arena_many(a, float, s->channels);
	int32_t *bias = arena_many(a, int32_t, s->channels);
	double reach = fmax(fabs((double)element_min(s->grid.element)),
			    fabs((double)element_max(s->grid.element)));

	for (int c = 0; c < s->channels; c++) {
		struct channel_walk walk = walk_of(w, s->weight_channel, c);
		double add = quant_bias_of(f, s, c);

		scale[c] = (float)scale_of(w->data, &walk, s->grid.scale, add);
		if (!(scale[c] < INFINITY) || !isfinite(add)) {
			*why = "its weight or bias has what is no number";
			return false;
		}
		struct quant_channel_sums of = quant_round_channel(w, s->weight_channel, c, (double)scale[c], q);
		double steps = rint(add / ((double)scale[c] * (double)s->grid.scale)) - s->grid.zero * of.sum;

		if (of.size * reach + fabs(steps) > INT32_MAX) {
			*why = "its sums might not fit 32 bits";
			return false;
		}
		bias[c] = (int32_t)steps;
	}
	*out = (struct quant_weight){ q, scale, bias };
	return true;
}

const struct array *quant_weight_values(struct arena *a, const struct quant_site *s,
					const struct quant_weight *w)
{
	struct array *x = array_in(a, ELEMENT_F32, w->q->rank, w->q->dim);

	for (int c = 0; c < s->channels; c++) {
		struct channel_walk walk = walk_of(w->q, s->weight_channel, c);

		for (int64_t i = 0; i < walk.n; i++) {
			int64_t at = walk_at(&walk, i);

			((float *)x->data)[at] = ((int8_t *)w->q->data)[at] * w->scale[c];
		}
	}
	return x;
}
