/* SPDX-License-Identifier: Apache-2.0 */
/* search/trust/spot_check.c - sampled elements of the reference against the evaluator. */
#include "search/trust/spot_check.h"

#include "base/err.h"
#include "base/rng.h"
#include "measure/runner/verify.h"
#include "te/eval.h"

enum {
	SAMPLES = 64,		/* of each output */
	BORDER_SHARE = 2,	/* every other sample lies on a border */
};
/* Terms that samples of one output may take together: a tenth of a second. */
#define TERMS 2000000

/* A random element of T; on a border, each index is the first or the last. */
static int64_t random_element(struct rng *r, const struct tensor *t, bool border)
{
	int64_t at = 0;

	for (int i = 0; i < t->ndim; i++) {
		int64_t last = t->shape[i] - 1;
		int64_t index = border ? last * rng_below(r, 2) : rng_below(r, t->shape[i]);

		at = at * t->shape[i] + index;
	}
	return at;
}

static int check_element(struct evaluator *ev, const struct dag *d, const struct op *op,
			 const void *want, const void *bound, int64_t at)
{
	enum dtype t = op->tensor.dtype;
	size_t offset = (size_t)at * dtype_bytes(t);
	size_t bound_offset = (size_t)at * dtype_bytes(error_bound_type(t));
	_Alignas(8) char got[8];
	union scalar v;

	dag_eval_element(ev, op, at, &v);
	scalar_store(t, got, 0, v);
	if (verify_worst(t, got, (const char *)want + offset, (const char *)bound + bound_offset, 1) < 0)
		return 0;
	return err_set("%s: the compiled reference has %.9g for %s[%jd], its evaluation in f64 %.9g, "
		       "bound %.3g: compiler or code generator is wrong; nothing is measured",
		       d->name, dtype_load(t, want, at), op->tensor.name, (intmax_t)at,
		       dtype_load(t, got, 0), verify_bound(t, bound, at));
}

static int check_output(struct evaluator *ev, const struct dag *d, const struct op *op,
			const void *want, const void *bound, uint64_t seed)
{
	struct rng r = rng_seed(seed);
	int64_t most = evaluator_terms(ev) + TERMS;

	for (int i = 0; i < SAMPLES && (i == 0 || evaluator_terms(ev) < most); i++) {
		int64_t at = random_element(&r, &op->tensor, i % BORDER_SHARE == 1);

		if (check_element(ev, d, op, want, bound, at) < 0)
			return -1;
	}
	return 0;
}

int spot_check(const struct dag *d, const void *const *args, const void *const *bound,
	       uint64_t seed)
{
	struct arena *a = arena_new();
	void **inputs = arena_many(a, void *, dag_arg_count(d));
	int rc = 0;

	/* The evaluator writes to none of them. */
	memcpy(inputs, args, sizeof(*inputs) * (size_t)dag_arg_count(d));
	struct evaluator *ev = evaluator_new(a, d, inputs, true);

	for (int i = 0; i < d->ops.n && rc == 0; i++) {
		const struct op *op = d->ops.at[i];
		int arg = op->kind == OP_COMPUTE ? dag_arg(d, op) : -1;

		if (arg >= 0)
			rc = check_output(ev, d, op, args[arg], bound[arg], seed + (uint64_t)arg);
	}
	arena_free(a);
	return rc;
}
