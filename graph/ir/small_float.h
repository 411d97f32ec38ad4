/* SPDX-License-Identifier: Apache-2.0 */
/* graph/ir/small_float.h - floats of 8 bits and fewer, as the OCP formats for them and ONNX define
 * them (onnx.ai/onnx/technical/float8.html). */
#ifndef HONE_GRAPH_IR_SMALL_FLOAT_H
#define HONE_GRAPH_IR_SMALL_FLOAT_H

#include <stdbool.h>

#include "graph/ir/element.h"

bool element_is_small_float(enum element e);
float small_float_decode(enum element e, uint8_t bits);
/* Rounded to nearest even. What is too large becomes the largest finite number where SATURATE, else
 * infinity, or NaN where the format has no infinity. */
uint8_t small_float_encode(enum element e, float v, bool saturate);

#endif
