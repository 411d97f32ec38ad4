/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/kept.c - a file for each question that choose() was asked. */
#include "runtime/kept.h"

#include <jansson.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/build_id.h"
#include "base/file.h"
#include "base/hash.h"
#include "measure/toolchain.h"
#include "runtime/objects.h"
#include "search/target.h"

/* Models with their databases and numbers of threads that one works with at a time, and more. */
enum { MOST_KEPT = 256 };

/* The state of the file at PATH; one without content is as one that is not there. */
static void hash_file(struct hasher *h, const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0 || st.st_size == 0) {
		hasher_int(h, 0);
		return;
	}
	hasher_int(h, st.st_size);
	hasher_int(h, (int64_t)st.st_dev);
	hasher_int(h, (int64_t)st.st_ino);
	hasher_int(h, st.st_mtim.tv_sec);
	hasher_int(h, st.st_mtim.tv_nsec);
}

/* With what sqlite3 has not yet moved into the file. */
static void hash_db(struct arena *a, struct hasher *h, const struct db *db)
{
	const char *path = db ? db_path(db) : "";

	hasher_str(h, path);
	hash_file(h, path);
	hash_file(h, arena_printf(a, "%s-wal", path));
}

static void hash_device(struct hasher *h, const struct choice_plan *plan)
{
	struct target target = target_of(plan->device, plan->threads);

	hasher_str(h, plan->device->fingerprint);
	hasher_int(h, plan->now.probed);
	hasher_int(h, target.vector_bytes);
	hasher_int(h, target.registers);
	hasher_int(h, target.threads);
}

/* Which compilers are here. */
static void hash_compilers(struct arena *a, struct hasher *h)
{
	static const char *const names[] = { "clang", "gcc" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct toolchain t = { .cc = names[i] };
		const char *place = toolchain_place(a, &t);

		hasher_str(h, place ? place : "");
	}
}

static void hash_task(struct hasher *h, const struct model_task *t)
{
	hasher_int(h, t->dag != NULL);
	if (t->dag) {
		struct hash128 key = dag_key(t->dag);

		hasher_bytes(h, &key, sizeof(key));
	}
}

const char *kept_place(struct arena *a, const struct model_task_vec *tasks,
		       const struct choice_plan *plan)
{
	const char *cache = dir_cache(a), *id = build_id(a);
	char hex[HASH_TEXT];

	if (!cache || !id)
		return NULL;
	struct hasher *h = hasher_new();

	hasher_str(h, id);
	hash_db(a, h, plan->db);
	hash_device(h, plan);
	hash_compilers(a, h);
	hasher_int(h, tasks->n);
	for (int i = 0; i < tasks->n; i++)
		hash_task(h, &tasks->at[i]);
	return arena_printf(a, "%s/choices/%s.json", cache, hash_text(hasher_end(h), hex));
}

/* --- the file */

static bool read_choice(struct arena *a, const json_t *json, struct choice *out)
{
	const char *origin, *object = NULL, *why = NULL;
	json_int_t replaces;
	int in_model;

	if (json_unpack((json_t *)(uintptr_t)json, "{s:s, s?s, s:I, s?s, s:F, s:b}", "origin",
			&origin, "object", &object, "replaces", &replaces, "why", &why, "time_us",
			&out->time_us, "in_model", &in_model) < 0 ||
	    !choice_origin_parse(origin, &out->origin))
		return false;
	out->why = why ? arena_strdup(a, why) : NULL;
	out->replaces = (uint32_t)replaces;
	out->in_model = in_model;
	if (out->origin == CHOICE_NONE)
		return true;
	out->object = object ? arena_strdup(a, object) : NULL;
	return out->object && objects_find(out->object);
}

struct choice *kept_recall(struct arena *a, const char *place, int n)
{
	json_t *json = json_load_file(place, 0, NULL), *one;
	size_t i;
	struct choice *choices = arena_many(a, struct choice, n);
	bool whole = json_is_array(json) && json_array_size(json) == (size_t)n;

	json_array_foreach(json, i, one)
		whole = whole && read_choice(a, one, &choices[i]);
	json_decref(json);
	return whole ? choices : NULL;
}

void kept_write(const char *place, const struct choice *choices, int n)
{
	json_t *json = json_array();

	for (int i = 0; i < n; i++) {
		const struct choice *c = &choices[i];

		json_array_append_new(json, json_pack("{s:s, s:s*, s:I, s:s*, s:f, s:b}", "origin",
						      choice_origin_name(c->origin), "object",
						      c->object, "replaces",
						      (json_int_t)c->replaces, "why", c->why,
						      "time_us", c->time_us, "in_model",
						      (int)c->in_model));
	}
	char *text = json_dumps(json, JSON_INDENT(1));

	if (text)
		file_keep(place, text, strlen(text), MOST_KEPT);
	free(text);
	json_decref(json);
}
