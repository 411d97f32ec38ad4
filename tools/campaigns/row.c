/* SPDX-License-Identifier: Apache-2.0 */
/* tools/campaigns/row.c - what a campaign is and came to, for a row of the list and for the head of one in full. */
#include <math.h>
#include <time.h>

#include "measure/device/device.h"
#include "tools/campaigns/campaigns.h"
#include "tools/command.h"
#include "tools/json.h"

/* The task's weight in a campaign of N tasks; 0 where it is not known, or the model does not have it. */
static double weight_of(const json_t *weights, const char *key, int n)
{
	if (!weights)
		return n == 1;	/* whatever it is, the ratio is the same */
	double weight = json_number_value(json_object_get(weights, key));

	return weight > 0 && isfinite(weight) ? weight : 0;
}

/* What R's outcomes come to with the weights that the tuner's STATE has. */
static void sum_up(struct campaigns_row *r, const json_t *state)
{
	const json_t *weights = json_object_get(state, "weights");
	double first = 0, best = 0;

	r->tasks = r->outcomes.n;
	for (int i = 0; i < r->outcomes.n; i++) {
		const struct db_outcome *o = &r->outcomes.at[i];
		double weight = weight_of(weights, o->task_key, r->tasks);

		r->trials += o->trials;
		r->failed += o->failed;
		if (!(weight > 0) || o->first_us <= 0 || o->best_us <= 0)
			continue;
		first += weight * o->first_us;
		best += weight * o->best_us;
		r->estimate |= o->estimate;
		r->gained++;
	}
	r->first_us = r->gained ? first : NAN;
	r->best_us = r->gained ? best : NAN;
	r->gain = first / best;
}

static int read_row(const struct campaigns_args *args, const struct db_device_vec *devices,
		    const struct db_outcome_vec *outcomes, struct campaigns_row *r)
{
	const struct db_campaign *c = &r->status.campaign;
	json_t *state;

	if (status_state(args->db, args->arena, &r->status, &state) < 0)
		return -1;
	r->device = r->device_name = "";
	for (int i = 0; i < devices->n; i++) {
		if (devices->at[i].id != c->device)
			continue;
		r->device = devices->at[i].fingerprint;
		r->device_name = device_name_in(args->arena, devices->at[i].description);
	}
	for (int i = 0; i < outcomes->n; i++)
		if (outcomes->at[i].campaign == c->id)
			vec_push(args->arena, &r->outcomes, outcomes->at[i]);
	sum_up(r, state);
	json_decref(state);
	return 0;
}

int campaigns_rows(const struct campaigns_args *args, const struct db_campaign *one, struct campaigns_row_vec *out)
{
	struct db_campaign_vec all = { 0 };
	struct db_device_vec devices;
	struct db_outcome_vec outcomes;

	if (one)
		vec_push(args->arena, &all, *one);
	if ((!one && db_campaigns(args->db, args->arena, &all) < 0) ||
	    db_devices(args->db, args->arena, &devices) < 0 ||
	    db_outcomes(args->db, args->arena, one ? one->id : 0, &outcomes) < 0)
		return -1;
	*out = (struct campaigns_row_vec){ 0 };
	for (int i = 0; i < all.n; i++) {
		struct campaigns_row r = { .status = status_brief(&all.at[i]) };

		if (read_row(args, &devices, &outcomes, &r) < 0)
			return -1;
		vec_push(args->arena, out, r);
	}
	return 0;
}

json_t *campaigns_row_json(const struct campaigns_row *r)
{
	const struct db_campaign *c = &r->status.campaign;

	return json_pack("{s:I, s:s, s:o, s:o, s:s, s:o, s:o, s:s, s:o, s:I, s:o, s:o, s:i, s:I, s:I, s:i, s:o, s:o, s:o, s:o}",
			 "id", (json_int_t)c->id, "uid", c->uid, "name", json_label(c->name), "note",
			 json_label(c->note), "state", campaign_state_name(c->state), "stopped_by",
			 json_label(r->status.stopped_by), "source", json_label(c->source), "device", r->device,
			 "device_name", json_label(r->device_name), "created", (json_int_t)c->created, "ended",
			 json_count(c->ended), "seconds", json_figure(r->status.seconds), "tasks", r->tasks, "trials",
			 (json_int_t)r->trials, "failed", (json_int_t)r->failed, "gained_tasks", r->gained, "first_us",
			 json_figure(r->first_us), "best_us", json_figure(r->best_us), "gain", json_figure(r->gain),
			 "estimate", r->gained ? json_boolean(r->estimate) : json_null());
}

int campaigns_print_json(const struct campaigns_args *args, int64_t id)
{
	struct campaigns_row_vec rows;
	struct db_campaign c;

	if (db_campaign(args->db, args->arena, id, &c) <= 0 || campaigns_rows(args, &c, &rows) < 0)
		return -1;
	json_print(campaigns_row_json(&rows.at[0]));
	return EXIT_OK;
}

const char *campaigns_moment(struct arena *a, int64_t at)
{
	time_t seconds = at;
	struct tm local;
	char text[32];

	if (!localtime_r(&seconds, &local) || !strftime(text, sizeof(text), "%Y-%m-%d %H:%M", &local))
		return "-";
	return arena_strdup(a, text);
}

const char *campaigns_gain(struct arena *a, double gain, bool estimate)
{
	const char *mark = estimate ? "~" : "";

	if (!isfinite(gain))
		return "-";
	return arena_printf(a, gain < 100 ? "%s%.2f" : "%s%.0f", mark, gain);
}
