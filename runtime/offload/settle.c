/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/offload/settle.c - plans, what they tell of their kernels, and another plan by that. */
#include <math.h>

#include "runtime/offload/settle.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "runtime/explain.h"
#include "runtime/kernel/task_times.h"
#include "runtime/offload/judge.h"
#include "runtime/offload/rounds.h"
#include "runtime/offload/told.h"
#include "runtime/values/agree.h"
#include "runtime/values/inputs.h"
#include "runtime/values/rounding.h"

/* Each time there are fewer kernels that nobody timed in a model; what is left then keeps its other time. */
enum { MOST_LOOKS = 6 };
/* Of the inputs, the same at each call. */
enum { SEED = 1 };

struct plan_settling {
	struct arena *a;
	const struct open_options *o;
	struct choice_plan plan;
	struct settled *out;
	struct value *inputs;
	double rest_us;		/* what plans take beside their kernels: the interpreter, waiting; once it is known */
};

static const enum offload_policy policies[] = {
	[SETTLED_COST] = OFFLOAD_FASTEST, [SETTLED_HOST] = OFFLOAD_NONE, [SETTLED_ALL] = OFFLOAD_ALL,
};

/* Opens plan I anew by what is known now. */
static int open_one(struct plan_settling *s, int i)
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
	return 0;
}

/* The offer that choice C of a task stands for; false where no single kernel does. */
static bool offer_of(const struct offers_options *o, const struct choice *c, struct offer *out)
{
	*out = (struct offer){ .backend = OFFER_HOST, .in_model = true };
	if (c->origin == CHOICE_GENERATOR)
		out->backend = offers_backend(o, foreign_backend(c->foreign[0].foreign));
	else if (c->nforeign > 0 || c->origin == CHOICE_NONE || !c->source)
		return false;
	else
		out->source = hash_bytes(c->source, strlen(c->source));
	return true;
}

/* What is known of the kernel that choice C of T stands for, and of no other; false where nothing is. */
static bool find_known(const struct plan_settling *s, const struct model_task *t, const struct choice *c,
		       struct offer *known)
{
	struct offer what;

	return t->dag && offer_of(offers_options(s->plan.offers), c, &what) &&
	       offers_get(s->plan.offers, t->key, what.backend, known) && hash_equal(known->source, what.source);
}

/* Sets what is expected of plan I by what is known now. */
static void predict(struct plan_settling *s, int i)
{
	struct settled_plan *p = &s->out->plans[i];
	struct opened *m = &p->model;
	struct choice *choices = arena_memdup(s->a, m->choices, (size_t)m->tasks->n * sizeof(*choices));

	for (int k = 0; k < m->tasks->n; k++) {
		struct offer known;

		if (!find_known(s, &m->tasks->at[k], &choices[k], &known))
			continue;
		choices[k].time_us = known.us;
		choices[k].foreign_us = offer_cost_us(s->plan.offers, &known);
	}
	const struct explanation e = explain(s->a, m->code, m->tasks, choices);

	p->predicted_us = e.predicted_us + s->rest_us;
	p->unknown = e.unknown;
	for (int k = 0; k < m->offloaded.cut.regions.n; k++) {
		double us = region_us(&s->plan, &m->offloaded, k);

		p->predicted_us += us;
		p->unknown += us <= 0;
	}
}

/* --- what rounds tell of kernels */

static struct plan_series series_of(struct plan_settling *s, int i)
{
	return plan_series_new(s->a, &s->out->plans[i].model, s->out->plans[i].session);
}

/* Does the generator that X is of know better than the clock? */
static bool is_told(const struct plan_settling *s, const struct model_task *t, const struct offer *x)
{
	struct offer known;

	return offers_get(s->plan.offers, t->key, x->backend, &known) && known.told;
}

static void learn(struct plan_settling *s, struct plan_series *x)
{
	const struct opened *m = x->model;

	for (int i = 0; i < m->tasks->n; i++) {
		const struct model_task *t = &m->tasks->at[i];
		struct figure_series *us = &x->tasks[i];
		struct offer offer;

		if (us->n == 0 || !t->dag || !offer_of(offers_options(s->plan.offers), &m->choices[i], &offer) ||
		    is_told(s, t, &offer))
			continue;
		offer.us = series_median(s->a, us);
		offers_learn(s->plan.offers, t, &offer, us->at, us->n);
	}
}

/* Has every kernel of plan I been timed in a model? */
static bool is_known(const struct plan_settling *s, int i)
{
	const struct opened *m = &s->out->plans[i].model;

	for (int k = 0; k < m->tasks->n; k++) {
		const struct model_task *t = &m->tasks->at[k];
		struct offer offer, known;

		if (t->dag && offer_of(offers_options(s->plan.offers), &m->choices[k], &offer) &&
		    !(find_known(s, t, &m->choices[k], &known) && known.in_model))
			return false;
	}
	return true;
}

