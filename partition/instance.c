/* SPDX-License-Identifier: Apache-2.0 */
/* partition/instance.c - shared objects are loaded once, and again as copies where they are configured otherwise. */
#include "partition/instance.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"

/* One that can be configured. */
struct instance {
	const struct hone_generator *generator;	/* NULL: it refused TEXT, and may be anyhow */
	void *object;		/* of the file, whether this is it or a copy */
	char *text;		/* NULL: it was not configured */
	struct instance *next;
};

/* What dlopen() has is the process's, and so is this; in the hands of who has the lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct instance *all;
static struct arena *kept;	/* of them */

/* Of a shared object, far more than any has. */
#define MOST_BYTES ((size_t)4 << 30)

/* A shared object is known by its file and its name: a copy needs both of its own, and the name only as long as
 * its descriptor is open. The file itself is what is loaded first, for debuggers know it. NULL and a message. */
static void *load_copy(const char *name, const char *path)
{
	struct arena *a = arena_new();
	size_t n = 0;
	const unsigned char *bytes = file_map(a, path, MOST_BYTES, &n);
	int fd = bytes ? memfd_create(name, MFD_CLOEXEC) : -1;
	void *object = NULL;
	bool whole = fd >= 0;

	for (size_t done = 0; whole && done < n;) {
		ssize_t some = write(fd, bytes + done, n - done);

		whole = some > 0;
		done += whole ? (size_t)some : 0;
	}
	if (whole)
		object = dlopen(arena_printf(a, "/proc/self/fd/%d", fd), RTLD_NOW | RTLD_LOCAL);
	if (whole && !object)
		err_set("generator '%s' cannot be loaded once more: %s", name, dlerror());
	else if (bytes && !whole)
		err_set("generator '%s' cannot be loaded once more: %s", name, strerror(errno));
	if (fd >= 0 && !object)
		close(fd);
	arena_free(a);
	return object;
}

/* The table of OBJECT, of this hone's form. NULL and a message. */
static const struct hone_generator *table_of(const char *name, const char *path, void *object)
{
	const struct hone_generator *g = dlsym(object, "hone_generator");

	if (!g)
		err_set("'%s' is no code generator: it has no symbol 'hone_generator'", path);
	else if (g->abi != HONE_GENERATOR_ABI)
		err_set("generator '%s' is of ABI %d, this hone has %d: build it again with its hone_generator.h",
			name, g->abi, HONE_GENERATOR_ABI);
	return g && g->abi == HONE_GENERATOR_ABI ? g : NULL;
}

static int configure(const char *name, const struct hone_generator *g, const char *text)
{
	char why[HONE_WHY_BYTES] = "";

	if (!text || g->configure(text, why) == 0)
		return 0;
	why[HONE_WHY_BYTES - 1] = 0;
	return err_set("generator '%s' configured by '%s': %s", name, text,
		       *why ? why : "failed, and does not say why");
}

static bool same_text(const char *x, const char *y)
{
	return x && y ? strcmp(x, y) == 0 : x == y;
}

/* G, of OBJECT, as TEXT says. The lock is the caller's. NULL and a message. */
static const struct hone_generator *configured(const char *name, const char *path, void *object,
					       const struct hone_generator *g, const char *text)
{
	bool taken = false;

	for (const struct instance *i = all; i; i = i->next) {
		if (i->object == object && i->generator && same_text(i->text, text))
			return i->generator;
		taken |= i->object == object;
	}
	void *own = taken ? load_copy(name, path) : object;

	if (!own || !(g = table_of(name, path, own)))
		return NULL;
	kept = kept ? kept : arena_new();
	struct instance *new = arena_one(kept, struct instance);

	*new = (struct instance){ .object = object, .text = text ? arena_strdup(kept, text) : NULL, .next = all };
	all = new;
	if (configure(name, g, text) == 0)
		new->generator = g;
	return new->generator;
}

const struct hone_generator *instance_load(const char *name, const char *path, const char *text)
{
	void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (!object) {
		err_set("generator '%s' cannot be loaded: %s", name, dlerror());
		return NULL;
	}
	const struct hone_generator *g = table_of(name, path, object);

	if (g && !g->configure && text) {
		err_set("generator '%s' takes no configuration, '%s' is for nobody", name, text);
		return NULL;
	}
	if (!g || !g->configure)
		return g;
	pthread_mutex_lock(&lock);
	g = configured(name, path, object, g, text);
	pthread_mutex_unlock(&lock);
	return g;
}
