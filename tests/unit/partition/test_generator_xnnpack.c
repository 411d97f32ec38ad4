/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/partition/test_generator_xnnpack.c - what the generator of XNNPACK computes, match by match and in each
 * storage of images, against the interpreter. */
#include "tests/generator/generator_check.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/generator/generator_cases.h"
#include "tests/skip.h"

/* The generator; skips the test where it was not built. */
static struct backend load(struct arena *a)
{
	struct backend b;

	if (access("./hone-xnnpack.so", R_OK) != 0) {
		arena_free(a);
		skip_part("xnnpack", "its library was not found by configure");
		skip();
	}
	if (backend_load(a, "./hone-xnnpack.so", &b) < 0)
		fail_msg("%s", err_get());
	return b;
}

/* --- storages */

static const int storages[] = { 0, 1, 8, 16 };

enum { NSTORAGES = sizeof(storages) / sizeof(storages[0]) };

/* How an image of TYPE is stored in turn WHICH; row-major where the blocks do not divide its channels. */
static int channels_of(const struct type *t, int which)
{
	int64_t dim[GRAPH_MAX_RANK];

	if (t->rank < 3 || t->rank > 5)
		return 0;
	type_shape(t, dim);
	return storages[which] > 1 && dim[1] % storages[which] ? 0 : storages[which];
}

static const struct region_view *view_of(struct graph_maker *m, int which)
{
	const struct function *f = graph_main(m->g);
	int *channels = arena_many(m->a, int, f->bindings.n);

	for (int v = 0; v < f->bindings.n; v++)
		channels[v] = function_at(f, v)->kind == BIND_CONST ? 0
			: channels_of(function_at(f, v)->type, which);
	return stored_view(m, channels);
}

static int64_t count_of(const struct hone_region_tensor *t)
{
	int64_t count = 1;

	for (int i = 0; i < t->rank; i++)
		count *= t->dim[i];
	return count;
}

/* Where T has its element I, counted row-major. */
static int64_t place(const struct hone_region_tensor *t, int64_t i)
{
	int64_t block = t->channels, pixels = 1;

	if (!t->channels)
		return i;
	for (int d = 2; d < t->rank; d++)
		pixels *= t->dim[d];
	if (block == 1)
		block = t->dim[1];
	int64_t pixel = i % pixels, channel = i / pixels % t->dim[1], image = i / pixels / t->dim[1];

	return ((image * (t->dim[1] / block) + channel / block) * pixels + pixel) * block + channel % block;
}

/* --- runs */

/* Memory that ends where no other may be read. */
struct fenced {
	char *pages;
	size_t size;
	float *at;
};

static struct fenced fenced_new(int64_t count)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = (size_t)count * sizeof(float);
	struct fenced f = { .size = (bytes + page - 1) / page * page + page };

	f.pages = mmap(NULL, f.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(f.pages != MAP_FAILED);
	assert_int_equal(mprotect(f.pages + f.size - page, page, PROT_NONE), 0);
	f.at = (float *)(f.pages + f.size - page - bytes);
	return f;
}

enum { MAX_INPUTS = 2 };

struct xnnpack_memory {
	struct fenced in[MAX_INPUTS];
	float *out;		/* as it is stored */
	float *rows;		/* row-major */
};

static struct xnnpack_memory memory_new(const struct hone_region *r, bool fenced)
{
	struct xnnpack_memory x = { 0 };
	int64_t count;

	assert_true(r->ninputs <= MAX_INPUTS);
	for (int i = 0; i < r->ninputs; i++)
		if (fenced)
			x.in[i] = fenced_new(count_of(&r->tensors[r->inputs[i]]));
		else
			x.in[i].at = generator_room(&r->tensors[r->inputs[i]], &count);
	x.out = generator_room(&r->tensors[r->outputs[0]], &count);
	x.rows = generator_room(&r->tensors[r->outputs[0]], &count);
	return x;
}

static void memory_free(const struct hone_region *r, struct xnnpack_memory *x)
{
	for (int i = 0; i < r->ninputs; i++)
		if (x->in[i].pages)
			assert_int_equal(munmap(x->in[i].pages, x->in[i].size), 0);
		else
			free(x->in[i].at);
	free(x->out);
	free(x->rows);
}

