/* SPDX-License-Identifier: Apache-2.0 */
/* tools/campaign/status_read.c - from a campaign's rows and search state to where it stands.
 *
 * The search state is the tuner's own, and may be of an older or a newer one: what it lacks is not
 * known, and what it has beyond is passed over. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "measure/device/device.h"
#include "tools/campaign/status.h"

struct status status_brief(const struct db_campaign *c)
{
	struct status s = { .campaign = *c, .now = clock_wall() };

	/* The clock of another machine may be ahead. */
	s.age = s.now > c->seen ? s.now - c->seen : 0;
	s.alive = c->state == CAMPAIGN_RUNNING;
	return s;
}

/* --- budget */

/* A number above 0; else 0. */
static double positive(const json_t *root, const char *key)
{
	double v = json_number_value(json_object_get(root, key));

	return v > 0 && isfinite(v) ? v : 0;
}

/* A string as it is, any other value as JSON; NULL for none. */
static const char *words(struct arena *a, const json_t *root, const char *key)
{
	const json_t *v = json_object_get(root, key);

	if (!v || json_is_null(v))
		return NULL;
	if (json_is_string(v))
		return arena_strdup(a, json_string_value(v));
	char *text = json_dumps(v, JSON_COMPACT | JSON_ENCODE_ANY);
	const char *copy = text ? arena_strdup(a, text) : NULL;

	free(text);
	return copy;
}

/* As the tuner reckons: by the part of trials or of time that is spent, whichever is more. */
static double time_left(const struct status *s)
{
	double trials = s->trials_budget ? (double)s->trials / (double)s->trials_budget : 0;
	double time = s->minutes_budget > 0 ? s->seconds / (60 * s->minutes_budget) : 0;
	double spent = trials > time ? trials : time;

	if (!s->alive || !(spent > 0))
		return NAN;
	double left = s->seconds / spent - s->seconds - (double)s->age;

	return left > 0 ? left : 0;
}

static void read_budget(struct arena *a, struct status *s, const json_t *root)
{
	const json_t *seconds = json_object_get(root, "seconds");

	s->seconds = json_is_number(seconds) ? json_number_value(seconds) : NAN;
	s->trials_budget = (int64_t)positive(root, "trials_budget");
	s->minutes_budget = positive(root, "minutes_budget");
	s->until = words(a, root, "until");
	s->stopped_by = words(a, root, "stopped_by");
}

/* --- finals */

static int count(const json_t *root, const char *key)
{
	return (int)positive(root, key);
}

static void read_finals(struct status *s, const json_t *root)
{
	const char *state = json_string_value(json_object_get(root, "state"));
	struct finals_stand *f = &s->finals;

	s->finals_s = NAN;
	for (int i = 0; state && i < FINALS_STATE_COUNT; i++)
		if (strcmp(state, finals_state_name((enum finals_state)i)) == 0)
			f->state = (enum finals_state)i;
	if (f->state == FINALS_NONE)
		return;
	s->finals_killed = s->campaign.state == CAMPAIGN_KILLED &&
			   (f->state == FINALS_BUILDING || f->state == FINALS_PLAYING);
	s->finals_s = positive(root, "seconds");
	f->tasks = count(root, "tasks");
	f->kernels = count(root, "kernels");
	f->lineups = count(root, "lineups");
	f->round = count(root, "round");
	f->rounds = count(root, "rounds");
}

/* --- tasks */

/* For THREADS threads on the device that JSON describes, of kernels of TOOLCHAIN, and how noisy it was; NAN where
 * it was not probed. */
static double peak_of_device(const json_t *json, const char *toolchain, int threads, double *noise)
{
	const char *isa = json_string_value(json_object_get(json, "isa"));
	struct device d = { .own = isa ? target_of_isa(isa) : NULL };
	int64_t probed[DEVICE_CACHES];

	if (!d.own || device_measured_parse(json, &d.measured, probed) < 0)
		return NAN;
	*noise = d.measured.noise;
	d.target = target_of_toolchain(toolchain, d.own);
	return device_peak(&d, threads);
}

/* Of the campaign whose newest record is NEWEST; NAN where its device was not probed. */
static double peak_of(struct db *db, struct arena *a, int64_t device, const struct db_record *newest,
		      double *noise)
{
	struct db_device_vec devices;
	double peak = NAN;

	if (db_devices(db, a, &devices) < 0)
		return NAN;
	for (int i = 0; i < devices.n; i++) {
		if (devices.at[i].id != device)
			continue;
		json_t *json = json_loads(devices.at[i].description, 0, NULL);

		if (json)
			peak = peak_of_device(json, newest->toolchain_text, newest->threads,
					      noise);
		json_decref(json);
	}
	return peak > 0 ? peak : NAN;
}

static bool has_task(const struct status *s, const char *key)
{
	for (int i = 0; i < s->tasks.n; i++)
		if (strcmp(s->tasks.at[i].stats.task.key, key) == 0)
			return true;
	return false;
}

