/* SPDX-License-Identifier: Apache-2.0 */
/* graph/quantize/observe.h - a graph that gives values of main besides its results. */
#ifndef HONE_GRAPH_QUANTIZE_OBSERVE_H
#define HONE_GRAPH_QUANTIZE_OBSERVE_H

#include "graph/eval/value.h"
#include "graph/ir/ir.h"

/* Values of a graph's main, each a tensor, and where a run has them. */
struct quant_watch {
	struct graph *graph;	/* its main gives the results of the original's, and then WATCHED */
	int nresults;		/* of the original's main */
	int n;
	const int *place;	/* by watched value: the result that it is; -1 - I: it is argument I */
};

/* G, whose main is to give VALUES as well, in A; NULL and a message. */
struct quant_watch *quant_watch_new(struct arena *a, const struct graph *g, int n, const int *values);
/* Watched value I of a run. */
const struct array *quant_watched(const struct quant_watch *w, int i, const struct value *args,
				  const struct value *results);

#endif
