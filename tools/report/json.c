/* SPDX-License-Identifier: Apache-2.0 */
/* tools/report/json.c - the figures of a report as JSON. docs/json.schema.json describes it. */
#include "tools/report/data.h"

#include "tools/json.h"

static json_t *steps_json(const struct report_step_vec *v)
{
	json_t *all = json_array();

	for (int i = 0; i < v->n; i++)
		json_array_append_new(all, json_pack("[f, f]", v->at[i].x, v->at[i].us));
	return all;
}

static json_t *by_status_json(const int64_t counts[TRIAL_STATUS_COUNT])
{
	json_t *o = json_object();

	for (int i = TRIAL_STORED_FIRST; i < TRIAL_STATUS_COUNT; i++)
		json_object_set_new(o, trial_status_name((enum trial_status)i), json_integer(counts[i]));
	return o;
}

static json_t *groups_json(const struct report_group_vec *v)
{
	json_t *all = json_array();

	for (int i = 0; i < v->n; i++) {
		const struct report_group *g = &v->at[i];

		json_array_append_new(all, json_pack("{s:o, s:I, s:I, s:o, s:o, s:b}", "label", json_label(g->label),
						     "trials", (json_int_t)g->trials, "failed",
						     (json_int_t)g->failed, "best_us",
						     json_positive(g->best_us), "median_us",
						     json_positive(g->median_us), "of_best", g->of_best));
	}
	return all;
}

static json_t *baselines_json(const struct report_baseline_vec *v)
{
	json_t *all = json_array();

	for (int i = 0; i < v->n; i++) {
		const struct report_baseline *b = &v->at[i];
		double ratio = b->ours_us > 0 ? b->us / b->ours_us : 0;

		json_array_append_new(all, json_pack("{s:o, s:o, s:o, s:o}", "name", json_label(b->name), "us",
						     json_positive(b->us), "ours_us", json_positive(b->ours_us),
						     "ratio", json_positive(ratio)));
	}
	return all;
}

static json_t *splits_json(const struct report_split_vec *v)
{
	json_t *all = json_array();

	for (int i = 0; i < v->n; i++)
		json_array_append_new(all, json_pack("{s:o, s:o, s:o}", "label", json_label(v->at[i].label), "effect",
						     json_figure(v->at[i].effect), "sizes",
						     groups_json(&v->at[i].sizes)));
	return all;
}

static json_t *task_json(const struct report_task *t)
{
	return json_pack("{s:o, s:o, s:f, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "best",
			 best_row_json(&t->row), "source", json_label(t->source), "bytes", t->bytes, "roof_gflops",
			 json_positive(t->roof), "alone_us", json_positive(t->alone_us), "first_us",
			 json_positive(t->first_us), "by_status", by_status_json(t->trials.by_status), "estimates_left_out",
			 (json_int_t)t->trials.estimates, "by_trials", steps_json(&t->by_trials), "by_seconds",
			 steps_json(&t->by_time), "baselines", baselines_json(&t->baselines), "derivations",
			 groups_json(&t->derivations), "structures", groups_json(&t->structures), "splits",
			 splits_json(&t->splits));
}

static json_t *rankings_json(const struct report_ranking_vec *v)
{
	json_t *all = json_array();

	for (int i = 0; i < v->n; i++) {
		const struct db_quality *q = &v->at[i].quality;

		json_array_append_new(all, json_pack("{s:I, s:I, s:o, s:o, s:o}", "round",
						     (json_int_t)v->at[i].round, "samples",
						     (json_int_t)q->samples, "recall", json_figure(q->recall),
						     "rank", json_figure(q->rank), "accuracy",
						     json_figure(q->accuracy)));
	}
	return all;
}

static json_t *sittings_json(const struct db_sitting_vec *v)
{
	json_t *all = json_array();

	for (int i = 0; i < v->n; i++)
		json_array_append_new(all, status_sitting_json(&v->at[i]));
	return all;
}

static json_t *campaign_json(const struct report_campaign *c)
{
	const struct status *s = &c->status;
	double gain = c->first_us / c->alone_us;

	return json_pack("{s:I, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:I, s:o, s:i, s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o,"
			 " s:o, s:o}", "id", (json_int_t)s->campaign.id, "uid", json_label(s->campaign.uid), "name",
			 json_label(s->campaign.name), "note", json_label(s->campaign.note), "source", json_label(s->campaign.source), "created", (json_int_t)s->campaign.created, "trials",
			 (json_int_t)s->trials, "failed", (json_int_t)s->failed, "refused",
			 (json_int_t)s->refused, "seconds", json_figure(s->seconds), "tasks", c->weighted,
			 "without_kernel", c->missing, "with_caveat", c->caveats, "in_model", c->in_model, "best_us",
			 json_positive(c->best_us), "alone_us", json_positive(c->alone_us), "first_us", json_positive(c->first_us), "gain",
			 json_positive(gain), "by_seconds", steps_json(&c->by_time), "phases",
			 status_phases_json(s->phases), "model", rankings_json(&c->rankings), "sittings",
			 sittings_json(&s->sittings));
}

static json_t *failures_json(const struct report_failure_vec *v)
{
	json_t *all = json_array();

	for (int i = 0; i < v->n; i++)
		json_array_append_new(all, json_pack("{s:s, s:o, s:I, s:o}", "status",
						     trial_status_name(v->at[i].status), "message",
						     json_label(v->at[i].message), "trials",
						     (json_int_t)v->at[i].trials, "task",
						     json_label(v->at[i].task)));
	return all;
}

static json_t *noise_json(const struct noise_span_vec *v)
{
	json_t *all = json_array();

	for (int i = 0; i < v->n; i++) {
		const struct noise_span *s = &v->at[i];

		json_array_append_new(all, json_pack("{s:I, s:I, s:I, s:o, s:o, s:o, s:o}", "from",
						     (json_int_t)s->from, "to", (json_int_t)s->to, "records",
						     (json_int_t)s->records, "fixed_us_low",
						     json_positive(s->low_us), "fixed_us",
						     json_positive(s->fixed_us), "fixed_us_high",
						     json_positive(s->high_us), "spread",
						     json_figure(s->spread)));
	}
	return all;
}

static json_t *counts_json(const struct report_count_vec *v)
{
	json_t *all = json_array();

	for (int i = 0; i < v->n; i++)
		json_array_append_new(all, json_pack("{s:o, s:I}", "label", json_label(v->at[i].label), "records",
						     (json_int_t)v->at[i].records));
	return all;
}

static json_t *data_json(const struct report_data *r)
{
	json_t *campaigns = json_array(), *tasks = json_array();

	for (int i = 0; i < r->campaigns.n; i++)
		json_array_append_new(campaigns, campaign_json(&r->campaigns.at[i]));
	for (int i = 0; i < r->tasks.n; i++)
		json_array_append_new(tasks, task_json(&r->tasks.at[i]));
	return json_pack("{s:o, s:o, s:o, s:o, s:i, s:o, s:o, s:o, s:o, s:o}", "device",
			 json_label(r->look.device->fingerprint), "device_name", json_label(r->look.device->name),
			 "campaigns", campaigns, "tasks", tasks, "unread", r->unread, "by_status",
			 by_status_json(r->by_status), "failures", failures_json(&r->failures), "noise",
			 noise_json(&r->noise), "toolchains", counts_json(&r->toolchains), "versions",
			 counts_json(&r->versions));
}

json_t *report_json(struct db *db, const struct report_query *query)
{
	struct report_data r;
	json_t *json = report_data_read(&r, db, query) < 0 ? NULL : data_json(&r);

	report_data_free(&r);
	return json;
}
