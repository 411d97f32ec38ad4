/* SPDX-License-Identifier: Apache-2.0 */
/* graph/cut_window.c - convolutions and pools through the operator library. */
#include "graph/cut_heavy.h"

/* The window, with the padding of a Pad in front of it. */
static int read_window(struct heavy *h)
{
	int spatial = h->in->rank - 2;
	const struct binding *pad = cut_at(h->cut, h->data);

	if (spatial > SPATIAL_MAX)
		return err_set("more than %d spatial dims", SPATIAL_MAX);
	if (infer_slide(&h->infer, h->out, &h->window) < 0)
		return -1;
	if (h->cut->grouping->group_of[h->data] != h->cut->grouping->group_of[h->value])
		return 0;
	struct infer x = { .graph = h->cut->graph, .f = h->cut->f, .call = &pad->call };
	int n;
	const int64_t *pads = infer_list(&x, "pads", 1, &n);

	for (int i = 0; i < spatial; i++) {
		h->window.before[i] += pads[2 + i];
		h->window.after[i] += pads[n / 2 + 2 + i];
	}
	h->data = pad->call.args[0];
	h->padded = true;
	return 0;
}

static struct conv conv_of(const struct slide *w, int64_t groups)
{
	struct conv c = conv_plain(w->nd, LAYOUT_NCHW);

	c.groups = groups;
	for (int i = 0; i < w->nd; i++) {
		c.stride[i] = w->stride[i];
		c.dilation[i] = w->dilation[i];
		c.pad_begin[i] = w->before[i];
		c.pad_end[i] = w->after[i];
	}
	return c;
}

static bool all_are(const int64_t *v, int n, int64_t what)
{
	for (int i = 0; i < n; i++)
		if (v[i] != what)
			return false;
	return true;
}

static void note_image(struct heavy *h, const char *channels)
{
	static const char *const keys[] = { "d", "h", "w" };
	const struct type *t = &cut_at(h->cut, h->data)->type;
	int spatial = t->rank - 2;

	note(h->cut, "n", size(t, 0));
	note(h->cut, channels, size(t, 1));
	for (int i = 0; i < spatial; i++)
		note(h->cut, keys[SPATIAL_MAX - spatial + i], size(t, 2 + i));
}

static void note_window(struct heavy *h)
{
	const struct slide *w = &h->window;
	bool even = memcmp(w->before, w->after, sizeof(w->before[0]) * (size_t)w->nd) == 0;

	cut_note(h->cut, "k", w->nd, w->kernel);
	cut_note(h->cut, "s", w->nd, w->stride);
	cut_note(h->cut, "p", w->nd, w->before);
	if (!even)	/* the command line has no such padding */
		cut_note(h->cut, "p_end", w->nd, w->after);
	if (!all_are(w->dilation, w->nd, 1))
		cut_note(h->cut, "dil", w->nd, w->dilation);
}

struct op *cut_conv(struct heavy *h)
{
	static const char *const names[] = { "conv1d", "conv2d", "conv3d" };
	int64_t groups = call_int(h->infer.call, "group", 1);
	const struct type *weight = infer_arg(&h->infer, 1);
	int64_t shape[GRAPH_MAX_RANK];
	int n = 0;

	if (read_window(h) < 0)
		return NULL;
	struct conv conv = conv_of(&h->window, groups);
	bool depthwise = groups > 1 && groups == size(h->in, 1) && groups == size(weight, 0);

	text_puts(&h->cut->op, depthwise ? "depthwise" : names[h->window.nd - 1]);
	note_image(h, depthwise ? "c" : "ic");
	if (!depthwise)
		note(h->cut, "oc", size(weight, 0));
	note_window(h);
	if (groups > 1 && !depthwise)
		note(h->cut, "g", groups);
	for (int i = 0; i < weight->rank; i++)
		if (i != 1 || !depthwise)
			shape[n++] = size(weight, i);
	struct op *x = cut_value(h->cut, h->data, "X");
	struct op *w = cut_input(h->cut, h->infer.call->args[1], "W", weight->dtype, n, shape);
	struct op *y = depthwise ? op_depthwise(h->cut->dag, x, w, &conv)
				 : op_conv(h->cut->dag, x, w, &conv);

	return heavy_bias(h, y, 2, size(weight, 0));
}

struct op *cut_conv_transpose(struct heavy *h)
{
	const struct call *call = h->infer.call;
	int n;
	const int64_t *extra = call_ints(call, "output_padding", &n);
	const int64_t none[2] = { 0, 0 };

	if (h->in->rank != 4 || call_int(call, "group", 1) != 1)
		return no_task("only two spatial dims and one group are tunable");
	if (call_attr(call, "output_shape") || call_attr(call, "auto_pad"))
		return no_task("auto_pad and output_shape are not tunable");
	if (read_window(h) < 0)
		return NULL;
	struct conv conv = conv_of(&h->window, 1);

	text_puts(&h->cut->op, "conv2d_transpose");
	note_image(h, "ic");
	note(h->cut, "oc", size(h->out, 1));
	note_window(h);
	if (extra && !all_are(extra, n, 0))
		cut_note(h->cut, "op", n, extra);
	struct op *x = cut_value(h->cut, h->data, "X");
	struct op *y = op_conv_transpose(h->cut->dag, x, cut_value(h->cut, call->args[1], "W"),
					 &conv, extra ? extra : none);

	return heavy_bias(h, y, 2, size(h->out, 1));
}

struct op *cut_pool(struct heavy *h)
{
	bool max = h->infer.call->op == OPER_MAX_POOL;
	struct pool pool = { .count_include_pad = h->padded };

	if (read_window(h) < 0)
		return NULL;
	pool.window = conv_of(&h->window, 1);
	pool.count_include_pad = h->padded || call_int(h->infer.call, "count_include_pad", 0);
	if (!max && h->window.ceil && pool.count_include_pad)
		return no_task("an average that counts padding but not that of ceil_mode");
	memcpy(pool.kernel, h->window.kernel, sizeof(pool.kernel));
	text_puts(&h->cut->op, max ? "max_pool" : "avg_pool");
	note_image(h, "c");
	note_window(h);
	struct op *x = cut_value(h->cut, h->data, "X");

	return max ? op_max_pool(h->cut->dag, x, &pool) : op_avg_pool(h->cut->dag, x, &pool);
}

struct op *cut_global_pool(struct heavy *h)
{
	int spatial = h->in->rank - 2;

	if (spatial < 1 || spatial > SPATIAL_MAX)
		return no_task("%d spatial dims", spatial);
	struct op *x = cut_value(h->cut, h->data, "X");

	note_image(h, "c");
	if (h->infer.call->op == OPER_GLOBAL_AVERAGE_POOL) {
		text_puts(&h->cut->op, "global_avg_pool");
		return op_global_avg_pool(h->cut->dag, x, spatial, LAYOUT_NCHW);
	}
	struct pool pool = { .window = conv_plain(spatial, LAYOUT_NCHW) };

	for (int i = 0; i < spatial; i++)
		pool.kernel[i] = size(h->in, 2 + i);
	text_puts(&h->cut->op, "max_pool");
	cut_note(h->cut, "k", spatial, pool.kernel);
	return op_max_pool(h->cut->dag, x, &pool);
}
