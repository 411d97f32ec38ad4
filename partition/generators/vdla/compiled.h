/* SPDX-License-Identifier: Apache-2.0 */
/* partition/generators/vdla/compiled.h - programs of regions, compiled once, whoever asks: to know their cycles, to keep them, and
 * each session of its own. */
#ifndef HONE_PARTITION_GENERATORS_VDLA_COMPILED_H
#define HONE_PARTITION_GENERATORS_VDLA_COMPILED_H

#include "base/hash.h"
#include "graph/ir/ir.h"
#include "include/hone_generator.h"
#include "partition/generators/vdla/options.h"
#include "target/vdla/simulator.h"

struct vdla_compiled {
	struct hash128 key;
	struct text file;	/* the artifact; empty: there is none */
	struct vdla_cycles cycles;
	char why[HONE_WHY_BYTES];	/* there is none */
	struct vdla_compiled *next;
};

/* REGION as images, in A; NULL and a message. */
struct graph *region_images(struct arena *a, const struct hone_region *region);
/* REGION's program by O, the same in all calls; it stays as long as the process. Any thread may ask. */
const struct vdla_compiled *vdla_compiled_of(const struct hone_region *region, const struct vdla_options *o);

#endif
