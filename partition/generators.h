/* SPDX-License-Identifier: Apache-2.0 */
/* partition/generators.h - code generators that are at hand: shared objects that are found by name, or
 * by path. */
#ifndef HONE_PARTITION_GENERATORS_H
#define HONE_PARTITION_GENERATORS_H

#include "base/arena.h"
#include "include/hone_generator.h"
#include "partition/pattern.h"

/* One that is loaded, and configured where the user wrote how. */
struct backend {
	const struct hone_generator *generator;
	const char *version;		/* what times are recorded under */
	const struct pattern **patterns;	/* as many as it has */
	int npatterns;
	const char *asked;		/* what it was asked for by: NAME or PATH, and =TEXT */
	const char *name;		/* of these */
	const char *text;		/* that it was configured by; NULL: it was not */
	const char *path;		/* of its shared object */
};

struct backend_vec VEC(struct backend);

/* Loads the generator that ASKED says: one that was built with hone, or, where there is a slash, the shared
 * object there; TEXT behind a = configures it. 0; -1 and a message: it is not there, is of another ABI, refuses
 * TEXT, or has a pattern that cannot be read. Objects stay loaded as long as the process. */
int backend_load(struct arena *a, const char *asked, struct backend *out);
/* What loads B again, wherever the process then is, in A. TEXT is in it as the user wrote it. */
const char *backend_again(struct arena *a, const struct backend *b);
/* What a run of REGION takes B's device, as it tells; zeros: it does not, or not sensibly. */
struct hone_cost backend_cost(const struct backend *b, const struct hone_region *region, int threads);
/* All of C. */
double cost_us(struct hone_cost c);
/* The one of N whose generator is called NAME; NULL. */
const struct backend *backend_find(const struct backend *all, int n, const char *name);

#endif
