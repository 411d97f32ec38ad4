/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/offload/regions.c - cut, prepared, cut again without what failed, and through the other passes. */
#include "runtime/offload/regions.h"

#include <string.h>

#include "base/err.h"
#include "graph/pass/pass.h"
#include "runtime/offload/judge.h"

/* A region divides the list of steps that it stands in, which its own time does not show: one addition of
 * examples/tiny_cnn.onnx, as fast by a generator, cost that model 2 us. And it has to be faster by more than
 * what its times are good for. */
#define REGION_US 2.0
#define REGION_MARGIN 1.02

struct offloading_model {
	struct arena *a;
	struct graph *g;
	struct offload_options options;
	const struct offload_request *request;
	const struct offers *offers;	/* NULL: nothing was measured */
	int first, threads;
	struct offloaded *out;
	struct foreign **foreign;	/* by region */
};

/* The calls of REGION are not offered again. */
static void hold_back(struct offloading_model *m, int region, const char *why)
{
	const struct offload_call_vec *calls = &m->out->cut.calls;

	for (int i = 0; i < calls->n; i++)
		if (calls->at[i].region == region)
			vec_push(m->a, &m->options.refusals,
				 (struct offload_refusal){ calls->at[i].function, calls->at[i].value, why });
}

/* Makes all regions ready; how many failed. */
static int prepare(struct offloading_model *m)
{
	const struct offload *cut = &m->out->cut;
	int failed = 0;

	m->foreign = arena_many(m->a, struct foreign *, cut->regions.n);
	for (int i = 0; i < cut->regions.n; i++) {
		const struct offload_region *r = &cut->regions.at[i];
		int function = graph_find_function(cut->graph, r->function);

		m->foreign[i] = foreign_new(m->a, cut->graph, function, &m->out->backends[r->backend],
					    m->threads, NULL);
		if (m->foreign[i] && m->request->fall_back)
			foreign_fall_back(m->foreign[i]);
		if (!m->foreign[i]) {
			hold_back(m, i, arena_strdup(m->a, err_get()));
			failed++;
		}
	}
	return failed;
}

/* What region I takes its generator, told or measured; false where that is not known. */
static bool time_of(const struct offloading_model *m, int i, struct offer *out)
{
	const struct offload *cut = &m->out->cut;
	const struct offload_region *r = &cut->regions.at[i];
	int function = graph_find_function(cut->graph, r->function), backend = m->first + r->backend;
	double told = foreign_told_us(m->foreign[i]);

	*out = (struct offer){ .backend = backend, .us = told, .in_model = true, .told = true };
	return told > 0 || offers_get(m->offers, region_key(cut->graph->functions.at[function]), backend, out);
}

/* Why hone keeps function F, region I; NULL: it does not. */
static const char *why_slower(const struct offloading_model *m, const struct function *f, int i)
{
	struct offer theirs, ours;

	if (!m->foreign[i] || !time_of(m, i, &theirs) ||
	    !offers_get(m->offers, region_key(f), OFFER_HOST, &ours) || theirs.us * REGION_MARGIN + REGION_US <= ours.us)
		return NULL;
	return arena_printf(m->a, "hone is no slower: %.1f us against %.1f", ours.us, theirs.us);
}

/* Holds back what hone was faster at; how many regions. */
static int judge(struct offloading_model *m)
{
	const struct offload *cut = &m->out->cut;
	int slower = 0;

	for (int i = 0; m->offers && offers_policy(m->offers) == OFFLOAD_FASTEST && i < cut->regions.n; i++) {
		const struct offload_region *r = &cut->regions.at[i];
		int function = graph_find_function(cut->graph, r->function);
		const struct function *f = cut->graph->functions.at[function];
		const char *why = why_slower(m, f, i);

		if (why && function_demand(f).kind != DEMAND_OFFLOAD) {
			hold_back(m, i, why);
			slower++;
		}
	}
	return slower;
}

/* What is known of the regions' times, by region. */
static const struct offer *times_of(const struct offloading_model *m)
{
	const struct offload *cut = &m->out->cut;
	struct offer *times = arena_many(m->a, struct offer, cut->regions.n);

	for (int i = 0; m->offers && i < cut->regions.n; i++)
		if (!time_of(m, i, &times[i]))
			times[i] = (struct offer){ 0 };
	return times;
}

/* Regions by function of the graph behind all passes, which keep names. */
static struct foreign **by_function(const struct offloading_model *m)
{
	const struct graph *g = m->out->graph;
	struct foreign **foreign = arena_many(m->a, struct foreign *, g->functions.n);

	for (int i = 0; i < m->out->cut.regions.n; i++) {
		int function = graph_find_function(g, m->out->cut.regions.at[i].function);

		if (function != FUNCTION_NONE)
			foreign[function] = m->foreign[i];
	}
	return foreign;
}

int offloaded_new(struct arena *a, struct graph *g, const struct backend_vec *backends,
		  const struct offload_request *r, const struct offers *offers, int first, int threads,
		  struct offloaded *out)
{
	struct offloading_model m = {
		.a = a, .g = g, .request = r, .offers = offers, .first = first, .threads = threads, .out = out,
		.options = { .backends = backends->at, .n = backends->n },
	};

	*out = (struct offloaded){ .from = g, .backends = backends->at, .nbackends = backends->n };
	do	/* each time there are fewer calls to offer */
		if (offload_all(a, g, &m.options, &out->cut) < 0)
			return -1;
	while (prepare(&m) + judge(&m) > 0);
	out->ready = m.foreign;
	out->times = times_of(&m);
	out->cut.graph->costs = g->costs;
	out->graph = graph_passes_after(a, out->cut.graph, OFFLOAD_AFTER);
	if (!out->graph)
		return -1;
	out->foreign = by_function(&m);
	return 0;
}
