/* SPDX-License-Identifier: Apache-2.0 */
/* partition/generators/onednn.c - oneDNN: one primitive and its post-ops, on images stored as hone says; f32,
 * bf16, and integers of 8 bits with what makes numbers of their sums and integers of these.
 * Holds: constants of the region are never written to; a run reorders and allocates nothing. What oneDNN has
 * only reference code for is refused. Its relu, clip and max_pool may lose NaN, which hone's keep. */
#include <oneapi/dnnl/dnnl.h>
#include <omp.h>
#include <stdlib.h>
#include "include/hone_generator_sums.h"

#define UNARY "(relu | leaky_relu | clip[const] | sigmoid | tanh | silu | gelu | hard_swish)"
#define BEHIND UNARY "? (add " UNARY "?)?"
#define SUMS(type) "(conv[" type ", const] | matmul[" type ", const])"
#define DONE(status) must(k, (status) == dnnl_success, "oneDNN has no code for this form of it")
#define BITS(isa, base) (dnnl_cpu_isa_##isa & ~dnnl_cpu_isa_##base)
enum { MAX_ARGS = 16, /* more than a match of any pattern has, and a result */
       VNNI = BITS(avx512_core_vnni, avx512_core) | BITS(avx2_vnni, avx2) };
typedef const struct hone_region_tensor tensor;
typedef const struct hone_region_call call;

struct onednn_kernel {
	const struct hone_region *r;
	tensor *t, *result;
	char *why;			/* of who asks now */
	int threads, nargs, at[MAX_ARGS];	/* by argument, its tensor */
	dnnl_exec_arg_t args[MAX_ARGS + 1];	/* and a scratchpad: oneDNN's own is of one thread */
	dnnl_memory_desc_t md[MAX_ARGS], y;	/* by argument, as it comes; the result */
	dnnl_engine_t engine; dnnl_stream_t stream;
	dnnl_primitive_attr_t attr; dnnl_post_ops_t ops;
	dnnl_primitive_desc_t pd; dnnl_primitive_t primitive;
};

static bool must(struct onednn_kernel *k, bool holds, const char *why)
{
	return holds || hone_refuse(k->why, "%s", why) == 0;
}

static dnnl_alg_kind_t kind_of(call *c)
{
	static const struct { const char *op; dnnl_alg_kind_t kind; } all[] = {
		{ "add", dnnl_binary_add }, { "mul", dnnl_binary_mul }, { "sigmoid", dnnl_eltwise_logistic },
		{ "relu", dnnl_eltwise_relu }, { "tanh", dnnl_eltwise_tanh }, { "silu", dnnl_eltwise_swish },
		{ "leaky_relu", dnnl_eltwise_relu }, { "hard_swish", dnnl_eltwise_hardswish },
		{ "clip", dnnl_eltwise_clip }, { "gelu", dnnl_eltwise_gelu_erf },
		{ "div", dnnl_eltwise_linear }, { "round", dnnl_eltwise_linear },
		{ "max_pool", dnnl_pooling_max }, { "avg_pool", dnnl_pooling_avg },
	};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (hone_is_op(c, all[i].op))
			return all[i].kind;
	return dnnl_convolution_auto;
}

static const dnnl_data_type_t types[] = {	/* none: dnnl_data_type_undef */
	[HONE_F32] = dnnl_f32, [HONE_BF16] = dnnl_bf16, [HONE_I32] = dnnl_s32,
	[HONE_I8] = dnnl_s8, [HONE_U8] = dnnl_u8, [HONE_OTHER] = dnnl_data_type_undef,
};

/* T with dims of 1 before its own, RANK in all; CHANNELS as hone_generator.h has them. */
static dnnl_memory_desc_t aligned(tensor *t, int channels, int rank)
{
	int64_t block = channels == HONE_CHANNELS_LAST ? t->dim[1] : channels ? channels : 1, step = block;
	int c = rank - t->rank + 1;
	dnnl_dims_t dims = { 0 };
	for (int i = 0; i < rank; i++)
		dims[i] = i < c - 1 ? 1 : t->dim[i - c + 1];
	dnnl_memory_desc_t md;
	dnnl_blocking_desc_t *b = &md.format_desc.blocking;
	dnnl_memory_desc_init_by_strides(&md, rank, dims, types[t->type], NULL);
	for (int i = rank - 1; i >= 0; step *= i == c ? dims[i] / block : dims[i], i--)
		b->strides[i] = i == c && channels == HONE_CHANNELS_LAST ? 1 : step;
	b->inner_nblks = channels > HONE_CHANNELS_LAST, b->inner_blks[0] = block, b->inner_idxs[0] = c;
	return md;
}

