/* SPDX-License-Identifier: Apache-2.0 */
/* partition/generators/xnnpack.c - XNNPACK: one of its operators for each match, over images whose channels
 * are last, over rows, or element by element. */
#include "config.h"

#include <stdlib.h>
#include <unistd.h>
#include <xnnpack.h>

#include "include/hone_generator_read.h"

typedef const struct hone_region_tensor tensor;

struct xnn_layer {
	const struct xnn_way *way;
	const struct hone_region *region;
	const struct hone_region_call *call;	/* the first */
	tensor *t[2], *y, *bias;		/* its operands, the region's result; absent: NULL */
	struct hone_window window;
	float low, high;
	size_t rows, c;				/* rows of c channels */
	size_t ndim, dim[2][HONE_MAX_RANK + 1];	/* of memory of operands that broadcast */
	float *weights, *row;			/* and the bias, as a convolution takes them */
	const float *x[2];			/* where the operator has been told to read, and to write */
	float *own[2], *out;			/* own: copies that it reads instead */
	xnn_operator_t op;
	pthreadpool_t pool;			/* NULL: one thread */
};

/* --- may an operator do it? NULL, or why not */

static const char *check_last(struct xnn_layer *l)
{
	return hone_all_stored(l->region, HONE_CHANNELS_LAST) ? NULL : "images that are not channels last";
}

static const char *check_window(struct xnn_layer *l)
{
	const struct hone_window *w = &l->window;
	bool conv = hone_is_op(l->call, "conv"), avg = hone_is_op(l->call, "avg_pool"), large = false;

	l->window = hone_window_of(l->region, l->call);
	for (int d = 0; d < 2; d++)	/* none is negative where nothing is cut off */
		large |= (w->span[d] | w->stride[d] | w->begin[d] | w->end[d]) > INT32_MAX;
	return w->crops ? "negative padding" :
	       large ? "windows larger than XNNPACK counts" :
	       conv ? check_last(l) :
	       w->kernel[0] * w->kernel[1] == 1 ? "windows of one element" :
	       w->empty ? "windows of padding alone" :
	       avg && w->dilated ? "an average with dilations" :
	       avg && w->padded && hone_attr_int(l->call, "count_include_pad", 0, 0) ?
		       "an average that counts padding" :
	       w->dilated && (w->padded || w->beyond) ?	/* XNNPACK reads other elements then */
		       "a maximum with dilations and padding" : check_last(l);
}

static const char *check_mean(struct xnn_layer *l)
{
	return hone_is_spatial(l->region, l->call) ? check_last(l) : "a mean of other than all spatial dims";
}

static const char *check_matmul(struct xnn_layer *l)
{
	tensor *w = l->t[1];

	if (w->rank < 2 || hone_count(w, w->rank - 2) != hone_count(w, 0))
		return "a second factor that is no matrix";
	l->c = (size_t)l->y->dim[l->y->rank - 1];
	l->rows = (size_t)hone_count(l->y, 0) / l->c;
	return hone_all_stored(l->region, HONE_CHANNELS_FIRST) ? NULL : "rows that do not lie in a row";
}

static const char *check_unary(struct xnn_layer *l)
{
	l->rows = 1;
	l->c = (size_t)hone_count(l->y, 0);
	return hone_is_op(l->call, "elu") && hone_attr_float(l->call, "alpha", 0, 1) <= 0 ?
		       "an elu without a limit below 0" :
	       hone_storage(l->t[0]) == hone_storage(l->y) ? NULL : "a result that is stored otherwise";
}

static const char *check_binary(struct xnn_layer *l)
{
	int order = hone_storage(l->y);

	for (int i = 0; i < 2; i++) {
		struct hone_region_tensor t = hone_aligned(l->t[i], l->y->rank);

		if ((l->t[i]->rank < t.rank && hone_storage(l->t[i])) || !hone_is_stored(&t, order))
			return "operands that are stored in different orders";
		l->ndim = hone_memory_dims(&t, order, l->dim[i]);
	}
	return NULL;
}

/* --- operators: X(hone's, its check, XNNPACK's, what its setup takes, what its create takes before flags) */

