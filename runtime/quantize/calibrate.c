/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/quantize/calibrate.c - sessions of watched graphs. */
#include "runtime/quantize/calibrate.h"

#include <stdlib.h>

#include "runtime/made.h"
#include "runtime/values/inputs.h"

static struct value *get_random(const struct sample_source *s, struct arena *a, int i)
{
	return inputs_random(a, s->main, s->seed + (uint64_t)i * (uint64_t)s->main->nparams);
}

struct sample_source samples_random(const struct function *main, uint64_t seed, int n)
{
	return (struct sample_source){ .n = n, .get = get_random, .main = main, .seed = seed };
}

static struct value *get_given(const struct sample_source *s, struct arena *a, int i)
{
	(void)a;
	return s->given[i];
}

struct sample_source samples_given(struct value *const *from, int n)
{
	return (struct sample_source){ .n = n, .get = get_given, .given = from };
}

/* A watched graph that runs. */
struct watching {
	const struct quant_watch *watch;
	struct session *session;
	struct value *results;
	int nresults;
};

static int begin(struct arena *a, const struct quant_watch *w, const struct open_options *o,
		 struct watching *out)
{
	*out = (struct watching){ .watch = w };
	const struct model_code *code = w ? made_code(a, w->graph, o) : NULL;

	if (!code)
		return -1;
	out->nresults = graph_main(w->graph)->nresults;
	out->results = values_new(out->nresults);
	out->session = session_new(code, interp_usual_limits);
	return 0;
}

static void forget(struct watching *w)
{
	values_release(w->results, w->nresults);
	for (int i = 0; i < w->nresults; i++)
		w->results[i] = value_empty();
}

static void end(struct watching *w)
{
	if (w->results)
		forget(w);
	free(w->results);
	session_free(w->session);
}

/* Has each run of SAMPLES seen by SEE. */
static int run_all(struct quant *q, struct watching *w, const struct sample_source *samples,
		   void (*see)(struct quant *q, const struct quant_watch *w, const struct value *args,
			       const struct value *results))
{
	struct arena *scratch = arena_new();
	int rc = 0;

	for (int i = 0; i < samples->n && rc == 0; i++) {
		struct value *args = samples->get(samples, scratch, i);

		rc = args ? session_run(w->session, args, w->results) : -1;
		if (rc == 0)
			see(q, w->watch, args, w->results);
		forget(w);
		arena_reset(scratch);
	}
	arena_free(scratch);
	return rc;
}

static bool all_given(const struct quant *q)
{
	for (int i = 0; i < q->tensors.n; i++)
		if (q->tensors.at[i].seen)
			return false;
	return true;
}

int calibrate(struct quant *q, const struct open_options *o, const struct sample_source *samples,
	      bool correct)
{
	struct watching w = { .watch = NULL };
	bool runs = q->tensors.n > 0 && (correct || !all_given(q));
	int rc = runs ? begin(q->arena, quant_watch_tensors(q), o, &w) : 0;

	if (rc == 0 && runs && !all_given(q))
		rc = run_all(q, &w, samples, quant_see);
	if (rc == 0)
		quant_settle(q);
	if (rc == 0 && runs && correct)
		rc = run_all(q, &w, samples, quant_mean);
	if (rc == 0 && correct)
		rc = quant_correct(q);
	end(&w);
	return rc;
}

/* A graph watched at its sites: VALUES, by site. */
static struct quant_watch *watch_sites(const struct quant *q, const struct graph *g, const int *values)
{
	int *list = arena_many(q->arena, int, q->sites.n), n = 0;

	for (int i = 0; i < q->sites.n; i++)
		if (values[i] >= 0)
			list[n++] = values[i];
	return quant_watch_new(q->arena, g, n, list);
}

static void compare(const struct quant *q, const struct quantized *z, const struct watching *w,
		    const struct value *args, struct quant_report *r)
{
	int at = 0;

	for (int i = 0; i < r->nresults; i++)
		if (w[0].results[i].kind == VALUE_ARRAY && w[1].results[i].kind == VALUE_ARRAY)
			quant_error_add(&r->results[i], w[1].results[i].array, w[0].results[i].array);
	for (int i = 0; i < q->sites.n; i++) {
		if (z->before[i] < 0)
			continue;
		quant_error_add(&r->sites[i], quant_watched(w[1].watch, at, args, w[1].results),
				quant_watched(w[0].watch, at, args, w[0].results));
		at++;
	}
}

int calibrate_report(const struct quant *q, const struct quantized *z, const struct open_options *o,
		     const struct sample_source *samples, struct quant_report *out)
{
	struct watching w[2] = { { .watch = NULL }, { .watch = NULL } };
	struct arena *scratch = arena_new();
	int rc = begin(q->arena, watch_sites(q, q->graph, z->before), o, &w[0]);

	if (rc == 0)
		rc = begin(q->arena, watch_sites(q, z->raw, z->after), o, &w[1]);
	out->nresults = graph_main(q->graph)->nresults;
	out->results = arena_many(q->arena, struct quant_error, out->nresults);
	out->sites = arena_many(q->arena, struct quant_error, q->sites.n);
	for (int i = 0; i < samples->n && rc == 0; i++) {
		struct value *args = samples->get(samples, scratch, i);

		rc = args ? 0 : -1;
		for (int k = 0; k < 2 && rc == 0; k++)
			rc = session_run(w[k].session, args, w[k].results);
		if (rc == 0)
			compare(q, z, w, args, out);
		for (int k = 0; k < 2; k++)
			forget(&w[k]);
		arena_reset(scratch);
	}
	end(&w[0]);
	end(&w[1]);
	arena_free(scratch);
	return rc;
}
