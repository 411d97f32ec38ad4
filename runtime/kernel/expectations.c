/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/kernel/expectations.c - a file of figures, by the keys of tasks, for each device and build of hone. */
#include "runtime/kernel/expectations.h"

#include <jansson.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/build_id.h"
#include "base/file.h"
#include "base/hash.h"
#include "search/expect.h"
#include "search/aim.h"

/* 60 bytes a task; a file that has grown beyond is begun anew. */
#define MOST_BYTES ((size_t)8 << 20)
/* Each probe of a device and each build of hone begins another. */
enum { MOST_KEPT = 16 };

/* Workers that price side by side: more cores are rarely free, and none has long to do. */
enum { MOST_WORKERS = 16 };

static void hash_figure(struct hasher *h, double v)
{
	hasher_bytes(h, &v, sizeof(v));
}

/* All that expect_us() goes by, besides the task. NULL where nothing can be kept. */
static const char *place(struct arena *a, const struct device *d, int threads)
{
	const char *cache = dir_cache(a), *id = build_id(a);
	const struct aim c = aim_of(d, threads, CACHE_WARM);
	const double figures[] = { c.l1_bytes, c.l2_bytes, c.l3_bytes, c.peak, c.l2_gbs, c.l3_gbs, c.mem_gbs,
				   device_peak(d, threads) };
	char hex[HASH_TEXT];

	if (!cache || !id)
		return NULL;
	struct hasher *h = hasher_new();

	hasher_str(h, id);
	hasher_str(h, c.target->name);
	hasher_int(h, c.threads);
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
		hash_figure(h, figures[i]);
	if (c.kernels)
		hasher_bytes(h, c.kernels, sizeof(*c.kernels));
	return arena_printf(a, "%s/expectations/%s.json", cache, hash_text(hasher_end(h), hex));
}

/* The figures in the file at PATH by key; a new reference. */
static json_t *recall(const char *path)
{
	struct arena *a = arena_new();
	size_t size;
	char *text = path ? file_read(a, path, MOST_BYTES, &size) : NULL;
	json_t *json = text ? json_loadb(text, size, 0, NULL) : NULL;

	arena_free(a);
	if (json_is_object(json))
		return json;
	json_decref(json);
	return json_object();
}

/* With those that another process has kept meanwhile. */
static void keep(const char *path, json_t *known)
{
	json_t *there = recall(path);

	json_object_update_missing(known, there);
	json_decref(there);
	char *text = json_dumps(known, JSON_COMPACT | JSON_REAL_PRECISION(17));

	if (text)
		file_keep(path, text, strlen(text), MOST_KEPT);
	free(text);
}

/* --- what is not known yet */

struct pricing {
	const struct model_task *const *tasks;
	const struct device *device;
	int threads;
	double *us;		/* NAN: to be found */
	int n;
	atomic_int next;
};

static void *price(void *user)
{
	struct pricing *p = user;
	struct arena *a = arena_new();
	int i;

	while ((i = atomic_fetch_add(&p->next, 1)) < p->n) {
		if (!isnan(p->us[i]))
			continue;
		p->us[i] = expect_us(task_new(a, p->tasks[i]->dag, p->tasks[i]->op, 1), p->device,
				     p->threads);
		arena_reset(a);
	}
	arena_free(a);
	return NULL;
}

/* MISSING of them are to be found. */
static void price_all(struct pricing *p, int missing)
{
	pthread_t workers[MOST_WORKERS];
	int most = p->device->threads < missing ? p->device->threads : missing, n = 0;

	/* This thread is one, and the only one where there can be no other. */
	while (n < most - 1 && n < MOST_WORKERS && pthread_create(&workers[n], NULL, price, p) == 0)
		n++;
	price(p);
	while (n > 0)
		pthread_join(workers[--n], NULL);
}

void expectations_get(const struct model_task *const *tasks, int n, const struct device *d, int threads,
		      double *us)
{
	struct pricing p = { .tasks = tasks, .device = d, .threads = threads, .us = us, .n = n };
	struct arena *a = arena_new();
	const char *path = n ? place(a, d, threads) : NULL;
	json_t *known = recall(path);
	char hex[HASH_TEXT];
	int missing = 0;

	for (int i = 0; i < n; i++) {
		double v = json_real_value(json_object_get(known, hash_text(tasks[i]->key, hex)));

		us[i] = v > 0 ? v : NAN;
		missing += !(v > 0);
	}
	price_all(&p, missing);
	for (int i = 0; i < n && missing; i++)
		if (us[i] > 0)
			json_object_set_new(known, hash_text(tasks[i]->key, hex), json_real(us[i]));
	if (missing && path)
		keep(path, known);
	json_decref(known);
	arena_free(a);
}
