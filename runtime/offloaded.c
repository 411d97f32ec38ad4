/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/offloaded.c - cut, prepared, cut again without what failed, and through the other passes. */
#include "runtime/offloaded.h"

#include <string.h>

#include "base/err.h"
#include "graph/pass/pass.h"

struct offloading_model {
	struct arena *a;
	struct graph *g;
	struct offload_options options;
	int threads;
	struct offloaded *out;
	struct foreign **foreign;	/* by region */
};

static int load(struct arena *a, const struct offload_request *r, struct offloaded *out)
{
	struct backend *backends = arena_many(a, struct backend, r->nbackends);

	for (int i = 0; i < r->nbackends; i++) {
		if (backend_load(a, r->backends[i], &backends[i]) < 0)
			return -1;
		for (int j = 0; j < i; j++)
			if (strcmp(backends[i].generator->name, backends[j].generator->name) == 0)
				return err_set("two generators are called '%s'",
					       backends[i].generator->name);
	}
	out->backends = backends;
	return 0;
}

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
					    m->threads);
		if (!m->foreign[i]) {
			hold_back(m, i, arena_strdup(m->a, err_get()));
			failed++;
		}
	}
	return failed;
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

int offloaded_new(struct arena *a, struct graph *g, const struct offload_request *r, int threads,
		  struct offloaded *out)
{
	struct offloading_model m = {
		.a = a, .g = g, .threads = threads, .out = out,
		.options = { .n = r->nbackends, .keep = r->keep, .nkeep = r->nkeep },
	};

	*out = (struct offloaded){ .from = g };
	if (load(a, r, out) < 0)
		return -1;
	m.options.backends = out->backends;
	do	/* each time there are fewer calls to offer */
		if (offload_all(a, g, &m.options, &out->cut) < 0)
			return -1;
	while (prepare(&m) > 0);
	out->cut.graph->costs = g->costs;
	out->graph = graph_passes_after(a, out->cut.graph, OFFLOAD_AFTER);
	if (!out->graph)
		return -1;
	out->foreign = by_function(&m);
	return 0;
}
