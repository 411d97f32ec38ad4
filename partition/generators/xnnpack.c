/* SPDX-License-Identifier: Apache-2.0 */
/* partition/generators/xnnpack.c - XNNPACK: one of its operators for each match, over images whose channels
 * are last, over rows, or element by element. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xnnpack.h>

#include "include/hone_generator.h"

typedef const struct hone_region_tensor tensor;

struct layer {
	const struct kind *kind;
	const struct hone_region_call *call;	/* the first */
	tensor *t[2], *y, *bias;		/* its operands, the region's result; absent: NULL */
	int input[2];				/* operands among the region's inputs; -1: constant */
	const float *x[2];			/* where the operator has been told to read, and to write */
	float *own[2], *out;			/* own: copies that it reads instead */
	float low, high;
	uint32_t before[2], after[2], kernel[2], stride[2], dilation[2];	/* of height and width */
	size_t rows, c;				/* rows of c channels */
	size_t ndim, shape[2][HONE_MAX_RANK];	/* of operands that broadcast */
	float *weights, *row;			/* and the bias, as a convolution takes them */
	xnn_operator_t op;
	pthreadpool_t pool;			/* NULL: one thread */
};

static int refuse(char *why, const char *what)
{
	snprintf(why, HONE_WHY_BYTES, "%s", what);
	return -1;
}

static const struct hone_region_attr *attr(const struct layer *l, const char *name)
{
	static const struct hone_region_attr none = { .text = "" };

	for (int i = 0; i < l->call->nattrs; i++)
		if (strcmp(l->call->attrs[i].name, name) == 0)
			return &l->call->attrs[i];
	return &none;
}

static int64_t number(const struct layer *l, const char *name, int i, int64_t otherwise)
{
	return i < attr(l, name)->n ? attr(l, name)->ints[i] : otherwise;
}

/* Elements of T's dims from FROM on. */
static int64_t count(tensor *t, int from)
{
	return from < t->rank ? t->dim[from] * count(t, from + 1) : 1;
}

/* Is T, with LEAD dims of 1 before its own, the same in any order of channels and pixels? */
static bool has_no_order(tensor *t, int lead)
{
	return lead > 1 || t->dim[1 - lead] == 1 || count(t, 2 - lead) == 1;
}

/* How T is stored; row-major where that is the same. */
static int order_of(tensor *t)
{
	if (t->data || t->rank < 3 || has_no_order(t, 0))
		return HONE_CHANNELS_FIRST;
	return t->channels == t->dim[1] ? HONE_CHANNELS_LAST : t->channels;
}

static bool is_last(tensor *t)
{
	return t->rank < 3 || order_of(t) == HONE_CHANNELS_LAST || has_no_order(t, 0);
}

/* --- may an operator do it? */

/* Padding behind is what the result's size asks for: ceil adds some, floor leaves some out. */
static int check_window(struct layer *l, char *why)
{
	bool is_conv = strcmp(l->call->op, "conv") == 0, is_avg = strcmp(l->call->op, "avg_pool") == 0;
	const char *pad = attr(l, "auto_pad")->text;

	for (int i = 0; i < 2; i++) {
		int64_t taps = is_conv ? l->t[1]->dim[2 + i] : number(l, "kernel", i, 1);
		int64_t step = number(l, "strides", i, 1), apart = number(l, "dilations", i, 1);
		int64_t before = number(l, "pads", i, 0), after = number(l, "pads", 2 + i, 0);
		int64_t span = (taps - 1) * apart;
		int64_t all = (l->y->dim[2 + i] - 1) * step + span + 1 - l->t[0]->dim[2 + i];

		if (before < 0 || after < 0)
			return refuse(why, "negative padding");
		if (strncmp(pad, "same", 4) == 0) {
			after = all < 0 ? 0 : (all + (strcmp(pad, "same_upper") == 0)) / 2;
			before = all < 0 ? 0 : all - after;
		}
		if (is_avg && (before || after) && number(l, "count_include_pad", 0, 0))
			return refuse(why, "an average that counts padding");
		after = all > before ? all - before : 0;
		if (is_avg && apart > 1)
			return refuse(why, "an average with dilations");
		if (!is_conv && (before > span || after > span))
			return refuse(why, "windows of padding alone");
		if (!is_conv && apart > 1 && (before || after))	/* XNNPACK reads other elements then */
			return refuse(why, "a maximum with dilations and padding");
		if (span > INT32_MAX || step > INT32_MAX || before > INT32_MAX || after > INT32_MAX)
			return refuse(why, "windows larger than XNNPACK counts");
		l->before[i] = (uint32_t)before;
		l->after[i] = (uint32_t)after;
		l->kernel[i] = (uint32_t)taps;
		l->stride[i] = (uint32_t)step;
		l->dilation[i] = (uint32_t)apart;
	}
	if (!is_conv && l->kernel[0] * l->kernel[1] == 1)
		return refuse(why, "windows of one element");
	return is_last(l->t[0]) && is_last(l->y) ? 0 : refuse(why, "images that are not channels last");
}

