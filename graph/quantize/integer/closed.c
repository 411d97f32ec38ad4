/* SPDX-License-Identifier: Apache-2.0 */
/* graph/quantize/integer/closed.c - moves, pools, bounds and means. */
#include "graph/quantize/integer/closed.h"

#include <math.h>

#include "base/err.h"
#include "graph/op/dense/slide.h"
#include "graph/quantize/build.h"

/* --- which they are */

static bool pads_with_0(const struct function *f, const struct binding *b)
{
	double value = 0;

	return b->op == &core_pad && strcmp(call_string(b, "mode"), "constant") == 0 &&
	       (call_arg(b, 2) == VALUE_NONE || quant_number(f, b->args[2], &value)) && value == 0;
}

bool integer_moves(const struct function *f, const struct binding *b)
{
	static const struct core_op *const moves[] = { &core_identity, &core_reshape, &core_squeeze,
						       &core_unsqueeze, &core_transpose, &core_slice,
						       &core_expand, &core_tile };

	for (size_t i = 0; i < sizeof(moves) / sizeof(*moves); i++)
		if (b->op == moves[i])
			return true;
	return pads_with_0(f, b);
}

bool integer_picks(const struct function *f, const struct binding *b)
{
	double low, high;

	if (b->op == &core_clip)
		return b->nargs == 3 && quant_number(f, b->args[1], &low) && quant_number(f, b->args[2], &high) &&
		       low <= high;
	return b->op == &core_max_pool || b->op == &core_relu;
}

bool integer_is_bounded_by_0(const struct function *f, const struct binding *b)
{
	double low;

	return b->op == &core_relu || (b->op == &core_clip && quant_number(f, b->args[1], &low) && low >= 0);
}

/* The window of the call B on an image of type T. NULL, or what is wrong. */
static const char *window_of(struct arena *a, const struct binding *b, const struct type *t, struct slide *s)
{
	int64_t dim[GRAPH_MAX_RANK];
	const char *why = slide_read_pool(a, b, t->rank - 2, s);

	type_shape(t, dim);
	return why ? why : slide_fit(a, b, dim + 2, s);
}

static bool is_padded(const struct slide *s)
{
	for (int i = 0; i < s->nd; i++)
		if (s->before[i] || s->after[i])
			return true;
	return false;
}

int64_t integer_mean_count(struct arena *a, const struct function *f, const struct binding *b)
{
	const struct type *from = b->nargs > 0 && b->args[0] >= 0 ? function_at(f, b->args[0])->type : NULL;
	struct slide s;

	if (b->op == &core_reduce_mean)
		return b->nargs < 2 || b->args[1] < 0 || function_const(f, b->args[1])
			       ? type_count(from) / type_count(b->type)
			       : 0;
	/* a window beyond the padding has fewer elements than others, and so one that does not count it */
	if (b->op != &core_avg_pool || call_flag(b, "ceil") || window_of(a, b, from, &s) ||
	    (is_padded(&s) && !call_flag(b, "count_include_pad")))
		return 0;
	return slide_taps(&s);
}

/* --- what they are made of */

int integer_build_narrow(struct builder *b, int z, int shift, int low, int high)
{
	z = build(b, &core_shift_right, z, build_scalar(b, ELEMENT_I32, shift));
	z = build(b, &core_clip, z, build_scalar(b, ELEMENT_I32, low), build_scalar(b, ELEMENT_I32, high));
	return quant_build_cast(b, z, ELEMENT_I8);
}

int integer_build_scaled(struct builder *b, int x, int32_t by)
{
	if (x >= 0 && build_type(b, x)->element != ELEMENT_I32)
		x = quant_build_cast(b, x, ELEMENT_I32);
	return build(b, &core_mul, x, build_scalar(b, ELEMENT_I32, by));
}

/* The attributes of OF but for those of LEFT_OUT. */
static struct attr_vec attrs_without(struct arena *a, const struct binding *of, const char *const *left_out, int n)
{
	struct attr_vec attrs = { 0 };

	for (int i = 0; i < of->nattrs; i++) {
		bool keep = true;

		for (int k = 0; k < n; k++)
			keep &= strcmp(of->attrs[i].name, left_out[k]) != 0;
		if (keep)
			vec_push(a, &attrs, of->attrs[i]);
	}
	return attrs;
}

/* The maximum of windows over Q, which is never below 0: padded with 0 it is the same, and machines that read an
 * image into a memory of their own put zeros around it. */
