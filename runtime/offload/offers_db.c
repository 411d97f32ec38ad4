/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/offload/offers_db.c - offers as records: read from databases, written to one. */
#include "runtime/offload/offers_inside.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/version.h"

static const char *generator_names(struct arena *a, const struct offers_options *o)
{
	const char *names = "";

	for (int b = 0; b < o->n; b++)
		names = arena_printf(a, "%s%s%s: %s", names, *names ? ", " : "", o->backends[b].generator->name,
				     o->backends[b].version);
	return names;
}

/* The toolchain of BACKEND's records. */
static const char *toolchain(struct arena *a, const struct offers_options *o, int backend)
{
	static const char *const plans[] = {
		[OFFLOAD_FASTEST] = "plan, by cost", [OFFLOAD_ALL] = "plan, all",
		[OFFLOAD_NONE] = "plan, none", [OFFLOAD_POLICIES + FIGURE_LAUNCH_US] = "launch",
		[OFFLOAD_POLICIES + FIGURE_HOST_RATIO] = "ratio",
	};

	if (backend < OFFER_HOST)
		return arena_printf(a, DB_OFFLOAD "%s of %s", plans[OFFER_HOST - 1 - backend],
				    generator_names(a, o));
	return backend == OFFER_HOST ? DB_OFFLOAD "hone"
				     : arena_printf(a, DB_OFFLOAD "%s: %s", o->backends[backend].generator->name,
						    o->backends[backend].version);
}

/* --- reading */

/* Whose records are read. */
struct offers_reader {
	struct offers *offers;
	int backend;
	bool in_model;
};

/* Later records replace earlier ones. */
static int read_record(void *ctx, const struct db_record *r)
{
	struct offers_reader *x = ctx;
	struct offer what = { .backend = x->backend, .us = r->time_us, .in_model = x->in_model };

	if (r->source_hash)
		hash_parse(r->source_hash, &what.source);
	if (r->status == TRIAL_OK)
		offers_set(x->offers, r->task_key, &what);
	return 0;
}

/* The cache folder's is hone's own to bring up to date where it is of an older hone. */
static struct db *open_to_read(struct offers *o, const char *path)
{
	struct db *db = db_open(path, DB_READ);
	const char *kept = offers_kept_db(o->arena);

	return db || !kept || strcmp(kept, path) != 0 ? db : db_open(path, DB_MODIFY);
}

static int read_db(struct offers *o, const char *path)
{
	const struct offers_options *x = o->options;
	struct db *db = open_to_read(o, path);
	int rc = db ? 0 : -1;

	for (int b = LAST_OF_ALL; b < x->n && rc == 0; b++)
		for (int in_model = 0; in_model < 2 && rc == 0; in_model++) {
			struct offers_reader reader = { o, b, in_model };
			struct db_want want = {
				.fingerprint = x->device->fingerprint, .threads = x->threads, .offload = true,
				.now = &x->now, .toolchain = toolchain(o->arena, x, b),
				.cache = cache_state_name(in_model ? CACHE_MODEL : CACHE_WARM),
			};

			rc = db_each(db, &want, read_record, &reader);
		}
	db_close(db);
	return rc;
}

const char *offers_kept_db(struct arena *a)
{
	const char *cache = dir_cache(a);

	return cache ? arena_printf(a, "%s/offload.db", cache) : NULL;
}

int offers_read(struct offers *o)
{
	const char *kept = offers_kept_db(o->arena);

	if (kept && access(kept, F_OK) == 0 && read_db(o, kept) < 0)
		return -1;
	return o->options->db && access(o->options->db, F_OK) == 0 ? read_db(o, o->options->db) : 0;
}

/* --- saving */

static int64_t add_device(struct db *db, const struct device *d)
{
	json_t *json = device_json(d);
	char *text = json_dumps(json, JSON_COMPACT);
	int64_t id = db_device(db, d->fingerprint, text ? text : "{}");

	free(text);
	json_decref(json);
	return id;
}

static int save(struct offers *o, struct db *db, struct arena *a)
{
	struct db_record *records = arena_many(a, struct db_record, o->learned.n);
	int64_t device = add_device(db, o->options->device);

	for (int i = 0; i < o->learned.n; i++) {
		const struct learned_offer *x = &o->learned.at[i];
		char hex[HASH_TEXT];

		records[i] = (struct db_record){
			.task = db_task(db, &(struct db_task){ .key = x->key, .name = x->name,
							       .text = x->text, .flop = x->flop }),
			.device = device,
			.toolchain = db_toolchain(db, toolchain(a, o->options, x->what.backend)),
			.threads = o->options->threads, .status = TRIAL_OK, .final = true, .others = -1,
			.steps = "",
			.source_hash = x->what.backend == OFFER_HOST
					       ? arena_strdup(a, hash_text(x->what.source, hex)) : NULL,
			.samples = x->samples, .n_samples = x->n, .time_us = x->what.us,
			.hone = version_stamp(),
			.cache = cache_state_name(x->what.in_model ? CACHE_MODEL : CACHE_WARM),
		};
		if (device < 0 || records[i].task < 0 || records[i].toolchain < 0)
			return -1;
	}
	return db_append(db, &(struct db_batch){ .records = records, .n = o->learned.n });
}

/* Of the cache folder's database, which has nothing but offers: some 64 MiB, as one takes 2.6 KiB with the text of
 * its task (examples/tiny_cnn.onnx and oneDNN, 52 kernels). */
enum { MOST_KEPT = 25000 };

/* What was measured again, and what was measured longest ago where there is too much, goes. */
static int trim(struct db *db)
{
	struct db_pruned pruned;

	return db_prune(db, &(struct db_prune){ .keep = 1, .failed_days = -1, .most = MOST_KEPT, .keeps_size = true },
			&pruned);
}

/* Where O saves, opened. NULL and a message. */
static struct db *open_to_keep(const struct offers *o, struct arena *a, const char *path)
{
	bool own = !(o->options->writes && o->options->db);

	return own && dir_make(dir_cache(a)) < 0 ? NULL : db_open(path, DB_WRITE);
}

int offers_keep(struct offers *o)
{
	struct arena *a = arena_new();
	bool own = !(o->options->writes && o->options->db);
	const char *path = own ? offers_kept_db(a) : o->options->db;
	struct db *db = path && o->learned.n ? open_to_keep(o, a, path) : NULL;
	int rc = !path || o->learned.n == 0 ? 0 : db ? save(o, db, a) : -1;

	if (db && rc == 0 && own)
		rc = trim(db);
	db_close(db);
	arena_free(a);
	if (rc == 0)
		o->learned.n = 0;
	return rc;
}
