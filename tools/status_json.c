/* SPDX-License-Identifier: Apache-2.0 */
/* tools/status_json.c - where a campaign stands, as JSON. docs/status.md describes it: keys are
 * added, never renamed; null is what is not known. */
#include <math.h>

#include "tools/status.h"

static json_t *number(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

/* 0 where it is not known. */
static json_t *count(int64_t n)
{
	return n ? json_integer(n) : json_null();
}

/* A name may hold any bytes; JSON may not. */
static json_t *label(const char *s)
{
	json_t *j = s ? json_string(s) : json_null();

	return j ? j : json_string("(not UTF-8)");
}

static json_t *phases_json(const double seconds[PHASE_COUNT])
{
	json_t *o = json_object();

	for (int p = 0; p < PHASE_COUNT; p++)
		json_object_set_new(o, round_phase_name((enum round_phase)p), number(seconds[p]));
	return o;
}

static json_t *quality_json(const struct db_quality *q)
{
	return json_pack("{s:I, s:o, s:o, s:o}", "samples", (json_int_t)q->samples, "recall",
			 number(q->recall), "rank", number(q->rank), "accuracy",
			 number(q->accuracy));
}

static json_t *task_json(const struct status_task *t)
{
	const struct db_task_stats *s = &t->stats;
	json_t *statuses = json_object();

	for (int i = TRIAL_STORED_FIRST; i < TRIAL_STATUS_COUNT; i++)
		json_object_set_new(statuses, trial_status_name((enum trial_status)i),
				    json_integer(s->trials[i]));
	return json_pack("{s:s, s:o, s:f, s:o, s:I, s:o, s:o, s:o, s:o}", "key", s->task.key, "name",
			 label(s->task.name), "flop", s->task.flop, "weight", number(t->weight),
			 "trials", (json_int_t)s->n_trials, "by_status", statuses, "best_us",
			 number(s->best_us > 0 ? s->best_us : NAN), "gflops", number(t->gflops),
			 "peak_share", number(t->peak_share));
}

static json_t *round_json(const struct db_round *r)
{
	return json_pack("{s:I, s:s, s:I, s:I, s:I, s:I, s:o, s:o, s:o}", "number",
			 (json_int_t)r->number, "task", r->task_key, "created",
			 (json_int_t)r->created, "trials", (json_int_t)r->trials, "failed",
			 (json_int_t)r->failed, "refused", (json_int_t)r->refused, "best_us",
			 number(r->best_us > 0 ? r->best_us : NAN), "phases",
			 phases_json(r->seconds), "model", quality_json(&r->quality));
}

static json_t *detail_json(const struct status *s)
{
	json_t *tasks = json_array(), *rounds = json_array();
	int first = s->rounds.n > STATUS_ROUNDS ? s->rounds.n - STATUS_ROUNDS : 0;

	for (int i = 0; i < s->tasks.n; i++)
		json_array_append_new(tasks, task_json(&s->tasks.at[i]));
	for (int i = first; i < s->rounds.n; i++)
		json_array_append_new(rounds, round_json(&s->rounds.at[i]));
	json_t *budget = json_pack("{s:o, s:o, s:o}", "trials", count(s->trials_budget), "minutes",
				   number(s->minutes_budget > 0 ? s->minutes_budget : NAN), "until",
				   label(s->until));

	return json_pack("{s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:i, s:o, s:o, s:o, s:o, s:o}",
			 "trials", (json_int_t)s->trials, "failed", (json_int_t)s->failed,
			 "refused", (json_int_t)s->refused, "seconds", number(s->seconds),
			 "seconds_left", number(s->left), "budget", budget, "stopped_by",
			 label(s->stopped_by), "latency_us", number(s->latency_us),
			 "tasks_without_kernel", s->missing, "phases", phases_json(s->phases),
			 "other_seconds", number(s->other), "model", quality_json(&s->quality),
			 "tasks", tasks, "last_rounds", rounds);
}

json_t *status_json(const struct status *s)
{
	const struct db_campaign *c = &s->campaign;
	json_t *options = json_loads(c->options, 0, NULL);

	return json_pack("{s:I, s:s, s:o, s:o, s:s, s:b, s:I, s:o, s:I, s:I, s:I, s:o}", "id",
			 (json_int_t)c->id, "uid", c->uid, "source", label(c->source), "options",
			 options ? options : json_null(), "state", campaign_state_name(c->state),
			 "alive", s->alive, "created", (json_int_t)c->created, "ended",
			 count(c->ended), "seen", (json_int_t)c->seen, "age_s", (json_int_t)s->age,
			 "rounds", (json_int_t)c->rounds, "detail",
			 s->full ? detail_json(s) : json_null());
}