static int check_mean(struct layer *l, char *why)
{
	tensor *x = l->t[0], *axes = l->t[1];
	int seen = 0;

	for (int64_t i = 0; axes && i < count(axes, 0); i++)
		seen |= 1 << (((const int64_t *)axes->data)[i] + x->rank) % x->rank;
	if (x->rank < 3 || seen != (1 << x->rank) - 4)
		return refuse(why, "a mean over other than all spatial dims");
	return is_last(x) && is_last(l->y) ? 0 : refuse(why, "images that are not channels last");
}

static int check_matmul(struct layer *l, char *why)
{
	tensor *w = l->t[1];

	if (w->rank < 2 || count(w, 0) != count(w, w->rank - 2))
		return refuse(why, "a second factor that is no matrix");
	if (order_of(l->t[0]) || order_of(l->y))
		return refuse(why, "rows that do not lie in a row");
	l->c = (size_t)l->y->dim[l->y->rank - 1];
	l->rows = (size_t)count(l->y, 0) / l->c;
	return 0;
}

static int check_unary(struct layer *l, char *why)
{
	l->rows = 1;
	l->c = (size_t)count(l->y, 0);
	if (strcmp(l->call->op, "elu") == 0 && attr(l, "alpha")->floats[0] <= 0)
		return refuse(why, "an elu without a limit below 0");
	return order_of(l->t[0]) == order_of(l->y) ? 0 : refuse(why, "a result that is stored otherwise");
}

/* Shapes are of memory: [n, c / B, spatial..., B]. */
static int check_binary(struct layer *l, char *why)
{
	int rank = l->y->rank, order = order_of(l->y);

	for (int i = 0; i < 2; i++) {
		tensor *t = l->t[i];
		int lead = rank - t->rank, stored = order_of(t);
		int64_t c = rank < 2 || lead > 1 ? 1 : t->dim[1 - lead];
		int64_t block = c > 1 && order > 1 ? order : c;

		if (stored != order ? stored || !has_no_order(t, lead) : order && lead)
			return refuse(why, "operands that are stored in different orders");
		l->ndim = 0;
		for (int d = 0; d < rank; d++)
			if (!order || d != 1)
				l->shape[i][l->ndim++] = d < lead ? 1 : (size_t)t->dim[d - lead];
			else if (order > 1)
				l->shape[i][l->ndim++] = (size_t)(c / block);
		if (order)
			l->shape[i][l->ndim++] = (size_t)block;
	}
	return 0;
}

/* --- operators: X(hone's, its check, XNNPACK's, what its setup takes, what its create takes before flags) */