/* The primitive has tensor AT, which comes as MD, as its argument ARG. */
static bool give(struct onednn_kernel *k, int arg, int at, dnnl_memory_desc_t md, const void *data)
{
	k->args[k->nargs].arg = arg, k->at[k->nargs] = at, k->md[k->nargs] = md;
	return DONE(dnnl_memory_create(&k->args[k->nargs++].memory, &md, k->engine, (void *)data));
}

/* The calls from C on become post-ops, but for a cast at the end: storing is one. X: what the first reads. */
static bool append(struct onednn_kernel *k, call *c, int x)
{
	call *end = k->r->calls + k->r->ncalls - hone_is_op(k->r->calls + k->r->ncalls - 1, "cast");
	for (dnnl_alg_kind_t last = 0; c < end; x = c++->output) {
		dnnl_alg_kind_t kind = kind_of(c);
		int other = hone_other(c, x), n = dnnl_post_ops_len(k->ops);
		bool clips = kind == dnnl_eltwise_clip, rounds = kind == dnnl_eltwise_linear;
		float alpha = (float)hone_attr_float(c, "alpha", 0, 0);
		float p[] = { clips ? -INFINITY : alpha, clips ? INFINITY : 0 };
		struct hone_grid grid = { 1, 0 };
		tensor *t = &k->t[other < 0 ? x : other];	/* none: it is not looked at */
		bool whole = other >= 0 && other != x && t->rank == k->y.ndims &&
			     hone_count(t, 0) == hone_count(k->result, 0);
		dnnl_memory_desc_t md = whole ? k->y : aligned(t, 0, k->y.ndims);
		if (!must(k, !rounds || hone_is_grid(k->r, c, &grid), "what makes no integers of a byte"))
			return false;
		if (rounds)	/* and what oneDNN stores is rounded and kept within its type */
			p[0] = 1 / grid.scale, p[1] = grid.zero, end = c + 1;
		md.data_type = types[t->type];
		/* Of two functions of one kind, oneDNN 2.6 gives both the parameters of the last. */
		if (!must(k, kind != last, "a function twice") ||
		    !must(k, !clips || hone_limit(k->r, c, &p[0], &p[1]), "limits that are computed") ||
		    (kind < dnnl_binary_add
		    ? !DONE(dnnl_post_ops_append_eltwise(k->ops, 1, last = kind, p[0], p[1]))
		    : !must(k, t->data ? !whole : whole && hone_storage(t) == hone_storage(k->result),
			    "neither a constant that broadcasts nor an image stored as the result") ||
		      !give(k, DNNL_ARG_ATTR_MULTIPLE_POST_OP(n) | DNNL_ARG_SRC_1, other, md, t->data) ||
		      !DONE(dnnl_post_ops_append_binary(k->ops, kind, &md))))
			return false;
	}
	return DONE(dnnl_primitive_attr_set_post_ops(k->attr, k->ops));
}

/* A convolution of WEIGHTS, or a pool, which the mean over all spatial dims is with one window. */
static bool slide(struct onednn_kernel *k, call *c, dnnl_memory_desc_t *weights, dnnl_memory_desc_t *bias,
		  void *op)
{
	struct hone_window w = hone_window_of(k->r, c);
	bool mean = hone_is_op(c, "reduce_mean"), pads = hone_attr_int(c, "count_include_pad", 0, 0);
	dnnl_alg_kind_t kind = pads ? dnnl_pooling_avg_include_padding : mean ? dnnl_pooling_avg : kind_of(c);
	dnnl_prop_kind_t use = dnnl_forward_inference;
	dnnl_dims_t kernel, stride, gap, begin, end;
	for (int d = 0; d < w.dims; d++) {
		kernel[d] = w.kernel[d], stride[d] = w.stride[d], gap[d] = w.dilation[d] - 1;
		begin[d] = w.begin[d], end[d] = w.end[d];
	}
	if (!must(k, !mean || hone_is_spatial(k->r, c), "a mean over other than all spatial dims") ||
	    !must(k, !w.crops, "negative padding") ||
	    !must(k, weights || !w.empty, "windows of padding alone") ||
	    !must(k, !pads || !w.beyond, "an average that counts some padding"))
		return false;
	return DONE(weights ? dnnl_dilated_convolution_forward_desc_init(op, use, kind, k->md, weights, bias,
				&k->y, stride, gap, begin, end)
			    : dnnl_pooling_v2_forward_desc_init(op, use, kind, k->md, &k->y,
				stride, kernel, gap, begin, end));
}

