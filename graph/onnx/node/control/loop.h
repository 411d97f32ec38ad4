/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node/control/loop.h - bodies of loops, whose states may change their types. */
#ifndef HONE_GRAPH_ONNX_NODE_CONTROL_LOOP_H
#define HONE_GRAPH_ONNX_NODE_CONTROL_LOOP_H

#include "graph/onnx/node.h"

/* The function that READ makes of a body, for states of types STATES (NSTATE of them), read again with
 * wider ones until they hold after an iteration, too; STATES are set to those. The function's results
 * are a condition, the states, and scans. FUNCTION_NONE where it failed. */
int loop_body(struct node *n, int nstate, const struct type **states,
	      int (*read)(struct node *n, const struct type *const *states, void *user), void *user);

#endif