#define IMAGES (size_t)t->dim[0], (size_t)t->dim[2], (size_t)t->dim[3], l->x[0], l->out
#define PIXELS (size_t)t->dim[0], (size_t)count(t, 2), l->x[0], l->out
#define ROWS   l->rows, l->x[0], l->out
#define BOTH   l->ndim, l->shape[0], l->ndim, l->shape[1], l->x[0], l->x[1], l->out
#define LIMITS l->low, l->high,
#define WINDOW l->before[0], l->after[1], l->after[0], l->before[1], l->kernel[0], l->kernel[1], \
	l->stride[0], l->stride[1],
#define APART  l->dilation[0], l->dilation[1],
#define CCC    l->c, l->c, l->c,
#define GROUPS (uint32_t)(t->dim[1] / w->dim[1]), (size_t)w->dim[1], \
	l->c * (size_t)w->dim[1] / (size_t)t->dim[1], (size_t)t->dim[1], l->c, l->weights, l->row,
#define MATRIX (size_t)t->dim[t->rank - 1], l->c, (size_t)t->dim[t->rank - 1], l->c, w->data, l->row,
#define ORDER  (number(l, "trans_b", 0, 0) ? 0 : XNN_FLAG_TRANSPOSE_WEIGHTS) |
#define SLOPE  (float)attr(l, "alpha")->floats[0],
#define OPERATORS(X) \
	X(conv, check_window, convolution2d_nhwc_f32, IMAGES, WINDOW APART GROUPS LIMITS) \
	X(max_pool, check_window, max_pooling2d_nhwc_f32, IMAGES, WINDOW APART CCC LIMITS) \
	X(avg_pool, check_window, average_pooling2d_nhwc_f32, IMAGES, WINDOW CCC LIMITS) \
	X(reduce_mean, check_mean, global_average_pooling_nwc_f32, PIXELS, CCC LIMITS) \
	X(matmul, check_matmul, fully_connected_nc_f32, ROWS, MATRIX LIMITS ORDER) \
	X(add, check_binary, add_nd_f32, BOTH, LIMITS) \
	X(sub, check_binary, subtract_nd_f32, BOTH, LIMITS) \
	X(mul, check_binary, multiply_nd_f32, BOTH, LIMITS) \
	X(div, check_binary, divide_nd_f32, BOTH, LIMITS) \
	X(max, check_binary, maximum_nd_f32, BOTH, ) \
	X(min, check_binary, minimum_nd_f32, BOTH, ) \
	X(relu, check_unary, clamp_nc_f32, ROWS, CCC LIMITS) \
	X(clip, check_unary, clamp_nc_f32, ROWS, CCC LIMITS) \
	X(leaky_relu, check_unary, leaky_relu_nc_f32, ROWS, CCC SLOPE) \
	X(elu, check_unary, elu_nc_f32, ROWS, CCC SLOPE) \
	X(sigmoid, check_unary, sigmoid_nc_f32, ROWS, CCC) \
	X(hard_swish, check_unary, hardswish_nc_f32, ROWS, CCC)
/* Workers do not wait busily for what comes next: it may be a kernel of hone's, on the same cores. */
#define DEFINE(op_, check_, name, place, how) \
	static enum xnn_status create_##op_(struct layer *l, tensor *t, tensor *w) \
	{ \
		return (void)t, (void)w, xnn_create_##name(how XNN_FLAG_YIELD_WORKERS, &l->op); \
	} \
	static enum xnn_status setup_##op_(struct layer *l, tensor *t) \
	{ \
		return (void)t, xnn_setup_##name(l->op, place, l->pool); \
	}
OPERATORS(DEFINE)
#define KIND(op_, check_, name, place, how) { #op_, check_, create_##op_, setup_##op_ },

static const struct kind {
	const char *op;
	int (*check)(struct layer *l, char *why);
	enum xnn_status (*create)(struct layer *l, tensor *t, tensor *w);
	enum xnn_status (*setup)(struct layer *l, tensor *t);
} kinds[] = { OPERATORS(KIND) };

/* --- a match becomes an operator */

