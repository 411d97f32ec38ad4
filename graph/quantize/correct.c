/* SPDX-License-Identifier: Apache-2.0 */
/* graph/quantize/correct.c - what a site is off in the mean.
 *
 * A convolution is linear, so the mean of what it gives is what it gives for the mean of its data, borders
 * and all: two means of images, one of them of the rounded data, say it without one more run. */
#include "base/err.h"
#include "graph/eval/interp.h"
#include "graph/pass/rewrite.h"
#include "graph/quantize/scheme.h"
#include "graph/quantize/weight.h"

/* The mean of SUM, over samples. */
static const struct array *mean_of(struct arena *a, const struct type *t, const float *sum, int samples)
{
	int64_t dim[GRAPH_MAX_RANK];

	type_shape(t, dim);
	struct array *x = array_in(a, ELEMENT_F32, t->rank, dim);

	for (int64_t i = 0; i < x->count; i++)
		((float *)x->data)[i] = sum[i] / (float)samples;
	return x;
}

/* By channel, the mean of what S's call gives for DATA and WEIGHT. -1 and a message. */
static int channel_means(struct arena *a, const struct quant *q, const struct quant_site *s,
			 const struct array *data, const struct array *weight, double *out)
{
	const struct binding *call = quant_site_call(q->graph, s);
	struct interp x = interp_begin(a, q->graph, interp_usual_limits);
	struct value args[] = { value_of_array(data), value_of_array(weight) }, y;
	int64_t inner = 1;
	int rc = interp_binding(&x, call, args, &y);

	for (int i = s->channel + 1; rc == 0 && i < y.array->rank; i++)
		inner *= y.array->dim[i];
	memset(out, 0, sizeof(*out) * (size_t)s->channels);
	for (int64_t i = 0; rc == 0 && i < y.array->count; i++)
		out[i / inner % s->channels] += array_float(y.array, i);
	for (int c = 0; rc == 0 && c < s->channels; c++)
		out[c] *= (double)s->channels / (double)y.array->count;
	if (rc == 0)
		value_release(y);
	interp_end(&x);
	return rc;
}

double *quant_mean_error(struct arena *scratch, const struct quant *q, const struct quant_site *s,
			 const struct quant_tensor *t, const struct quant_weight *weight)
{
	const struct function *f = graph_main(q->graph);
	const struct type *type = function_at(f, s->data)->type;
	double *right = arena_many(q->arena, double, s->channels);
	double *rounded = arena_many(scratch, double, s->channels);

	if (channel_means(scratch, q, s, mean_of(scratch, type, t->sum, t->samples),
			  array_aligned(function_const(f, s->weight)), right) < 0 ||
	    channel_means(scratch, q, s, mean_of(scratch, type, t->sum_rounded, t->samples),
			  quant_weight_values(scratch, s, weight), rounded) < 0)
		return NULL;
	for (int c = 0; c < s->channels; c++)
		right[c] -= rounded[c];
	return right;
}

static int correct_site(struct arena *scratch, struct quant *q, struct quant_site *s)
{
	struct quant_weight w;
	const char *why;

	if (!quant_weight_of(scratch, q->graph, s, &w, &why))
		return 0;
	s->shift = quant_mean_error(scratch, q, s, &q->tensors.at[s->tensor], &w);
	if (!s->shift)
		return -1;
	/* a bias of more steps may be too much for 32 bits */
	if (!quant_weight_of(scratch, q->graph, s, &w, &why))
		s->shift = NULL;
	return 0;
}

int sums_correct(struct quant *q)
{
	struct arena *scratch = arena_new();
	int rc = 0;

	for (int i = 0; i < q->sites.n && rc == 0; i++) {
		struct quant_site *s = &q->sites.at[i];

		if (!s->why && s->tensor >= 0 && q->tensors.at[s->tensor].samples > 0)
			rc = correct_site(scratch, q, s);
		arena_reset(scratch);
	}
	arena_free(scratch);
	return rc;
}
