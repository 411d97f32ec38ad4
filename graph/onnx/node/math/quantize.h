/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node/math/quantize.h - numbers in few bits, from and to: x = (q - zero) * scale. */
#ifndef HONE_GRAPH_ONNX_NODE_MATH_QUANTIZE_H
#define HONE_GRAPH_ONNX_NODE_MATH_QUANTIZE_H

#include "graph/onnx/compose.h"

/* q - zero in i32, or for floats of 8 bits and less in f32; ZERO may be VALUE_NONE. */
int quantize_widen(struct builder *b, int q, int zero);
/* round(x) + zero as integers TO, which end at their bounds; floats TO are rounded by their
 * conversion, and end at their bounds where SATURATE. ZERO may be VALUE_NONE. */
int quantize_round(struct builder *b, int x, int zero, enum element to, bool saturate);

#endif
