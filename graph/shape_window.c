/* SPDX-License-Identifier: Apache-2.0 */
/* graph/shape_window.c - shapes of what slides a window: convolutions and pools, and of gemms. */
#include <string.h>

#include "base/err.h"
#include "graph/infer.h"

/* Origin: far above any real kernel, stride or pad, and sums of a few stay far from overflow. */
#define WINDOW_MAX ((int64_t)1 << 31)

static int read_list(const struct infer *x, const char *name, int n, int64_t least, int64_t *out)
{
	int given;
	const int64_t *list = call_ints(x->call, name, &given);

	if (!list)
		return 0;
	if (given != n)
		return infer_error(x, "%s has %d entries instead of %d", name, given, n);
	for (int i = 0; i < n; i++) {
		if (list[i] < least || list[i] > WINDOW_MAX)
			return infer_error(x, "%s is %lld", name, (long long)list[i]);
		out[i] = list[i];
	}
	return 0;
}

static int read_window(const struct infer *x, int nd, struct slide *w)
{
	const char *mode = call_string(x->call, "auto_pad", "NOTSET");
	int64_t pads[2 * GRAPH_MAX_RANK] = { 0 };

	w->nd = nd;
	w->ceil = call_int(x->call, "ceil_mode", 0) != 0;
	w->same = strncmp(mode, "SAME_", 5) == 0;
	w->lower = strcmp(mode, "SAME_LOWER") == 0;
	for (int i = 0; i < nd; i++)
		w->stride[i] = w->dilation[i] = 1;
	if (read_list(x, "kernel_shape", nd, 1, w->kernel) < 0 ||
	    read_list(x, "strides", nd, 1, w->stride) < 0 ||
	    read_list(x, "dilations", nd, 1, w->dilation) < 0)
		return -1;
	if (strcmp(mode, "NOTSET") == 0 && read_list(x, "pads", 2 * nd, 0, pads) < 0)
		return -1;
	for (int i = 0; i < nd; i++) {
		w->before[i] = pads[i];
		w->after[i] = pads[nd + i];
		if (w->kernel[i] > WINDOW_MAX / w->dilation[i])
			return infer_error(x, "the window is %lld long, dilated by %lld",
					   (long long)w->kernel[i], (long long)w->dilation[i]);
	}
	return 0;
}

static int64_t span(const struct slide *w, int i)
{
	return (w->kernel[i] - 1) * w->dilation[i] + 1;
}

/* How many places window W has along spatial dim I of an input of size IN. */
static int slide(const struct infer *x, const struct slide *w, int i, struct dim in,
		 struct dim *out)
{
	int64_t stride = w->stride[i];
	int64_t pad = w->before[i] + w->after[i];

	*out = dim_unknown();
	if (!dim_is_known(in)) {
		if (stride == 1 && (w->same || pad == span(w, i) - 1))
			*out = in;
		return 0;
	}
	if (in.n > GRAPH_MAX_DIM)
		return infer_error(x, "input of size %lld", (long long)in.n);
	if (w->same) {
		*out = dim_number((in.n + stride - 1) / stride);
		return 0;
	}
	int64_t room = in.n + pad - span(w, i);

	if (room < 0)
		return infer_error(x, "a window of %lld over %lld padded elements",
				   (long long)span(w, i), (long long)(in.n + pad));
	int64_t n = room / stride + 1;

	/* A last window that would start behind the input sees only padding: there is none. */
	if (w->ceil && room % stride && n * stride < in.n + w->before[i])
		n++;
	*out = dim_number(n);
	return 0;
}

/* Kernel sizes of a convolution come from its weight where the attribute is left out. */
static int conv_window(const struct infer *x, const struct type *weight, struct slide *w)
{
	bool given = call_attr(x->call, "kernel_shape") != NULL;

	*w = (struct slide){ 0 };
	for (int i = 0; i < weight->rank - 2; i++)
		w->kernel[i] = dim_is_known(weight->dim[i + 2]) ? weight->dim[i + 2].n : 1;
	if (read_window(x, weight->rank - 2, w) < 0)
		return -1;
	for (int i = 0; i < w->nd; i++) {
		struct dim d = weight->dim[i + 2];

		if (w->kernel[i] < 1 || w->kernel[i] > WINDOW_MAX)
			return infer_error(x, "a kernel of size %lld", (long long)w->kernel[i]);
		if (given && dim_is_known(d) && d.n != w->kernel[i])
			return infer_error(x, "kernel_shape is %lld, the weight's is %lld",
					   (long long)w->kernel[i], (long long)d.n);
	}
	return 0;
}