/* What is behind the first call: a bias, one number or one for each channel, and limits. */
static int read_rest(struct layer *l, const struct hone_region *r, char *why)
{
	const char *op = l->call->op;
	bool is_matmul = strcmp(op, "matmul") == 0, weighs = is_matmul || strcmp(op, "conv") == 0;
	bool alone = l->kind->check == check_unary || strcmp(op, "max") == 0 || strcmp(op, "min") == 0;
	int from_end = is_matmul ? 1 : 3;

	for (const struct hone_region_call *c = r->calls; c < r->calls + r->ncalls; c++) {
		bool is_relu = strcmp(c->op, "relu") == 0, is_clip = strcmp(c->op, "clip") == 0;
		bool is_bias = weighs && !l->bias && strcmp(c->op, "add") == 0;

		if (c > r->calls && (alone || !(is_relu || is_clip || is_bias)))
			return refuse(why, "more than one operator");
		if (is_relu)
			l->low = 0;
		for (int i = 1; i < c->ninputs && is_clip; i++) {
			const float *limit = c->inputs[i] < 0 ? NULL : r->tensors[c->inputs[i]].data;

			if (limit)
				*(i == 1 ? &l->low : &l->high) = *limit;
		}
		if (!is_bias)
			continue;
		tensor *b = l->bias = &r->tensors[c->inputs[c->inputs[0] == l->call->output]];

		if (!b->data || (count(b, 0) > 1 && ((size_t)count(b, 0) != l->c || b->rank < from_end ||
						     (size_t)b->dim[b->rank - from_end] != l->c)))
			return refuse(why, "a bias that is not one for each channel");
	}
	return l->low < l->high ? 0 : refuse(why, "limits with nothing between them");
}

static int plan(struct layer *l, const struct hone_region *r, char *why)
{
	*l = (struct layer){ .call = r->calls, .y = &r->tensors[r->outputs[0]], .input = { -1, -1 },
			     .low = -INFINITY, .high = INFINITY };
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(l->call->op, kinds[i].op) == 0)
			l->kind = &kinds[i];
	for (int i = 0; i < 2 && i < l->call->ninputs; i++) {
		l->t[i] = l->call->inputs[i] < 0 ? NULL : &r->tensors[l->call->inputs[i]];
		for (int k = 0; k < r->ninputs; k++)
			if (r->inputs[k] == l->call->inputs[i])
				l->input[i] = k;
	}
	if (!l->kind || count(l->t[0], 0) == 0 || count(l->y, 0) == 0)
		return refuse(why, l->kind ? "a tensor without elements" : "no such operator");
	l->c = l->y->rank > 1 ? (size_t)l->y->dim[1] : 1;
	return l->kind->check(l, why) < 0 ? -1 : read_rest(l, r, why);
}

static void release(void *handle)
{
	struct layer *l = handle;

	xnn_delete_operator(l->op);
	pthreadpool_destroy(l->pool);
	free(l->own[0]), free(l->own[1]), free(l);
}

static int fails(enum xnn_status status, const char *what, char *why)
{
	if (status != xnn_status_success)
		snprintf(why, HONE_WHY_BYTES, "XNNPACK does not %s it (status %d)", what, status);
	return status == xnn_status_success ? 0 : -1;
}

/* The operator of L. Weights are [oc, kernel..., ic] to it. */
static int create(struct layer *l, char *why)
{
	tensor *w = l->kind->check == check_window ? l->t[1] : NULL;
	const float *from = w ? w->data : NULL;
	int64_t n = w ? count(w, 0) : 0, ic = w ? w->dim[1] : 1, taps = w ? count(w, 2) : 1;
	enum xnn_status status = xnn_initialize(NULL);

	l->weights = malloc((size_t)n * sizeof(float) + 1);
	l->row = l->bias ? malloc(l->c * sizeof(float)) : NULL;
	for (int64_t i = 0; i < n && l->weights; i++)
		l->weights[(i / (ic * taps) * taps + i % taps) * ic + i / taps % ic] = from[i];
	for (size_t i = 0; i < l->c && l->row; i++)
		l->row[i] = ((const float *)l->bias->data)[count(l->bias, 0) > 1 ? i : 0];
	if (!l->weights || (l->bias && !l->row))
		status = xnn_status_out_of_memory;
	if (status == xnn_status_success)
		status = l->kind->create(l, l->t[0], l->t[1]);
	free(l->weights), free(l->row);
	return fails(status, "make", why);
}