static void run_once(struct graph_maker *m, const struct backend *b, const struct region_view *view,
		     void *handle, struct xnnpack_memory *x, const char *name, uint64_t seed)
{
	const struct hone_region *r = &view->region;
	struct interp interp = interp_begin(m->a, m->g, interp_usual_limits);
	struct value *args = generator_args(m, seed), want;
	const void *inputs[MAX_INPUTS];
	char why[HONE_WHY_BYTES] = "";

	for (int i = 0; i < r->ninputs; i++) {
		const struct hone_region_tensor *t = &r->tensors[r->inputs[i]];
		const float *from = args[view->inputs.at[i]].array->data;

		for (int64_t k = 0; k < count_of(t); k++)
			x->in[i].at[place(t, k)] = from[k];
		inputs[i] = x->in[i].at;
	}
	if (b->generator->run(handle, inputs, (void *[]){ x->out }, why) != 0)
		fail_msg("%s: %s", name, why);
	if (interp_run(&interp, m->g->main, args, graph_main(m->g)->nparams, &want) < 0)
		fail_msg("%s", err_get());
	interp_end(&interp);
	for (int64_t k = 0; k < want.array->count; k++)
		x->rows[k] = x->out[place(&r->tensors[r->outputs[0]], k)];
	assert_close(name, x->rows, want.array);
	array_release(want.array);
}

/* With all in other memory, with the same again, with the inputs alone in other memory; by one thread and by
 * two. */
static void check_stored(struct graph_maker *m, const struct backend *b, const struct region_view *view,
			 const char *name)
{
	const struct hone_region *r = &view->region;
	struct xnnpack_memory one = memory_new(r, true), two = memory_new(r, false), three = memory_new(r, false);
	struct xnnpack_memory two_to_three = three;
	char why[HONE_WHY_BYTES] = "";

	two_to_three.in[0] = two.in[0];
	two_to_three.in[1] = two.in[1];
	for (int threads = 1; threads <= 2; threads++) {
		void *handle = NULL;

		if (b->generator->init(r, NULL, 0, threads, &handle, why) != 0)
			fail_msg("%s: %s", name, why);
		run_once(m, b, view, handle, &one, name, 1);
		run_once(m, b, view, handle, &two, name, 2);
		run_once(m, b, view, handle, &two, name, 3);
		run_once(m, b, view, handle, &three, name, 4);
		run_once(m, b, view, handle, &two_to_three, name, 5);
		b->generator->release(handle);
	}
	memory_free(r, &one);
	memory_free(r, &two);
	memory_free(r, &three);
}

/* One pattern matches all calls of M's main. */
static void check_match(struct graph_maker *m, const struct backend *b, const char *name)
{
	const struct function *f = graph_main(m->g);
	struct flow flow = flow_new(m->a, f);
	int first = f->nparams, calls = 0, most = 0;

	for (int v = f->bindings.n - 1; v >= f->nparams; v--)
		if (flow.needed[v] && function_at(f, v)->kind == BIND_CALL) {
			first = v;
			calls++;
		}
	for (int i = 0; i < b->npatterns; i++) {
		struct value_vec members;

		if (pattern_match(m->a, b->patterns[i], &flow, first, &members) && members.n > most)
			most = members.n;
	}
	if (most != calls)
		fail_msg("%s: patterns match %d of %d calls", name, most, calls);
}

/* --- convolutions */

static int relu(struct graph_maker *m, int x)
{
	return build(&m->b, &core_relu, x);
}

static int clip(struct graph_maker *m, int x, double low, double high)
{
	return build(&m->b, &core_clip, x, build_scalar(&m->b, ELEMENT_F32, low),
		     build_scalar(&m->b, ELEMENT_F32, high));
}

static int conv_clip(struct graph_maker *m)
{
	return clip(m, conv(m, input(m, 1, 5, 6, 7), 5, 7, 3, 1), -1, 22);
}

static int conv_scalar_bias(struct graph_maker *m)
{
	int x = conv(m, input(m, 2, 8, 6, 7), 8, 16, 2, 0);

	return build(&m->b, &core_add, weight(m, 1), x);
}

