/* SPDX-License-Identifier: Apache-2.0 */
/* graph/quantize/switch.h - a graph in which each site can be told whether to round.
 *
 * It computes in f32 what integers would, up to rounding of f32, and is compiled once however many
 * choices of sites are tried. */
#ifndef HONE_GRAPH_QUANTIZE_SWITCH_H
#define HONE_GRAPH_QUANTIZE_SWITCH_H

#include "graph/quantize/quantize.h"

struct quant_switches {
	struct graph *graph;	/* main takes what Q's does, and then bool[n]: which sites round */
	int n;
	const int *site;	/* by switch */
};

/* For the sites of Q, settled, that are to be quantized; in Q's arena. NULL and a message. */
struct quant_switches *quant_switches_new(const struct quant *q);

#endif