static int build_padded_pool(struct builder *b, const struct binding *of, int q)
{
	static const char *const padding[] = { "pads", "auto_pad", "ceil" };
	struct attr_vec attrs = attrs_without(b->arena, of, padding, 3);
	struct slide s;
	const char *why = window_of(b->arena, of, build_type(b, q), &s);

	if (why) {
		err_set("max_pool: %s", why);
		return VALUE_FAILED;
	}
	/* as far as the last window reads: what lies behind it is not needed, and `ceil` reads beyond the padding */
	for (int i = 0; i < s.nd; i++) {
		int64_t last = (s.out[i] - 1) * s.stride[i] + (s.kernel[i] - 1) * s.dilation[i] + 1;
		int64_t missing = last - s.in[i] - s.before[i];

		s.after[i] = missing > 0 ? missing : 0;
	}
	return build_with(b, &core_max_pool, &attrs, quant_build_pad(b, q, s.nd, s.before, s.after, 0));
}

int integer_bound(double x, struct quant_grid grid)
{
	return (int)fmin(fmax(rint(x / (double)grid.scale), INT8_MIN), INT8_MAX);
}

int integer_build_same(struct builder *b, const struct function *f, const struct binding *of, const int *args,
		       struct quant_grid grid, bool positive)
{
	double low = 0, high = 0;

	if (args[0] < 0)
		return VALUE_FAILED;
	if (of->op == &core_max_pool && positive)
		return build_padded_pool(b, of, args[0]);
	if (of->op == &core_clip && quant_number(f, of->args[1], &low) && quant_number(f, of->args[2], &high))
		return build(b, &core_clip, args[0], build_scalar(b, ELEMENT_I8, integer_bound(low, grid)),
			     build_scalar(b, ELEMENT_I8, integer_bound(high, grid)));
	if (of->op != &core_pad || call_arg(of, 2) == VALUE_NONE)
		return build_copy(b, of, args, NULL);
	int *with = arena_memdup(b->arena, args, sizeof(*args) * (size_t)of->nargs);

	with[2] = build_scalar(b, ELEMENT_I8, 0);
	return build_copy(b, of, with, NULL);
}

/* The sums of the windows of OF, in i32: a convolution of each channel by itself with weights of 1. */
static int build_window_sums(struct builder *b, const struct binding *of, int q)
{
	static const char *const pool[] = { "kernel", "ceil", "count_include_pad" };
	struct attr_vec attrs = attrs_without(b->arena, of, pool, 3);
	const struct type *image = build_type(b, q);
	int64_t dim[GRAPH_MAX_RANK] = { image->dim[1].n, 1 };
	int n;
	const int64_t *kernel = call_ints(of, "kernel", &n);

	memcpy(dim + 2, kernel, sizeof(*kernel) * (size_t)n);
	struct array *ones = array_in(b->arena, ELEMENT_I8, image->rank, dim);

	memset(ones->data, 1, (size_t)ones->count);
	attrs_int(b->arena, &attrs, "groups", dim[0]);
	return build_with(b, &core_conv, &attrs, q, build_const(b, ones));
}

/* Does the call OF give one mean for each channel of its image? */
static bool is_global(const struct binding *of, const struct type *image)
{
	for (int i = 2; i < image->rank; i++)
		if (of->type->dim[i].n != 1)
			return false;
	return true;
}

/* The same over all of an image, which is never padded. */
static int build_image_sums(struct builder *b, int q)
{
	int64_t axes[GRAPH_MAX_RANK];
	int rank = build_type(b, q)->rank;

	for (int i = 2; i < rank; i++)
		axes[i - 2] = i;
	return build(b, &core_reduce_sum, quant_build_cast(b, q, ELEMENT_I32), build_ints(b, rank - 2, axes));
}

static int build_mean_sums(struct builder *b, const struct binding *of, const int *args)
{
	struct attr_vec attrs = attrs_without(b->arena, of, NULL, 0);
	const struct type *image = build_type(b, args[0]);
	struct slide s;

	if (of->op == &core_reduce_mean) {
		int x[] = { quant_build_cast(b, args[0], ELEMENT_I32), of->nargs > 1 ? args[1] : VALUE_NONE };

		return build_call(b, &core_reduce_sum, of->nargs, x, &attrs);
	}
	if (is_global(of, image) && !window_of(b->arena, of, image, &s) && !is_padded(&s) &&
	    slide_taps(&s) == slide_elements(&s))
		return build_image_sums(b, args[0]);
	return build_window_sums(b, of, args[0]);
}

int integer_build_mean(struct builder *b, const struct binding *of, const int *args,
		       const struct integer_scale *scale)
{
	if (args[0] < 0)
		return VALUE_FAILED;
	int z = integer_build_scaled(b, build_mean_sums(b, of, args), scale->term[0]);

	z = build(b, &core_add, z, build_scalar(b, ELEMENT_I32, ldexp(1, scale->shift - 1)));
	return integer_build_narrow(b, z, scale->shift, INT8_MIN, INT8_MAX);
}
