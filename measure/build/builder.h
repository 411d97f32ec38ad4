/* SPDX-License-Identifier: Apache-2.0 */
/* measure/build/builder.h - compiles candidates to shared objects, several at a time.
 *
 * What the time goes into (gcc 12, 512^3 matmul with an 8x2 register tile, 65-75 ms in all on one
 * core of a Sapphire Rapids guest): cc1's start 15 ms, its work 50 ms, the assembler 2.5 ms beside
 * it through -pipe, the link 8.5 ms with the start files and libc and 5-6.5 ms without; gold and
 * lld are slower for objects of this size (15 and 33 ms). So kernels are linked with -nostdlib -lm
 * -lgcc, and several share start and link: docs/performance.md, What building costs beside measuring. */
#ifndef HONE_MEASURE_BUILD_BUILDER_H
#define HONE_MEASURE_BUILD_BUILDER_H

#include "base/arena.h"
#include "measure/build/pool.h"
#include "measure/trial.h"
#include "target/target.h"

struct build_pool_options {
	const struct target *target;	/* NULL: this machine's own */
	const char *cc;		/* NULL: clang where it is there, else gcc */
	const char *flags;	/* added at the end, separated by blanks; NULL: none */
	int jobs;		/* compilers at once; 0: one for each core this process may use */
	double limit_s;		/* for one compilation; 0: 30 */
	const char *workdir;	/* holds the objects; NULL: a temporary folder of its own */
};

/* Several threads may build with it at a time. */
struct build_pool;

/* Asks the compiler what it is and which flags it takes. NULL and a message where it cannot be
 * run, or cannot make a shared object. */
struct build_pool *build_pool_new(const struct build_pool_options *o);
void build_pool_free(struct build_pool *b);

/* Asks ROOM with USER, from whatever thread builds, before each start of a compiler. */
void build_pool_share(struct build_pool *b, struct pool_room (*room)(void *user), void *user);

/* Compiles the PENDING trials: each gets its object and stays PENDING, or gets BUILD_ERROR or
 * BUILD_TIMEOUT and a text; strings in A. 0, or -1 and a message where the outside world fails. */
int build_all(struct arena *a, struct build_pool *b, struct trial *trials, int n);

/* The same, but that several share a run of the compiler, and so an object, in which each has a symbol of
 * its own; one that makes the compiler fail is told from its neighbours. Faster: see above. */
int build_together(struct arena *a, struct build_pool *b, struct trial *trials, int n);
/* build_all() for what may be one text, as references of several sets of inputs are where no bound depends on their ranges: then the
 * first trial is built for all. *BUILT: so many are, 1 or N. */
int build_alike(struct arena *a, struct build_pool *b, struct trial *trials, int n, int *built);

/* Compiler, version and flags in one line, for the record. Lives as long as the builder. */
const char *build_pool_toolchain(const struct build_pool *b);
/* The compiler's command name. */
const char *build_pool_cc(const struct build_pool *b);
/* The flags that make a shared object of C, separated by single blanks, in A. */
const char *build_pool_flags(struct arena *a, const struct build_pool *b);

#endif
