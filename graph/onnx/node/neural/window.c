/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node/neural/window.c - strides, pads and dilations of nodes. */
#include "graph/onnx/node/neural/window.h"

void window_list(struct node *n, struct attr_vec *attrs, const char *from, const char *to)
{
	int count;
	const int64_t *list = node_ints(n, from, &count);

	if (count)
		attrs_ints(n->b->arena, attrs, to, count, list);
}

struct attr_vec window_attrs(struct node *n)
{
	const char *pad = node_string(n, "auto_pad", "NOTSET");
	struct attr_vec attrs = { 0 };

	window_list(n, &attrs, "strides", "strides");
	window_list(n, &attrs, "dilations", "dilations");
	if (strcmp(pad, "SAME_UPPER") == 0)
		attrs_string(n->b->arena, &attrs, "auto_pad", "same_upper");
	else if (strcmp(pad, "SAME_LOWER") == 0)
		attrs_string(n->b->arena, &attrs, "auto_pad", "same_lower");
	else if (strcmp(pad, "VALID") != 0)
		window_list(n, &attrs, "pads", "pads");
	return attrs;
}