static int conv_same_upper(struct graph_maker *m)
{
	struct slide_attrs s = { 2, .strides = { 2, 3 }, .auto_pad = "same_upper" };
	int x = input(m, 1, 8, 11, 12);

	return slide(m, &core_conv, s, x, signed_weight(m, DIMS(24, 8, 4, 2)));
}

static int conv_same_lower(struct graph_maker *m)
{
	struct slide_attrs s = { 2, .strides = { 2, 1 }, .dilations = { 2, 1 }, .auto_pad = "same_lower" };
	int x = input(m, 1, 8, 11, 12);

	return slide(m, &core_conv, s, x, signed_weight(m, DIMS(24, 8, 2, 4)));
}

static int grouped(struct graph_maker *m, int64_t ic, int64_t oc, int64_t groups, int64_t k, int64_t stride)
{
	struct slide_attrs s = { 2, .strides = { stride, stride }, .pads = { 1, 0, 2, 1 }, .groups = groups };
	int x = input(m, 2, ic, 9, 8);

	return slide(m, &core_conv, s, x, signed_weight(m, DIMS(oc, ic / groups, k, k)));
}

static int conv_grouped(struct graph_maker *m)
{
	return relu(m, bias(m, grouped(m, 16, 24, 4, 3, 1), 24));
}

static int conv_depthwise(struct graph_maker *m)
{
	return clip(m, bias(m, grouped(m, 24, 24, 24, 3, 1), 24), 0, 6);
}

static int conv_depthwise_odd(struct graph_maker *m)
{
	return grouped(m, 7, 7, 7, 5, 2);
}

static int conv_depthwise_twice(struct graph_maker *m)
{
	return bias(m, grouped(m, 5, 10, 5, 3, 1), 10);
}

static int conv_of_gray(struct graph_maker *m)
{
	return conv(m, input(m, 1, 1, 6, 7), 1, 1, 3, 1);
}

static int conv_of_pixels(struct graph_maker *m)
{
	return relu(m, conv(m, input(m, 2, 16, 1, 1), 16, 32, 1, 0));
}

/* --- pools */

static int pooled(struct graph_maker *m, const struct core_op *op, struct slide_attrs s)
{
	int x = input(m, 2, 16, 14, 15);

	return slide(m, op, s, x, VALUE_NONE);
}

static int max_padded(struct graph_maker *m)
{
	return relu(m, pooled(m, &core_max_pool,
			      (struct slide_attrs){ 2, { 3, 3 }, { 2, 2 }, .pads = { 1, 0, 1, 2 } }));
}

static int max_ceil(struct graph_maker *m)
{
	return pooled(m, &core_max_pool, (struct slide_attrs){ 2, { 3, 4 }, { 2, 3 }, .ceil = true });
}

static int max_dilated(struct graph_maker *m)
{
	return pooled(m, &core_max_pool,
		      (struct slide_attrs){ 2, { 2, 4 }, { 2, 1 }, .dilations = { 3, 2 } });
}

static int max_same(struct graph_maker *m)
{
	return pooled(m, &core_max_pool,
		      (struct slide_attrs){ 2, { 3, 3 }, { 2, 2 }, .auto_pad = "same_upper" });
}

static int max_odd(struct graph_maker *m)
{
	struct slide_attrs s = { 2, { 4, 4 }, { 1, 5 }, .pads = { 3, 2, 1, 0 } };
	int x = input(m, 1, 7, 6, 9);

	return slide(m, &core_max_pool, s, x, VALUE_NONE);
}

static int avg_plain(struct graph_maker *m)
{
	return pooled(m, &core_avg_pool, (struct slide_attrs){ 2, { 2, 2 }, { 2, 2 }, .include = true });
}

static int avg_padded(struct graph_maker *m)
{
	struct slide_attrs s = { 2, { 3, 3 }, { 1, 2 }, .pads = { 1, 2, 0, 1 } };

	return clip(m, pooled(m, &core_avg_pool, s), -0.1, 0.1);
}

static int avg_ceil(struct graph_maker *m)
{
	return pooled(m, &core_avg_pool, (struct slide_attrs){ 2, { 3, 2 }, { 2, 2 }, .ceil = true });
}

static int avg_ceil_included(struct graph_maker *m)
{
	return pooled(m, &core_avg_pool,
		      (struct slide_attrs){ 2, { 3, 2 }, { 2, 2 }, .ceil = true, .include = true });
}