/* Runs the N plans that WHICH names for SECONDS, and learns from it. */
static int play_and_learn(struct plan_settling *s, int n, const int *which, double seconds)
{
	struct plan_series *x = arena_many(s->a, struct plan_series, n);

	for (int i = 0; i < n; i++)
		x[i] = series_of(s, which[i]);
	if (rounds_play(&(struct rounds){ s->a, s->inputs, ROUNDS_OF_TIMES }, x, n, seconds) < 0)
		return -1;
	for (int i = 0; i < n; i++) {
		learn(s, &x[i]);
		s->out->plans[which[i]].us = series_median(s->a, &x[i].runs);
	}
	return 0;
}

/* How many kernels of generators P has; 0 where one tells its cost, which no clock can be held against. */
static int timed_steps(const struct settled_plan *p)
{
	const struct opened *m = &p->model;
	int n = 0;

	if (told_any(m, NULL))
		return 0;
	for (int f = 0; f < m->graph->functions.n; f++) {
		const struct flat *flat = m->code->flats[f];

		for (int i = 0; flat && i < flat->steps.n; i++)
			n += flat->steps.at[i].kind == FLAT_FOREIGN;
	}
	return n;
}

/* Of a model's time, beyond its kernels': where the interpreter has more, as in detectors, what a few
 * launches add is not to be told from what it varies by. */
#define MOST_REST 0.2

/* What the plan of generators took beyond its kernels, more than hone alone did beyond its own. What both took
 * is the rest: of a plan that is many times slower some of it is how its kernels vary. */
static void learn_launch(struct plan_settling *s)
{
	const struct settled_plan *all = &s->out->plans[SETTLED_ALL], *host = &s->out->plans[SETTLED_HOST];
	int n = timed_steps(all);

	predict(s, SETTLED_ALL);
	predict(s, SETTLED_HOST);
	double rest = host->us - host->predicted_us, of_all = all->us - all->predicted_us, beyond = of_all - rest;

	s->rest_us = fmax(0, fmin(rest, of_all));
	if (n == 0 || rest > MOST_REST * host->us)
		return;
	s->out->launch_us = beyond > 0 ? beyond / n : 0;
	if (beyond > 0)
		offers_learn_figure(s->plan.offers, FIGURE_LAUNCH_US, s->out->launch_us);
}

/* What hone's kernels took in the model, beside what their records or expectations have. */
static int learn_ratio(struct plan_settling *s)
{
	const struct opened *m = &s->out->plans[SETTLED_HOST].model;
	const struct task_times times = { .db = s->plan.db, .device = s->plan.device, .now = s->plan.now,
					  .threads = s->plan.threads };
	struct model_task_vec tasks = { 0 };
	double in_model = 0, alone = 0;

	for (int i = 0; i < m->tasks->n; i++) {
		struct offer x;

		if (m->tasks->at[i].dag && offers_get(s->plan.offers, m->tasks->at[i].key, OFFER_HOST, &x)) {
			vec_push(s->a, &tasks, m->tasks->at[i]);
			in_model += x.us * m->tasks->at[i].weight;
		}
	}
	const double *us = task_times_of_host(&times, s->a, &tasks, tasks.n);

	for (int i = 0; us && i < tasks.n; i++)
		alone += us[i] * tasks.at[i].weight;
	if (us && alone > 0)
		offers_learn_figure(s->plan.offers, FIGURE_HOST_RATIO, in_model / alone);
	return us ? 0 : -1;
}

/* --- results and verdicts */

