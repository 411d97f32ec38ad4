/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/libraries/onnx_write.h - a DAG that was recognized as an ONNX model of one operator, for
 * engines that take models.
 *
 * In:   the DAG, what it computes, and its constants.
 * Out:  a Conv, Gemm or MatMul and what follows it (operator set 17, f32). Inputs and the output
 *       are named arg0, arg1, ... by their place among the DAG's arguments; constants are
 *       initializers.
 * Holds: images are NCHW and matrices as the operator's formula has them, which is what engines are
 * made for. Where the DAG's memory is in another order the model's metadata say so: under the name
 * of the argument the shape that its memory has and, behind a slash, the order of those dimensions
 * that gives the model's, "1 4 9 9 16 / 0 1 4 2 3". */
#ifndef HONE_BENCH_CONTEST_LIBRARIES_ONNX_WRITE_H
#define HONE_BENCH_CONTEST_LIBRARIES_ONNX_WRITE_H

#include "bench/work/recognize.h"

/* The model's SIZE bytes, in A. ARGS are as te/eval.h orders them; only constants are read. NULL
 * where W, which is of D, has no form in ONNX, and WHY says so in a few words. */
unsigned char *onnx_write(struct arena *a, const struct dag *d, const struct work *w,
			  void *const *args, size_t *size, const char **why);

#endif
