/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/objects.c - a folder of objects beside what hone knows of the device. */
#include "runtime/objects.h"

#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/hash.h"

/* No kernel is nearly so large. */
#define MOST_BYTES ((size_t)64 << 20)

static const char *place(struct arena *a, const char *folder, const struct build_pool *b,
			 const struct trial *t)
{
	struct hasher *h = hasher_new();
	char hex[HASH_TEXT];

	hasher_str(h, build_pool_toolchain(b));
	hasher_str(h, t->source);
	return arena_printf(a, "%s/%s.so", folder, hash_text(hasher_end(h), hex));
}

/* Moves the object of T, which the builder made, to PATH. A folder that cannot be written costs a
 * compilation next time and is no error. */
static void keep(struct arena *a, struct trial *t, const char *path)
{
	size_t size;
	char *data = file_read(a, t->object, MOST_BYTES, &size);

	if (!data || file_write(path, data, size) < 0)
		return;
	unlink(t->object);
	t->object = path;
}

int objects_get(struct arena *a, struct build_pool *b, struct trial *trials, int n, int *made)
{
	const char *cache = dir_cache(a);
	const char *folder = cache ? arena_printf(a, "%s/kernels", cache) : NULL;
	struct trial *missing = arena_many(a, struct trial, n);
	int *of = arena_many(a, int, n);
	int count = 0;

	if (folder && dir_make(folder) < 0)
		folder = NULL;
	for (int i = 0; i < n; i++) {
		const char *path = folder ? place(a, folder, b, &trials[i]) : NULL;

		if (path && access(path, R_OK) == 0) {
			trials[i].object = path;
			continue;
		}
		of[count] = i;
		missing[count++] = trials[i];
	}
	if (made)
		*made = count;
	if (build_all(a, b, missing, count) < 0)
		return -1;
	for (int i = 0; i < count; i++) {
		trials[of[i]] = missing[i];
		if (folder && missing[i].object)
			keep(a, &trials[of[i]], place(a, folder, b, &trials[of[i]]));
	}
	return 0;
}
