/* SPDX-License-Identifier: Apache-2.0 */
/* graph/quantize/integer/multiply.c - the largest shift for which everything fits. */
#include "graph/quantize/integer/multiply.h"

#include <math.h>

#define LIMIT 0x1p31	/* what magnitudes are below */

/* The factors of N terms at SHIFT, and in *SIZE how large their sum may be; false where one does not fit. */
static bool fit_terms(int n, const double *ratio, const double *count, int shift, int32_t *factor, double *size)
{
	*size = 0;
	for (int i = 0; i < n; i++) {
		double by = fmax(rint(ldexp(ratio[i], shift)), 1);

		if (!(by <= INTEGER_MOST_FACTOR))
			return false;
		factor[i] = (int32_t)by;
		*size += INTEGER_REACH * count[i] * by;
	}
	return *size + ldexp(1, shift - 1) < LIMIT;
}

bool integer_scale_terms(int n, const double *ratio, const double *count, struct integer_scale *r)
{
	double size;

	for (int shift = INTEGER_MOST_SHIFT; shift > 0; shift--) {
		int32_t most = 0;

		if (!fit_terms(n, ratio, count, shift, r->term, &size))
			continue;
		r->shift = shift;
		for (int i = 0; i < n; i++)
			most = r->term[i] > most ? r->term[i] : most;
		return most >= INTEGER_LEAST_FACTOR;
	}
	return false;
}

/* A channel before it is rounded. */
struct channel {
	double most, sum;	/* of magnitudes of its weights */
	double bias;
};

/* A site at one shift. */
struct site_scaling {
	const struct quant_site *site;
	const struct array *weight;
	const struct channel *channel;
	double unit;	/* what a step of the scaled sum is */
	double half;
	double others;	/* magnitude of the terms */
	struct array *q;
	int32_t *by, *add;
	float *scale;
};

/* Channel C; false where it does not fit. */
static bool try_channel(struct site_scaling *t, int c)
{
	const struct channel *of = &t->channel[c];
	double data = (double)t->site->grid.scale;
	double by = fmax(ceil(of->most / QUANT_WEIGHT_MOST * data / t->unit), 1);
	double add = rint(of->bias / t->unit) + t->half;

	/* far too large: not worth rounding a channel of weights */
	if (!(by <= INTEGER_MOST_FACTOR) || !(fabs(add) < LIMIT) ||
	    !(INTEGER_REACH * of->sum * data / t->unit < 2 * LIMIT))
		return false;
	double scale = by * t->unit / data;
	struct quant_channel_sums sums = quant_round_channel(t->weight, t->site->weight_channel, c, scale, t->q);

	t->by[c] = (int32_t)by;
	t->add[c] = (int32_t)add;
	t->scale[c] = (float)scale;
	return INTEGER_REACH * sums.size * by + fabs(add - t->half) + t->half + t->others < LIMIT;
}

static bool try_all(struct site_scaling *t)
{
	for (int c = 0; c < t->site->channels; c++)
		if (!try_channel(t, c))
			return false;
	return true;
}

/* The channels of S; NULL where one has what is no number. */
static struct channel *channels_of(struct arena *a, const struct function *f, const struct quant_site *s)
{
	const struct array *w = array_aligned(function_const(f, s->weight));
	struct channel *all = arena_many(a, struct channel, s->channels);

	for (int c = 0; c < s->channels; c++) {
		all[c].most = quant_channel_largest(w, s->weight_channel, c, &all[c].sum);
		all[c].bias = quant_bias_of(f, s, c);
		if (!isfinite(all[c].most) || !isfinite(all[c].bias))
			return NULL;
	}
	return all;
}

static bool has_bits(const struct site_scaling *t)
{
	for (int c = 0; c < t->site->channels; c++)
		if (t->by[c] >= INTEGER_LEAST_FACTOR)
			return true;
	return false;
}

bool integer_scale_site(struct arena *a, const struct function *f, const struct quant_site *s, double out,
			int nterms, const double *term, struct integer_scale *r, const char **why)
{
	const struct array *w = array_aligned(function_const(f, s->weight));
	struct site_scaling t = { .site = s, .weight = w, .channel = channels_of(a, f, s),
			     .q = array_in(a, ELEMENT_I8, w->rank, w->dim),
			     .by = arena_many(a, int32_t, s->channels), .add = arena_many(a, int32_t, s->channels),
			     .scale = arena_many(a, float, s->channels) };
	double ratio[2] = { 0 };

	if (!t.channel) {
		*why = "its weight or bias has what is no number";
		return false;
	}
	for (int i = 0; i < nterms; i++)
		ratio[i] = term[i] / out;
	for (int shift = INTEGER_MOST_SHIFT; shift > 0; shift--) {
		t.unit = ldexp(out, -shift);
		t.half = ldexp(1, shift - 1);
		if (!fit_terms(nterms, ratio, (double[]){ 1, 1 }, shift, r->term, &t.others) || !try_all(&t))
			continue;
		r->shift = shift;
		r->by = t.by;
		r->add = t.add;
		r->weight = (struct quant_weight){ .q = t.q, .scale = t.scale };
		*why = "what scales its sums would have less than 4 bits beside 32-bit sums";
		return has_bits(&t);
	}
	*why = "its sums might not fit 32 bits";
	return false;
}
