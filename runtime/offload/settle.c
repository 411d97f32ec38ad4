/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/offload/settle.c - rounds of one turn for each plan. */
#include "runtime/offload/settle.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "measure/timing.h"
#include "runtime/agree.h"
#include "runtime/explain.h"
#include "runtime/inputs.h"
#include "runtime/offload/judge.h"
#include "runtime/step_times.h"

/* A turn is a run that brings the plan's data back to the caches, and then runs for so long, one at least:
 * a barrier's or a clock's grain is nothing beside it. */
#define TURN_MS 10.0
/* Rounds before a figure is believed: an interval of the verdict needs as many. More than the most tell
 * nothing more. */
enum { LEAST_ROUNDS = 8, MOST_ROUNDS = 200 };
/* Each time there are fewer kernels that nobody timed in a model; what is left then keeps its other time. */
enum { MOST_LOOKS = 6 };
/* Of the inputs, the same at each call. */
enum { SEED = 1 };

struct series_vec VEC(double);

struct settling {
	struct arena *a;
	const struct open_options *o;
	struct choice_plan plan;
	struct settled *out;
	struct value *inputs;
};

/* What rounds have told of one plan. */
struct plan_series {
	struct settled_plan *plan;
	const struct task_uses *uses;
	struct series_vec runs;		/* us, one of each round */
	struct series_vec *tasks;	/* us, by task */
};

static const enum offload_policy policies[] = {
	[SETTLED_COST] = OFFLOAD_FASTEST, [SETTLED_HOST] = OFFLOAD_NONE, [SETTLED_ALL] = OFFLOAD_ALL,
};

/* Opens plan I anew by what is known now. */
static int open_one(struct settling *s, int i)
{
	struct settled_plan *p = &s->out->plans[i];

	session_free(p->session);
	*p = (struct settled_plan){ 0 };
	offers_set_policy(s->plan.offers, policies[i]);
	if (open_choices(s->a, s->o, &s->plan, &p->model) < 0)
		return -1;
	p->model.code = model_code_new(s->a, p->model.graph, p->model.tasks, p->model.choices,
				       p->model.offloaded.foreign);
	p->session = session_new(p->model.code, interp_usual_limits);
	session_watch(p->session, false);
	const struct explanation e = explain(s->a, p->model.code, p->model.tasks, p->model.choices);

	p->predicted_us = e.predicted_us;
	p->unknown = e.unknown;
	for (int k = 0; k < p->model.offloaded.cut.regions.n; k++) {
		double us = region_us(&s->plan, &p->model.offloaded, k);

		p->predicted_us += us;
		p->unknown += us <= 0;
	}
	return 0;
}

/* --- rounds */

static double median_of(struct arena *a, const struct series_vec *x)
{
	return median(arena_memdup(a, x->at, (size_t)x->n * sizeof(*x->at)), x->n);
}

static struct plan_series series_of(struct settling *s, int i)
{
	struct settled_plan *p = &s->out->plans[i];

	return (struct plan_series){ .plan = p,
		.uses = task_uses_new(s->a, p->model.graph, p->model.tasks),
		.tasks = arena_many(s->a, struct series_vec, p->model.tasks->n) };
}

static int turn(struct settling *s, struct plan_series *x)
{
	const struct opened *m = &x->plan->model;
	struct arena *a = arena_new();
	struct step_sum *sums = arena_many(a, struct step_sum, m->tasks->n);
	struct series_vec runs = { 0 };
	int rc = session_exercise(x->plan->session, s->inputs);
	int64_t begin = clock_ns(), before = begin, now = begin;

	step_times_add(m->graph, x->uses, x->plan->session, -1, NULL, sums);
	while (rc == 0 && (runs.n == 0 || (double)(now - begin) * 1e-6 < TURN_MS)) {
		before = clock_ns();
		rc = session_exercise(x->plan->session, s->inputs);
		now = clock_ns();
		vec_push(a, &runs, (double)(now - before) * 1e-3);
	}
	step_times_add(m->graph, x->uses, x->plan->session, 1, NULL, sums);
	if (rc == 0)
		vec_push(s->a, &x->runs, median(runs.at, runs.n));
	for (int i = 0; i < m->tasks->n && rc == 0; i++)
		if (sums[i].runs > 0)
			vec_push(s->a, &x->tasks[i], sums[i].seconds * 1e6 / (double)sums[i].runs);
	arena_free(a);
	return rc;
}

/* N plans in turns, who begins changes. */
static int play(struct settling *s, struct plan_series *x, int n, double seconds)
{
	double until = clock_s() + seconds;

	for (int round = 0; round < MOST_ROUNDS && (round < LEAST_ROUNDS || clock_s() < until); round++)
		for (int i = 0; i < n; i++)
			if (turn(s, &x[(round + i) % n]) < 0)
				return -1;
	return 0;
}

/* --- what they tell of kernels */

static int backend_of(const struct offers_options *o, const struct choice *c)
{
	const struct hone_generator *g = foreign_backend(c->foreign[0].foreign)->generator;

	for (int i = 0; i < o->n; i++)
		if (o->backends[i].generator == g)
			return i;
	return OFFER_HOST;
}

/* The offer that choice C of a task stands for; false where no single kernel does. */
static bool offer_of(const struct offers_options *o, const struct choice *c, struct offer *out)
{
	*out = (struct offer){ .backend = OFFER_HOST, .in_model = true };
	if (c->origin == CHOICE_GENERATOR)
		out->backend = backend_of(o, c);
	else if (c->nforeign > 0 || c->origin == CHOICE_NONE || !c->source)
		return false;
	else
		out->source = hash_bytes(c->source, strlen(c->source));
	return true;
}

