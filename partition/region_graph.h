/* SPDX-License-Identifier: Apache-2.0 */
/* partition/region_graph.h - a region as a generator gets it, as a graph again.
 *
 * In:   a region of tensors of known types.
 * Out:  a graph whose main function has its inputs, calls and outputs.
 * Holds: constants stay where the region has them. */
#ifndef HONE_PARTITION_REGION_GRAPH_H
#define HONE_PARTITION_REGION_GRAPH_H

#include "graph/ir/ir.h"
#include "include/hone_generator.h"

/* In A; NULL and a message. */
struct graph *region_graph(struct arena *a, const struct hone_region *region);

#endif
