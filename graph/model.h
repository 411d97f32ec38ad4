/* SPDX-License-Identifier: Apache-2.0 */
/* graph/model.h - a model as the commands take it: read, simplified, folded, fused. */
#ifndef HONE_GRAPH_MODEL_H
#define HONE_GRAPH_MODEL_H

#include "graph/onnx/onnx.h"

/* Is SOURCE the name of a model (*.onnx, or a graph in hone's text or JSON form)? */
bool model_is(const char *source);
/* The graph of SOURCE as it was read. NULL and a message. */
struct graph *model_read(struct arena *a, const char *source, const struct onnx_options *options);
/* The same after all passes up to and with the one named LAST (NULL: all of them), as
 * graph/pass/passes.def lists them, for a machine of COSTS (NULL: any). NULL and a message. */
struct graph *model_open(struct arena *a, const char *source, const struct onnx_options *options,
			 const struct kernel_costs *costs, const char *last);

#endif
