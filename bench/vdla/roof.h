/* SPDX-License-Identifier: Apache-2.0 */
/* bench/vdla/roof.h - what a VDLA needs for a task at least: the roofs over its kernels (Williams, Waterman and Patterson,
 * CACM 2009).
 *
 * In:   a task's DAG and a machine.
 * Out:  cycles below which no kernel of it can be, by products and by bytes.
 * Holds: launch and starts of transfers are in neither, nor what vector instructions take. */
#ifndef HONE_BENCH_VDLA_ROOF_H
#define HONE_BENCH_VDLA_ROOF_H

#include "target/vdla/machine.h"
#include "te/dag.h"

struct vdla_roof {
	int64_t products;	/* of 16x16: a cycle each; 0 where nothing is a sum of products of bytes */
	int64_t bytes;		/* of inputs, constants and outputs, what is touched of them, each once */
	int64_t memory;		/* cycles of the memory port for these */
};

struct vdla_roof vdla_roof_of(const struct dag *d, const struct vdla_machine *m);
/* The higher one, in cycles. */
int64_t vdla_roof_cycles(const struct vdla_roof *r);
const char *vdla_roof_bound(const struct vdla_roof *r);	/* "compute", "memory" */

#endif
