/* SPDX-License-Identifier: Apache-2.0 */
/* graph/ir/origin.h - the node of a model that bindings come from, and who is to compute it.
 *
 * Whatever passes make of a node has its origin: builders hold the one of the binding at hand
 * (graph/build/build.h), and what they make takes it from there. */
#ifndef HONE_GRAPH_IR_ORIGIN_H
#define HONE_GRAPH_IR_ORIGIN_H

#include "base/arena.h"

/* What the user demands of a node. */
enum demand_kind {
	DEMAND_NONE,	/* whoever is fastest computes it */
	DEMAND_KEEP,	/* hone does */
	DEMAND_OFFLOAD,	/* a code generator does, whatever it takes */
};

struct demand {
	enum demand_kind kind;
	const char *generator;	/* DEMAND_OFFLOAD: its name; NULL: any that can */
};

struct origin {
	const char *label;	/* of the node in the model; "" */
	struct demand demand;
};

/* Of what comes from no node. */
extern const struct origin origin_none;

/* In A, where LABEL lives as long; "" and no demand are origin_none. */
const struct origin *origin_new(struct arena *a, const char *label, struct demand demand);
/* May the generator NAME compute what is so demanded? */
bool demand_lets(struct demand d, const char *name);

#endif
