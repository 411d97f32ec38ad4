/* SPDX-License-Identifier: Apache-2.0 */
/* tests/te_run.h - a DAG with random data, evaluated: for tests of operators. */
#ifndef HONE_TESTS_TE_RUN_H
#define HONE_TESTS_TE_RUN_H

#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <cmocka.h>

#include "base/err.h"
#include "base/rng.h"
#include "te/eval.h"
#include "te/operator.h"
#include "te/text/text.h"

enum { ARGS_MAX = 8 };

/* A DAG with random inputs, and its outputs. */
struct run {
	struct arena *a;
	struct dag *d;
	void *args[ARGS_MAX];
	const struct op *op[ARGS_MAX];
	int n;
};

static inline void fill(const struct op *op, void *data, struct rng *rng)
{
	for (int64_t i = 0; i < tensor_count(&op->tensor); i++)
		dtype_store(op->tensor.dtype, data, i,
			    op->low + (op->high - op->low) * rng_unit(rng));
}

static inline struct run run_new(const char *source)
{
	struct run r = { .a = arena_new() };
	struct rng rng = rng_seed(1);

	r.d = strchr(source, '\n') ? dag_parse(r.a, "run.te", source)
				   : operator_build(r.a, source);
	if (!r.d)
		fail_msg("%s: %s", source, err_get());
	r.n = dag_arg_count(r.d);
	assert_in_range(r.n, 1, ARGS_MAX);
	for (int i = 0; i < r.d->ops.n; i++) {
		const struct op *op = r.d->ops.at[i];
		int at = dag_arg(r.d, op);

		if (at < 0)
			continue;
		r.op[at] = op;
		r.args[at] = arena_alloc(r.a, tensor_bytes(&op->tensor));
		if (op->kind != OP_COMPUTE)
			fill(op, r.args[at], &rng);
	}
	return r;
}

static inline struct run run_spec(const char *source)
{
	struct run r = run_new(source);

	dag_eval(r.d, r.args);
	return r;
}

static inline double at(const struct run *r, int arg, int64_t i)
{
	return dtype_load(r->op[arg]->tensor.dtype, r->args[arg], i);
}

static inline void check_close(const char *what, int64_t i, double got, double want,
			       double tolerance)
{
	if (!(fabs(got - want) <= tolerance * (1 + fabs(want))))
		fail_msg("%s: element %jd is %.9g, not %.9g", what, (intmax_t)i, got, want);
}

#endif
