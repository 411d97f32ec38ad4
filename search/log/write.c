/* SPDX-License-Identifier: Apache-2.0 */
/* search/log/write.c - records of a database as the lines of a log. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "measure/build/toolchain.h"
#include "measure/device/device.h"
#include "search/log/field.h"
#include "search/log/log.h"

/* Of a combination of task, device, toolchain, threads and cache state: how many lines there are. */
struct combination_count {
	int64_t device, toolchain;
	int threads, n;
};

struct log_writer {
	struct arena *a;
	const struct log_want *want;
	struct db_device_vec devices;
	const char **own;	/* the own target of each; NULL */
	const struct db_task *task;
	struct combination_counts VEC(struct combination_count) seen;	/* of the task and the cache state */
	struct log_lines VEC(const char *) lines;
};

static int device_at(const struct log_writer *w, int64_t id)
{
	for (int i = 0; i < w->devices.n; i++)
		if (w->devices.at[i].id == id)
			return i;
	die("a record of no device");
}

static bool is_among_top(struct log_writer *w, const struct db_record *r)
{
	struct combination_count *c = NULL;

	for (int i = 0; i < w->seen.n && !c; i++)
		if (w->seen.at[i].device == r->device && w->seen.at[i].toolchain == r->toolchain &&
		    w->seen.at[i].threads == r->threads)
			c = &w->seen.at[i];
	if (!c) {
		vec_push(w->a, &w->seen, (struct combination_count){ r->device, r->toolchain, r->threads, 0 });
		c = &w->seen.at[w->seen.n - 1];
	}
	return c->n++ < w->want->top;
}

static int add_line(void *ctx, const struct db_record *r)
{
	struct log_writer *w = ctx;
	int device = device_at(w, r->device);
	const char *mark = toolchain_mark(r->toolchain_text);
	char hash[HASH_TEXT];
	const struct log_line line = {
		.of = { .record = *r, .task = *w->task, .description = w->devices.at[device].description },
		.target = *mark ? mark : w->own[device],
		.steps_hash = hash_text(r->steps_hash, hash),
	};

	if (w->want->top && !is_among_top(w, r))
		return 0;
	json_t *json = log_line_json(&line);
	char *text = json_dumps(json, LOG_JSON);

	if (!text)
		die("out of memory");
	vec_push(w->a, &w->lines, arena_strdup(w->a, text));
	free(text);
	json_decref(json);
	return 0;
}

static int add_task(struct log_writer *w, struct db *db, const struct db_task *task)
{
	struct db_want want = { .task_key = task->key, .threads = w->want->threads,
				.target = w->want->target, .exact = w->want->exact,
				.measured = w->want->top > 0 };
	int rc = 0;

	w->task = task;
	for (int c = 0; c < CACHE_STATE_COUNT && rc >= 0; c++) {
		want.cache = cache_state_name((enum cache_state)c);
		w->seen.n = 0;
		rc = w->want->top ? db_each_standing(db, &want, DB_SUREST, add_line, w)
				  : db_each(db, &want, add_line, w);
	}
	return rc;
}

static bool is_wanted(const struct log_want *want, const char *key)
{
	bool found = !want->keys;

	for (int i = 0; i < want->n; i++)
		found |= strcmp(want->keys[i], key) == 0;
	return found;
}

static void find_own_targets(struct log_writer *w)
{
	w->own = arena_many(w->a, const char *, w->devices.n + 1);
	for (int i = 0; i < w->devices.n; i++) {
		json_t *json = json_loads(w->devices.at[i].description, 0, NULL);
		const struct device *d = device_parse(w->a, json);

		w->own[i] = d ? d->own->name : NULL;
		json_decref(json);
	}
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int64_t write_lines(struct log_writer *w, struct text *out, struct db *db)
{
	struct db_task_vec tasks;
	int rc = 0;

	if (db_devices(db, w->a, &w->devices) < 0 || db_tasks(db, w->a, &tasks) < 0)
		return -1;
	find_own_targets(w);
	for (int i = 0; i < tasks.n && rc >= 0; i++)
		if (is_wanted(w->want, tasks.at[i].key))
			rc = add_task(w, db, &tasks.at[i]);
	if (rc < 0)
		return -1;
	if (w->lines.n)
		qsort(w->lines.at, (size_t)w->lines.n, sizeof(*w->lines.at), by_bytes);
	for (int i = 0; i < w->lines.n; i++)
		text_printf(out, "%s\n", w->lines.at[i]);
	return w->lines.n;
}

int64_t log_write(struct text *out, struct db *db, const struct log_want *want)
{
	struct log_writer w = { .a = arena_new(), .want = want };
	int64_t n = write_lines(&w, out, db);

	arena_free(w.a);
	return n;
}