static int avg_same(struct graph_maker *m)
{
	return pooled(m, &core_avg_pool,
		      (struct slide_attrs){ 2, { 3, 4 }, { 2, 1 }, .auto_pad = "same_lower" });
}

static int mean_over(struct graph_maker *m, int x, int64_t keepdims, int n, const int64_t *axes)
{
	struct attr_vec attrs = { 0 };

	attrs_int(m->a, &attrs, "keepdims", keepdims);
	return build_with(&m->b, &core_reduce_mean, &attrs, x, build_ints(&m->b, n, axes));
}

static int mean_kept(struct graph_maker *m)
{
	return relu(m, mean_over(m, input(m, 2, 16, 5, 7), 1, DIMS(2, -1)));
}

static int mean_gone(struct graph_maker *m)
{
	return mean_over(m, input(m, 1, 21, 7, 7), 0, DIMS(-2, 3));
}

static int mean_of_rows(struct graph_maker *m)
{
	return mean_over(m, input(m, 2, 8, 9), 0, DIMS(2));
}

static int mean_of_volumes(struct graph_maker *m)
{
	return mean_over(m, input(m, 1, 8, 3, 4, 5), 1, DIMS(2, 3, 4));
}

/* --- products */

static int dense_relu(struct graph_maker *m)
{
	int x = input(m, 5, 13);

	return relu(m, affine(m, x, signed_weight(m, DIMS(13, 9)), false, weight(m, 1, 9)));
}

static int dense_swapped(struct graph_maker *m)
{
	int x = input(m, 1, 13);

	return clip(m, product(m, x, signed_weight(m, DIMS(7, 13)), false, true), -0.5, 0.5);
}

static int dense_number(struct graph_maker *m)
{
	int x = input(m, 4, 13);

	return affine(m, x, signed_weight(m, DIMS(7, 13)), true, weight(m, 1));
}

static int dense_of_vector(struct graph_maker *m)
{
	int x = input(m, 13);

	return product(m, x, signed_weight(m, DIMS(13, 8)), false, false);
}

static int dense_of_stack(struct graph_maker *m)
{
	int x = input(m, 2, 8, 5, 13);

	return affine(m, x, signed_weight(m, DIMS(1, 9, 13)), true, weight(m, 9));
}

/* --- element by element */

static int of_two(struct graph_maker *m, const struct core_op *op)
{
	int x = input(m, 2, 16, 5, 6), y = input(m, 2, 16, 5, 6);

	return build(&m->b, op, x, y);
}

static int add_relu(struct graph_maker *m)
{
	return relu(m, of_two(m, &core_add));
}

static int sub_clip(struct graph_maker *m)
{
	return clip(m, of_two(m, &core_sub), -0.25, 0.5);
}

static int max_of_two(struct graph_maker *m)
{
	return of_two(m, &core_max);
}

static int min_of_two(struct graph_maker *m)
{
	return of_two(m, &core_min);
}

static int div_by_channels(struct graph_maker *m)
{
	int x = input(m, 2, 16, 5, 6);

	return build(&m->b, &core_div, x, weight(m, 16, 1, 1));
}

static int number_less_volume(struct graph_maker *m)
{
	int x = input(m, 1, 8, 3, 4, 5);

	return build(&m->b, &core_sub, weight(m, 1), x);
}

/* As in squeeze and excitation. */
static int mul_by_gates(struct graph_maker *m)
{
	int x = input(m, 2, 16, 1, 1), y = input(m, 2, 16, 5, 6);

	return build(&m->b, &core_mul, x, y);
}

static int mul_by_row(struct graph_maker *m)
{
	int x = input(m, 2, 16, 5, 6), y = input(m, 6);

	return build(&m->b, &core_mul, x, y);
}

static int add_to_mask(struct graph_maker *m)
{
	int x = input(m, 2, 1, 5, 6), y = input(m, 1, 16, 5, 1);

	return build(&m->b, &core_add, x, y);
}

/* The second has channels of its own where the first has rows. */
static int add_planes(struct graph_maker *m)
{
	int x = input(m, 2, 16, 5, 6), y = input(m, 16, 5, 6);

	return build(&m->b, &core_add, x, y);
}

