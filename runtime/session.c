/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/session.c - the interpreter, with kernels in the place of fused functions. */
#include "runtime/session.h"

#include <stdlib.h>

#include "base/err.h"
#include "runtime/site.h"

struct session {
	struct arena *arena;
	struct arena *run;	/* strings of the latest run */
	const struct graph *graph;
	struct interp_limits limits;
	struct kernel_site *sites;	/* by function */
	void *workspace;	/* as large as the largest that a kernel wants */
	size_t bytes;
	bool watching;
	struct session_cost_vec costs;
	int **cost_of;		/* by function and value: place in costs + 1 */
};

static int apply(void *user, int function, const struct value *args, int nargs,
		 struct value *result)
{
	struct session *s = user;
	const struct kernel_site *site = &s->sites[function];
	const struct type *type = s->graph->functions.at[function]->result;

	(void)nargs;
	if (!site->choice || !type_is_static(type))
		return 0;
	return site_run(site, type, args, s->workspace, result);
}

static void note(void *user, int function, const struct binding *b, double seconds)
{
	struct session *s = user;
	const struct function *f = s->graph->functions.at[function];

	if (!s->cost_of[function])
		s->cost_of[function] = arena_many(s->arena, int, f->bindings.n);
	int *place = &s->cost_of[function][b - f->bindings.at];

	if (!*place) {
		bool applied = b->kind == BIND_APPLY && b->function != FUNCTION_NONE;

		vec_push(s->arena, &s->costs, (struct session_cost){
			.function = function, .binding = b,
			.choice = applied ? s->sites[b->function].choice : NULL });
		*place = s->costs.n;
	}
	s->costs.at[*place - 1].runs++;
	s->costs.at[*place - 1].seconds += seconds;
}

static size_t largest_workspace(const struct session *s)
{
	size_t most = 0;

	for (int i = 0; i < s->graph->functions.n; i++)
		if (s->sites[i].choice && s->sites[i].choice->kernel.workspace_bytes > most)
			most = s->sites[i].choice->kernel.workspace_bytes;
	return most;
}

struct session *session_new(const struct graph *g, const struct model_task_vec *tasks,
			    const struct choice *choices, struct interp_limits limits)
{
	struct arena *a = arena_new();
	struct session *s = arena_one(a, struct session);

	s->arena = a;
	s->run = arena_new();
	s->graph = g;
	s->limits = limits;
	s->sites = sites_new(a, g, tasks, choices, &s->bytes);
	s->cost_of = arena_many(a, int *, g->functions.n);
	size_t workspace = largest_workspace(s);

	s->workspace = kernel_buffer(workspace);
	s->bytes += workspace;
	return s;
}

void session_free(struct session *s)
{
	if (!s)
		return;
	sites_free(s->sites, s->graph->functions.n);
	free(s->workspace);
	arena_free(s->run);
	arena_free(s->arena);
}

int session_run(struct session *s, const struct value *args, struct value *results)
{
	const struct function *main = graph_main(s->graph);
	struct value *held = values_held(args, main->nparams);
	struct value out;

	arena_reset(s->run);
	struct interp interp = interp_begin(s->run, s->graph, s->limits);

	interp.kernels = (struct interp_kernels){ apply, s };
	if (s->watching)
		interp.watch = (struct interp_watch){ note, s };
	int rc = interp_run(&interp, s->graph->main, held, main->nparams, &out);

	interp_end(&interp);
	free(held);
	if (rc < 0)
		return -1;
	if (main->nresults == 1) {
		results[0] = out;
		return 0;
	}
	for (int i = 0; i < main->nresults; i++)
		results[i] = value_hold(out.items->at[i]);
	value_release(out);
	return 0;
}

void session_watch(struct session *s)
{
	s->watching = true;
}

const struct session_cost_vec *session_costs(const struct session *s)
{
	return &s->costs;
}

size_t session_bytes(const struct session *s)
{
	return s->bytes;
}
