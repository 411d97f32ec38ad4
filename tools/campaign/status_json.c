/* SPDX-License-Identifier: Apache-2.0 */
/* tools/campaign/status_json.c - where a campaign stands, as JSON. docs/json.schema.json describes
 * it. */
#include "base/clock.h"
#include "tools/campaign/status.h"
#include "tools/json.h"

json_t *status_phases_json(const double seconds[PHASE_COUNT])
{
	json_t *o = json_object();

	for (int p = 0; p < PHASE_COUNT; p++)
		json_object_set_new(o, round_phase_name((enum round_phase)p), json_figure(seconds[p]));
	return o;
}

static json_t *quality_json(const struct db_quality *q)
{
	return json_pack("{s:I, s:o, s:o, s:o}", "samples", (json_int_t)q->samples, "recall",
			 json_figure(q->recall), "rank", json_figure(q->rank), "accuracy",
			 json_figure(q->accuracy));
}

static json_t *task_json(const struct status_task *t)
{
	const struct db_task_stats *s = &t->stats;
	json_t *statuses = json_object();

	for (int i = TRIAL_STORED_FIRST; i < TRIAL_STATUS_COUNT; i++)
		json_object_set_new(statuses, trial_status_name((enum trial_status)i),
				    json_integer(s->trials[i]));
	return json_pack("{s:s, s:o, s:f, s:o, s:I, s:o, s:o, s:b, s:b, s:o, s:o}", "task",
			 s->task.key, "name", json_label(s->task.name), "flop", s->task.flop, "weight", json_figure(t->weight),
			 "trials", (json_int_t)s->n_trials, "by_status", statuses, "best_us",
			 json_positive(s->best_us), "confirmed", s->confirmed, "estimate",
			 s->estimate, "gflops", json_figure(t->gflops),
			 "peak_share", json_figure(t->peak_share));
}

static json_t *round_json(const struct db_round *r)
{
	return json_pack("{s:I, s:s, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o}", "number",
			 (json_int_t)r->number, "task", r->task_key, "created",
			 (json_int_t)r->created, "trials", (json_int_t)r->trials, "failed",
			 (json_int_t)r->failed, "refused", (json_int_t)r->refused, "best_us",
			 json_positive(r->best_us), "phases",
			 status_phases_json(r->seconds), "beside_seconds", json_figure(r->beside_s), "model", quality_json(&r->quality));
}

/* Rates with one thread, and with all. */
static json_t *pair_json(const double v[2])
{
	return json_pack("[o, o]", json_positive(v[0]), json_positive(v[1]));
}

json_t *status_sitting_json(const struct db_sitting *s)
{
	const struct db_calibration *c = &s->calibration;

	return json_pack("{s:o, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "host", json_label(s->host),
			 "pid", (json_int_t)s->pid, "began", (json_int_t)s->began, "ended",
			 json_count(s->ended), "fixed_us", json_positive(c->fixed_us),
			 "peak_gflops", pair_json(c->peak), "l1_gbs", pair_json(c->l1), "l2_gbs",
			 pair_json(c->l2), "mem_gbs", pair_json(c->mem));
}

static json_t *finals_json(const struct status *s)
{
	const struct finals_stand *f = &s->finals;

	if (f->state == FINALS_NONE)
		return json_null();
	return json_pack("{s:s, s:o, s:o, s:o, s:i, s:o, s:o}", "state",
			 s->finals_killed ? "killed" : finals_state_name(f->state), "tasks",
			 json_count(f->tasks), "kernels", json_count(f->kernels), "lineups",
			 json_count(f->lineups), "round", f->round, "rounds", json_count(f->rounds),
			 "seconds", json_figure(s->finals_s));
}

static json_t *detail_json(const struct status *s)
{
	json_t *tasks = json_array(), *rounds = json_array(), *sittings = json_array();
	int first = s->rounds.n > STATUS_ROUNDS ? s->rounds.n - STATUS_ROUNDS : 0;

	for (int i = 0; i < s->tasks.n; i++)
		json_array_append_new(tasks, task_json(&s->tasks.at[i]));
	for (int i = first; i < s->rounds.n; i++)
		json_array_append_new(rounds, round_json(&s->rounds.at[i]));
	for (int i = 0; i < s->sittings.n; i++)
		json_array_append_new(sittings, status_sitting_json(&s->sittings.at[i]));
	json_t *budget = json_pack("{s:o, s:o, s:o}", "trials", json_count(s->trials_budget), "minutes",
				   json_positive(s->minutes_budget), "until",
				   json_label(s->until));

	return json_pack("{s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
			 "trials", (json_int_t)s->trials, "failed", (json_int_t)s->failed,
			 "refused", (json_int_t)s->refused, "seconds", json_figure(s->seconds),
			 "seconds_left", json_figure(s->left), "budget", budget, "stopped_by",
			 json_label(s->stopped_by), "latency_us", json_figure(s->latency_us),
			 "tasks_without_kernel", s->missing, "phases", status_phases_json(s->phases),
			 "finals", finals_json(s), "other_seconds", json_figure(s->other), "model", quality_json(&s->quality),
			 "tasks", tasks, "last_rounds", rounds, "sittings",
			 sittings);
}

json_t *status_json(const struct status *s)
{
	const struct db_campaign *c = &s->campaign;
	json_t *options = json_loads(c->options, 0, NULL);

	return json_pack("{s:I, s:s, s:o, s:o, s:o, s:o, s:s, s:b, s:I, s:o, s:I, s:I, s:I, s:o}", "id",
			 (json_int_t)c->id, "uid", c->uid, "name", json_label(c->name), "note", json_label(c->note), "source", json_label(c->source), "options",
			 options ? options : json_null(), "state", campaign_state_name(c->state),
			 "alive", s->alive, "created", (json_int_t)c->created, "ended",
			 json_count(c->ended), "seen", (json_int_t)c->seen, "age_s", (json_int_t)s->age,
			 "rounds", (json_int_t)c->rounds, "detail",
			 s->full ? detail_json(s) : json_null());
}

json_t *status_all_json(const char *file, const struct status_vec *v)
{
	json_t *list = json_array();

	for (int i = 0; i < v->n; i++)
		json_array_append_new(list, status_json(&v->at[i]));
	return json_pack("{s:o, s:I, s:o}", "file", json_label(file), "time", (json_int_t)clock_wall(),
			 "campaigns", list);
}