static int twice(struct graph_maker *m)
{
	int x = input(m, 3, 7);

	return build(&m->b, &core_add, x, x);
}

static int outer(struct graph_maker *m)
{
	int x = input(m, 4, 1), y = input(m, 1, 5);

	return build(&m->b, &core_mul, x, y);
}

static int six_dims(struct graph_maker *m)
{
	int x = input(m, 2, 1, 3, 1, 2, 3), y = input(m, 3, 4, 1, 3);

	return build(&m->b, &core_add, x, y);
}

static int add_constant_image(struct graph_maker *m)
{
	int x = input(m, 1, 16, 5, 6);

	return build(&m->b, &core_add, x, weight(m, 16, 5, 6));
}

static int unary(struct graph_maker *m, const struct core_op *op)
{
	return build(&m->b, op, input(m, 1, 16, 5, 7));
}

static int relu_alone(struct graph_maker *m)
{
	return unary(m, &core_relu);
}

static int clip_alone(struct graph_maker *m)
{
	return clip(m, input(m, 2, 16, 3, 3), -0.125, 0.25);
}

static int clip_above(struct graph_maker *m)
{
	int x = input(m, 7);

	return build(&m->b, &core_clip, x, VALUE_NONE, build_scalar(&m->b, ELEMENT_F32, 0.25));
}

static int sigmoid(struct graph_maker *m)
{
	return unary(m, &core_sigmoid);
}

static int hard_swish(struct graph_maker *m)
{
	return unary(m, &core_hard_swish);
}

static int leaky_relu(struct graph_maker *m)
{
	return with_alpha(m, &core_leaky_relu, input(m, 1, 8, 5, 7), 0.2);
}

static int elu(struct graph_maker *m)
{
	return with_alpha(m, &core_elu, input(m, 3, 11), 0.5);
}

/* --- the tables */

/* Storages in which it is claimed: of the inputs, and of what comes of them where the blocks divide it. */
enum { ROWS = 1, LAST = 2, BY_8 = 4, BY_16 = 8, ALL = 15 };

#define NOT_LAST "not channels last"
#define MIXED "different orders"

static const struct xnnpack_case {
	const char *name;
	int (*make)(struct graph_maker *m);
	int claimed;
	const char *else_says;
} cases[] = {
	{ "conv, bias, relu", conv_bias_relu, LAST, NOT_LAST },
	{ "conv 1x1, batch of 2", conv_alone, LAST, NOT_LAST },
	{ "conv with strides, dilations and pads", conv_strided, LAST, NOT_LAST },
	{ "conv and clip, odd channels", conv_clip, LAST, NOT_LAST },
	{ "conv and a number", conv_scalar_bias, LAST, NOT_LAST },
	{ "conv, same_upper", conv_same_upper, LAST, NOT_LAST },
	{ "conv, same_lower", conv_same_lower, LAST, NOT_LAST },
	{ "conv with groups", conv_grouped, LAST, NOT_LAST },
	{ "depthwise conv", conv_depthwise, LAST, NOT_LAST },
	{ "depthwise conv, strided, odd channels", conv_depthwise_odd, LAST, NOT_LAST },
	{ "depthwise conv, two of each", conv_depthwise_twice, LAST, NOT_LAST },
	{ "conv of one channel", conv_of_gray, ALL, NULL },
	{ "conv of single pixels", conv_of_pixels, ALL, NULL },
	{ "max_pool, padded, relu", max_padded, LAST | BY_16, NOT_LAST },
	{ "max_pool, ceil", max_ceil, LAST | BY_16, NOT_LAST },
	{ "max_pool, dilated", max_dilated, LAST | BY_16, NOT_LAST },
	{ "max_pool, same", max_same, LAST | BY_16, NOT_LAST },
	{ "max_pool, odd", max_odd, LAST, NOT_LAST },
	{ "avg_pool", avg_plain, LAST | BY_16, NOT_LAST },
	{ "avg_pool, padded, clip", avg_padded, LAST | BY_16, NOT_LAST },
	{ "avg_pool, ceil", avg_ceil, LAST | BY_16, NOT_LAST },
	{ "avg_pool, ceil, counting padding", avg_ceil_included, LAST | BY_16, NOT_LAST },
	{ "avg_pool, same", avg_same, LAST | BY_16, NOT_LAST },
	{ "mean, relu", mean_kept, LAST | BY_16, NOT_LAST },
	{ "mean without dims", mean_gone, LAST, NOT_LAST },
	{ "mean of rows", mean_of_rows, LAST | BY_8, NOT_LAST },
	{ "mean of volumes", mean_of_volumes, LAST | BY_8, NOT_LAST },
	{ "dense, relu", dense_relu, ALL, NULL },
	{ "dense, transposed, clip", dense_swapped, ALL, NULL },
	{ "dense and a number", dense_number, ALL, NULL },
	{ "dense of a vector", dense_of_vector, ALL, NULL },
	{ "dense of a stack", dense_of_stack, ROWS | BY_16, "do not lie in a row" },
	{ "add, relu", add_relu, ALL, NULL },
	{ "sub, clip", sub_clip, ALL, NULL },
	{ "max", max_of_two, ALL, NULL },
	{ "min", min_of_two, ALL, NULL },
	{ "div by a constant for each channel", div_by_channels, ALL, NULL },
	{ "a number less a volume", number_less_volume, ALL, NULL },
	{ "mul by gates", mul_by_gates, ALL, NULL },
	{ "mul by a row", mul_by_row, ALL, NULL },
	{ "mask and columns", add_to_mask, ALL, NULL },
	{ "images and planes", add_planes, ROWS, MIXED },
	{ "twice", twice, ALL, NULL },
	{ "outer product", outer, ALL, NULL },
	{ "sum of six dims", six_dims, ROWS | BY_8 | BY_16, MIXED },
	{ "add of a constant image", add_constant_image, ROWS, MIXED },
	{ "relu", relu_alone, ALL, NULL },
	{ "clip", clip_alone, ALL, NULL },
	{ "clip of one side", clip_above, ALL, NULL },
	{ "sigmoid", sigmoid, ALL, NULL },
	{ "hard_swish", hard_swish, ALL, NULL },
	{ "leaky_relu", leaky_relu, ALL, NULL },
	{ "elu", elu, ALL, NULL },
};

