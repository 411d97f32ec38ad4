/* SPDX-License-Identifier: Apache-2.0 */
/* graph/pass/simplify_move.c - rules of operators that move data, and of products that need not
 * have it moved. */
#include "graph/pass/simplify.h"

/* X reshaped to the result's type, which is static. */
static int as_view(const struct rule_site *s, int x)
{
	int64_t dim[GRAPH_MAX_RANK];

	type_shape(s->type, dim);
	return build(s->builder, &core_reshape, x, build_ints(s->builder, s->type->rank, dim));
}

/* Views of views are one reshape, or nothing. */
static int view(const struct rule_site *s)
{
	static const struct core_op *const views[] = { &core_reshape, &core_squeeze,
						       &core_unsqueeze };

	if (!type_is_static(s->type) || type_count(s->type) == 0)
		return REWRITE_COPY;	/* a 0 in a shape means something else */
	if (site_same_type(s, 0))
		return s->args[0];
	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
		const struct binding *inner = site_call(s, 0, views[i]);

		if (!inner)
			continue;
		const struct type *t = build_type(s->builder, inner->args[0]);

		if (type_is_static(t))
			return type_equal(t, s->type) ? inner->args[0]
						      : as_view(s, inner->args[0]);
	}
	return REWRITE_COPY;
}

/* PERM of a transpose of RANK dims. */
static void read_perm(const struct binding *transpose, int rank, int64_t *perm)
{
	int n;
	const int64_t *given = call_ints(transpose, "perm", &n);

	for (int i = 0; i < rank; i++)
		perm[i] = n ? (given[i] < 0 ? given[i] + rank : given[i]) : rank - 1 - i;
}

/* Does PERM leave the dims of T that are not 1 in order? */
static bool keeps_order(const struct type *t, const int64_t *perm)
{
	int64_t last = -1;

	for (int i = 0; i < t->rank; i++) {
		if (t->dim[perm[i]].n == 1)
			continue;
		if (perm[i] < last)
			return false;
		last = perm[i];
	}
	return true;
}

static int transpose(const struct rule_site *s)
{
	const struct type *t = build_type(s->builder, s->args[0]);
	const struct binding *inner = site_call(s, 0, &core_transpose);
	int64_t perm[GRAPH_MAX_RANK], before[GRAPH_MAX_RANK];
	struct attr_vec attrs = { 0 };

	if (!type_is_ranked(t))
		return REWRITE_COPY;
	read_perm(s->call, t->rank, perm);
	if (inner) {
		read_perm(inner, t->rank, before);
		for (int i = 0; i < t->rank; i++)
			perm[i] = before[perm[i]];
		t = build_type(s->builder, inner->args[0]);
	}
	bool identity = true;

	for (int i = 0; i < t->rank; i++)
		identity &= perm[i] == i;
	int x = inner ? inner->args[0] : s->args[0];

	if (identity)
		return x;
	if (type_is_static(s->type) && type_count(s->type) > 0 && keeps_order(t, perm))
		return as_view(s, x);
	if (!inner)
		return REWRITE_COPY;
	attrs_ints(s->builder->arena, &attrs, "perm", t->rank, perm);
	return build_with(s->builder, &core_transpose, &attrs, x);
}

/* Does PERM only exchange the last two of RANK dims? */
static bool exchanges_last(const int64_t *perm, int rank)
{
	for (int i = 0; i < rank - 2; i++)
		if (perm[i] != i)
			return false;
	return rank >= 2 && perm[rank - 1] == rank - 2;
}

/* The transposed first operand is read as it is: a product takes one element of it at a time. The
 * second is read in vectors, for which its columns have to lie in a row. */
static int matmul(const struct rule_site *s)
{
	const struct binding *inner = site_call(s, 0, &core_transpose);
	int rank = build_type(s->builder, s->args[0])->rank;
	int64_t perm[GRAPH_MAX_RANK];
	struct attr_vec attrs = { 0 };

	if (!inner || rank == RANK_UNKNOWN)
		return REWRITE_COPY;
	read_perm(inner, rank, perm);
	if (!exchanges_last(perm, rank))
		return REWRITE_COPY;
	if (!call_flag(s->call, "trans_a"))
		attrs_int(s->builder->arena, &attrs, "trans_a", 1);
	if (call_flag(s->call, "trans_b"))
		attrs_int(s->builder->arena, &attrs, "trans_b", 1);
	return build_with(s->builder, &core_matmul, &attrs, inner->args[0], s->args[1]);
}

/* The result's type is the operand's: nothing was cut off, nothing added. */
static int same_extents(const struct rule_site *s)
{
	return site_same_type(s, 0) ? s->args[0] : REWRITE_COPY;
}

/* As much as there was, and not backwards. */
static int slice(const struct rule_site *s)
{
	int steps = s->call->nargs > 4 ? s->args[4] : VALUE_NONE;
	const struct array *c = steps < 0 ? NULL : build_array(s->builder, steps);

	if (steps >= 0 && !c)
		return REWRITE_COPY;
	for (int64_t i = 0; c && i < c->count; i++)
		if (array_int(c, i) < 0)
			return REWRITE_COPY;
	return same_extents(s);
}

static int pad(const struct rule_site *s)
{
	const struct array *pads = build_array(s->builder, s->args[1]);

	for (int64_t i = 0; pads && i < pads->count; i++)
		if (array_int(pads, i) != 0)
			return REWRITE_COPY;
	return pads ? same_extents(s) : REWRITE_COPY;
}

/* Of operands that have elements; the operand itself where it is the only one. */
static int concat(const struct rule_site *s)
{
	int *kept = arena_many(s->builder->arena, int, s->call->nargs);
	int n = 0;

	for (int i = 0; i < s->call->nargs; i++)
		if (type_count(build_type(s->builder, s->args[i])) != 0)
			kept[n++] = s->args[i];
	if (n == 1 && type_is_static(build_type(s->builder, kept[0])))
		return kept[0];
	if (n == 0 || n == s->call->nargs)
		return REWRITE_COPY;
	return build_call(s->builder, &core_concat, n, kept,
			  &(struct attr_vec){ (struct attr *)(uintptr_t)s->call->attrs,
					      s->call->nattrs, s->call->nattrs });
}

const struct rule_entry move_rules[] = {
	{ &core_reshape, view },
	{ &core_squeeze, view },
	{ &core_unsqueeze, view },
	{ &core_transpose, transpose },
	{ &core_matmul, matmul },
	{ &core_expand, same_extents },
	{ &core_tile, same_extents },
	{ &core_slice, slice },
	{ &core_pad, pad },
	{ &core_concat, concat },
	{ NULL, NULL },
};
