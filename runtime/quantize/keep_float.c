/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/quantize/keep_float.c - choices of sites, each with less of an error, until one is good enough.
 *
 * A row keeps its class unless the error is above its margin, the largest score's lead. Margins near 0 are
 * about as dense as those a bit larger, so that the part of the rows that change class is in proportion to
 * the error: that gives the first choice. It knows one error for all classes and little of small margins, so
 * the choice is checked. */
#include "runtime/quantize/keep_float.h"

#include <math.h>

#include "runtime/quantize/agreement.h"
#include "runtime/quantize/class_check.h"
#include "runtime/quantize/score_error.h"

/* What a choice that failed is followed by has this part of its error's square: 0.7 of the error. */
#define NEXT_SQUARE 0.5

struct float_keeper {
	struct quant *q;
	const struct open_options *o;
	struct switched switched;
	struct score_error error;
	struct class_check check;
	bool ordered;
	double all;	/* the error's square with all sites rounding */
	double square;	/* the one that was asked for */
	int n;		/* sites that stay float for it */
};

/* The next choice: FROM sites or more, with an error of this SQUARE at most. */
static int keep_more(struct float_keeper *k, int from, double square)
{
	if (!k->ordered && score_error_order(&k->error, k->q) < 0)
		return -1;
	k->ordered = true;
	k->square = square;
	k->n = score_error_fewest(&k->error, from, square);
	return k->n < 0 ? -1 : 0;
}

/* The choice that is expected to do. */
static int expect(struct float_keeper *k, double agreement, struct keep_float *out)
{
	/* of a check: as many changes as would pass it every other time */
	double may = k->check.may_change < 0 ? 1 - agreement
					     : (k->check.may_change + 0.5) / (double)k->check.rows;

	if (score_error_without(&k->error, 0, &k->all) < 0)
		return -1;
	double changes = score_error_changes(&k->error, k->all);

	out->before = out->after = 1 - changes;
	k->square = k->all;
	return changes > may ? keep_more(k, 1, k->all * (may / changes) * (may / changes)) : 0;
}

/* The first choice from there on that passes. */
static int check(struct float_keeper *k, struct keep_float *out)
{
	while (k->n < k->switched.w->n) {
		switched_set(&k->switched, true, k->error.order, k->n);
		if ((out->changed = class_check_count(&k->check, &k->switched)) < 0)
			return -1;
		out->tries++;
		bool enough = out->changed <= k->check.may_change;

		listener_tell(&k->o->listener, TELL_NOTE,
			      "%d of %d sites float: %s%d of %d rows change class, %d may", k->n,
			      k->switched.w->n, enough ? "" : "more than ",
			      enough ? out->changed : out->changed - 1, k->check.rows, k->check.may_change);
		if (enough)
			return 0;
		if (keep_more(k, k->n + 1, k->square * NEXT_SQUARE) < 0)
			return -1;
	}
	out->changed = 0;	/* nothing rounds */
	return 0;
}

/* What is still expected, with the error in proportion. */
static int tell_after(struct float_keeper *k, struct keep_float *out)
{
	double square = 0;

	if (k->n < k->switched.w->n && score_error_without(&k->error, k->n, &square) < 0)
		return -1;
	if (k->n > 0)
		out->after = k->all > 0 ? 1 - (1 - out->before) * sqrt(square / k->all) : 1;
	out->kept = k->n;
	return 0;
}

static int decide(struct float_keeper *k, double agreement, struct keep_float *out)
{
	bool checked = k->check.may_change >= 0;

	if (expect(k, agreement, out) < 0)
		return -1;
	listener_tell(&k->o->listener, TELL_NOTE, "%.1f%% expected to keep their class with no site float",
		      100 * out->before);
	if (checked) {
		out->samples = k->check.n;
		out->rows = k->check.rows;
		out->may_change = k->check.may_change;
		if (check(k, out) < 0)
			return -1;
	}
	if (tell_after(k, out) < 0)
		return -1;
	for (int i = 0; i < k->n; i++)
		k->q->sites.at[k->switched.w->site[k->error.order[i]]].why =
			"its rounding would change results too much";
	return 0;
}

/* The first result that has scores of classes; -1. */
static int find_scores(const struct function *f, int64_t *rows)
{
	for (int i = 0; i < f->nresults; i++) {
		const struct type *t = function_at(f, f->results[i])->type;
		int64_t dim[GRAPH_MAX_RANK];

		if (type_is_static(t) && t->element == ELEMENT_F32 && t->rank == 2 &&
		    type_shape(t, dim) && dim[0] > 0 && dim[1] > 1) {
			*rows = dim[0];
			return i;
		}
	}
	return -1;
}

/* How many of OTHERS to check on: none where they cannot show AGREEMENT. */
static int to_check(const struct sample_source *others, int64_t rows, double agreement)
{
	int64_t want = (agreement_rows(agreement) + rows - 1) / rows;
	int n = want < others->n ? (int)want : others->n;

	return agreement_may_change((int)(n * rows), agreement) < 0 ? 0 : n;
}

int keep_float(struct quant *q, const struct open_options *o, const struct sample_source *samples,
	       const struct sample_source *others, double agreement, struct keep_float *out)
{
	struct float_keeper k = { .q = q, .o = o };
	int64_t rows = 0;

	*out = (struct keep_float){ .result = find_scores(graph_main(q->graph), &rows), .before = 1,
				    .after = 1 };
	if (out->result < 0 || samples->n < 1)
		return 0;
	int rc = switched_begin(q, o, out->result, &k.switched);

	if (rc == 0 && k.switched.session) {
		rc = score_error_new(q->arena, &k.switched, samples, &k.error);
		if (rc == 0)
			rc = class_check_new(q->arena, &k.switched, others,
					     to_check(others, rows, agreement), agreement, &k.check);
		if (rc == 0)
			rc = decide(&k, agreement, out);
		class_check_end(&k.check);
		score_error_end(&k.error);
	}
	switched_end(&k.switched);
	return rc;
}