static void check_case(struct graph_maker *m, const struct backend *b, const struct xnnpack_case *c)
{
	check_match(m, b, c->name);
	for (int i = 0; i < NSTORAGES; i++) {
		const struct region_view *view = view_of(m, i);
		char why[HONE_WHY_BYTES] = "", name[128];
		bool claimed;

		snprintf(name, sizeof(name), "%s, storage %d", c->name, storages[i]);
		assert_non_null(view);
		claimed = b->generator->claims(&view->region, why) == 0;
		if (claimed != ((c->claimed & 1 << i) != 0))
			fail_msg("%s: %s", name, claimed ? "claimed" : why);
		if (claimed)
			check_stored(m, b, view, name);
		else if (!strstr(why, c->else_says))
			fail_msg("%s: '%s' says nothing of '%s'", name, why, c->else_says);
	}
}

static void test_results(void **state)
{
	struct arena *a = arena_new();
	struct backend b = load(a);

	(void)state;
	assert_int_equal(b.generator->grain, HONE_KERNELS);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct graph_maker m = graph_maker_new();

		finish(&m, cases[i].make(&m));
		check_case(&m, &b, &cases[i]);
		arena_free(m.a);
	}
	arena_free(a);
}

/* --- what it refuses, images with channels last */

static int of_doubles(struct graph_maker *m)
{
	return relu(m, build_param(&m->b, "", type_shaped(m->a, ELEMENT_F64, DIMS(4, 4))));
}

static int of_nothing(struct graph_maker *m)
{
	return relu(m, input(m, 4, 0));
}

static int unknown(struct graph_maker *m)
{
	return build(&m->b, &core_sin, input(m, 4, 4));
}

static int computed_weights(struct graph_maker *m)
{
	int x = input(m, 1, 4, 6, 6), w = input(m, 8, 4, 3, 3);

	return build(&m->b, &core_conv, x, w);
}

static int conv_cropping(struct graph_maker *m)
{
	struct slide_attrs s = { 2, .pads = { 0, 0, 0, -1 } };
	int x = input(m, 1, 4, 6, 6);

	return slide(m, &core_conv, s, x, weight(m, 8, 4, 3, 3));
}

