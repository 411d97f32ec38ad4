/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/move/tile.c - a tensor repeated along its axes. */
#include "graph/op/move/along.h"
#include "graph/op/move/axes.h"
#include "graph/op/move/strided.h"

static int tile_type(struct infer *x)
{
	const struct type *from = infer_type(x, 0);
	struct dim out[GRAPH_MAX_RANK];
	int n = infer_length(x, 1);

	if (infer_class(x, 0, CLASS_ANY) < 0 || infer_list(x, 1) < 0)
		return -1;
	if (!type_is_ranked(from))
		return n < 0 || n > GRAPH_MAX_RANK
			       ? infer_unranked(x, from->element)
			       : infer_ranked(x, from->element, n);
	if (n >= 0 && n != from->rank)
		return infer_error(x, "%d repeats of a tensor of rank %d", n, from->rank);
	const struct dim *repeats = infer_elements(x, 1, &n);

	for (int i = 0; i < from->rank; i++)
		out[i] = repeats ? dim_mul(x->arena, from->dim[i], repeats[i]) : dim_unknown();
	return infer_tensor(x, from->element, from->rank, out);
}

static bool tile_elements(struct infer *x, struct dim *out)
{
	int n;
	const struct dim *from = infer_elements(x, 0, &n);
	int64_t count = type_count(x->result);

	for (int64_t i = 0; from && i < count; i++)
		out[i] = from[i % n];
	return from != NULL;
}

/* The result is x seen with two axes for each of its own: the repeats, and the axis itself. */
static int tile_eval(struct eval *x)
{
	const struct array *from = eval_array(x, 0);
	int64_t dim[GRAPH_MAX_RANK], have[GRAPH_MAX_RANK], to[GRAPH_MAX_RANK];
	struct strided s = { .rank = from->rank };
	int n;
	const int64_t *repeats = eval_ints(x, 1, &n);

	if (n != from->rank)
		return eval_error(x, "%d repeats of a tensor of rank %d", n, from->rank);
	for (int i = 0; i < n; i++)
		if (repeats[i] < 0 || __builtin_mul_overflow(from->dim[i], repeats[i], &dim[i]))
			return eval_error(x, "%lld repeats", (long long)repeats[i]);
	struct array *y = eval_result(x, 0, from->element, n, dim);

	if (!y || y->count == 0)
		return y ? 0 : -1;
	dense_strides(n, dim, to);
	memcpy(s.extent, from->dim, sizeof(s.extent));
	dense_strides(n, from->dim, s.from);
	memcpy(s.to, to, sizeof(to));
	strided_copy(&s, y->data, from->data, element_bytes(y->element));
	/* what is there grows axis by axis, each time by copies of itself */
	memcpy(have, from->dim, sizeof(have));
	for (int i = n - 1; i >= 0; i--) {
		struct strided grow = { .rank = n };

		memcpy(grow.extent, have, sizeof(have));
		memcpy(grow.to, to, sizeof(to));
		memcpy(grow.from, to, sizeof(to));
		for (int64_t r = 1; r < repeats[i]; r++)
			strided_copy(&grow, array_at(y, r * from->dim[i] * to[i]), y->data,
				     element_bytes(y->element));
		have[i] = dim[i];
	}
	return 0;
}

static const struct expr *read_tiled(const struct express *x, const struct expr *const *axes)
{
	const struct expr *index[GRAPH_MAX_RANK];
	int64_t from[GRAPH_MAX_RANK], to[GRAPH_MAX_RANK];
	int rank = express_shape(x, 0, from);
	struct arena *a = x->dag->arena;

	express_result(x, to);
	for (int i = 0; i < rank; i++)
		index[i] = from[i] == to[i] ? axes[i]
					    : expr_binary(a, EXPR_MOD, axes[i], expr_int(a, from[i]));
	return express_load(x, 0, index);
}

static struct op *tile_express(struct express *x)
{
	return express_map(x, "tile", read_tiled);
}

static int tile_along(struct gradient *x, int axis, int place)
{
	struct builder *b = x->builder;
	int repeats = build(b, &core_slice, x->call->args[1], build_ints(b, 1, &(int64_t){ axis }),
			    build_ints(b, 1, &(int64_t){ axis + 1 }));

	return build(b, &core_tile, place, repeats);
}

static int tile_gradient(struct gradient *x)
{
	return gradient_along(x, tile_along);
}

const struct core_op core_tile = {
	.name = "tile",
	.summary = "x repeated along each axis as often as repeats say",
	.min_args = 2,
	.max_args = 2,
	.fusion = FUSION_INJECTIVE,
	.type = tile_type,
	.elements = tile_elements,
	.eval = tile_eval,
	.express = tile_express,
	.gradient = tile_gradient,
};
