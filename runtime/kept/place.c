/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/kept/place.c - all that decides what a model becomes, as the name of a file. */
#include <limits.h>
#include <stdlib.h>

#include "base/build_id.h"
#include "base/file.h"
#include "base/hash.h"
#include "measure/toolchain.h"
#include "runtime/kept/kept.h"
#include "search/target.h"

/* The model's file, and where it is: its external data lie beside it. */
static void hash_model(struct hasher *h, const struct open_options *o)
{
	char real[PATH_MAX];

	hasher_str(h, realpath(o->model, real) ? real : o->model);
	hasher_file(h, o->model);
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
	return arena_printf(a, "%s/models/%s", cache, hash_text(hasher_end(h), hex));
}
