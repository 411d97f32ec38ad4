/* SPDX-License-Identifier: Apache-2.0 */
/* te/ops/conv_transpose.c - transposed convolution: the data padded with zeros, then a convolution.
 *
 * With a stride, each output sees only the taps of its phase, the rest of its place by the stride.
 * Where the stride divides the kernel all phases have as many taps, and those alone are summed up.
 * Where not, the data is also spread out with zeros, for an ordinary convolution with the flipped
 * kernel. */
#include "te/limits.h"
#include "te/operator.h"
#include "te/ops/build.h"

/* One spatial dimension: OUT outputs, TAPS of the kernel that each sums up. Element y of the
 * spread data is that of the input at (y - shift) / spacing where this is whole and there. */
struct spread_axis {
	int64_t out, taps, extent, shift, spacing;
	bool phases;
};

/* Output y has its taps at (y + pad) % stride, one stride apart; they meet the input from
 * (y + pad) / stride downwards. */
static void spread_phases(struct spread_axis *s, int64_t taps, int64_t stride, int64_t pad)
{
	int64_t least = pad / stride - (taps - 1);

	*s = (struct spread_axis){ .out = s->out, .taps = taps, .phases = true, .spacing = 1,
			      .shift = -least,
			      .extent = (s->out - 1 + pad) / stride - least + 1 };
}

static int spread_of(const struct op *x, const struct op *w, const struct conv *c, int i,
		     int64_t output_pad, struct spread_axis *s)
{
	int64_t in = x->tensor.shape[2 + i];
	int64_t kernel = w->tensor.shape[2 + i];
	int64_t stride = c->stride[i];
	int64_t reach = c->dilation[i] * (kernel - 1);

	*s = (struct spread_axis){ .taps = kernel, .spacing = stride };
	s->out = (in - 1) * stride + reach + 1 + output_pad - c->pad_begin[i] - c->pad_end[i];
	s->extent = s->out + reach;
	s->shift = reach - c->pad_begin[i];
	if (s->out < 1 || s->extent > EXTENT_MAX)
		return err_set("%s: a transposed convolution of %jd would have %jd outputs",
			       x->tensor.name, (intmax_t)in, (intmax_t)s->out);
	if (stride > 1 && c->dilation[i] == 1 && kernel % stride == 0)
		spread_phases(s, kernel / stride, stride, c->pad_begin[i]);
	return 0;
}

/* Adds to INSIDE what makes Y an element of the input, as far as it is not always one. */
static const struct expr *guard(struct dag *d, const struct expr *inside, const struct expr *y,
				const struct spread_axis *s, int64_t in)
{
	int64_t last = s->shift + (in - 1) * s->spacing;

	if (s->shift > 0)
		inside = build_and(d, inside,
				   build_binary(d, EXPR_LE, expr_int(d->arena, s->shift), y));
	if (s->extent - 1 > last)
		inside =
			build_and(d, inside, build_binary(d, EXPR_LE, y, expr_int(d->arena, last)));
	if (s->spacing > 1) {
		const struct expr *rest = build_binary(
			d, EXPR_MOD, expr_add(d->arena, y, expr_int(d->arena, -s->shift)),
			expr_int(d->arena, s->spacing));

		inside =
			build_and(d, inside, build_binary(d, EXPR_EQ, rest, expr_int(d->arena, 0)));
	}
	return inside;
}

static struct op *spread_out(struct dag *d, struct op *x, const struct spread_axis s[2])
{
	struct axis *axes[] = {
		dag_axis(d, "n", x->tensor.shape[0]),
		dag_axis(d, "c", x->tensor.shape[1]),
		dag_axis(d, "y", s[0].extent),
		dag_axis(d, "x", s[1].extent),
	};
	const struct expr *index[4] = { axis_expr(d, axes[0]), axis_expr(d, axes[1]) };
	const struct expr *inside = NULL;

	for (int i = 0; i < 2; i++) {
		const struct expr *y = axis_expr(d, axes[2 + i]);

		inside = guard(d, inside, y, &s[i], x->tensor.shape[2 + i]);
		y = expr_add(d->arena, y, expr_int(d->arena, -s[i].shift));
		index[2 + i] = build_binary(d, EXPR_DIV, y, expr_int(d->arena, s[i].spacing));
	}
	const struct expr *value = read_at(d, x, index);

	if (inside)
		value = expr_select(d->arena, inside, value,
				    expr_const(d->arena, x->tensor.dtype, 0));
	return build_map(d, "spread", axes, 4, value);
}

static int check(const struct op *x, const struct op *w, const struct conv *c)
{
	const struct tensor *t = &w->tensor;

	if (c->spatial != 2 || c->layout != LAYOUT_NCHW || c->groups != 1)
		return err_set("%s: a transposed convolution is 2d, nchw, without groups",
			       x->tensor.name);
	if (x->tensor.ndim != 4 || t->ndim != 4 || t->shape[0] != x->tensor.shape[1])
		return err_set("%s: the weight %s is not [ic, oc, kh, kw] for it", x->tensor.name,
			       t->name);
	for (int i = 0; i < 2; i++)
		if (c->stride[i] < 1 || c->dilation[i] < 1 || c->pad_begin[i] < 0 ||
		    c->pad_end[i] < 0 || c->stride[i] > EXTENT_MAX || c->dilation[i] > EXTENT_MAX ||
		    c->pad_begin[i] > EXTENT_MAX || c->pad_end[i] > EXTENT_MAX)
			return err_set("%s: stride, dilation or padding out of range",
				       x->tensor.name);
	return 0;
}

