/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/onnx.c - from ONNX's messages to a graph. */
#include "graph/onnx/onnx.h"

#include "base/err.h"

struct graph *onnx_read(struct arena *a, const char *path, const struct onnx_options *options)
{
	(void)a, (void)options;
	err_set("%s: not read yet", path);
	return NULL;
}
