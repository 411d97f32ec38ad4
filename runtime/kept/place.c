/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/kept/place.c - all that decides what a model becomes, as the name of a file. */
#include <limits.h>
#include <stdlib.h>

#include "base/build_id.h"
#include "base/file.h"
#include "base/hash.h"
#include "graph/text/text.h"
#include "measure/build/toolchain.h"
#include "runtime/kept/kept.h"
#include "runtime/offload/offers.h"

/* All that it is: the text has the hash of what it leaves out. */
static void hash_graph(struct hasher *h, const struct graph *g)
{
	struct text brief = { 0 };

	graph_print(&brief, g, false);
	hasher_str(h, text_str(&brief));
	text_free(&brief);
}

/* The model's file, and where it is: its external data lie beside it. */
static void hash_model(struct hasher *h, const struct open_options *o)
{
	char real[PATH_MAX];

	if (o->graph) {
		hash_graph(h, o->graph);
	} else {
		hasher_str(h, realpath(o->model, real) ? real : o->model);
		hasher_file(h, o->model);
	}
	hasher_int(h, o->ndims);
	for (int i = 0; i < o->ndims; i++) {
		hasher_str(h, o->dims[i].name);
		hasher_int(h, o->dims[i].size);
	}
}

/* With what sqlite3 has not yet moved into the file. */
static void hash_db(struct arena *a, struct hasher *h, const char *path)
{
	hasher_int(h, path != NULL);
	if (path) {
		hasher_file(h, path);
		hasher_file(h, arena_printf(a, "%s-wal", path));
	}
}

static void hash_device(struct hasher *h, const struct choice_plan *plan)
{
	hasher_str(h, plan->device->fingerprint);
	hasher_int(h, plan->now.probed);
	hasher_str(h, plan->device->target->name);
	hasher_int(h, plan->threads);
	hasher_int(h, plan->exact);
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

/* --- generators */

static void hash_labels(struct hasher *h, const char *const *labels, int n)
{
	hasher_int(h, n);
	for (int i = 0; i < n; i++)
		hasher_str(h, labels[i]);
}

/* Of a shared object, more than any has. */
#define MOST_BYTES ((size_t)4 << 30)

/* What B is, and its code: another may claim otherwise under the same version. False where it is gone. */
static bool hash_backend(struct arena *a, struct hasher *h, const struct backend *b)
{
	size_t bytes;
	const void *object = file_map(a, b->path, MOST_BYTES, &bytes);
	struct hash128 code = hash_bytes(object ? object : "", object ? bytes : 0);

	hasher_str(h, b->generator->name);
	hasher_str(h, b->version);
	hasher_int(h, b->generator->abi);
	hasher_str(h, b->path);
	hasher_int(h, b->text != NULL);
	hasher_str(h, b->text ? b->text : "");
	hasher_bytes(h, &code, sizeof(code));
	return object;
}

/* Who may compute what, and what is known of their times and of plans: all that is in the database of these. */
static bool hash_generators(struct arena *a, struct hasher *h, const struct open_options *o,
			    const struct choice_plan *plan)
{
	const struct backend_vec all = offload_generators_all(a, &plan->generators);
	struct arena *scratch = arena_new();
	bool whole = true;

	hasher_int(h, all.n);
	for (int i = 0; i < all.n; i++)
		whole &= hash_backend(scratch, h, &all.at[i]);
	arena_free(scratch);
	hash_labels(h, o->offload.keep, o->offload.nkeep);
	hash_labels(h, o->offload.offload, o->offload.noffload);
	if (all.n > 0)
		hash_db(a, h, offers_kept_db(a));
	return whole;
}

const char *kept_place(struct arena *a, const struct open_options *o,
		       const struct choice_plan *plan)
{
	const char *cache = dir_cache(a), *id = build_id(a);
	char hex[HASH_TEXT];

	if (!cache || !id)
		return NULL;
	struct hasher *h = hasher_new();

	hasher_str(h, id);
	hash_model(h, o);
	hash_db(a, h, o->db);
	hash_device(h, plan);
	hash_compilers(a, h);
	bool whole = hash_generators(a, h, o, plan);

	hash_text(hasher_end(h), hex);
	return whole ? arena_printf(a, "%s/models/%s", cache, hex) : NULL;
}