/* What output Y and tap T meet: the place in the spread data and that in the kernel. */
static void meet(struct dag *d, const struct conv *c, int i, const struct spread_axis *s,
		 const struct axis *y, const struct axis *t, const struct expr **from,
		 const struct expr **weight)
{
	struct arena *a = d->arena;
	const struct expr *tap = axis_expr(d, t);

	if (!s->phases) {
		*from = expr_add(a, axis_expr(d, y), expr_mul(a, tap, c->dilation[i]));
		*weight = build_binary(d, EXPR_SUB, expr_int(a, s->taps - 1), tap);
		return;
	}
	const struct expr *stride = expr_int(a, c->stride[i]);
	const struct expr *place =
		expr_add(a, axis_expr(d, y), expr_int(a, c->pad_begin[i]));
	const struct expr *first =
		expr_add(a, build_binary(d, EXPR_DIV, place, stride), expr_int(a, s->shift));

	*from = build_binary(d, EXPR_SUB, first, tap);
	*weight = expr_add(a, build_binary(d, EXPR_MOD, place, stride),
			   expr_mul(a, tap, c->stride[i]));
}

struct op *op_conv_transpose(struct dag *d, struct op *x, struct op *w, const struct conv *c,
			     const int64_t output_pad[2])
{
	struct spread_axis s[2];

	if (!x || !w || check(x, w, c) < 0)
		return NULL;
	for (int i = 0; i < 2; i++)
		if (output_pad[i] < 0 || output_pad[i] > EXTENT_MAX)
			return op_error("%s: output padding out of range", x->tensor.name);
	if (spread_of(x, w, c, 0, output_pad[0], &s[0]) < 0 ||
	    spread_of(x, w, c, 1, output_pad[1], &s[1]) < 0)
		return NULL;
	struct op *p = spread_out(d, x, s);

	if (!p)
		return NULL;
	struct axis *space[] = {
		dag_axis(d, "n", x->tensor.shape[0]),
		dag_axis(d, "c", w->tensor.shape[1]),
		dag_axis(d, "y", s[0].out),
		dag_axis(d, "x", s[1].out),
	};
	struct axis *reduce[] = {
		dag_axis(d, "rc", x->tensor.shape[1]),
		dag_axis(d, "ky", s[0].taps),
		dag_axis(d, "kx", s[1].taps),
	};
	const struct expr *from[] = { axis_expr(d, space[0]), axis_expr(d, reduce[0]), NULL, NULL };
	const struct expr *weight[] = { axis_expr(d, reduce[0]), axis_expr(d, space[1]), NULL,
					NULL };

	for (int i = 0; i < 2; i++)
		meet(d, c, i, &s[i], space[2 + i], reduce[1 + i], &from[2 + i], &weight[2 + i]);
	const struct expr *body = build_product(d, "conv_transpose", read_at(d, p, from),
					  read_at(d, w, weight));

	return body ? build_reduce(d, "conv_transpose", space, 4, REDUCE_SUM, reduce, 3, body)
		    : NULL;
}

static struct op *build_conv2d_transpose(struct dag *d, const struct args *args)
{
	int64_t ic = args_int(args, "ic");
	int64_t oc = args_int(args, "oc");
	int64_t kernel[2], output_pad[2];
	struct conv c;

	if (args_conv(args, 2, &c) < 0 || args_spatial(args, "k", 2, kernel) < 0 ||
	    args_spatial(args, "op", 2, output_pad) < 0)
		return NULL;
	int64_t shape_x[] = { args_int(args, "n"), ic, args_int(args, "h"), args_int(args, "w") };
	int64_t shape_w[] = { ic, oc, kernel[0], kernel[1] };
	struct op *x = build_input(d, "X", args_dtype(args), 4, shape_x, false);
	struct op *w = build_input(d, "W", args_dtype(args), 4, shape_w, args_int(args, "const"));

	return build_epilogue(d, op_conv_transpose(d, x, w, &c, output_pad), args, oc, LAYOUT_NCHW);
}

const struct operator operator_conv2d_transpose = {
	.name = "conv2d_transpose",
	.summary = "transposed convolution over two spatial dimensions, nchw",
	.params = (const struct param[]){
		SIZE_OR("n", "1", "batch"), SIZE("ic", "input channels"), SIZE("h", "height"),
		SIZE("w", "width"), SIZE("oc", "output channels"), PARAM_KERNEL, PARAM_STRIDE,
		PARAM_PAD, PARAM_DILATION,
		{ "op", PARAM_SHAPE, "0", "more outputs at the end", 0, 1 << 20, NULL },
		PARAM_CONST, PARAM_BIAS, PARAM_ACT, PARAM_OF_DTYPE, PARAM_END },
	.build = build_conv2d_transpose,
};