/* The first call with its operands, a constant vector that is added next as its bias, and what follows. */
static bool describe(struct onednn_kernel *k, call *c, call *next)
{
	bool conv = hone_is_op(c, "conv"), product = hone_is_op(c, "matmul");
	int rank = k->result->rank, axis = conv ? 1 : rank - 1, swap[DNNL_MAX_NDIMS];
	union { dnnl_convolution_desc_t conv; dnnl_pooling_v2_desc_t pool; dnnl_matmul_desc_t product; } op;
	dnnl_memory_desc_t md, any[2], *bias = NULL;
	if (!must(k, hone_count(&k->t[c->output], 0) == hone_count(k->result, 0),
		  "what comes before broadcasts"))
		return false;
	for (int i = 0; i < 1 + (conv || product); i++) {
		struct hone_region_tensor x = k->t[c->inputs[i]];
		int64_t groups = i ? hone_attr_int(c, "groups", 0, 1) : 1;
		int nd = rank + (groups > 1), swaps = (int)hone_attr_int(c, i ? "trans_b" : "trans_a", 0, 0);
		if (!must(k, x.rank == rank || (x.rank < rank && !x.channels), "a product with a vector"))
			return false;
		if (groups > 1) {	/* to oneDNN they are a dim */
			memmove(x.dim + 1, x.dim, sizeof(x.dim) - sizeof(x.dim[0]));
			x.dim[0] = groups, x.dim[1] /= groups, x.rank++;
		}
		md = aligned(&x, x.data ? 0 : x.channels, nd);
		for (int e = 0; e < nd; e++)
			swap[e] = swaps && e >= nd - 2 ? 2 * nd - 3 - e : e;
		dnnl_memory_desc_permute_axes(&any[i], &md, swap);
		if (!give(k, i ? DNNL_ARG_WEIGHTS : DNNL_ARG_SRC, c->inputs[i], any[i], x.data))
			return false;
		if (x.data)
			any[i].format_kind = dnnl_format_kind_any;
	}
	bool sums = conv || product, integers = k->t[c->output].type == HONE_I32;
	struct hone_sum sum = sums ? hone_sum_of(k->r, axis) : (struct hone_sum){ -1, -1, next };
	tensor *b = &k->t[sum.bias < 0 ? 0 : sum.bias], *scales = &k->t[sum.scales < 0 ? 0 : sum.scales];
	tensor vector = { .type = b->type, .rank = 1, .dim = { k->result->dim[axis] } };
	md = aligned(&vector, 0, conv ? 1 : rank), bias = sum.bias < 0 ? NULL : &md, next = sum.next;
	/* Without VNNI oneDNN adds products of bytes in 16 bits, which overflow. */
	if (!must(k, !integers || sum.scales >= 0, "sums of integers that are not scaled") ||
	    !must(k, !integers || dnnl_get_effective_cpu_isa() & VNNI, "a CPU without VNNI") ||
	    (bias && !give(k, DNNL_ARG_BIAS, sum.bias, md, b->data)) ||
	    (integers && !DONE(dnnl_primitive_attr_set_output_scales(k->attr, hone_count(scales, 0),
				hone_is_number(scales) ? 0 : 1 << axis, scales->data))))
		return false;
	return (product ? DONE(dnnl_matmul_desc_init(&op.product, &any[0], &any[1], bias, &k->y))
			: slide(k, c, conv ? &any[1] : NULL, bias, &op)) &&
	       append(k, next, next[-1].output) &&
	       DONE(dnnl_primitive_desc_create(&k->pd, &op, k->attr, k->engine, NULL));
}

/* The primitive of k->pd, and constants in the layouts that it reads. */
static bool make(struct onednn_kernel *k)
{
	dnnl_engine_t e = k->engine;
	const_dnnl_primitive_desc_t pd;	/* not k->pd: oneDNN may reuse what it made for equal bytes */
	bool ok = DONE(dnnl_primitive_create(&k->primitive, k->pd)) &&
		  DONE(dnnl_primitive_get_primitive_desc(k->primitive, &pd));
	for (int i = 0; i < k->nargs && ok; i++) {
		const dnnl_memory_desc_t *want =
			dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, k->args[i].arg);
		dnnl_exec_arg_t args[] = { { DNNL_ARG_FROM, k->args[i].memory }, { DNNL_ARG_TO, NULL } };
		dnnl_primitive_desc_t move = NULL;
		dnnl_primitive_t reorder = NULL;
		if (!k->t[k->at[i]].data || dnnl_memory_desc_equal(want, &k->md[i]))
			continue;
		ok = DONE(dnnl_memory_create(&args[1].memory, want, e, DNNL_MEMORY_ALLOCATE)) &&
		     DONE(dnnl_reorder_primitive_desc_create(&move, &k->md[i], e, want, e, NULL)) &&
		     DONE(dnnl_primitive_create(&reorder, move)) &&
		     DONE(dnnl_primitive_execute(reorder, k->stream, 2, args));
		dnnl_primitive_destroy(reorder), dnnl_primitive_desc_destroy(move);
		dnnl_memory_destroy(args[0].memory), k->args[i].memory = args[1].memory;
	}
	k->args[k->nargs].arg = DNNL_ARG_SCRATCHPAD;
	return ok && DONE(dnnl_memory_create(&k->args[k->nargs].memory,
					     dnnl_primitive_desc_query_md(pd, dnnl_query_scratchpad_md, 0), e,
					     DNNL_MEMORY_ALLOCATE));
}

