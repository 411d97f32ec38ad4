/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/keep_float.c - what each site's rounding does to the result, and what all of them do.
 *
 * What sites add to the error is taken for independent, so that squares add up; that they do is only used
 * for the order. The error that is left is measured with all others rounding.
 *
 * A row keeps its class unless the error is above its margin, the largest score's lead. Margins near 0 are
 * about as dense as those a bit larger, so that the part of the rows that change class is in proportion to
 * the error. It is taken where all sites round, from all samples: of a small error few would have a say. */
#include "runtime/keep_float.h"

#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "graph/quantize/switch.h"
#include "runtime/made.h"

/* A site's share is the mean over so many samples: a factor of two does not change the order much. */
enum { SHARE_SAMPLES = 4 };
/* An error is that of so many at most: each has an error for every score. */
enum { ERROR_SAMPLES = 16 };

struct float_keeper {
	const struct sample_source *samples;
	const struct quant_switches *w;
	struct session *session;
	struct arena *scratch;
	struct value *args, *results;	/* of a run; results: as many as main has */
	int nparams, nresults, result;
	struct array *on;		/* the switches */
	const struct array **right;	/* by sample, with no site rounding */
	int nright;
};

/* The result for sample I, its holder the caller's; NULL and a message. */
static const struct array *run_sample(struct float_keeper *k, int i)
{
	struct value *given = k->samples->get(k->samples, k->scratch, i);
	const struct array *y = NULL;

	if (given) {
		memcpy(k->args, given, sizeof(*given) * (size_t)k->nparams);
		k->args[k->nparams] = value_of_array(k->on);
		if (session_run(k->session, k->args, k->results) == 0)
			y = array_hold((struct array *)k->results[k->result].array);
	}
	values_release(k->results, k->nresults);
	for (int r = 0; r < k->nresults; r++)
		k->results[r] = value_empty();
	arena_reset(k->scratch);
	return y;
}

static void switch_all(struct float_keeper *k, bool on)
{
	memset(k->on->data, on, (size_t)k->w->n);
}

static int run_right(struct float_keeper *k)
{
	switch_all(k, false);
	for (; k->nright < k->samples->n; k->nright++)
		if (!(k->right[k->nright] = run_sample(k, k->nright)))
			return -1;
	return 0;
}

/* Squares of errors of the first N samples, by the switches as they are; the mean, in *OUT. */
static int mean_square(struct float_keeper *k, int n, double *out)
{
	double sum = 0, count = 0;

	for (int i = 0; i < n; i++) {
		const struct array *y = run_sample(k, i), *want = k->right[i];

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

/* The part of the rows that keep their class with an error of this SQUARE. */
static double rows_that_stay(const struct float_keeper *k, double square)
{
	double sum = 0;
	int64_t rows = 0;

	for (int i = 0; i < k->nright; i++) {
		const struct array *x = k->right[i];

		for (int64_t r = 0; r < x->dim[0]; r++, rows++)
			sum += stays((float *)x->data + r * x->dim[1], x->dim[1], square);
	}
	return rows ? sum / (double)rows : 1;
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

static int rank(struct float_keeper *k, const struct quant *q, struct ranked_switch *out)
{
	int n = k->nright < SHARE_SAMPLES ? k->nright : SHARE_SAMPLES;

	for (int i = 0; i < k->w->n; i++) {
		double square;

		switch_all(k, false);
		((uint8_t *)k->on->data)[i] = 1;
		if (mean_square(k, n, &square) < 0)
			return -1;
		out[i] = (struct ranked_switch){ square / fmax(q->sites.at[k->w->site[i]].macs, 1), i };
	}
	qsort(out, (size_t)k->w->n, sizeof(*out), by_share);
	return 0;
}

/* The error's square where the first N of ORDER do not round. */
static int error_without(struct float_keeper *k, const struct ranked_switch *order, int n, double *out)
{
	switch_all(k, true);
	for (int i = 0; i < n; i++)
		((uint8_t *)k->on->data)[order[i].at] = 0;
	return mean_square(k, k->nright < ERROR_SAMPLES ? k->nright : ERROR_SAMPLES, out);
}

/* The fewest of ORDER without which AGREEMENT is there, by halves; with all of them rounding the error's
 * square is ALL. */
static int search(struct float_keeper *k, const struct ranked_switch *order, double agreement, double all,
		  struct keep_float *out)
{
	int low = 0, high = k->w->n;	/* too few; enough */

	out->after = 1;
	while (high - low > 1) {
		int n = low + (high - low) / 2;
		double square;

		if (error_without(k, order, n, &square) < 0)
			return -1;
		double got = 1 - (1 - out->before) * sqrt(square / all);

		if (got >= agreement) {
			high = n;
			out->after = got;
		} else {
			low = n;
		}
	}
	out->kept = high;
	return 0;
}

static int decide(struct float_keeper *k, struct quant *q, double agreement, struct keep_float *out)
{
	struct ranked_switch *order = arena_many(q->arena, struct ranked_switch, k->w->n);
	double all;

	if (run_right(k) < 0 || error_without(k, NULL, 0, &all) < 0)
		return -1;
	out->before = out->after = rows_that_stay(k, all);
	if (out->before >= agreement)
		return 0;
	if (rank(k, q, order) < 0 || search(k, order, agreement, all, out) < 0)
		return -1;
	for (int i = 0; i < out->kept; i++)
		q->sites.at[k->w->site[order[i].at]].why = "its rounding would change results too much";
	return 0;
}

/* The first result that has scores of classes; -1. */
static int find_scores(const struct function *f)
{
	for (int i = 0; i < f->nresults; i++) {
		const struct type *t = function_at(f, f->results[i])->type;
		int64_t dim[GRAPH_MAX_RANK];

		if (type_is_static(t) && t->element == ELEMENT_F32 && t->rank == 2 &&
		    type_shape(t, dim) && dim[1] > 1)
			return i;
	}
	return -1;
}

static void end(struct float_keeper *k)
{
	for (int i = 0; i < k->nright; i++)
		array_release(k->right[i]);
	free(k->results);
	session_free(k->session);
	arena_free(k->scratch);
}

int keep_float(struct quant *q, const struct open_options *o, const struct sample_source *samples,
	       double agreement, struct keep_float *out)
{
	const struct function *f = graph_main(q->graph);
	struct float_keeper k = { .samples = samples, .nparams = f->nparams, .nresults = f->nresults };

	*out = (struct keep_float){ .result = find_scores(f), .before = 1, .after = 1 };
	if (out->result < 0 || samples->n < 1)
		return 0;
	k.result = out->result;
	k.w = quant_switches_new(q);
	const struct model_code *code = k.w && k.w->n ? made_code(q->arena, k.w->graph, o) : NULL;

	if (!code)
		return k.w && !k.w->n ? 0 : -1;
	k.scratch = arena_new();
	k.session = session_new(code, interp_usual_limits);
	k.results = values_new(f->nresults);
	k.args = arena_many(q->arena, struct value, f->nparams + 1);
	k.on = array_in(q->arena, ELEMENT_BOOL, 1, (int64_t[]){ k.w->n });
	k.right = arena_many(q->arena, const struct array *, samples->n);
	int rc = decide(&k, q, agreement, out);

	end(&k);
	return rc;
}
