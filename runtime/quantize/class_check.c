/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/quantize/class_check.c - rows in the order of their leads.
 *
 * Of rows that change, most have a small lead; so these run first: a choice that is no good is known to be
 * none after a few runs, and one that is good, when leads are beyond all that rounding does. */
#include "runtime/quantize/class_check.h"

#include <math.h>
#include <stdlib.h>

#include "runtime/quantize/agreement.h"

/* So many samples tell what rounding may do to a lead; a lead of SAFE times as much is beyond it. The largest
 * seen is that of hundreds of classes in each of these samples, of which a change takes one class. */
enum { SURE_SAMPLES = 32 };
#define SAFE 2

static int best_of(const float *score, int64_t n)
{
	int best = 0;

	for (int i = 1; i < n; i++)
		best = score[i] > score[best] ? i : best;
	return best;
}

/* The least lead of X's rows. */
static double least_lead(const struct array *x)
{
	double least = INFINITY;

	for (int64_t r = 0; r < x->dim[0]; r++) {
		const float *score = (float *)x->data + r * x->dim[1];
		int best = best_of(score, x->dim[1]);

		for (int i = 0; i < x->dim[1]; i++)
			if (i != best)
				least = fmin(least, (double)score[best] - (double)score[i]);
	}
	return least;
}

static int by_lead(const void *p, const void *q)
{
	const struct checked_sample *x = p, *y = q;

	return x->lead != y->lead ? (x->lead > y->lead) - (x->lead < y->lead) : x->at - y->at;
}

int class_check_new(struct arena *a, struct switched *s, const struct sample_source *samples, int n,
		    double agreement, struct class_check *out)
{
	*out = (struct class_check){ .samples = samples, .by_lead = arena_many(a, struct checked_sample, n) };
	switched_set(s, false, NULL, 0);
	for (; out->n < n; out->n++) {
		const struct array *y = switched_run(s, samples, out->n);

		if (!y)
			return -1;
		out->by_lead[out->n] = (struct checked_sample){ out->n, y, least_lead(y) };
		out->rows += (int)y->dim[0];
	}
	qsort(out->by_lead, (size_t)n, sizeof(*out->by_lead), by_lead);
	out->may_change = agreement_may_change(out->rows, agreement);
	return 0;
}

void class_check_end(struct class_check *c)
{
	for (int i = 0; i < c->n; i++)
		array_release(c->by_lead[i].scores);
}

/* The rows of GOT that have another class than WANT; how much nearer than before another class came to the
 * right one, at the most, in *SWING. */
static int changed(const struct array *got, const struct array *want, double *swing)
{
	int64_t classes = want->dim[1];
	int n = 0;

	for (int64_t r = 0; r < want->dim[0]; r++) {
		const float *y = (float *)got->data + r * classes, *x = (float *)want->data + r * classes;
		int best = best_of(x, classes);

		n += best_of(y, classes) != best;
		for (int i = 0; i < classes; i++)
			*swing = fmax(*swing, ((double)y[i] - (double)y[best]) -
						      ((double)x[i] - (double)x[best]));
	}
	return n;
}

int class_check_count(const struct class_check *c, struct switched *s)
{
	double swing = 0;
	int n = 0;

	for (int i = 0; i < c->n && n <= c->may_change; i++) {
		const struct checked_sample *x = &c->by_lead[i];

		if (i >= SURE_SAMPLES && x->lead > SAFE * swing)
			break;
		const struct array *y = switched_run(s, c->samples, x->at);

		if (!y)
			return -1;
		n += changed(y, x->scores, &swing);
		array_release(y);
	}
	return n;
}
