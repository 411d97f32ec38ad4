/* SPDX-License-Identifier: Apache-2.0 */
/* graph/pass/pass.h - passes: what is done to a graph between reading it and running it.
 *
 * A pass makes a new graph in the arena that it is given; the one it reads is not changed, and has
 * to live as long as the new one, which shares its types, constants and names. Each is a file of
 * graph/pass/ whose head says what it requires, provides and keeps, and a line in
 * graph/pass/passes.def, where the order is that in which they run. */
#ifndef HONE_GRAPH_PASS_PASS_H
#define HONE_GRAPH_PASS_PASS_H

#include "graph/ir/ir.h"

struct pass {
	const char *name;
	const char *summary;	/* for people */
	/* NULL and a message. */
	struct graph *(*run)(struct arena *a, const struct graph *g);
};

/* The I-th pass; NULL beyond the last. */
const struct pass *pass_at(int i);
/* NULL where there is none. */
const struct pass *pass_find(const char *name);

/* G after all passes up to and with the one named LAST (NULL: all of them); G itself where LAST is
 * "read". NULL and a message. */
struct graph *graph_passes(struct arena *a, struct graph *g, const char *last);
/* G, which graph_passes() made up to FIRST, after all that come behind it. */
struct graph *graph_passes_after(struct arena *a, struct graph *g, const char *first);

#endif