/* Does the generator know better than the clock? */
static bool is_told(const struct settling *s, const struct offer *x)
{
	return x->backend != OFFER_HOST && offers_options(s->plan.offers)->backends[x->backend].generator->cost;
}

static void learn(struct settling *s, struct plan_series *x)
{
	const struct opened *m = &x->plan->model;

	for (int i = 0; i < m->tasks->n; i++) {
		const struct model_task *t = &m->tasks->at[i];
		struct series_vec *us = &x->tasks[i];
		struct offer offer;

		if (us->n == 0 || !t->dag || !offer_of(offers_options(s->plan.offers), &m->choices[i], &offer) ||
		    is_told(s, &offer))
			continue;
		offer.us = median_of(s->a, us);
		offers_learn(s->plan.offers, t, &offer, us->at, us->n);
	}
}

/* Has every kernel of plan I been timed in a model? */
static bool is_known(const struct settling *s, int i)
{
	const struct opened *m = &s->out->plans[i].model;

	for (int k = 0; k < m->tasks->n; k++) {
		const struct model_task *t = &m->tasks->at[k];
		struct offer offer, known;

		if (t->dag && offer_of(offers_options(s->plan.offers), &m->choices[k], &offer) &&
		    !(offers_get(s->plan.offers, t->key, offer.backend, &known) && known.in_model &&
		      hash_equal(known.source, offer.source)))
			return false;
	}
	return true;
}

/* Runs the N plans that WHICH names for SECONDS, and learns from it. */
static int play_and_learn(struct settling *s, int n, const int *which, double seconds)
{
	struct plan_series *x = arena_many(s->a, struct plan_series, n);

	for (int i = 0; i < n; i++)
		x[i] = series_of(s, which[i]);
	if (play(s, x, n, seconds) < 0)
		return -1;
	for (int i = 0; i < n; i++)
		learn(s, &x[i]);
	return 0;
}

/* --- results and verdicts */

static int check(struct settling *s)
{
	struct settled_plan *plans = s->out->plans;
	int n = graph_main(plans[0].model.graph)->nresults, rc = 0;
	struct value *results[SETTLED_PLANS];

	for (int i = 0; i < SETTLED_PLANS; i++)
		results[i] = values_new(n);
	for (int i = 0; i < SETTLED_PLANS && rc == 0; i++)
		rc = session_run(plans[i].session, s->inputs, results[i]);
	for (int i = 0; i < SETTLED_PLANS && rc == 0; i++) {
		const struct agreement *all = results_agree(s->a, results[i], results[SETTLED_HOST], n);

		plans[i].agrees = true;
		for (int k = 0; k < n; k++) {
			plans[i].agrees &= all[k].agrees;
			plans[i].error = all[k].error > plans[i].error ? all[k].error : plans[i].error;
		}
	}
	for (int i = 0; i < SETTLED_PLANS; i++) {
		values_release(results[i], n);
		free(results[i]);
	}
	return rc;
}

static int judge(struct settling *s, double seconds)
{
	struct plan_series x[SETTLED_PLANS];

	for (int i = 0; i < SETTLED_PLANS; i++)
		x[i] = series_of(s, i);
	if (play(s, x, SETTLED_PLANS, seconds) < 0)
		return -1;
	const struct series_vec *cost = &x[SETTLED_COST].runs;

	s->out->with_host = compare_pairs(cost->at, x[SETTLED_HOST].runs.at, cost->n);
	s->out->with_all = compare_pairs(cost->at, x[SETTLED_ALL].runs.at, cost->n);
	for (int i = 0; i < SETTLED_PLANS; i++) {
		x[i].plan->us = median_of(s->a, &x[i].runs);
		offers_learn_plan(s->plan.offers, s->plan.model_key, policies[i], x[i].plan->us, x[i].runs.at,
				  x[i].runs.n);
	}
	return 0;
}

static int find_plan(struct settling *s, double seconds)
{
	static const int trivial[] = { SETTLED_HOST, SETTLED_ALL }, both[] = { SETTLED_HOST, SETTLED_COST };

	if (open_one(s, SETTLED_HOST) < 0 || open_one(s, SETTLED_ALL) < 0)
		return -1;
	s->inputs = inputs_random(s->a, graph_main(s->out->plans[SETTLED_HOST].model.graph), SEED);
	if (!s->inputs || play_and_learn(s, 2, trivial, seconds) < 0 ||
	    regions_judge(&s->plan, &s->out->plans[SETTLED_ALL].model.offloaded) < 0)
		return -1;
	/* The last one is judged as it is: what would be learned from it might be another plan. */
	while (open_one(s, SETTLED_COST) == 0) {
		int judged = regions_judge(&s->plan, &s->out->plans[SETTLED_COST].model.offloaded);

		if (judged < 0)
			return -1;
		if (++s->out->looked == MOST_LOOKS || (judged == 0 && is_known(s, SETTLED_COST)))
			return open_one(s, SETTLED_HOST) < 0 || open_one(s, SETTLED_ALL) < 0 ? -1 : 0;
		if (judged == 0 && play_and_learn(s, 2, both, seconds) < 0)
			return -1;
	}
	return -1;
}

int settle(struct arena *a, const struct open_options *o, double seconds, struct settled *out)
{
	struct settling s = { .a = a, .o = o, .out = out };

	*out = (struct settled){ 0 };
	if (open_plan(a, o, &s.plan) < 0)
		return -1;
	out->offers = s.plan.offers;
	int rc = find_plan(&s, seconds / 4) < 0 || check(&s) < 0 || judge(&s, seconds / 2) < 0 ? -1 : 0;

	db_close(s.plan.db);
	return rc < 0 ? -1 : offers_keep(s.plan.offers);
}

void settled_end(struct settled *s)
{
	for (int i = 0; i < SETTLED_PLANS; i++)
		session_free(s->plans[i].session);
}
