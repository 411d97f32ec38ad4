/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node/neural/node_pool.c - pools, over windows and over all of space. */
#include "graph/onnx/node/neural/window.h"

static struct attr_vec pool_attrs(struct node *n)
{
	struct attr_vec attrs = window_attrs(n);

	window_list(n, &attrs, "kernel_shape", "kernel");
	attrs_int(n->b->arena, &attrs, "ceil", node_int(n, "ceil_mode", 0));
	return attrs;
}

int node_max_pool(struct node *n)
{
	struct attr_vec attrs = pool_attrs(n);

	if (!node_wants(n, 1))
		return node_give(n, 0, build_with(n->b, &core_max_pool, &attrs, node_arg(n, 0)));
	attrs_int(n->b->arena, &attrs, "storage_order", node_int(n, "storage_order", 0));
	return node_give_fields(n, build_with(n->b, &core_max_pool_indices, &attrs,
					      node_arg(n, 0)));
}

int node_average_pool(struct node *n)
{
	struct attr_vec attrs = pool_attrs(n);

	attrs_int(n->b->arena, &attrs, "count_include_pad", node_int(n, "count_include_pad", 0));
	return node_give(n, 0, build_with(n->b, &core_avg_pool, &attrs, node_arg(n, 0)));
}

int node_max_unpool(struct node *n)
{
	struct attr_vec attrs = window_attrs(n);

	window_list(n, &attrs, "kernel_shape", "kernel");
	return node_give(n, 0, build_with(n->b, &core_max_unpool, &attrs, node_arg(n, 0),
					  node_arg(n, 1), node_arg(n, 2)));
}

/* X with as many zeros at its ends that windows which may end beyond it end within. */
static int pad_to_ceiling(struct node *n, int x, int dims)
{
	int count;
	const int64_t *strides = node_ints(n, "strides", &count);
	int64_t pads[2 * GRAPH_MAX_RANK] = { 0 };

	for (int i = 0; i < dims && i < count; i++)
		pads[dims + 4 + i] = strides[i] - 1;
	return build(n->b, &core_pad, x, build_ints(n->b, 2 * (dims + 2), pads));
}

/* (sum of |x|^p)^(1/p): the mean of a window, zeros around x among it, times its size */
int node_lp_pool(struct node *n)
{
	struct builder *b = n->b;
	double p = (double)node_int(n, "p", 2), size = 1;
	int dims, x = node_arg(n, 0);
	const int64_t *kernel = node_ints(n, "kernel_shape", &dims);
	struct attr_vec attrs = window_attrs(n);

	if (dims < 1 || dims > GRAPH_MAX_RANK - 2)
		return node_error(n, "a kernel of %d dims", dims);
	for (int i = 0; i < dims; i++)
		size *= (double)kernel[i];
	attrs_ints(b->arena, &attrs, "kernel", dims, kernel);
	attrs_int(b->arena, &attrs, "count_include_pad", 1);
	int powers = compose_power(b, build(b, &core_abs, x), p);

	if (node_int(n, "ceil_mode", 0))
		powers = pad_to_ceiling(n, powers, dims);
	int mean = build_with(b, &core_avg_pool, &attrs, powers);
	int sum = compose_with_number(b, &core_mul, mean, size);

	return node_give(n, 0, compose_power(b, sum, 1 / p));
}

int node_global_average_pool(struct node *n)
{
	return node_give(n, 0, compose_reduce_from(n->b, &core_reduce_mean, node_arg(n, 0), 2));
}

int node_global_max_pool(struct node *n)
{
	return node_give(n, 0, compose_reduce_from(n->b, &core_reduce_max, node_arg(n, 0), 2));
}

int node_global_lp_pool(struct node *n)
{
	struct builder *b = n->b;
	double p = (double)node_int(n, "p", 2);
	int powers = compose_power(b, build(b, &core_abs, node_arg(n, 0)), p);

	return node_give(n, 0, compose_power(b, compose_reduce_from(b, &core_reduce_sum, powers, 2),
					     1 / p));
}
