/* SPDX-License-Identifier: Apache-2.0 */
/* tools/record/export_uses.h - where a model needs an exported kernel, and with which weights.
 *
 * Weights are what passes made of the model's: scales are in them, constants are folded. */
#ifndef HONE_TOOLS_RECORD_EXPORT_USES_H
#define HONE_TOOLS_RECORD_EXPORT_USES_H

#include <jansson.h>

#include "graph/onnx/onnx.h"
#include "graph/pass/costs.h"

struct model_uses;

/* Of the model SOURCE for a machine of COSTS, in A; NULL and a message. FILES gets those that it was read from. */
struct model_uses *uses_open(struct arena *a, const char *source, const struct kernel_costs *costs,
			     struct onnx_files *files);
/* For the task KEY an array, as `uses` of `export` in docs/json.md; the weights are written to
 * DIR/weights under names that begin with SYMBOL. NULL and a message where one cannot be written. */
json_t *uses_write(struct arena *a, const struct model_uses *u, const char *key, const char *dir,
		   const char *symbol);

#endif