static int max_of_padding(struct graph_maker *m)
{
	return pooled(m, &core_max_pool, (struct slide_attrs){ 2, { 2, 2 }, .pads = { 0, 0, 0, 2 } });
}

static int max_dilated_padded(struct graph_maker *m)
{
	return pooled(m, &core_max_pool,
		      (struct slide_attrs){ 2, { 2, 2 }, .dilations = { 2, 1 }, .pads = { 1, 0, 1, 0 } });
}

static int max_of_one(struct graph_maker *m)
{
	return pooled(m, &core_max_pool, (struct slide_attrs){ 2, { 1, 1 }, .pads = { 0 } });
}

static int avg_dilated(struct graph_maker *m)
{
	return pooled(m, &core_avg_pool, (struct slide_attrs){ 2, { 2, 2 }, .dilations = { 2, 1 } });
}

static int avg_including(struct graph_maker *m)
{
	return pooled(m, &core_avg_pool,
		      (struct slide_attrs){ 2, { 3, 3 }, .pads = { 1, 1, 1, 1 }, .include = true });
}

static int mean_of_channels(struct graph_maker *m)
{
	return mean_over(m, input(m, 1, 4, 6, 6), 1, DIMS(1));
}

static int mean_of_rows_only(struct graph_maker *m)
{
	return mean_over(m, input(m, 1, 4, 6, 6), 1, DIMS(3));
}

static int product_by_stack(struct graph_maker *m)
{
	int x = input(m, 2, 5, 7);

	return product(m, x, weight(m, 2, 7, 4), false, false);
}

static int product_of_inputs(struct graph_maker *m)
{
	int x = input(m, 5, 7), y = input(m, 7, 5);

	return product(m, x, y, false, false);
}

static int product_by_vector(struct graph_maker *m)
{
	int x = input(m, 5, 7);

	return product(m, x, weight(m, 7), false, false);
}

static int product_of_columns(struct graph_maker *m)
{
	int x = input(m, 7, 5);

	return product(m, x, weight(m, 7, 4), true, false);
}

static int product_and_column(struct graph_maker *m)
{
	int x = input(m, 5, 7);

	return affine(m, x, weight(m, 7, 4), false, weight(m, 5, 1));
}

static int product_and_matrix(struct graph_maker *m)
{
	int x = input(m, 1, 7);

	return affine(m, x, weight(m, 7, 4), false, weight(m, 4, 1));
}

static int two_products(struct graph_maker *m)
{
	int x = input(m, 5, 7);

	return product(m, product(m, x, weight(m, 7, 4), false, false), weight(m, 4, 3), false, false);
}

static int sigmoid_and_clip(struct graph_maker *m)
{
	return clip(m, sigmoid(m), 0.25, 0.5);
}

static int max_and_relu(struct graph_maker *m)
{
	return relu(m, max_of_two(m));
}

static int sum_of_sum(struct graph_maker *m)
{
	return build(&m->b, &core_add, of_two(m, &core_add), weight(m, 1));
}

static int computed_limit(struct graph_maker *m)
{
	int x = input(m, 4, 4), y = input(m, 1);

	return build(&m->b, &core_clip, x, y);
}

static int no_range(struct graph_maker *m)
{
	return clip(m, input(m, 4, 4), 1, 1);
}

static int negative_elu(struct graph_maker *m)
{
	return with_alpha(m, &core_elu, input(m, 4, 4), -0.5);
}

static int seven_dims(struct graph_maker *m)
{
	int x = input(m, 2, 1, 2, 1, 2, 1, 2);

	return build(&m->b, &core_add, x, x);
}

