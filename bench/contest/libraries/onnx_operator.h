/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/libraries/onnx_operator.h - an operator that is no sum of products as an ONNX model of one node, for engines
 * that take models: told from what it is called, for its formula may be any.
 *
 * Holds: who computes something else than the DAG is found out by the referee, as all are. */
#ifndef HONE_BENCH_CONTEST_LIBRARIES_ONNX_OPERATOR_H
#define HONE_BENCH_CONTEST_LIBRARIES_ONNX_OPERATOR_H

#include "te/dag.h"

/* The model's SIZE bytes, in A, where SPEC is an operator's that has a node of its own and builds D; its inputs and output
 * are named and ordered as in onnx_write.h, and ARGS are the same. NULL where there is none; where an operator of D has a
 * node that cannot be given here, WHY says so in a few words, and is left alone otherwise. */
unsigned char *onnx_write_operator(struct arena *a, const char *spec, const struct dag *d, void *const *args,
				   size_t *size, const char **why);

#endif