static int check(struct plan_settling *s)
{
	struct settled_plan *plans = s->out->plans;
	int n = graph_main(plans[0].model.graph)->nresults, rc = 0;
	struct value *results[SETTLED_PLANS];
	double bound = rounding_bound(s->a, plans[SETTLED_HOST].model.code, interp_usual_limits, s->inputs);

	if (bound < 0)
		return -1;
	s->out->bound = bound;
	for (int i = 0; i < SETTLED_PLANS; i++)
		results[i] = values_new(n);
	for (int i = 0; i < SETTLED_PLANS && rc == 0; i++)
		rc = session_run(plans[i].session, s->inputs, results[i]);
	for (int i = 0; i < SETTLED_PLANS && rc == 0; i++) {
		const struct agreement *all = results_agree(s->a, results[i], results[SETTLED_HOST], n, bound);

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

/* X's runs in times of hone alone in the same rounds, at the speed of its median one; but for what was told, which
 * is the same on any day. */
static void settle_times(struct plan_settling *s, int i, const struct plan_series *x, const struct plan_series *host)
{
	double host_us = series_median(s->a, &host->runs);
	struct figure_series us = { 0 };

	for (int k = 0; k < x->runs.n; k++) {
		double told = cost_us(x->spent.at[k].told);

		vec_push(s->a, &us, (x->runs.at[k] - told) / host->runs.at[k] * host_us + told);
	}
	s->out->plans[i].us = series_median(s->a, &us);
	/* What a generator tells is asked anew each time, so a time that has it in it is not kept. */
	if (!told_any(&s->out->plans[SETTLED_ALL].model, NULL) && !told_any(&s->out->plans[SETTLED_COST].model, NULL))
		offers_learn_plan(s->plan.offers, s->plan.model_key, policies[i], s->out->plans[i].us, us.at, us.n);
}

/* What is predicted of P at SPEED times what was: again but for what is told. */
static void predict_at(struct settled_plan *p, double speed)
{
	double told = cost_us(told_cost(&p->model, NULL));

	p->predicted_us = fmax(0, p->predicted_us - told) * speed + told;
}

static int judge(struct plan_settling *s, double seconds)
{
	struct settled *out = s->out;
	struct plan_series x[SETTLED_PLANS];

	for (int i = 0; i < SETTLED_PLANS; i++) {
		predict(s, i);
		x[i] = series_of(s, i);
	}
	if (rounds_play(&(struct rounds){ s->a, s->inputs, ROUNDS_OF_VERDICT }, x, SETTLED_PLANS, seconds) < 0)
		return -1;
	const struct figure_series *cost = &x[SETTLED_COST].runs;

	out->with_host = compare_pairs(cost->at, x[SETTLED_HOST].runs.at, cost->n,
					MARGIN_STARTS);
	out->with_all = compare_pairs(cost->at, x[SETTLED_ALL].runs.at, cost->n,
				      MARGIN_STARTS);
	for (int i = 0; i < SETTLED_PLANS; i++) {
		settle_times(s, i, &x[i], &x[SETTLED_HOST]);
		out->plans[i].spent = run_spent_middle(x[i].spent.at, x[i].spent.n);
	}
	double speed = out->plans[SETTLED_HOST].us / out->plans[SETTLED_HOST].predicted_us;

	predict_at(&out->plans[SETTLED_COST], speed);
	predict_at(&out->plans[SETTLED_ALL], speed);
	enum offload_policy fastest = offers_fastest_policy(s->plan.offers, s->plan.model_key);

	for (int i = 0; i < SETTLED_PLANS; i++)
		if (policies[i] == fastest)
			out->chosen = i;
	return 0;
}

static int find_plan(struct plan_settling *s, double seconds)
{
	static const int trivial[] = { SETTLED_HOST, SETTLED_ALL }, both[] = { SETTLED_HOST, SETTLED_COST };

	if (open_one(s, SETTLED_HOST) < 0 || open_one(s, SETTLED_ALL) < 0)
		return -1;
	s->inputs = inputs_random(s->a, graph_main(s->out->plans[SETTLED_HOST].model.graph), SEED);
	if (!s->inputs || play_and_learn(s, 2, trivial, seconds) < 0)
		return -1;
	learn_launch(s);
	if (learn_ratio(s) < 0 || regions_judge(&s->plan, &s->out->plans[SETTLED_ALL].model.offloaded, true) < 0)
		return -1;
	/* The last one is judged as it is: what would be learned from it might be another plan. */
	while (open_one(s, SETTLED_COST) == 0) {
		int judged = regions_judge(&s->plan, &s->out->plans[SETTLED_COST].model.offloaded, false);

		if (judged < 0)
			return -1;
		if (++s->out->looked == MOST_LOOKS || (judged == 0 && is_known(s, SETTLED_COST)))
			return 0;
		if (judged == 0 && play_and_learn(s, 2, both, seconds) < 0)
			return -1;
	}
	return -1;
}

int settle(struct arena *a, const struct open_options *o, double seconds, struct settled *out)
{
	struct plan_settling s = { .a = a, .o = o, .out = out };

	*out = (struct settled){ 0 };
	if (open_plan(a, o, &s.plan) < 0)
		return -1;
	out->offers = s.plan.offers;
	int rc = find_plan(&s, seconds / 4) < 0 || check(&s) < 0 || judge(&s, seconds / 2) < 0 ? -1 : 0;

	db_close(s.plan.db);
	if (rc == 0 && settled_wrong(out) >= 0) {
		out->chosen = SETTLED_HOST;
		return 0;
	}
	return rc < 0 ? -1 : offers_keep(s.plan.offers);
}

int settled_wrong(const struct settled *s)
{
	for (int i = 0; i < SETTLED_PLANS; i++)
		if (!s->plans[i].agrees)
			return i;
	return -1;
}

void settled_end(struct settled *s)
{
	for (int i = 0; i < SETTLED_PLANS; i++)
		session_free(s->plans[i].session);
}
