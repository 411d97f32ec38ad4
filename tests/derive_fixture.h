/* SPDX-License-Identifier: Apache-2.0 */
/* tests/derive_fixture.h - a DAG with derived ops in the place of its sum, and both evaluated. */
#ifndef HONE_TESTS_DERIVE_FIXTURE_H
#define HONE_TESTS_DERIVE_FIXTURE_H

#include "te/derive/derived.h"
#include "tests/te_run.h"

/* Loads of one op's tensor become loads of another's. */
struct swap {
	const struct op *from, *to;
};

static inline const struct expr *read_other(struct arena *a, const struct expr *e, void *user)
{
	const struct swap *r = user;

	return e->kind == EXPR_LOAD && e->tensor == &r->from->tensor
		     ? expr_load(a, &r->to->tensor, e->index)
		     : NULL;
}

/* The op of D that sums; there is one. */
static inline const struct op *find_sum(const struct dag *d)
{
	const struct op *found = NULL;

	for (int i = 0; i < d->ops.n; i++)
		if (d->ops.at[i]->kind == OP_COMPUTE && d->ops.at[i]->reducer == REDUCE_SUM)
			found = d->ops.at[i];
	assert_non_null(found);
	return found;
}

/* D with the ops of W in the place of OP; takes over D's ops, so that D is of no use any more. */
static inline struct dag *replaced(struct arena *a, const struct dag *d, const struct op *op,
			    const struct derived *w)
{
	struct swap r = { op, w->op[w->n - 1] };
	struct dag *out = dag_new(a, d->name);

	for (int i = 0; i < d->ops.n; i++) {
		struct op *other = d->ops.at[i];

		for (int k = 0; other == op && k < w->n; k++)
			vec_push(a, &out->ops, w->op[k]);
		if (other == op)
			continue;
		if (other->kind == OP_COMPUTE)
			other->body = expr_rewrite(a, other->body, read_other, &r);
		vec_push(a, &out->ops, other);
	}
	if (dag_freeze(out) < 0)
		fail_msg("%s: %s", d->name, err_get());
	return out;
}

/* The ops of W in the place of OP of R, which was run, give R's output within TOLERANCE. R's DAG is of no use any
 * more. */
static inline void check_derived_ops(const char *what, const struct run *r, const struct op *op,
				     const struct derived *w, double tolerance)
{
	struct dag *d = replaced(r->a, r->d, op, w);
	const struct tensor *t = &r->op[r->n - 1]->tensor;
	void *args[ARGS_MAX];

	memcpy(args, r->args, sizeof(args));
	args[r->n - 1] = arena_alloc(r->a, tensor_bytes(t));
	dag_eval(d, args);
	for (int64_t i = 0; i < tensor_count(t); i++)
		check_close(what, i, dtype_load(t->dtype, args[r->n - 1], i), at(r, r->n - 1, i), tolerance);
}

#endif