static void test_refusals(void **state)
{
	static const struct {
		int (*make)(struct graph_maker *m);
		const char *says;
	} refused[] = {
		{ of_nothing, "without elements" },
		{ unknown, "no such operator" },
		{ conv_cropping, "negative padding" },
		{ max_of_padding, "padding alone" },
		{ max_dilated_padded, "dilations" },
		{ max_of_one, "one element" },
		{ avg_dilated, "dilations" },
		{ avg_including, "counts padding" },
		{ mean_of_channels, "other than all spatial dims" },
		{ mean_of_rows_only, "other than all spatial dims" },
		{ product_by_stack, "no matrix" },
		{ product_by_vector, "no matrix" },
		{ product_and_column, "not one for each channel" },
		{ product_and_matrix, "not one for each channel" },
		{ two_products, "more than one operator" },
		{ sigmoid_and_clip, "more than one operator" },
		{ max_and_relu, "more than one operator" },
		{ sum_of_sum, "more than one operator" },
		{ no_range, "nothing between" },
		{ negative_elu, "elu without a limit" },
	};
	struct arena *a = arena_new();
	struct backend b = load(a);

	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct graph_maker m = graph_maker_new();
		const struct region_view *view;
		char why[HONE_WHY_BYTES] = "";
		void *handle = NULL;

		finish(&m, refused[i].make(&m));
		view = view_of(&m, 1);
		assert_non_null(view);
		assert_int_not_equal(b.generator->claims(&view->region, why), 0);
		if (!strstr(why, refused[i].says))
			fail_msg("'%s' says nothing of '%s'", why, refused[i].says);
		assert_int_not_equal(b.generator->init(&view->region, NULL, 0, 1, &handle, why), 0);
		arena_free(m.a);
	}
	arena_free(a);
}

/* What no pattern matches. */
static void test_unmatched(void **state)
{
	int (*const make[])(struct graph_maker *m) = {
		of_doubles, unknown, computed_weights, conv_1d, conv_3d, pool_1d, pool_3d, product_of_inputs,
		product_of_columns, computed_limit, seven_dims,
	};
	struct arena *a = arena_new();
	struct backend b = load(a);

	(void)state;
	for (size_t i = 0; i < sizeof(make) / sizeof(make[0]); i++) {
		struct graph_maker m = graph_maker_new();
		const char *why;

		finish(&m, make[i](&m));
		why = unclaimed(&m, &b);
		if (!why || strcmp(why, "no pattern matches") != 0)
			fail_msg("case %zu: %s", i, why ? why : "claimed");
		arena_free(m.a);
	}
	arena_free(a);
}

/* Operands, or an operand and the result, that are stored otherwise than each other. */
static void test_mixed_storage(void **state)
{
	static const struct {
		int (*make)(struct graph_maker *m);
		int operands, result;
		const char *says;
	} mixed[] = {
		{ add_relu, 0, 1, MIXED },
		{ add_relu, 1, 0, MIXED },
		{ add_relu, 8, 1, MIXED },
		{ add_relu, 1, 16, NULL },	/* 16 channels: the same */
		{ relu_alone, 1, 0, "stored otherwise" },
		{ relu_alone, 8, 1, "stored otherwise" },
		{ relu_alone, 16, 1, NULL },
		{ avg_plain, 1, 0, NOT_LAST },
		{ avg_plain, 0, 1, NOT_LAST },
		{ avg_plain, 16, 1, NULL },
	};
	struct arena *a = arena_new();
	struct backend b = load(a);

	(void)state;
	for (size_t i = 0; i < sizeof(mixed) / sizeof(mixed[0]); i++) {
		struct graph_maker m = graph_maker_new();
		const struct function *f = graph_main(m.g);
		const struct region_view *view;
		char why[HONE_WHY_BYTES] = "";
		int *channels;

		finish(&m, mixed[i].make(&m));
		channels = arena_many(m.a, int, f->bindings.n);
		for (int v = 0; v < f->bindings.n; v++)
			channels[v] = v < f->nparams ? mixed[i].operands : mixed[i].result;
		view = stored_view(&m, channels);
		assert_non_null(view);
		if (b.generator->claims(&view->region, why) == 0)
			assert_null(mixed[i].says);
		else if (!mixed[i].says || !strstr(why, mixed[i].says))
			fail_msg("'%s' instead of '%s'", why, mixed[i].says ? mixed[i].says : "a claim");
		if (!mixed[i].says)
			check_stored(&m, &b, view, "mixed storage");
		arena_free(m.a);
	}
	arena_free(a);
}

static void test_version(void **state)
{
	struct arena *a = arena_new();
	struct backend b = load(a);

	(void)state;
	assert_int_equal(strncmp(b.generator->version(), "XNNPACK ", 8), 0);
	assert_true(strlen(b.generator->version()) > 8);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_results),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_unmatched),
		cmocka_unit_test(test_mixed_storage),
		cmocka_unit_test(test_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
