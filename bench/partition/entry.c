/* SPDX-License-Identifier: Apache-2.0 */
/* bench/partition/entry.c - what is kept of a model that was settled, and means. */
#include "bench/partition/entry.h"

#include <math.h>

#include "base/err.h"
#include "runtime/offload/rounds.h"
#include "runtime/values/inputs.h"
#include "tools/partition/plans.h"

static void take(struct arena *scratch, const struct settled *s, struct partition_entry *e)
{
	for (int i = 0; i < SETTLED_PLANS; i++) {
		const struct settled_plan *p = &s->plans[i];

		e->plans[i] = (struct entry_plan){ p->us, p->predicted_us, p->unknown, p->agrees, p->spent,
						   plan_offload_of(scratch, s, i) };
	}
	e->with_host = s->with_host;
	e->with_all = s->with_all;
	e->chosen = s->chosen;
	e->json = plans_json_short(scratch, s);
}

struct partition_entry partition_entry_new(struct arena *a, const struct open_options *o,
					   const struct partition_set *set, double seconds)
{
	struct arena *scratch = arena_new();
	struct open_options with = *o;
	struct partition_entry e = { 0 };
	struct settled s;

	with.offload.backends = set->backends;
	with.offload.nbackends = set->n;
	if (settle(scratch, &with, seconds, &s) == 0)
		take(scratch, &s, &e);
	else
		e.why = arena_strdup(a, err_get());
	settled_end(&s);
	arena_free(scratch);
	return e;
}

bool partition_entry_is_sound(const struct partition_entry *e)
{
	bool sound = !e->why;

	for (int i = 0; i < SETTLED_PLANS; i++)
		sound &= e->plans[i].agrees;
	return sound;
}

double partition_predicted(const struct partition_entry *e, int plan)
{
	const struct entry_plan *ours = &e->plans[SETTLED_COST], *theirs = &e->plans[plan];
	bool known = ours->unknown == 0 && theirs->unknown == 0 && ours->predicted_us > 0;
	/* Those of plans with generators are at the speed that hone alone had (struct settled_plan). */
	double theirs_us = plan == SETTLED_HOST ? theirs->us : theirs->predicted_us;

	return known ? theirs_us / ours->predicted_us : 0;
}

/* What `hone run` does with the model of O and the generators of SET. */
static int open_run(struct arena *a, const struct open_options *o, const struct partition_set *set,
		    struct opened *m, struct session **session)
{
	struct open_options with = *o;

	with.offload.backends = set->backends;
	with.offload.nbackends = set->n;
	if (open_model(a, &with, m) < 0)
		return -1;
	*session = session_new(m->code, interp_usual_limits);
	session_watch(*session, false);
	return 0;
}

int partition_entry_compare(struct partition_entry *e, const struct open_options *with,
			    const struct open_options *floats, const struct partition_set *set, double seconds)
{
	struct arena *a = arena_new();
	struct opened m[2];
	struct session *session[2] = { NULL, NULL };
	struct plan_series x[2];
	int rc = open_run(a, with, set, &m[0], &session[0]) < 0 ? -1 : open_run(a, floats, set, &m[1], &session[1]);
	const struct value *inputs = rc < 0 ? NULL : inputs_random(a, graph_main(m[0].graph), 1);

	for (int i = 0; i < 2 && inputs; i++)
		x[i] = plan_series_new(a, &m[i], session[i]);
	rc = inputs ? rounds_play(&(struct rounds){ a, inputs, ROUNDS_OF_VERDICT }, x, 2, seconds) : -1;
	if (rc == 0)
		e->with_f32 = compare_pairs(x[0].runs.at, x[1].runs.at, x[0].runs.n,
					    MARGIN_STARTS);
	for (int i = 0; i < 2; i++)
		session_free(session[i]);
	arena_free(a);
	return rc;
}

struct partition_mean partition_mean_of(const struct partition_model_vec *all, enum element as, int set)
{
	struct partition_mean m = { 0 };
	double host = 0, offloaded = 0, floats = 0, predicted_host = 0, predicted_all = 0;

	for (int i = 0; i < all->n; i++) {
		const struct partition_entry *e = all->at[i].why ? NULL : &all->at[i].entries[set];

		if (!e || all->at[i].as != as || !partition_entry_is_sound(e))
			continue;
		double ph = partition_predicted(e, SETTLED_HOST), pa = partition_predicted(e, SETTLED_ALL);

		m.models++;
		host += log(e->with_host.ratio);
		offloaded += log(e->with_all.ratio);
		floats += as == ELEMENT_F32 ? 0 : log(e->with_f32.ratio);
		if (ph <= 0 || pa <= 0)
			continue;
		m.predicted++;
		predicted_host += log(ph);
		predicted_all += log(pa);
	}
	if (m.models > 0) {
		m.over_host = exp(host / m.models);
		m.over_all = exp(offloaded / m.models);
		m.over_f32 = exp(floats / m.models);
	}
	if (m.predicted > 0) {
		m.predicted_over_host = exp(predicted_host / m.predicted);
		m.predicted_over_all = exp(predicted_all / m.predicted);
	}
	return m;
}
