/* SPDX-License-Identifier: Apache-2.0 */
/* te/ops/capsule.c - convolution of pose matrices. */
#include "te/operator.h"
#include "te/ops/build.h"

static int check(const struct op *x, const struct op *w)
{
	const struct tensor *t = &w->tensor;

	if (x->tensor.ndim != 6 || t->ndim != 6 || t->shape[2] != x->tensor.shape[3] ||
	    t->shape[4] != x->tensor.shape[5])
		return err_set("capsule_conv2d: %s is not [n, h, w, ic, P, P] or %s not "
			       "[kh, kw, ic, oc, P, P]", x->tensor.name, t->name);
	return 0;
}

struct op *op_capsule_conv2d(struct dag *d, struct op *x, struct op *w, int64_t stride,
			     int64_t padding)
{
	struct conv c = conv_plain(2, LAYOUT_NHWC);
	struct image pixels = { .spatial = 2, .ndim = 6, .channel = 3, .inner = -1, .first = 1 };
	struct window win;

	if (!x || !w || check(x, w) < 0)
		return NULL;
	const int64_t *shape = w->tensor.shape;

	for (int i = 0; i < 2; i++) {
		c.stride[i] = stride;
		c.pad_begin[i] = c.pad_end[i] = padding;
	}
	if (window_of(x, &pixels, &c, shape, &win) < 0)
		return NULL;
	struct op *p = image_pad(d, x, &pixels, &c, &win, 0);

	if (!p)
		return NULL;
	struct axis *space[] = { dag_axis(d, "n", x->tensor.shape[0]),
				 dag_axis(d, "y", win.out[0]),
				 dag_axis(d, "x", win.out[1]),
				 dag_axis(d, "c", shape[3]),
				 dag_axis(d, "i", x->tensor.shape[4]),
				 dag_axis(d, "j", shape[5]) };
	struct axis *reduce[] = { dag_axis(d, "ky", shape[0]), dag_axis(d, "kx", shape[1]),
				  dag_axis(d, "rc", shape[2]), dag_axis(d, "k", shape[4]) };
	const struct expr *from[] = { axis_expr(d, space[0]),
				      window_index(d, &c, 0, space[1], reduce[0]),
				      window_index(d, &c, 1, space[2], reduce[1]),
				      axis_expr(d, reduce[2]), axis_expr(d, space[4]),
				      axis_expr(d, reduce[3]) };
	struct axis *weight[] = { reduce[0], reduce[1], reduce[2], space[3], reduce[3], space[5] };
	const struct expr *body = build_product(d, "capsule_conv2d", read_at(d, p, from),
					  read_axes(d, w, weight));

	return body ? build_reduce(d, "capsule", space, 6, REDUCE_SUM, reduce, 4, body) : NULL;
}

static struct op *build_capsule(struct dag *d, const struct args *args)
{
	int64_t ic = args_int(args, "ic");
	int64_t cap = args_int(args, "cap");
	int64_t k = args_int(args, "k");
	int64_t shape_x[] = { args_int(args, "n"), args_int(args, "h"), args_int(args, "w"),
			      ic, cap, cap };
	int64_t shape_w[] = { k, k, ic, args_int(args, "oc"), cap, cap };
	struct op *x = build_input(d, "X", args_dtype(args), 6, shape_x, false);
	struct op *w = build_input(d, "W", args_dtype(args), 6, shape_w, args_int(args, "const"));

	return op_capsule_conv2d(d, x, w, args_int(args, "s"), args_int(args, "p"));
}

const struct operator operator_capsule_conv2d = {
	.name = "capsule_conv2d",
	.summary = "convolution of images whose pixels hold pose matrices",
	.params = (const struct param[]){
		SIZE_OR("n", "1", "batch"), SIZE("h", "height"), SIZE("w", "width"),
		SIZE("ic", "input capsules"), SIZE("oc", "output capsules"), SIZE("k", "kernel"),
		SIZE_OR("s", "1", "stride"),
		{ "p", PARAM_INT, "0", "padding of each side", 0, 1 << 20, NULL },
		SIZE_OR("cap", "4", "rows and columns of a pose"), PARAM_CONST, PARAM_OF_DTYPE,
		PARAM_END },
	.build = build_capsule,
};
