/* SPDX-License-Identifier: Apache-2.0 */
/* graph/task/label.c - the words of each operator, and the parameters it tells. */
#include "graph/task/label.h"

#include "graph/op/dense/slide.h"

/* --- words and parameters */

static void word(struct label *l, const char *w)
{
	text_printf(&l->op, "%s%s", l->op.n ? "+" : "", w);
}

/* What comes now is a part of a chain: a task of its own, were it not computed with what is before it. */
static void part(struct label *l, const char *w)
{
	if (l->convolves)
		text_printf(&l->op, ">%s", w);
	else
		word(l, w);
	l->convolves = true;
}

/* KEY=A or KEY=AxB; KEY=A too where all N are the same, but for lists of extents. */
static void note_list(struct label *l, const char *key, int n, const int64_t *v, bool extents)
{
	bool same = n > 0 && (n == 1 || !extents);

	for (int i = 1; i < n; i++)
		same &= v[i] == v[0];
	text_printf(&l->shape, "%s%s=", l->shape.n ? "," : "", key);
	for (int i = 0; i < (same ? 1 : n); i++)
		text_printf(&l->shape, "%s%lld", i ? "x" : "", (long long)v[i]);
}

static void note(struct label *l, const char *key, int64_t v)
{
	note_list(l, key, 1, &v, false);
}

/* n=1x2x3 */
static void note_extents(struct label *l, const struct express *x)
{
	int64_t dim[GRAPH_MAX_RANK];
	int rank = express_shape(x, 0, dim);

	note_list(l, "n", rank, dim, true);
}

static void note_image(struct label *l, const struct express *x, const char *channels)
{
	static const char *const keys[] = { "d", "h", "w" };
	int64_t dim[GRAPH_MAX_RANK];
	int spatial = express_shape(x, 0, dim) - 2;

	note(l, "n", dim[0]);
	note(l, channels, dim[1]);
	for (int i = 0; i < spatial; i++)
		note(l, keys[SPATIAL_MAX - spatial + i], dim[2 + i]);
}

static void note_window(struct label *l, const struct slide *s)
{
	bool dilated = false;

	for (int i = 0; i < s->nd; i++)
		dilated |= s->dilation[i] != 1;
	note_list(l, "k", s->nd, s->kernel, false);
	note_list(l, "s", s->nd, s->stride, false);
	note_list(l, "p", s->nd, s->before, false);
	if (memcmp(s->before, s->after, sizeof(s->before[0]) * (size_t)s->nd) != 0)
		note_list(l, "p_end", s->nd, s->after, false);	/* no spec has such padding */
	if (dilated)
		note_list(l, "dil", s->nd, s->dilation, false);
}

/* --- operators */

/* The window of X, which was expressed: it is one. */
static struct slide window(const struct express *x, bool pool)
{
	int64_t in[GRAPH_MAX_RANK], weight[GRAPH_MAX_RANK];
	int nd = express_shape(x, 0, in) - 2;
	struct slide s = { 0 };

	if (pool) {
		slide_read_pool(x->dag->arena, x->call, nd, &s);
	} else {
		slide_read(x->dag->arena, x->call, nd, &s);
		express_shape(x, 1, weight);
		memcpy(s.kernel, weight + 2, sizeof(*weight) * (size_t)nd);
	}
	return s;
}

static void label_conv(struct label *l, const struct express *x)
{
	static const char *const names[] = { "conv1d", "conv2d", "conv3d" };
	struct slide s = window(x, false);
	int64_t in[GRAPH_MAX_RANK], weight[GRAPH_MAX_RANK];
	int64_t groups = call_int(x->call, "groups");
	int nd = express_shape(x, 0, in) - 2;

	express_shape(x, 1, weight);
	bool depthwise = groups > 1 && groups == in[1] && groups == weight[0];

	slide_fit(x->dag->arena, x->call, in + 2, &s);
	part(l, depthwise ? "depthwise" : names[nd - 1]);
	note_image(l, x, depthwise ? "c" : "ic");
	if (!depthwise)
		note(l, "oc", weight[0]);
	note_window(l, &s);
	if (groups > 1 && !depthwise)
		note(l, "g", groups);
}

static void label_conv_transpose(struct label *l, const struct express *x)
{
	struct slide s = window(x, false);
	int n;
	const int64_t *extra = call_ints(x->call, "output_padding", &n);

	word(l, "conv2d_transpose");
	note_image(l, x, "ic");
	note(l, "oc", x->call->type->dim[1].n);
	note_window(l, &s);
	if (n)
		note_list(l, "op", n, extra, false);
}

static void label_pool(struct label *l, const struct express *x)
{
	struct slide s = window(x, true);
	int64_t in[GRAPH_MAX_RANK];

	express_shape(x, 0, in);
	slide_fit(x->dag->arena, x->call, in + 2, &s);
	word(l, x->call->op->name);
	note_image(l, x, "c");
	note_window(l, &s);
}