/* Those whose turn has not come are known from the search state only. */
static int add_waiting(struct db *db, struct arena *a, struct status *s, json_t *trials)
{
	const char *key;
	json_t *value;

	json_object_foreach(trials, key, value) {
		struct status_task t = { 0 };
		int found = has_task(s, key) ? 0 : db_find_task(db, a, key, &t.stats.task);

		if (found < 0)
			return -1;
		if (found)
			vec_push(a, &s->tasks, t);
	}
	return 0;
}

static void judge(struct status *s, struct status_task *t, double peak, const json_t *weights)
{
	const json_t *weight = json_object_get(weights, t->stats.task.key);
	double best = t->stats.best_us;

	t->weight = json_is_number(weight) ? json_number_value(weight) : NAN;
	t->gflops = best > 0 ? t->stats.task.flop / best * 1e-3 : NAN;
	t->peak_share = t->gflops / peak;
	s->missing += best <= 0;
	s->latency_us += best > 0 ? t->weight * best : 0;
	s->trials += t->stats.n_trials;
	s->failed += t->stats.n_trials - t->stats.trials[TRIAL_OK] - t->stats.trials[TRIAL_LOST_RACE];
}

static int read_tasks(struct db *db, struct arena *a, struct status *s, json_t *root)
{
	struct db_task_stats_vec tried;
	struct db_record newest = { .threads = 1 };

	if (db_campaign_tasks(db, a, s->campaign.id, &tried) < 0 ||
	    db_campaign_record(db, a, s->campaign.id, &newest) < 0)
		return -1;
	for (int i = 0; i < tried.n; i++)
		vec_push(a, &s->tasks, (struct status_task){ .stats = tried.at[i] });
	if (add_waiting(db, a, s, json_object_get(root, "trials")) < 0)
		return -1;
	double peak = peak_of(db, a, s->campaign.device, &newest, &s->noise);

	for (int i = 0; i < s->tasks.n; i++)
		judge(s, &s->tasks.at[i], peak, json_object_get(root, "weights"));
	if (s->missing == s->tasks.n)
		s->latency_us = NAN;
	return 0;
}

/* --- rounds */

/* X is NAN as long as nothing was added. */
static void add(double *x, double more)
{
	if (!isnan(more))
		*x = isnan(*x) ? more : *x + more;
}

/* Each figure over those of the last rounds that know it. */
static void read_quality(struct status *s)
{
	double sum[3] = { NAN, NAN, NAN };
	int n[3] = { 0 };

	for (int i = s->rounds.n - 1; i >= 0 && s->compared < STATUS_ROUNDS; i--) {
		const struct db_quality *q = &s->rounds.at[i].quality;
		const double figures[3] = { q->recall, q->rank, q->accuracy };

		s->quality.samples += q->samples;
		s->compared += q->samples > 0;
		for (int k = 0; k < 3; k++) {
			add(&sum[k], figures[k]);
			n[k] += !isnan(figures[k]);
		}
	}
	s->quality.recall = sum[0] / n[0];
	s->quality.rank = sum[1] / n[1];
	s->quality.accuracy = sum[2] / n[2];
}

static int read_rounds(struct db *db, struct arena *a, struct status *s)
{
	double sum = NAN;

	if (db_rounds(db, a, s->campaign.id, &s->rounds) < 0 ||
	    db_sittings(db, a, s->campaign.id, &s->sittings) < 0)
		return -1;
	for (int p = 0; p < PHASE_COUNT; p++) {
		s->phases[p] = NAN;
		for (int i = 0; i < s->rounds.n; i++)
			add(&s->phases[p], s->rounds.at[i].seconds[p]);
		add(&sum, s->phases[p]);
	}
	for (int i = 0; i < s->rounds.n; i++)
		s->refused += s->rounds.at[i].refused;
	add(&sum, s->finals_s);
	double rest = s->seconds - sum;

	s->other = rest < 0 ? 0 : rest;
	read_quality(s);
	return 0;
}

int status_state(struct db *db, struct arena *a, struct status *s, json_t **out)
{
	struct db_campaign c = s->campaign;

	*out = NULL;
	if (db_campaign(db, a, c.id, &c) < 0)
		return -1;
	*s = status_brief(&c);
	*out = c.search ? json_loadb(c.search, c.search_bytes, 0, NULL) : NULL;
	read_budget(a, s, *out);
	return 0;
}

int status_read(struct db *db, struct arena *a, struct status *s)
{
	json_t *root;

	if (status_state(db, a, s, &root) < 0)
		return -1;
	s->full = true;
	s->noise = NAN;
	read_finals(s, json_object_get(root, "finals"));
	int rc = read_tasks(db, a, s, root);

	json_decref(root);
	s->left = time_left(s);
	return rc < 0 ? -1 : read_rounds(db, a, s);
}
