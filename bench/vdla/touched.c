/* SPDX-License-Identifier: Apache-2.0 */
/* bench/vdla/touched.c - elements of tensors that loads reach, dimension by dimension. */
#include "bench/vdla/touched.h"

#include "te/index/index.h"

/* Sums that were reached, from 0 to below N; a further axis adds its multiples to each. */
struct reached {
	bool *at;
	int64_t n;
};

static struct reached reached_new(struct arena *a, int64_t n)
{
	return (struct reached){ arena_many(a, bool, n), n };
}

/* With COEF * i for each i below TURNS. What falls outside is guarded, and never read. */
static struct reached add_axis(struct arena *a, struct reached r, int64_t coef, int64_t turns)
{
	struct reached out = reached_new(a, r.n);

	for (int64_t x = 0; x < r.n; x++)
		for (int64_t i = 0; r.at[x] && i < turns; i++) {
			int64_t to = x + coef * i;

			if (to >= 0 && to < r.n)
				out.at[to] = true;
		}
	return out;
}

/* Places below EXTENT that INDEX takes; all where it is no sum of axes that only grows. */
static int64_t places(struct arena *a, const struct expr *index, int64_t extent)
{
	struct linear l;
	int64_t n = 0;

	if (!linear_from(a, index, &l) || l.constant < 0 || l.constant >= extent)
		return extent;
	struct reached r = reached_new(a, extent);

	r.at[l.constant] = true;
	for (int i = 0; i < l.n; i++) {
		const struct expr *atom = l.term[i].atom;

		if (atom->kind != EXPR_AXIS || l.term[i].coef < 0 || atom->axis->lo != 0)
			return extent;
		r = add_axis(a, r, l.term[i].coef, atom->axis->hi);
	}
	for (int64_t x = 0; x < extent; x++)
		n += r.at[x];
	return n;
}

struct touched {
	struct arena *a;
	const struct tensor *tensor;
	int64_t most;	/* elements */
};

static bool look(const struct expr *e, void *user)
{
	struct touched *t = user;
	int64_t n = 1;

	if (e->kind != EXPR_LOAD || e->tensor != t->tensor)
		return true;
	for (int d = 0; d < t->tensor->ndim; d++)
		n *= places(t->a, e->index[d], t->tensor->shape[d]);
	t->most = n > t->most ? n : t->most;
	return true;
}

int64_t dag_touched_bytes(const struct dag *d)
{
	int64_t bytes = 0;

	for (int i = 0; i < d->ops.n; i++) {
		const struct op *op = d->ops.at[i];
		struct touched t = { arena_new(), &op->tensor, 0 };

		for (int k = 0; op->kind != OP_COMPUTE && k < d->ops.n; k++)
			if (d->ops.at[k]->kind == OP_COMPUTE)
				expr_visit_once(d->ops.at[k]->body, look, &t);
		if (op->output)
			t.most = tensor_count(&op->tensor);
		bytes += t.most * (int64_t)dtype_bytes(op->tensor.dtype);
		arena_free(t.a);
	}
	return bytes;
}
