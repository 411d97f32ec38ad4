/* SPDX-License-Identifier: Apache-2.0 */
/* search/measurers/recording.c - which records of a file belong together. */
#include "search/measurers/recording.h"

#include "base/err.h"
#include "measure/build/toolchain.h"
#include "te/text/text.h"

/* How often a combination of device, toolchain, threads and cache was recorded. */
struct combination {
	struct db_want want;
	int64_t n;
};

struct census {
	struct arena *a;
	struct combination_vec VEC(struct combination) seen;
};

static bool same(const struct db_want *w, const struct db_record *r)
{
	return w->threads == r->threads && strcmp(w->fingerprint, r->fingerprint) == 0 &&
	       strcmp(w->toolchain, r->toolchain_text) == 0 && strcmp(w->cache, r->cache) == 0;
}

static int count(void *user, const struct db_record *r)
{
	struct census *c = user;

	for (int i = 0; i < c->seen.n; i++)
		if (same(&c->seen.at[i].want, r)) {
			c->seen.at[i].n++;
			return 0;
		}
	struct db_want want = {
		.fingerprint = arena_strdup(c->a, r->fingerprint),
		.toolchain = arena_strdup(c->a, r->toolchain_text),
		.cache = arena_strdup(c->a, r->cache),
		.threads = r->threads,
		.from = DB_HERE,
	};

	vec_push(c->a, &c->seen, ((struct combination){ want, 1 }));
	return 0;
}

static int choose(struct recording *r)
{
	struct census c = { .a = r->arena };
	struct db_want all = { .measured = true, .from = DB_HERE };
	int64_t most = 0;

	if (db_each(r->db, &all, count, &c) < 0)
		return -1;
	for (int i = 0; i < c.seen.n; i++)
		if (c.seen.at[i].n > most) {
			most = c.seen.at[i].n;
			r->want = c.seen.at[i].want;
		}
	return most > 0 ? 0 : err_set("%s: has no records to replay that were measured there; hone tune fills it", r->path);
}

static int find_device(struct recording *r)
{
	struct db_device_vec devices;
	struct device *device = NULL;

	if (db_devices(r->db, r->arena, &devices) < 0)
		return -1;
	for (int i = 0; i < devices.n; i++) {
		if (strcmp(devices.at[i].fingerprint, r->want.fingerprint) != 0)
			continue;
		json_t *json = json_loads(devices.at[i].description, 0, NULL);

		r->device = device = device_parse(r->arena, json);
		json_decref(json);
	}
	const char *mark = toolchain_mark(r->want.toolchain);

	if (device && *mark && !(device->target = target_named(mark)))
		return err_set("%s: its kernels are for the target '%s', which this hone does not know",
			       r->path, mark);
	return r->device ? 0 : err_set("%s: does not say what its device is: %s", r->path,
				       err_get());
}

static int find_tasks(struct recording *r)
{
	struct db_task_vec tasks;

	if (db_tasks(r->db, r->arena, &tasks) < 0)
		return -1;
	for (int i = 0; i < tasks.n; i++) {
		const struct db_task *t = &tasks.at[i];
		int64_t counts[TRIAL_STATUS_COUNT];
		struct db_want want = r->want;

		want.task_key = t->key;
		if (db_counts(r->db, &want, counts) < 0)
			return -1;
		if (counts[TRIAL_OK] == 0)
			continue;
		const struct dag *dag = dag_parse(r->arena, t->name, t->text);

		if (!dag)
			return -1;
		vec_push(r->arena, &r->tasks, task_new(r->arena, dag, t->name, 1));
	}
	return 0;
}

struct recording *recording_open(const char *path)
{
	struct arena *a = arena_new();
	struct recording *r = arena_one(a, struct recording);

	r->arena = a;
	r->path = arena_strdup(a, path);
	r->db = db_open(path, DB_READ);
	if (!r->db || choose(r) < 0 || find_device(r) < 0 || find_tasks(r) < 0) {
		recording_close(r);
		return NULL;
	}
	return r;
}

void recording_close(struct recording *r)
{
	if (!r)
		return;
	db_close(r->db);
	arena_free(r->arena);
}

const struct task *recording_task(const struct recording *r, const char *key)
{
	for (int i = 0; i < r->tasks.n; i++)
		if (strcmp(r->tasks.at[i]->key, key) == 0)
			return r->tasks.at[i];
	return NULL;
}