static void label_matmul(struct label *l, const struct express *x)
{
	int64_t a[GRAPH_MAX_RANK], y[GRAPH_MAX_RANK];
	int rank = express_result(x, y);
	int ra = express_shape(x, 0, a);
	int64_t batch = 1;

	for (int i = 0; i < rank - 2; i++)
		batch *= y[i];
	word(l, rank > 2 ? "batch_matmul" : x->ops[1]->kind == OP_CONST ? "dense" : "matmul");
	if (rank > 2)
		note(l, "b", batch);
	note(l, "m", rank > 1 ? y[rank - 2] : 1);
	note(l, "n", y[rank - 1]);
	note(l, "k", call_flag(x->call, "trans_a") ? a[ra - 2] : a[ra - 1]);
}

static void label_softmax(struct label *l, const struct express *x)
{
	int64_t axis = call_int(x->call, "axis");
	int rank = x->types[0]->rank;

	word(l, x->call->op->name);
	note_extents(l, x);
	if (axis != -1 && axis != rank - 1)
		note(l, "axis", axis < 0 ? axis + rank : axis);
}

static void label_normalize(struct label *l, const struct express *x)
{
	label_layer_norm(l, x->call);
}

/* Which axes of operand 0 are reduced, counted from the front. */
static int axes_of(const struct express *x, int64_t *axes)
{
	const struct array *given = call_arg(x->call, 1) == VALUE_NONE ? NULL : x->consts[1];
	int rank = x->types[0]->rank;
	int n = given && given->count ? (int)given->count : rank;

	for (int i = 0; i < n; i++) {
		axes[i] = given && given->count ? array_int(given, i) : i;
		axes[i] += axes[i] < 0 ? rank : 0;
	}
	return n;
}

static void label_reduce(struct label *l, const struct express *x)
{
	int64_t axes[GRAPH_MAX_RANK];
	int n = axes_of(x, axes);
	int rank = x->types[0]->rank;
	bool spatial = rank > 2 && rank - 2 <= SPATIAL_MAX && n == rank - 2;

	for (int i = 0; i < n; i++)
		spatial &= axes[i] >= 2;
	if (spatial && x->call->op == &core_reduce_mean && call_flag(x->call, "keepdims")) {
		word(l, "global_avg_pool");
		note_image(l, x, "c");
		return;
	}
	word(l, x->call->op->name);
	note_extents(l, x);
	for (int i = 0; i < n; i++)
		note(l, "axis", axes[i]);
}

static void label_clip(struct label *l, const struct express *x)
{
	double low, high;
	bool relu6 = x->call->nargs == 3 && express_scalar(x, 1, &low) &&
		     express_scalar(x, 2, &high) && low == 0 && high == 6;

	word(l, relu6 ? "relu6" : "clip");
}

/* A constant that went in as a vector of channels is a bias, or a scale. */
static bool has_view(const struct express *x)
{
	for (int i = 0; i < x->call->nargs; i++)
		if (x->views[i])
			return true;
	return false;
}

static void label_add(struct label *l, const struct express *x)
{
	word(l, has_view(x) ? "bias" : "add");
}

static void label_mul(struct label *l, const struct express *x)
{
	word(l, has_view(x) ? "scale" : "mul");
}

static const struct {
	const struct core_op *op;
	void (*label)(struct label *l, const struct express *x);
} labels[] = {
	{ &core_conv, label_conv },
	{ &core_conv_transpose, label_conv_transpose },
	{ &core_max_pool, label_pool },
	{ &core_avg_pool, label_pool },
	{ &core_matmul, label_matmul },
	{ &core_softmax, label_softmax },
	{ &core_log_softmax, label_softmax },
	{ &core_normalize, label_normalize },
	{ &core_reduce_sum, label_reduce },
	{ &core_reduce_mean, label_reduce },
	{ &core_reduce_max, label_reduce },
	{ &core_reduce_min, label_reduce },
	{ &core_reduce_prod, label_reduce },
	{ &core_clip, label_clip },
	{ &core_add, label_add },
	{ &core_mul, label_mul },
};

/* --- a kernel's */

void label_layer_norm(struct label *l, const struct binding *b)
{
	int64_t dim[GRAPH_MAX_RANK];

	type_shape(b->type, dim);
	word(l, call_flag(b, "center") ? "layer_norm" : "rms_norm");
	note_list(l, "n", b->type->rank, dim, true);
}

void label_call(struct label *l, const struct express *x)
{
	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++)
		if (labels[i].op == x->call->op) {
			labels[i].label(l, x);
			return;
		}
	label_plain(l, x->call);
}

void label_plain(struct label *l, const struct binding *b)
{
	word(l, b->kind == BIND_CALL ? b->op->name : "");
}

void label_clear(struct label *l)
{
	text_free(&l->op);
	text_free(&l->shape);
	*l = (struct label){ 0 };
}

void label_end(struct label *l, struct arena *a, const struct type *result, const char **op,
	       const char **shape)
{
	if (!l->shape.n)
		type_print(&l->shape, result);
	*op = arena_strdup(a, text_str(&l->op));
	*shape = arena_strdup(a, text_str(&l->shape));
	label_clear(l);
}