static void release(void *handle)
{
	struct onednn_kernel *k = handle;
	dnnl_primitive_destroy(k->primitive), dnnl_primitive_desc_destroy(k->pd);
	for (int i = 0; i <= k->nargs; i++)
		dnnl_memory_destroy(k->args[i].memory);
	dnnl_post_ops_destroy(k->ops), dnnl_primitive_attr_destroy(k->attr);
	dnnl_stream_destroy(k->stream), dnnl_engine_destroy(k->engine);
	free(k);
}

/* HANDLE: NULL where hone only asks. */
static int init(const struct hone_region *r, const void *a, size_t n, int threads, void **handle, char *why)
{
	struct onednn_kernel *k = calloc(1, sizeof(*k));
	int before = omp_get_max_threads();
	const char *code = "";
	(void)a, (void)n;
	if (!k)
		return -1;
	k->r = r, k->why = why, k->threads = threads;
	k->t = r->tensors, k->result = &r->tensors[r->outputs[0]];
	omp_set_num_threads(threads);
	k->y = aligned(k->result, k->result->channels, k->result->rank);
	bool ok = must(k, hone_count(k->result, 0) * hone_count(k->t, 0) > 0, "a tensor without elements") &&
		  DONE(dnnl_engine_create(&k->engine, dnnl_cpu, 0)) && DONE(dnnl_post_ops_create(&k->ops)) &&
		  DONE(dnnl_stream_create(&k->stream, k->engine, dnnl_stream_default_flags)) &&
		  DONE(dnnl_primitive_attr_create(&k->attr)) &&
		  DONE(dnnl_primitive_attr_set_scratchpad_mode(k->attr, dnnl_scratchpad_mode_user)) &&
		  describe(k, r->calls, r->calls + 1) && give(k, DNNL_ARG_DST, r->outputs[0], k->y, NULL) &&
		  DONE(dnnl_primitive_desc_query(k->pd, dnnl_query_impl_info_str, 0, &code)) &&
		  must(k, strncmp(code, "ref", 3) != 0, "oneDNN has only reference code for it") &&
		  (!handle || make(k));
	omp_set_num_threads(before);
	if (ok && handle)
		*handle = k;
	else
		release(k);
	return ok ? 0 : -1;
}

static int claims(const struct hone_region *region, char *why)
{
	return init(region, NULL, 0, 1, NULL, why);
}

static int run(void *handle, const void *const *inputs, void *const *outputs, char *why)
{
	struct onednn_kernel *k = handle;
	int before = omp_get_max_threads();
	bool ok = true;
	k->why = why;
	for (int i = 0; i < k->nargs && ok; i++) {
		const void *at = hone_elements(k->r, k->at[i], inputs, outputs);
		ok = k->t[k->at[i]].data || DONE(dnnl_memory_set_data_handle(k->args[i].memory, (void *)at));
	}
	omp_set_num_threads(k->threads);
	ok = ok && DONE(dnnl_primitive_execute(k->primitive, k->stream, k->nargs + 1, k->args));
	omp_set_num_threads(before);
	return ok ? 0 : -1;
}

static const char *version(void)
{
	static char text[64];
	const dnnl_version_t *v = dnnl_version();
	snprintf(text, sizeof(text), "oneDNN %d.%d.%d", v->major, v->minor, v->patch);
	return text;
}

__attribute__((visibility("default"))) const struct hone_generator hone_generator = {
	.abi = HONE_GENERATOR_ABI, .name = "onednn", .grain = HONE_KERNELS,
	.summary = "oneDNN: convolutions, products, pools, with what follows them, on images as they are",
	.patterns = (const struct hone_pattern[]){
		{ "conv", "conv[f32, const] bias_add? " UNARY "?" },
		{ "conv-sum", "conv[f32, const] bias_add? " UNARY "? (add | mul) " UNARY "?" },
		{ "bf16", SUMS("bf16") " cast[f32] bias_add? " BEHIND " cast[bf16]?" },
		{ "int8", SUMS("i32") " bias_add? cast mul[const] " BEHIND " (div? round add? clip cast)?" },
		{ "dense", "matmul[f32] (add | mul)? add? " UNARY "?" },
		{ "matmul", "matmul[f32]" },
		{ "pool", "(max_pool[f32] | avg_pool[f32] | reduce_mean[f32, const, keepdims=1])" },
		{ NULL, NULL } },
	.version = version, .claims = claims, .init = init, .run = run, .release = release,
};
