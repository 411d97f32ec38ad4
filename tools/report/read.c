/* SPDX-License-Identifier: Apache-2.0 */
/* tools/report/read.c - from a database and a query to what a report tells. */
#include "tools/report/data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "db/label.h"
#include "measure/device/calibration.h"
#include "measure/device/simulated.h"
#include "te/text/text.h"
#include "tools/source.h"

/* --- device */

static bool begins(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

/* The one that measured last; the last one where none did. */
static int latest_device(struct report_data *r, struct db *db, int *out)
{
	int64_t seq = -1;

	for (int i = 0; i < r->devices.n; i++) {
		const struct db_want want = { .fingerprint = r->devices.at[i].fingerprint };
		struct db_record_vec latest = { 0 };

		if (db_top(db, r->arena, &want, DB_LATEST, 1, &latest) < 0)
			return -1;
		int64_t its = latest.n ? latest.at[0].seq : 0;

		if (its >= seq) {
			seq = its;
			*out = i;
		}
	}
	return seq < 0 ? err_set("%s: has no device, so nothing was measured: run hone tune",
				 db_path(db)) : 0;
}

/* "0123abcd (its name), ..." */
static const char *list_devices(const struct report_data *r)
{
	const char *list = "";

	for (int i = 0; i < r->devices.n; i++) {
		const struct db_device *d = &r->devices.at[i];

		list = arena_printf(r->arena, "%s%s%.8s (%s)", list, *list ? ", " : "", d->fingerprint,
				    device_name_in(r->arena, d->description));
	}
	return list;
}

static int named_device(struct report_data *r, const char *name, int *out)
{
	int found = 0;

	for (int i = 0; i < r->devices.n; i++) {
		if (!begins(r->devices.at[i].fingerprint, name))
			continue;
		*out = i;
		found++;
	}
	return found == 1 ? 0 : err_set("--device %s: %s fingerprint begins so; there are %s", name,
					found ? "more than one" : "no", list_devices(r));
}

static int campaign_device(const struct report_data *r, int *out)
{
	for (int i = 0; i < r->devices.n; i++)
		if (r->devices.at[i].id == r->campaign.device)
			*out = i;
	return 0;
}

static bool is_here(const struct device *d)
{
	struct arena *a = arena_new();
	const struct device *here = device_describe(a, NULL);
	bool is = here && strcmp(here->fingerprint, d->fingerprint) == 0;

	arena_free(a);
	return is;
}

/* As it was when the database last heard of it: the machine at hand is not asked. */
static int read_device(struct report_data *r, struct db *db)
{
	const struct report_query *q = r->asked;
	struct db_sitting last;
	int at = 0;

	if (db_devices(db, r->arena, &r->devices) < 0 ||
	    (q->campaign && label_find(db, r->arena, q->campaign, &r->campaign) < 0) ||
	    (q->device ? named_device(r, q->device, &at)
		       : q->campaign ? campaign_device(r, &at) : latest_device(r, db, &at)) < 0)
		return -1;
	json_t *json = json_loads(r->devices.at[at].description, 0, NULL);
	struct device *d = json ? device_parse(r->arena, json) : NULL;

	json_decref(json);
	if (!d || strcmp(d->fingerprint, r->devices.at[at].fingerprint) != 0)
		return err_set("%s: device %s: its description is none that this hone reads; hone tune on it "
			       "writes a new one", db_path(db), r->devices.at[at].fingerprint);
	r->device = r->devices.at[at].id;
	r->look.device = d;
	if (q->assembly && !device_is_simulated(d) && !is_here(d))
		return err_set("--assembly: %s is another machine than this one, whose code would be another: make "
			       "the report there, or without", d->name);
	int found = db_sitting(db, r->arena, 0, r->device, &last);

	r->look.now = found > 0 ? last.calibration : calibration_of(d);
	return found < 0 ? -1 : 0;
}

/* --- campaigns */

static int read_campaigns(struct report_data *r, struct db *db)
{
	struct db_campaign_vec all;

	if (db_campaigns(db, r->arena, &all) < 0)
		return -1;
	for (int i = 0; i < all.n; i++) {
		const struct db_campaign *c = &all.at[i];
		struct report_campaign one = { .status = { .campaign = *c },
					       .is_model = source_is_model(c->source) };

		if (r->campaign.id && c->id != r->campaign.id)
			continue;
		if (c->device != r->device) {
			if (r->campaign.id)
				return err_set("--campaign %jd was not on device %s",
					       (intmax_t)c->id, r->look.device->fingerprint);
			continue;
		}
		if (status_read(db, r->arena, &one.status) < 0)
			return -1;
		vec_push(r->arena, &r->campaigns, one);
	}
	return 0;
}

/* The newest campaign that has the task KEY, and its weight there; NULL: none has. */
static const struct report_campaign *find_campaign(const struct report_data *r, const char *key, double *weight)
{
	for (int i = r->campaigns.n - 1; i >= 0; i--) {
		const struct status *s = &r->campaigns.at[i].status;

		for (int j = 0; j < s->tasks.n; j++) {
			const struct status_task *t = &s->tasks.at[j];

			/* a model's tasks of weight 0 are those of storages that it does not have */
			if (strcmp(t->stats.task.key, key) != 0 ||
			    (!(t->weight > 0) && !t->stats.n_trials))
				continue;
			*weight = t->weight > 0 ? t->weight : 0;
			return &r->campaigns.at[i];
		}
	}
	return NULL;
}

/* --- tasks */

/* As source_tasks() makes it of the source; NULL where this hone does not read the text as that task. */
static const struct task *make_task(struct arena *a, const struct db_task *row, double weight, bool is_model)
{
	const struct dag *dag = dag_parse(a, row->name, row->text);
	struct task *t = dag ? task_new(a, dag, row->name, weight) : NULL;
	const char *colon = strchr(row->name, ':');

	if (!t || strcmp(t->key, row->key) != 0)
		return NULL;
	t->op = arena_strndup(a, row->name, strcspn(row->name, ":"));
	if (is_model && colon)
		t->shape = arena_strdup(a, colon + 1);
	return t;
}

/* Warm data are where they fit; scratchpads of a simulated device are empty when a kernel begins. */
static double roof_of(const struct device *d, const struct report_task *t)
{
	int threads = t->row.threads ? t->row.threads : 1;
	const char *cache = t->row.best.record.cache;
	bool warm = (!cache || strcmp(cache, cache_state_name(CACHE_WARM)) == 0) && !device_is_simulated(d);
	double peak = device_peak(d, threads);
	double bytes = warm ? device_read_rate(d, t->bytes, threads) : device_mem_rate(d, threads);

	return peak > 0 && bytes > 0 ? fmin(peak, t->task->flop / t->bytes * bytes) : NAN;
}

/* The best of T as it was timed alone, which is what its trials were. */
static int read_alone(struct report_data *r, struct report_task *t)
{
	const struct db_record *record = &t->row.best.record;
	struct best alone;
	int found = t->row.found;

	if (t->row.in_model) {
		found = task_best(r->arena, r->look.db, t->task, query_want(&r->look),
				  r->look.device->target, &alone);
		record = &alone.record;
	}
	if (found <= 0)
		return found;
	t->alone_us = record->time_us;
	t->alone_threads = record->threads;
	t->alone_cache = cache_state_alone(record->cache);
	return 0;
}

static int read_task(struct report_data *r, const struct db_task *row, const struct trial_table *trials)
{
	struct report_task t = { .trials = *trials };
	double weight = 0;
	const struct report_campaign *c = find_campaign(r, row->key, &weight);

	if (!c && !trials->trials.n)
		return 0;
	t.source = c ? c->status.campaign.source : row->name;
	t.task = make_task(r->arena, row, weight, source_is_model(t.source));
	if (!t.task) {
		r->unread++;
		return 0;
	}
	r->look.source = t.source;
	if (best_row_read(&r->look, t.task, &t.row) < 0 || read_alone(r, &t) < 0)
		return -1;
	t.bytes = dag_bytes(t.task->dag);
	t.roof = roof_of(r->look.device, &t);
	report_task_curves(r, &t);
	report_task_spent(r, &t);
	if (report_task_turns(r, &t) < 0 || report_task_baselines(r, &t) < 0)
		return -1;
	for (int i = 0; i < TRIAL_STATUS_COUNT; i++)
		r->by_status[i] += t.trials.by_status[i];
	vec_push(r->arena, &r->tasks, t);
	return 0;
}

static double share(const struct report_task *t)
{
	return t->task->weight * t->row.best_us;
}

/* What takes most of the time first; then what took most trials. */
static int by_share(const void *x, const void *y)
{
	const struct report_task *a = x, *b = y;

	if (share(a) != share(b))
		return share(a) > share(b) ? -1 : 1;
	if (a->trials.trials.n != b->trials.trials.n)
		return a->trials.trials.n > b->trials.trials.n ? -1 : 1;
	return strcmp(a->task->key, b->task->key);
}

static int read_tasks(struct report_data *r, const struct report_pass *p)
{
	for (int i = 0; i < p->tasks.n; i++)
		if (*p->tasks.at[i].text && read_task(r, &p->tasks.at[i], &p->tables[i]) < 0)
			return -1;
	if (r->asked->task && !r->tasks.n)
		return err_set("--task %s: no task with trials on the device has that name, or a key that begins "
			       "so; `hone db stats` lists them", r->asked->task);
	if (r->tasks.n)
		qsort(r->tasks.at, (size_t)r->tasks.n, sizeof(*r->tasks.at), by_share);
	return 0;
}

int report_data_read(struct report_data *r, struct db *db, const struct report_query *query)
{
	enum { NOISE_SPANS = 60 };	/* as many as a plot of this width shows apart */
	struct report_pass pass;

	*r = (struct report_data){ .arena = arena_new(), .asked = query };
	r->look = (struct query){ .arena = r->arena, .db = db, .threads = query->threads,
				  .exact = query->exact };
	if (read_device(r, db) < 0 || read_campaigns(r, db) < 0 || report_pass_read(&pass, r) < 0 ||
	    read_tasks(r, &pass) < 0)
		return -1;
	r->noise = noise_spans(r->arena, &pass.noise, NOISE_SPANS);
	for (int i = 0; i < r->campaigns.n; i++) {
		if (report_campaign_sums(r, &r->campaigns.at[i]) < 0)
			return -1;
		report_campaign_rankings(r, &r->campaigns.at[i]);
	}
	return 0;
}

const struct report_task *report_task_find(const struct report_data *r, const char *key)
{
	for (int i = 0; i < r->tasks.n; i++)
		if (strcmp(r->tasks.at[i].task->key, key) == 0)
			return &r->tasks.at[i];
	return NULL;
}

void report_data_free(struct report_data *r)
{
	arena_free(r->arena);
}