#define IMAGES (size_t)t->dim[0], (size_t)t->dim[2], (size_t)t->dim[3], l->x[0], l->out
#define PIXELS (size_t)t->dim[0], (size_t)hone_count(t, 2), l->x[0], l->out
#define ROWS   l->rows, l->x[0], l->out
#define BOTH   l->ndim, l->dim[0], l->ndim, l->dim[1], l->x[0], l->x[1], l->out
#define LIMITS l->low, l->high,
#define AT(what, d) (uint32_t)l->window.what[d]
#define WINDOW AT(begin, 0), AT(end, 1), AT(end, 0), AT(begin, 1), AT(kernel, 0), AT(kernel, 1), \
	AT(stride, 0), AT(stride, 1),
#define APART  AT(dilation, 0), AT(dilation, 1),
#define CCC    l->c, l->c, l->c,
#define GROUPS (uint32_t)(t->dim[1] / w->dim[1]), (size_t)w->dim[1], \
	l->c * (size_t)w->dim[1] / (size_t)t->dim[1], (size_t)t->dim[1], l->c, l->weights, l->row,
#define MATRIX (size_t)t->dim[t->rank - 1], l->c, (size_t)t->dim[t->rank - 1], l->c, w->data, l->row,
#define ORDER  (hone_attr_int(l->call, "trans_b", 0, 0) ? 0 : XNN_FLAG_TRANSPOSE_WEIGHTS) |
#define SLOPE  (float)hone_attr_float(l->call, "alpha", 0, 0),
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
	static enum xnn_status create_##op_(struct xnn_layer *l, tensor *t, tensor *w) \
	{ \
		return (void)t, (void)w, xnn_create_##name(how XNN_FLAG_YIELD_WORKERS, &l->op); \
	} \
	static enum xnn_status setup_##op_(struct xnn_layer *l, tensor *t) \
	{ \
		return (void)t, xnn_setup_##name(l->op, place, l->pool); \
	}
OPERATORS(DEFINE)
#define WAY(op_, check_, name, place, how) { #op_, check_, create_##op_, setup_##op_ },

static const struct xnn_way {
	const char *op;
	const char *(*check)(struct xnn_layer *l);
	enum xnn_status (*create)(struct xnn_layer *l, tensor *t, tensor *w);
	enum xnn_status (*setup)(struct xnn_layer *l, tensor *t);
} ways[] = { OPERATORS(WAY) };

/* --- a match becomes an operator */

/* What is behind the first call: a bias, one number or one for each channel, and limits. */
static const char *read_rest(struct xnn_layer *l)
{
	const struct hone_region_call *first = l->call, *end = first + l->region->ncalls;
	bool product = hone_is_op(first, "matmul"), weighs = product || hone_is_op(first, "conv");
	bool alone = l->way->check == check_unary || hone_is_op(first, "max") || hone_is_op(first, "min");
	for (const struct hone_region_call *c = first; c < end; c++) {
		bool limits = hone_limit(l->region, c, &l->low, &l->high);
		bool adds = weighs && c == first + 1 && hone_is_op(c, "add");
		if (c > first && (alone || !(limits || adds)))
			return "more than one operator";
		if (adds)
			l->bias = &l->region->tensors[hone_other(c, first->output)];
		if (adds && !hone_is_number(l->bias) &&
		    !hone_is_vector(l->bias, l->y, product ? l->y->rank - 1 : 1))
			return "a bias that is not one for each channel";
	}
	return l->low < l->high ? NULL : "limits with nothing between them";
}

static int plan(struct xnn_layer *l, const struct hone_region *r, char *why)
{
	*l = (struct xnn_layer){ .region = r, .call = r->calls, .y = &r->tensors[r->outputs[0]],
				 .t = { hone_operand(r, r->calls, 0), hone_operand(r, r->calls, 1) },
				 .low = -INFINITY, .high = INFINITY };
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (hone_is_op(l->call, ways[i].op))
			l->way = &ways[i];
	l->c = l->y->rank > 1 ? (size_t)l->y->dim[1] : 1;
	const char *no = !l->way ? "no such operator" :
			 hone_count(l->t[0], 0) * hone_count(l->y, 0) == 0 ? "a tensor without elements" :
			 l->way->check(l);

	no = no ? no : read_rest(l);
	return no ? hone_refuse(why, "%s", no) : 0;
}

