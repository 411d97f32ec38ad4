/* SPDX-License-Identifier: Apache-2.0 */
/* partition/generators/vdla/apart.h - groups that no kernel has, call by call.
 *
 * In:   a graph behind the pass fuse.
 * Out:  the same, with a kernel for each call of some groups. What makes bytes of sums stays with the limits that it needs, a
 *       pool with the zeros around its image. */
#ifndef HONE_PARTITION_GENERATORS_VDLA_APART_H
#define HONE_PARTITION_GENERATORS_VDLA_APART_H

#include "graph/ir/ir.h"

/* APART: by value of main, is it an application to take apart? In A; NULL and a message. */
struct graph *vdla_take_apart(struct arena *a, const struct graph *g, const bool *apart);

#endif