/* Ranks of input and weight agree and there is something to slide over; false where unknown. */
static int conv_operands(const struct infer *x, bool *known)
{
	const struct type *in = infer_arg(x, 0);
	const struct type *weight = infer_arg(x, 1);

	x->out[0].dtype = in->dtype;
	*known = in->rank != RANK_UNKNOWN && weight->rank != RANK_UNKNOWN;
	if (!*known)
		return 0;
	if (in->rank < 3 || in->rank != weight->rank)
		return infer_error(x, "input of rank %d, weight of rank %d", in->rank,
				   weight->rank);
	x->out[0].rank = in->rank;
	x->out[0].dim[0] = in->dim[0];
	return 0;
}

int shape_conv(struct infer *x)
{
	const struct type *in = infer_arg(x, 0);
	const struct type *weight = infer_arg(x, 1);
	int64_t groups = call_int(x->call, "group", 1);
	struct slide w;
	bool known;

	if (conv_operands(x, &known) < 0)
		return -1;
	if (!known)
		return 0;
	struct dim channels = in->dim[1];
	struct dim each = weight->dim[1];
	struct dim outputs = weight->dim[0];

	if (groups < 1 || (dim_is_known(outputs) && outputs.n % groups))
		return infer_error(x, "%lld groups of %lld outputs", (long long)groups,
				   (long long)outputs.n);
	if (dim_is_known(channels) && dim_is_known(each) &&
	    (channels.n % groups || channels.n / groups != each.n))
		return infer_error(x, "%lld channels, the weight wants %lld in %lld groups",
				   (long long)channels.n, (long long)each.n, (long long)groups);
	if (conv_window(x, weight, &w) < 0)
		return -1;
	x->out[0].dim[1] = outputs;
	for (int i = 0; i < w.nd; i++)
		if (slide(x, &w, i, in->dim[i + 2], &x->out[0].dim[i + 2]) < 0)
			return -1;
	return 0;
}

/* The inverse of slide: how many elements a transposed convolution writes. */
static int spread(const struct infer *x, const struct slide *w, int i, struct dim in,
		  int64_t extra, struct dim *out)
{
	*out = dim_unknown();
	if (!dim_is_known(in))
		return 0;
	if (in.n < 1 || in.n > WINDOW_MAX)
		return infer_error(x, "input of size %lld", (long long)in.n);
	int64_t n = w->same ? in.n * w->stride[i]
			    : (in.n - 1) * w->stride[i] + extra + span(w, i) - w->before[i] -
				      w->after[i];

	if (n < 0)
		return infer_error(x, "padding leaves %lld elements", (long long)n);
	*out = dim_number(n);
	return 0;
}

int shape_conv_transpose(struct infer *x)
{
	const struct type *in = infer_arg(x, 0);
	const struct type *weight = infer_arg(x, 1);
	int64_t groups = call_int(x->call, "group", 1);
	int64_t extra[GRAPH_MAX_RANK] = { 0 };
	int64_t shape[GRAPH_MAX_RANK] = { 0 };
	struct slide w;
	bool known;

	if (conv_operands(x, &known) < 0)
		return -1;
	if (!known)
		return 0;
	if (groups < 1 || groups > WINDOW_MAX)
		return infer_error(x, "%lld groups", (long long)groups);
	if (conv_window(x, weight, &w) < 0 ||
	    read_list(x, "output_padding", w.nd, 0, extra) < 0 ||
	    read_list(x, "output_shape", w.nd, 1, shape) < 0)
		return -1;
	if (infer_join(x, in->dim[1], weight->dim[0], false, &x->out[0].dim[1]) < 0)
		return -1;
	x->out[0].dim[1] = weight->dim[1];
	if (dim_is_known(weight->dim[1]) &&
	    __builtin_mul_overflow(weight->dim[1].n, groups, &x->out[0].dim[1].n))
		return infer_error(x, "%lld groups", (long long)groups);
	for (int i = 0; i < w.nd; i++) {
		struct dim *out = &x->out[0].dim[i + 2];

		if (shape[i] > 0)
			*out = dim_number(shape[i]);
		else if (spread(x, &w, i, in->dim[i + 2], extra[i], out) < 0)
			return -1;
	}
	return 0;
}

static int pool_window(const struct infer *x, int nd, struct slide *w)
{
	*w = (struct slide){ 0 };
	if (read_window(x, nd, w) < 0)
		return -1;
	if (!call_attr(x->call, "kernel_shape") || w->kernel[0] < 1)
		return infer_error(x, "kernel_shape is missing");
	return 0;
}