static int claims(const struct hone_region *region, char *why)
{
	struct layer l;

	return plan(&l, region, why);
}

static int init(const struct hone_region *region, const void *artifact, size_t size, int threads,
		void **handle, char *why)
{
	struct layer *l = calloc(1, sizeof(*l));
	int rc = l ? plan(l, region, why) : refuse(why, "no memory");

	(void)artifact, (void)size;
	rc = rc < 0 ? rc : create(l, why);
	if (rc == 0 && threads > 1 && !(l->pool = pthreadpool_create((size_t)threads)))
		rc = refuse(why, "no threads");
	if (rc == 0)
		*handle = l;
	else if (l)
		release(l);
	return rc;
}

/* Operand I at X, or a copy where XNNPACK may read beyond its end onto another page. NULL: no memory. */
static const float *readable(struct layer *l, int i, const float *x)
{
	size_t size = (size_t)count(l->t[i], 0) * sizeof(*x), page = (size_t)sysconf(_SC_PAGESIZE);
	uintptr_t end = (uintptr_t)x + size;

	if ((end - 1) / page == (end + XNN_EXTRA_BYTES - 1) / page)
		return x;
	if (!l->own[i])
		l->own[i] = malloc(size + XNN_EXTRA_BYTES);
	return l->own[i] ? memcpy(l->own[i], x, size) : NULL;
}

static int run(void *handle, const void *const *inputs, void *const *outputs, char *why)
{
	struct layer *l = handle;
	bool moved = outputs[0] != l->out;

	for (int i = 0; i < (l->kind->check == check_binary ? 2 : 1); i++) {
		const float *x = readable(l, i, l->input[i] < 0 ? l->t[i]->data : inputs[l->input[i]]);

		if (!x)
			return refuse(why, "no memory");
		moved |= x != l->x[i];
		l->x[i] = x;
	}
	l->out = outputs[0];
	if (!moved || fails(l->kind->setup(l, l->t[0]), "prepare", why) == 0)
		return fails(xnn_run_operator(l->op, l->pool), "run", why);
	l->out = NULL;		/* the next run tries again */
	return -1;
}

/* The library does not say; configure asks the package that it was built with. */
static const char *version(void)
{
	return "XNNPACK " XNNPACK_VERSION;
}

#define LIMIT " (relu | clip[const])?"

__attribute__((visibility("default"))) const struct hone_generator hone_generator = {
	.abi = HONE_GENERATOR_ABI,
	.name = "xnnpack",
	.summary = "XNNPACK: convolutions and pools with channels last, dense layers, sums",
	.patterns = (const struct hone_pattern[]){
		{ "conv", "conv2d[f32, const] (bias_add | add[scalar])?" LIMIT },
		{ "pool", "(max_pool[f32, rank=4] | avg_pool[f32, rank=4] | reduce_mean[f32, const])" LIMIT },
		{ "dense", "matmul[f32, const, trans_a=0] add[const]?" LIMIT },
		{ "product", "matmul[f32, const, trans_a=0]" LIMIT },
		{ "binary", "(add[f32, rank<=6] | sub[f32, rank<=6] | mul[f32, rank<=6] | "
			    "div[f32, rank<=6])" LIMIT },
		{ "extreme", "(max[f32, rank<=6] | min[f32, rank<=6])" },
		{ "unary", "(relu[f32] | clip[f32, const] | leaky_relu[f32] | elu[f32] | sigmoid[f32] | "
			   "hard_swish[f32])" },
		{ NULL, NULL } },
	.grain = HONE_KERNELS,
	.version = version,
	.claims = claims,
	.init = init,
	.run = run,
	.release = release,
};
