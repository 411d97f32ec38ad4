/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/offload/judge.c - a region as a model of its own. */
#include "runtime/offload/judge.h"

#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/quantile.h"
#include "graph/build/build.h"
#include "graph/ir/known.h"
#include "graph/pass/pass.h"
#include "measure/timing/timing.h"
#include "runtime/kernel/task_times.h"
#include "runtime/values/inputs.h"

/* As a kernel alone (runtime/offload/alone.c), each round both ways; a generator that tells what it takes is
 * not timed. */
enum { WARM_ROUNDS = 1, LEAST_ROUNDS = 5, MOST_ROUNDS = 25, SEED = 1 };
#define MOST_MS 200.0

struct hash128 region_key(const struct function *f)
{
	struct hasher *h = hasher_new();

	for (int v = 0; v < f->bindings.n; v++) {
		const struct binding *b = function_at(f, v);

		hasher_int(h, b->kind);
		if (b->kind == BIND_PARAM || b->kind == BIND_CONST || b->kind == BIND_CALL)
			hash_type(h, b->type);
		if (b->kind != BIND_CALL)
			continue;
		hasher_str(h, b->op->name);
		hash_attrs(h, b);
		hasher_bytes(h, b->args, (size_t)b->nargs * sizeof(*b->args));
	}
	for (int i = 0; i < f->nresults; i++)
		hasher_int(h, f->results[i]);
	return hasher_end(h);
}

/* A graph of a function with what F has but its attributes: its only one, and main. */
static struct graph *alone(struct arena *a, const struct graph *g, const struct function *f)
{
	struct graph *out = graph_new(a, f->name);
	struct function *plain = arena_memdup(a, f, sizeof(*f));

	plain->attrs = NULL;
	plain->nattrs = 0;
	vec_push(a, &out->functions, plain);
	names_add(a, &out->function_names, plain->name, 0);
	out->main = 0;
	out->budget = g->budget;
	return out;
}

/* A graph whose main applies F, function 0, as a model does that was cut. */
static struct graph *applied(struct arena *a, const struct graph *g, const struct function *f)
{
	struct graph *out = alone(a, g, f);
	struct builder b = builder_begin(out, "main");
	int *values = arena_many(a, int, f->nparams + f->nresults);

	for (int i = 0; i < f->nparams; i++)
		values[i] = build_param(&b, "", function_at(f, i)->type);
	int all = build_apply(&b, 0, f->nparams, values);

	for (int i = 0; i < f->nresults; i++)
		values[i] = f->nresults == 1 ? all : build_field(&b, all, i);
	out->main = builder_end(&b, f->nresults, values);
	return out;
}

/* A region on trial: by hone's kernels, and by its generator. */
struct region_trial {
	struct session *session[2];	/* the second is NULL where the generator tells its time */
	const struct value *inputs;
	double us[2][MOST_ROUNDS];
	int n;
};

static int round_of(struct region_trial *x, double us[2])
{
	for (int k = 0; k < 2 && x->session[k]; k++) {
		int64_t begin = clock_ns();

		if (session_exercise(x->session[k], x->inputs) < 0)
			return -1;
		us[k] = us_since(begin);
	}
	return 0;
}

static int play(struct region_trial *x)
{
	int64_t begin = clock_ns();
	double us[2] = { 0, 0 };

	for (int i = -WARM_ROUNDS; i < MOST_ROUNDS; i++) {
		if (i >= LEAST_ROUNDS && ms_since(begin) > MOST_MS)
			break;
		if (round_of(x, us) < 0)
			return -1;
		for (int k = 0; k < 2 && i >= 0; k++)
			x->us[k][i] = us[k];
		x->n = i + 1;
	}
	return 0;
}

static void learn(const struct choice_plan *plan, const struct region_trial *x, const struct function *f,
		  int backend)
{
	double sorted[MOST_ROUNDS];

	for (int k = 0; k < 2 && x->session[k]; k++) {
		struct offer what = { .backend = k ? backend : OFFER_HOST };

		memcpy(sorted, x->us[k], (size_t)x->n * sizeof(*sorted));
		what.us = median(sorted, x->n);
		offers_learn_region(plan->offers, region_key(f), f->name, &what, x->us[k], x->n);
	}
}

static struct session *host_session(struct arena *a, const struct choice_plan *plan, const struct graph *g,
				    const struct function *f)
{
	struct task_times times = { .db = plan->db, .device = plan->device, .now = plan->now,
				    .threads = plan->threads, .exact = plan->exact };
	struct graph *own = alone(a, g, f);
	struct opened host;

	own->costs = task_times_costs(&times);	/* or images would stay as they are, and hone be slower than in the model */
	struct graph *only = graph_passes_after(a, own, OFFLOAD_AFTER);

	if (!only || open_graph(a, only, plan, &host) < 0)
		return NULL;
	return session_new(model_code_new(a, host.graph, host.tasks, host.choices, NULL), interp_usual_limits);
}

static struct session *foreign_session(struct arena *a, const struct graph *g, const struct function *f,
				       struct foreign *foreign)
{
	static const struct model_task_vec none;
	struct graph *cut = applied(a, g, f);
	struct foreign **by_function = arena_many(a, struct foreign *, cut->functions.n);

	by_function[0] = foreign;
	return session_new(model_code_new(a, cut, &none, NULL, by_function), interp_usual_limits);
}

static int judge(const struct choice_plan *plan, const struct graph *g, const struct function *f,
		 struct foreign *foreign, int backend)
{
	struct arena *a = arena_new();
	struct region_trial x = { .session = { host_session(a, plan, g, f) },
				  .inputs = inputs_random(a, f, SEED) };
	int rc = -1;

	if (x.session[0] && x.inputs) {
		if (foreign_told_us(foreign) <= 0)
			x.session[1] = foreign_session(a, g, f, foreign);
		rc = play(&x);
	}
	if (rc == 0)
		learn(plan, &x, f, backend);
	for (int k = 0; k < 2; k++)
		session_free(x.session[k]);
	arena_free(a);
	return rc;
}

static const struct function *region_at(const struct offloaded *m, int i)
{
	const struct graph *g = m->cut.graph;

	return g->functions.at[graph_find_function(g, m->cut.regions.at[i].function)];
}

/* The place of region I's generator among those of offers. */
static int backend_of(const struct choice_plan *plan, const struct offloaded *m, int i)
{
	return plan->generators.kernels.n + m->cut.regions.at[i].backend;
}

double region_us(const struct choice_plan *plan, const struct offloaded *m, int i)
{
	double told = foreign_told_us(m->ready[i]);
	struct offer x;

	if (told > 0)
		return told;
	return offers_get(plan->offers, region_key(region_at(m, i)), backend_of(plan, m, i), &x) ? x.us : 0;
}

int regions_judge(const struct choice_plan *plan, const struct offloaded *m, bool anew)
{
	int judged = 0;

	for (int i = 0; i < m->cut.regions.n; i++) {
		const struct function *f = region_at(m, i);
		struct offer host;

		if (!anew && region_us(plan, m, i) > 0 && offers_get(plan->offers, region_key(f), OFFER_HOST, &host))
			continue;
		if (judge(plan, m->cut.graph, f, m->ready[i], backend_of(plan, m, i)) < 0)
			return -1;
		judged++;
	}
	return judged;
}