static void release(void *handle)
{
	struct xnn_layer *l = handle;
	xnn_delete_operator(l->op);
	pthreadpool_destroy(l->pool);
	free(l->own[0]), free(l->own[1]), free(l);
}

static int fails(enum xnn_status status, const char *what, char *why)
{
	return status == xnn_status_success ? 0 :
	       hone_refuse(why, "XNNPACK does not %s it (status %d)", what, status);
}

/* The operator of L. Weights are [oc, kernel..., ic] to it. */
static int create(struct xnn_layer *l, char *why)
{
	tensor *w = hone_is_op(l->call, "conv") ? l->t[1] : NULL;
	const float *from = w ? w->data : NULL;
	int64_t n = w ? hone_count(w, 0) : 0, ic = w ? w->dim[1] : 1, taps = w ? hone_count(w, 2) : 1;
	float *room = malloc(((size_t)n + l->c) * sizeof(float));
	enum xnn_status status = room ? xnn_initialize(NULL) : xnn_status_out_of_memory;

	for (int64_t i = 0; i < n && room; i++)
		room[(i / (ic * taps) * taps + i % taps) * ic + i / taps % ic] = from[i];
	for (size_t i = 0; i < l->c && room && l->bias; i++)
		room[(size_t)n + i] = ((const float *)l->bias->data)[hone_is_number(l->bias) ? 0 : i];
	l->weights = room, l->row = l->bias && room ? room + n : NULL;
	if (status == xnn_status_success)
		status = l->way->create(l, l->t[0], l->t[1]);
	free(room);
	return fails(status, "make", why);
}

static int claims(const struct hone_region *region, char *why)
{
	struct xnn_layer l;
	return plan(&l, region, why);
}

static int init(const struct hone_region *region, const void *artifact, size_t size, int threads,
		void **handle, char *why)
{
	struct xnn_layer *l = calloc(1, sizeof(*l));
	int rc = l ? plan(l, region, why) : hone_refuse(why, "no memory");
	(void)artifact, (void)size;
	rc = rc < 0 ? rc : create(l, why);
	if (rc == 0 && threads > 1 && !(l->pool = pthreadpool_create((size_t)threads)))
		rc = hone_refuse(why, "no threads");
	if (rc < 0 && l)
		release(l), l = NULL;
	*handle = l;
	return rc;
}

/* Operand I at X, or a copy where XNNPACK may read beyond its end onto another page. NULL: no memory. */
static const float *readable(struct xnn_layer *l, int i, const float *x)
{
	size_t size = (size_t)hone_count(l->t[i], 0) * sizeof(*x), page = (size_t)sysconf(_SC_PAGESIZE);
	uintptr_t end = (uintptr_t)x + size;
	if ((end - 1) / page == (end + XNN_EXTRA_BYTES - 1) / page)
		return x;
	if (!l->own[i])
		l->own[i] = malloc(size + XNN_EXTRA_BYTES);
	return l->own[i] ? memcpy(l->own[i], x, size) : NULL;
}

static int run(void *handle, const void *const *inputs, void *const *outputs, char *why)
{
	struct xnn_layer *l = handle;
	bool moved = outputs[0] != l->out;
	for (int i = 0; i < (l->way->check == check_binary ? 2 : 1); i++) {
		const void *at = hone_elements(l->region, l->call->inputs[i], inputs, outputs);
		const float *x = readable(l, i, at);
		if (!x)
			return hone_refuse(why, "no memory");
		moved |= x != l->x[i];
		l->x[i] = x;
	}
	l->out = outputs[0];
	if (!moved || fails(l->way->setup(l, l->t[0]), "prepare", why) == 0)
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
	.abi = HONE_GENERATOR_ABI, .name = "xnnpack", .grain = HONE_KERNELS,
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
	.version = version, .claims = claims, .init = init, .run = run, .release = release,
};
