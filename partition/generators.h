/* SPDX-License-Identifier: Apache-2.0 */
/* partition/generators.h - code generators that are at hand: shared objects that are found by name, or
 * by path. */
#ifndef HONE_PARTITION_GENERATORS_H
#define HONE_PARTITION_GENERATORS_H

#include "base/arena.h"
#include "include/hone_generator.h"
#include "partition/pattern.h"

/* One that is loaded. */
struct backend {
	const struct hone_generator *generator;
	const char *version;		/* what times are recorded under */
	const struct pattern **patterns;	/* as many as it has */
	int npatterns;
	const char *asked;		/* the name, or the path, that it was asked for by */
	const char *path;		/* of its shared object */
	void *object;
};

struct backend_vec VEC(struct backend);

/* Loads the generator that NAME says: one that was built with hone, or, where it has a slash, the shared
 * object there. 0; -1 and a message: it is not there, is of another ABI, or has a pattern that cannot be
 * read. Objects stay loaded as long as the process. */
int backend_load(struct arena *a, const char *name, struct backend *out);
/* The one of N whose generator is called NAME; NULL. */
const struct backend *backend_find(const struct backend *all, int n, const char *name);

#endif
