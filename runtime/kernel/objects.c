/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/kernel/objects.c - a folder of objects beside what hone knows of the device. */
#include "runtime/kernel/objects.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/hash.h"

/* No kernel is nearly so large. */
#define MOST_BYTES ((size_t)64 << 20)

/* Of all objects: some fourteen thousand, as one takes 18 KiB (the mean of 94 of image networks), and a
 * network has 20 to 160. */
#define MOST_KEPT ((int64_t)256 << 20)
/* Between finding an object and opening it others are compiled, which takes minutes. */
enum { YOUNG_S = 3600 };

static const char *place(struct arena *a, const char *folder, const struct build_pool *b,
			 const struct trial *t)
{
	struct hasher *h = hasher_new();
	char hex[HASH_TEXT];

	hasher_str(h, build_pool_toolchain(b));
	hasher_str(h, t->source);
	return arena_printf(a, "%s/%s.so", folder, hash_text(hasher_end(h), hex));
}

/* Locks FOLDER as flock(2) does with HOW, so that nothing is removed between being seen and being
 * marked as found; -1 where that is not to be had. */
static int lock_folder(const char *folder, int how)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0 && flock(fd, how) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static void unlock_folder(int fd)
{
	if (fd >= 0)
		close(fd);
}

static bool find(struct arena *a, const char *path)
{
	const char *name = strrchr(path, '/');
	int lock = name ? lock_folder(arena_strndup(a, path, (size_t)(name - path)), LOCK_SH) : -1;
	bool there = access(path, R_OK) == 0;

	/* Its time is that of its last use. In a folder of someone else's it is not ours to keep. */
	if (there)
		utimensat(AT_FDCWD, path, NULL, 0);
	unlock_folder(lock);
	return there;
}

bool objects_find(const char *path)
{
	struct arena *a = arena_new();
	bool there = find(a, path);

	arena_free(a);
	return there;
}

/* Where another process trims, or looks for objects, this one has no need to. */
static void trim(const char *folder)
{
	int lock = lock_folder(folder, LOCK_EX | LOCK_NB);

	if (lock >= 0)
		dir_trim_bytes(folder, MOST_KEPT, YOUNG_S);
	unlock_folder(lock);
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

		if (path && find(a, path)) {
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
	if (folder && count > 0)
		trim(folder);
	return 0;
}
