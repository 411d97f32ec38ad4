/* SPDX-License-Identifier: Apache-2.0 */
/* tools/record/export_build.c - reasons of misses, fallbacks and dependencies of an export. */
#include "tools/record/export_build.h"

#include <inttypes.h>
#include <limits.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "runtime/kernel/guesses.h"
#include "search/aim.h"

/* --- misses */

/* Ok records of a task with one device, target and number of threads. */
struct held {
	const char *fingerprint, *target;
	int threads;
	int64_t n;
};
struct held_vec VEC(struct held);

struct holdings {
	struct arena *arena;
	const struct db_device_vec *devices;
	struct held_vec list;
};

/* The device with FINGERPRINT as the database describes it; NULL where that is no description. */
static struct device *described(const struct holdings *h, const char *fingerprint)
{
	for (int i = 0; i < h->devices->n; i++) {
		const struct db_device *d = &h->devices->at[i];
		json_t *json;

		if (strcmp(d->fingerprint, fingerprint) != 0)
			continue;
		json = json_loads(d->description, 0, NULL);
		struct device *device = json ? device_parse(h->arena, json) : NULL;

		json_decref(json);
		return device;
	}
	return NULL;
}

static const char *target_name(const struct holdings *h, const struct db_record *r)
{
	const struct device *d = described(h, r->fingerprint);
	const struct target *t = target_of_toolchain(r->toolchain_text, d ? d->own : NULL);

	return t ? t->name : "unknown";
}

static int count(void *user, const struct db_record *r)
{
	struct holdings *h = user;

	if (r->status != TRIAL_OK || r->estimate)
		return 0;
	const char *target = target_name(h, r);

	for (int i = 0; i < h->list.n; i++) {
		struct held *x = &h->list.at[i];

		if (strcmp(x->fingerprint, r->fingerprint) == 0 && strcmp(x->target, target) == 0 &&
		    x->threads == r->threads) {
			x->n++;
			return 0;
		}
	}
	vec_push(h->arena, &h->list, ((struct held){ arena_strdup(h->arena, r->fingerprint), target,
						      r->threads, 1 }));
	return 0;
}

static const char *threads_text(struct arena *a, int n)
{
	return n ? arena_printf(a, "%d thread%s", n, n > 1 ? "s" : "") : "any number of threads";
}

static void put_held(struct text *out, const struct holdings *h, const struct held *x)
{
	const struct device *d = described(h, x->fingerprint);

	text_printf(out, "%" PRId64 " of %s (%s, %s)", x->n, d ? d->name : x->fingerprint,
		    x->target, threads_text(h->arena, x->threads));
}

const char *miss_reason(const struct query *q, const struct task *t)
{
	const struct db_want any = { .task_key = t->key };
	struct db_want want = query_want(q);
	struct db_skipped skipped;
	struct db_device_vec devices = { 0 };
	struct holdings h = { .arena = q->arena, .devices = &devices };
	struct text why = { 0 };

	want.task_key = t->key;
	if (db_devices(q->db, q->arena, &devices) < 0 || db_each(q->db, &any, count, &h) < 0 ||
	    db_skipped(q->db, q->arena, &want, &skipped) < 0)
		return NULL;
	text_printf(&why, "no record fits %s (%s, %s); ", q->device->name, q->device->target->name,
		    threads_text(q->arena, q->threads));
	text_puts(&why, h.list.n ? "there are " : "there is none of this task");
	for (int i = 0; i < h.list.n; i++) {
		text_puts(&why, i ? ", " : "");
		put_held(&why, &h, &h.list.at[i]);
	}
	if (skipped.n)
		text_printf(&why, ": %s", skipped.why);
	const char *text = arena_strdup(q->arena, text_str(&why));

	text_free(&why);
	return text;
}

/* --- fallbacks */

bool fallback_kernel(const struct query *q, const struct task *t, struct best *out)
{
	const int threads = q->threads ? q->threads : 1;
	struct aim aim = aim_of(q->device, threads, CACHE_WARM);
	struct guess guess;

	aim.exact = q->exact;
	if (!guesses_get(q->arena, t, &aim, &guess))
		return false;
	const struct db_record r = { .steps = guess.steps, .threads = threads,
				     .status = TRIAL_OK, .fingerprint = q->device->fingerprint };

	return best_replay(q->arena, t, &r, q->device->target, out);
}

/* --- dependencies */

/* PATH as make reads it. */
static const char *escaped(struct arena *a, const char *path)
{
	struct text out = { 0 };

	for (; *path; path++) {
		if (*path == ' ' || *path == '#' || *path == '\\')
			text_puts(&out, "\\");
		if (*path == '$')
			text_puts(&out, "$");
		text_putn(&out, path, 1);
	}
	const char *s = arena_strdup(a, text_str(&out));

	text_free(&out);
	return s;
}

struct path_vec VEC(const char *);

static void add(struct arena *a, struct path_vec *paths, const char *path)
{
	if (access(path, F_OK) < 0)	/* an operator of the library, or a list that came with hone */
		return;
	for (int i = 0; i < paths->n; i++)
		if (strcmp(paths->at[i], path) == 0)
			return;
	vec_push(a, paths, path);
}

static struct path_vec dependencies(const struct query *q, const struct onnx_files *files)
{
	struct path_vec paths = { 0 };
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n > 0) {
		self[n] = '\0';
		add(q->arena, &paths, arena_strdup(q->arena, self));
	}
	add(q->arena, &paths, q->source);
	add(q->arena, &paths, q->db_path);
	for (int i = 0; i < q->tasks.n; i++)	/* a list's *.te go by their paths */
		if (text_ends_with(q->tasks.at[i]->name, ".te"))
			add(q->arena, &paths, q->tasks.at[i]->name);
	for (int i = 0; i < files->list.n; i++)
		add(q->arena, &paths, files->list.at[i].path);
	return paths;
}

/* A rule without a recipe for each of them, as compilers write with -MP: a file that was removed is one
 * that has changed. */
int depfile_write(const struct query *q, const struct onnx_files *files, const char *output,
		  const char *path)
{
	const struct path_vec paths = dependencies(q, files);
	struct text out = { 0 };

	text_printf(&out, "%s:", escaped(q->arena, output));
	for (int i = 0; i < paths.n; i++)
		text_printf(&out, " \\\n  %s", escaped(q->arena, paths.at[i]));
	text_puts(&out, "\n");
	for (int i = 0; i < paths.n; i++)
		text_printf(&out, "\n%s:\n", escaped(q->arena, paths.at[i]));
	int rc = file_write(path, out.s, out.n);

	text_free(&out);
	return rc;
}
