/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/pending.h - core operators on their way: calls of them fail until they are there. */
#ifndef HONE_GRAPH_ONNX_PENDING_H
#define HONE_GRAPH_ONNX_PENDING_H

#include "graph/ir/op.h"

extern const struct core_op core_resize __attribute__((weak));

#endif
