/* SPDX-License-Identifier: Apache-2.0 */
/* te/eval.h - the naive evaluation of a DAG: the oracle that kernels are tested against.
 *
 * ARGS are the buffers of a kernel: of inputs and constants in the order of ops, then of outputs in
 * the order of ops; dense, row-major, in their storage types. Operations are rounded as te/scalar.h
 * says; a reduction runs over its axes in order, the last one fastest, and accumulates in the type
 * of the op (f16 and bf16: in f32). */
#ifndef HONE_TE_EVAL_H
#define HONE_TE_EVAL_H

#include "te/dag.h"
#include "te/scalar.h"

/* Number of buffers in ARGS, and which one is that of OP; -1 where OP is an intermediate. */
int dag_arg_count(const struct dag *d);
int dag_arg(const struct dag *d, const struct op *op);
/* The op whose buffer is ARG, below dag_arg_count(D). */
const struct op *dag_arg_op(const struct dag *d, int arg);

/* Computes all outputs. */
void dag_eval(const struct dag *d, void *const *args);

/* Evaluates single elements on demand; what they need of other ops is remembered. */
struct evaluator;

/* Reads only the inputs among ARGS (the outputs may be NULL), which must outlive it. WIDE: floats
 * of all types are f64, never rounded to their own. */
struct evaluator *evaluator_new(struct arena *a, const struct dag *d, void *const *args, bool wide);
/* Element INDEX (row-major) of the compute op OP, as memory would hold it. False where OP is no
 * compute op of the DAG or has no such element. */
bool dag_eval_element(struct evaluator *ev, const struct op *op, int64_t index,
		      union scalar *value);
/* How many bodies, terms of reductions among them, it has evaluated: about 50 ns each. */
int64_t evaluator_terms(const struct evaluator *ev);

#endif
