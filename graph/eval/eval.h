/* SPDX-License-Identifier: Apache-2.0 */
/* graph/eval/eval.h - a call that is being computed: for the evaluations of graph/op/.
 *
 * An evaluation reads operands by eval_array or eval_value, allocates each result by eval_result (or
 * hands one on by eval_give), and fills it in. Types were checked when the graph was made, as far as
 * they were known then; shapes that come from data are checked here. */
#ifndef HONE_GRAPH_EVAL_EVAL_H
#define HONE_GRAPH_EVAL_EVAL_H

#include "base/rng.h"
#include "graph/eval/value.h"
#include "graph/ir/op.h"

struct interp;

struct eval {
	struct interp *interp;
	const struct binding *call;
	const struct value *args;	/* call->nargs */
	struct value *results;		/* nresults, empty at first */
	int nresults;
};

/* A message with the operator in front. Returns -1. */
int eval_error(const struct eval *x, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

bool eval_has(const struct eval *x, int i);
/* Operand I, which is an array; NULL where it was left out. */
const struct array *eval_array(const struct eval *x, int i);
struct value eval_value(const struct eval *x, int i);
/* Elements of operand I, integers, as eval_scratch; NULL and *N = 0 where it
 * was left out. */
const int64_t *eval_ints(struct eval *x, int i, int *n);
/* The one element of operand I. */
int64_t eval_int(const struct eval *x, int i);

/* Result I, a new array with elements of any value; NULL and a message where it is too large. */
struct array *eval_result(struct eval *x, int i, enum element e, int rank, const int64_t *dim);
/* The same of the type and shape of Y. */
struct array *eval_result_like(struct eval *x, int i, const struct array *y);
/* Result I is V, whose holder it takes over. */
void eval_give(struct eval *x, int i, struct value v);
/* Result I is operand J. Returns 0. */
int eval_pass(struct eval *x, int i, int j);
/* Result I is operand J with another shape of as many elements. -1 and a message where they are not
 * as many. */
int eval_view(struct eval *x, int i, int j, int rank, const int64_t *dim);

/* AXIS counted from the front, in *OUT; -1 and a message where RANK has no such axis. */
int eval_axis(const struct eval *x, int64_t axis, int rank, int *out);
/* The shape that all operands that there are broadcast to; -1 and a message. */
int eval_broadcast(const struct eval *x, int *rank, int64_t *dim);

/* What lives until this call is done; BYTES of it, zeroed. */
struct arena *eval_arena(struct eval *x);
void *eval_scratch(struct eval *x, size_t bytes);
/* 0; -1 and a message where the run's time is over: for long loops, every few ms. */
int eval_clock(const struct eval *x);
/* A string that lives as long as the run's results. */
const char *eval_string(struct eval *x, const char *s, size_t n);
/* The run's source of chance. */
struct rng *eval_rng(struct eval *x);

#endif
