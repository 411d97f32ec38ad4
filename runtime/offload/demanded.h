/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/offload/demanded.h - a model with what the user demands of its nodes, and whether that was done. */
#ifndef HONE_RUNTIME_OFFLOAD_DEMANDED_H
#define HONE_RUNTIME_OFFLOAD_DEMANDED_H

#include "graph/onnx/onnx.h"
#include "runtime/open.h"

/* G as it was read (NULL: fails with the message that is set) after all passes up to LAST, for a machine of COSTS, as
 * model_open() makes it, with the demands of R, which count where it asks for generators. */
struct graph *demanded_passes(struct arena *a, struct graph *g, const struct offload_request *r,
			      const struct kernel_costs *costs, const char *last);
/* What tells G from the same model with other demands; 0 where it has none. *FORCED: does any node have to go
 * to a generator? */
struct hash128 demanded_key(const struct graph *g, bool *forced);
/* Does a generator compute all that has to go to one, in M, whose kernels were chosen by PLAN? -1 and a
 * message that says what stays with hone, and why. */
int demanded_check(const struct opened *m, const struct choice_plan *plan);

#endif
