/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/gradient.c - what the operators' gradients share. */
#include "graph/op/gradient.h"

#include "base/err.h"

int gradient_reshape(struct builder *b, int x, int shape)
{
	struct attr_vec attrs = { 0 };

	attrs_int(b->arena, &attrs, "allowzero", 1);
	return build_with(b, &core_reshape, &attrs, x, shape);
}

int gradient_like(struct builder *b, int x, int like)
{
	return gradient_reshape(b, x, build(b, &core_shape_of, like));
}

/* The same where only running it tells which dims were repeated. */
static int unbroadcast_unknown(struct builder *b, int x, int operand, int skip)
{
	const int64_t ones[GRAPH_MAX_RANK] = { 1, 1, 1, 1, 1, 1, 1, 1 };
	struct attr_vec none = { 0 };
	int shape = build(b, &core_shape_of, operand);
	int filled = skip ? build(b, &core_concat, build_ints(b, skip, ones), shape) : shape;
	int same = build(b, &core_equal, build(b, &core_shape_of, x), filled);
	int axes = build(b, &core_reshape, build(b, &core_nonzero, build(b, &core_not, same)),
			 build_ints(b, 1, &(int64_t){ -1 }));

	attrs_int(b->arena, &none, "noop", 1);
	return gradient_reshape(b, build_with(b, &core_reduce_sum, &none, x, axes), shape);
}

int gradient_unbroadcast(struct builder *b, int x, int operand)
{
	const struct type *from = build_type(b, x), *t = build_type(b, operand);
	int64_t axes[GRAPH_MAX_RANK];
	int n = 0;

	if (!type_is_ranked(from) || !type_is_ranked(t)) {
		err_set("gradient: the rank of an operand is not known");
		return VALUE_FAILED;
	}
	int skip = from->rank - t->rank;

	for (int i = 0; i < from->rank; i++) {
		/* what is not 1 is not repeated */
		bool same = i >= skip && (dim_equal(from->dim[i], t->dim[i - skip]) ||
					  (t->dim[i - skip].n >= 0 && t->dim[i - skip].n != 1));

		if (i >= skip && !same && t->dim[i - skip].n != 1)
			return unbroadcast_unknown(b, x, operand, skip);
		if (!same)
			axes[n++] = i;
	}
	if (n == 0)
		return x;
	int sum = build(b, &core_reduce_sum, x, build_ints(b, n, axes));

	if (skip == 0)
		return sum;
	for (int i = 0; i < skip; i++)	/* these are gone; the others stay as 1 */
		axes[i] = i;
	return build(b, &core_squeeze, sum, build_ints(b, skip, axes));
}