int shape_pool(struct infer *x)
{
	const struct type *in = infer_arg(x, 0);
	struct slide w;

	x->out[0].dtype = in->dtype;
	if (in->rank == RANK_UNKNOWN)
		return 0;
	if (in->rank < 3)
		return infer_error(x, "input of rank %d", in->rank);
	if (pool_window(x, in->rank - 2, &w) < 0)
		return -1;
	x->out[0].rank = in->rank;
	x->out[0].dim[0] = in->dim[0];
	x->out[0].dim[1] = in->dim[1];
	for (int i = 0; i < w.nd; i++)
		if (slide(x, &w, i, in->dim[i + 2], &x->out[0].dim[i + 2]) < 0)
			return -1;
	if (x->nout > 1) {	/* the indices of the maxima */
		x->out[1] = x->out[0];
		x->out[1].dtype = DTYPE_I64;
	}
	return 0;
}

int infer_slide(const struct infer *x, const struct type *out, struct slide *w)
{
	const struct type *in = infer_arg(x, 0);
	bool conv = x->call->op == OPER_CONV || x->call->op == OPER_CONV_TRANSPOSE;

	if (conv ? conv_window(x, infer_arg(x, 1), w) < 0 : pool_window(x, in->rank - 2, w) < 0)
		return -1;
	for (int i = 0; i < w->nd && x->call->op != OPER_CONV_TRANSPOSE; i++) {
		/* What the last window reads beyond input and padding before it. */
		int64_t more = (out->dim[i + 2].n - 1) * w->stride[i] + span(w, i) -
			       in->dim[i + 2].n - w->before[i];

		if (w->same) {
			int64_t pad = more > 0 ? more : 0;

			w->before[i] = w->lower ? pad - pad / 2 : pad / 2;
			w->after[i] = pad - w->before[i];
		} else if (more > w->after[i]) {
			w->after[i] = more;	/* ceil_mode */
		}
	}
	return 0;
}

int shape_global_pool(struct infer *x)
{
	const struct type *in = infer_arg(x, 0);

	x->out[0] = *in;
	for (int i = 2; i < in->rank; i++)
		x->out[0].dim[i] = dim_number(1);
	return 0;
}

int shape_gemm(struct infer *x)
{
	const struct type *a = infer_arg(x, 0);
	const struct type *b = infer_arg(x, 1);
	bool trans_a = call_int(x->call, "transA", 0) != 0;
	bool trans_b = call_int(x->call, "transB", 0) != 0;
	struct dim k;

	x->out[0].dtype = a->dtype;
	if (a->rank == RANK_UNKNOWN || b->rank == RANK_UNKNOWN)
		return 0;
	if (a->rank != 2 || b->rank != 2)
		return infer_error(x, "operands of rank %d and %d instead of 2", a->rank, b->rank);
	if (infer_join(x, a->dim[!trans_a], b->dim[trans_b], false, &k) < 0)
		return -1;
	x->out[0].rank = 2;
	x->out[0].dim[0] = a->dim[trans_a];
	x->out[0].dim[1] = b->dim[!trans_b];
	return 0;
}

/* numpy's rule: vectors are promoted, leading dims broadcast, the last two multiply. */
int shape_matmul(struct infer *x)
{
	struct type a = *infer_arg(x, 0);
	struct type b = *infer_arg(x, 1);
	struct type *out = &x->out[0];
	struct dim k;

	out->dtype = a.dtype;
	if (a.rank == RANK_UNKNOWN || b.rank == RANK_UNKNOWN)
		return 0;
	if (a.rank == 0 || b.rank == 0)
		return infer_error(x, "a scalar operand");
	if (infer_join(x, a.dim[a.rank - 1], b.dim[b.rank == 1 ? 0 : b.rank - 2], false, &k) < 0)
		return -1;
	int na = a.rank < 2 ? 0 : a.rank - 2;	/* leading dims */
	int nb = b.rank < 2 ? 0 : b.rank - 2;
	int n = na > nb ? na : nb;

	for (int i = 0; i < n; i++) {
		struct dim one = dim_number(1);
		struct dim p = i < n - na ? one : a.dim[i - (n - na)];
		struct dim q = i < n - nb ? one : b.dim[i - (n - nb)];

		if (infer_join(x, p, q, true, &out->dim[i]) < 0)
			return -1;
	}
	if (a.rank > 1)
		out->dim[n++] = a.dim[a.rank - 2];
	if (b.rank > 1)
		out->dim[n++] = b.dim[b.rank - 1];
	out->rank = n;
	return 0;
}
