/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/partition/test_generator_read.c - what hone_generator_read.h says of regions, against loops that go
 * through elements, windows and values one by one. */
#include "tests/fixture/graph_fixture.h"

#include "include/hone_generator_read.h"

typedef const struct hone_region_tensor tensor;

/* --- attributes and operands */

static void test_attributes(void **state)
{
	const struct hone_region_attr attrs[] = {
		{ .name = "strides", .n = 2, .ints = (const int64_t[]){ 2, 3 } },
		{ .name = "pads" },
		{ .name = "alpha", .n = 1, .floats = (const double[]){ 0.25 } },
		{ .name = "auto_pad", .text = "explicit" },
	};
	const struct hone_region_call c = { .op = "conv", .nattrs = 4, .attrs = attrs };

	(void)state;
	assert_true(hone_is_op(&c, "conv"));
	assert_false(hone_is_op(&c, "conv_transpose"));
	assert_ptr_equal(hone_attr(&c, "pads"), &attrs[1]);
	assert_null(hone_attr(&c, "pad"));
	assert_int_equal(hone_attr_int(&c, "strides", 1, 1), 3);
	assert_int_equal(hone_attr_int(&c, "strides", 2, 1), 1);
	assert_int_equal(hone_attr_int(&c, "pads", 0, 7), 7);
	assert_int_equal(hone_attr_int(&c, "alpha", 0, 5), 5);		/* of another type */
	assert_int_equal(hone_attr_int(&c, "auto_pad", 0, 5), 5);
	assert_true(hone_attr_float(&c, "alpha", 0, 1) == 0.25);
	assert_true(hone_attr_float(&c, "strides", 0, 1) == 1);
	assert_true(hone_attr_float(&c, "beta", 0, 0.5) == 0.5);
	assert_true(hone_attr_is(&c, "auto_pad", "explicit"));
	assert_false(hone_attr_is(&c, "auto_pad", "same_upper"));
	assert_false(hone_attr_is(&c, "strides", "explicit"));
	assert_false(hone_attr_is(&c, "mode", "explicit"));
}

static void test_operands(void **state)
{
	const float seven = 7;
	tensor t[] = { { .rank = 2, .dim = { 3, 5 } }, { .data = &seven }, { .rank = 1, .dim = { 5 } } };
	const struct hone_region_call c = { .op = "add", .ninputs = 3, .inputs = (const int[]){ 1, 0, -1 },
					    .output = 2 };
	const struct hone_region r = { .ntensors = 3, .tensors = t, .ncalls = 1, .calls = &c,
				       .ninputs = 1, .noutputs = 1,
				       .inputs = (const int[]){ 0 }, .outputs = (const int[]){ 2 } };
	float x = 1, y = 2;
	const void *inputs[] = { &x };
	void *outputs[] = { &y };

	(void)state;
	assert_ptr_equal(hone_operand(&r, &c, 0), &t[1]);
	assert_null(hone_operand(&r, &c, 2));
	assert_null(hone_operand(&r, &c, 3));
	assert_int_equal(hone_other(&c, 1), 0);
	assert_int_equal(hone_other(&c, 0), 1);
	assert_ptr_equal(hone_elements(&r, 0, inputs, outputs), &x);
	assert_ptr_equal(hone_elements(&r, 1, inputs, NULL), &seven);
	assert_ptr_equal(hone_elements(&r, 2, inputs, outputs), &y);
	assert_null(hone_elements(&r, 2, inputs, NULL));
	assert_null(hone_elements(&r, -1, inputs, outputs));
	assert_int_equal(hone_count(&t[0], 0), 15);
	assert_int_equal(hone_count(&t[0], 1), 5);
	assert_int_equal(hone_count(&t[0], 2), 1);
	assert_int_equal(hone_count(&t[1], 0), 1);
}

static void test_refuse(void **state)
{
	char why[HONE_WHY_BYTES + 1], longer[2 * HONE_WHY_BYTES];

	(void)state;
	assert_int_equal(hone_refuse(why, "%d of %s", 3, "these"), -1);
	assert_string_equal(why, "3 of these");
	memset(longer, 'x', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	why[HONE_WHY_BYTES] = '!';
	hone_refuse(why, "%s", longer);
	assert_int_equal(strlen(why), HONE_WHY_BYTES - 1);
	assert_int_equal(why[HONE_WHY_BYTES], '!');
}

static void test_types(void **state)
{
	static const size_t bytes[] = {
		[HONE_F32] = 4, [HONE_F64] = 8, [HONE_F16] = 2, [HONE_BF16] = 2, [HONE_I8] = 1,
		[HONE_U8] = 1, [HONE_I32] = 4, [HONE_I64] = 8, [HONE_BOOL] = 1, [HONE_OTHER] = 0,
	};

	(void)state;
	for (int t = HONE_F32; t <= HONE_OTHER; t++)
		assert_int_equal(hone_type_bytes((enum hone_type)t), bytes[t]);
}

/* --- shapes */

/* Goes on to the next index within DIM; false behind the last. */
static bool step(int rank, const int64_t *dim, int64_t *at)
{
	for (int d = rank - 1; d >= 0; d--) {
		if (++at[d] < dim[d])
			return true;
		at[d] = 0;
	}
	return false;
}

static void test_broadcast(void **state)
{
	tensor out = { .rank = 4, .dim = { 2, 3, 4, 5 } };
	tensor of[] = {
		{ .rank = 0 }, { .rank = 1, .dim = { 5 } }, { .rank = 2, .dim = { 4, 1 } },
		{ .rank = 4, .dim = { 2, 1, 4, 1 } }, { .rank = 3, .dim = { 3, 1, 5 } },
		{ .rank = 4, .dim = { 2, 3, 4, 5 } },
	};

	(void)state;
	for (size_t k = 0; k < sizeof(of) / sizeof(of[0]); k++) {
		struct hone_region_tensor long_one = hone_aligned(&of[k], 4);
		int64_t at[4] = { 0 }, i = 0;

		assert_int_equal(long_one.rank, 4);
		do {
			int64_t want = 0;

			for (int d = 0; d < of[k].rank; d++)
				want = want * of[k].dim[d] + (of[k].dim[d] == 1 ? 0 : at[4 - of[k].rank + d]);
			assert_int_equal(hone_broadcast(&of[k], &out, i), want);
			assert_int_equal(hone_broadcast(&long_one, &out, i), want);
			i++;
		} while (step(4, out.dim, at));
		assert_int_equal(i, hone_count(&out, 0));
	}
}

/* Where the element at AT of T lies, whose memory is of CHANNELS. */
static int64_t place(tensor *t, int channels, const int64_t *at)
{
	int64_t block = channels == HONE_CHANNELS_LAST ? t->dim[1] : channels, out = at[0];

	if (channels == HONE_CHANNELS_FIRST)
		block = 1;
	out = out * (t->dim[1] / block) + at[1] / block;
	for (int d = 2; d < t->rank; d++)
		out = out * t->dim[d] + at[d];
	return out * block + at[1] % block;
}

/* Storages are equal where each element lies at the same place, and the dims of memory have them there. */
static void test_storages(void **state)
{
	static const int64_t shapes[][5] = {
		{ 2, 16, 3, 4 }, { 1, 8, 5, 2 }, { 2, 1, 3, 4 }, { 3, 16, 1, 1 }, { 1, 32, 2, 1 },
	};
	static const int storages[] = { HONE_CHANNELS_FIRST, HONE_CHANNELS_LAST, 8, 16 };

	(void)state;
	for (int k = 0; k < 5 * 4 * 4; k++) {
		struct hone_region_tensor a = { .rank = 4, .channels = storages[k / 4 % 4] }, b;
		bool same = true;
		int64_t at[4] = { 0 };

		memcpy(a.dim, shapes[k / 16], 4 * sizeof(a.dim[0]));
		b = a;
		b.channels = storages[k % 4];
		if ((a.channels > 1 && a.dim[1] % a.channels) || (b.channels > 1 && b.dim[1] % b.channels))
			continue;
		do {
			same &= place(&a, a.channels, at) == place(&b, b.channels, at);
		} while (step(4, a.dim, at));
		assert_int_equal(hone_storage(&a) == hone_storage(&b), same);
		assert_int_equal(hone_is_stored(&a, hone_storage(&b)) && hone_is_stored(&b, hone_storage(&a)),
				 same);
	}
}

static void assert_dims(tensor *t, int storage, int n, const size_t *want)
{
	size_t dim[HONE_MAX_RANK + 1];

	assert_int_equal(hone_memory_dims(t, storage, dim), n);
	for (int d = 0; d < n; d++)
		assert_int_equal(dim[d], want[d]);
}

#define SIZES(...) (int)(sizeof((size_t[]){ __VA_ARGS__ }) / sizeof(size_t)), (const size_t[]){ __VA_ARGS__ }

static void test_memory_dims(void **state)
{
	tensor image = { .rank = 4, .dim = { 2, 16, 3, 5 } }, one = { .rank = 4, .dim = { 1, 1, 3, 1 } };
	tensor volume = { .rank = 5, .dim = { 1, 8, 2, 3, 4 } }, vector = { .rank = 1, .dim = { 7 } };

	(void)state;
	assert_dims(&image, HONE_CHANNELS_FIRST, SIZES(2, 16, 3, 5));
	assert_dims(&image, HONE_CHANNELS_LAST, SIZES(2, 3, 5, 16));
	assert_dims(&image, 8, SIZES(2, 2, 3, 5, 8));
	assert_dims(&one, HONE_CHANNELS_LAST, SIZES(1, 3, 1, 1));
	assert_dims(&one, 8, SIZES(1, 1, 3, 1, 1));
	assert_dims(&volume, HONE_CHANNELS_LAST, SIZES(1, 2, 3, 4, 8));
	assert_dims(&vector, HONE_CHANNELS_FIRST, SIZES(7));
}

static void test_all_stored(void **state)
{
	const float data = 0;
	struct hone_region_tensor t[] = {
		{ .rank = 4, .dim = { 1, 8, 3, 3 }, .channels = 1 },
		{ .rank = 4, .dim = { 1, 16, 3, 3 }, .channels = 1 },
		{ .rank = 4, .dim = { 1, 8, 3, 3 }, .data = &data },
		{ .rank = 4, .dim = { 1, 8, 1, 1 }, .channels = 8 },
	};
	const struct hone_region r = { .ntensors = 4, .tensors = t, .ninputs = 2, .noutputs = 1,
				       .inputs = (const int[]){ 0, 3 }, .outputs = (const int[]){ 1 } };

	(void)state;
	assert_true(hone_all_stored(&r, HONE_CHANNELS_LAST));
	assert_false(hone_all_stored(&r, HONE_CHANNELS_FIRST));
	assert_int_equal(hone_storage(&t[2]), HONE_CHANNELS_FIRST);	/* a constant */
	assert_false(hone_is_stored(&t[2], HONE_CHANNELS_LAST));
	t[1].channels = 8;
	assert_false(hone_all_stored(&r, HONE_CHANNELS_LAST));
	t[1].channels = 16;	/* a single block */
	assert_true(hone_all_stored(&r, HONE_CHANNELS_LAST));
}

/* --- windows */

enum test_padding { EXPLICIT, CEIL, UPPER, LOWER };

struct test_line {
	int64_t in, kernel, stride, dilation, before, after;
	enum test_padding padding;
};

/* What windows have to do with the image. */
struct window_seen {
	int64_t windows, begin, end;
	bool padded, beyond, empty;
};

/* One window after the other, as ONNX says where they are. */
static struct window_seen look(const struct test_line *l)
{
	int64_t span = (l->kernel - 1) * l->dilation + 1, before = l->before, after = l->after;
	struct window_seen s = { 0 };
	bool same = l->padding == UPPER || l->padding == LOWER;

	if (same) {
		for (int64_t at = 0; at < l->in; at += l->stride)
			s.windows++;
		/* in turns behind and before */
		int64_t all = (s.windows - 1) * l->stride + span;

		before = after = 0;
		for (bool turn = l->padding == LOWER; before + l->in + after < all; turn = !turn)
			before += turn, after += !turn;
	} else {
		int64_t at = -before;
		bool ceil = l->padding == CEIL;

		for (; at + span <= l->in + after; at += l->stride)
			s.windows += !ceil || at < l->in;
		/* and one where the last does not end with the padding */
		if (ceil && s.windows && at - l->stride + span != l->in + after && at < l->in)
			s.windows++;
	}
	for (int64_t i = 0; i < s.windows; i++) {
		int64_t at = i * l->stride - before;
		bool any = false;

		for (int64_t e = at; e < at + span; e++) {
			s.begin = -e > s.begin ? -e : s.begin;
			s.end = e + 1 - l->in > s.end ? e + 1 - l->in : s.end;
			s.padded |= (e < 0) | (e >= l->in && e < l->in + after);
			s.beyond |= e >= l->in + after;
			any |= e >= 0 && e < l->in && (e - at) % l->dilation == 0;
		}
		s.empty |= !any;
	}
	return s;
}

/* The region of one call OP that slides over a line in two dims, A and B. */
static struct hone_window window_of(const char *op, const struct test_line *a, const struct test_line *b,
				    const struct window_seen *s)
{
	const char *const modes[] = { "explicit", "explicit", "same_upper", "same_lower" };
	const struct hone_region_attr attrs[] = {
		{ .name = "kernel", .n = 2, .ints = (const int64_t[]){ a->kernel, b->kernel } },
		{ .name = "strides", .n = 2, .ints = (const int64_t[]){ a->stride, b->stride } },
		{ .name = "dilations", .n = 2, .ints = (const int64_t[]){ a->dilation, b->dilation } },
		{ .name = "pads", .n = 4,
		  .ints = (const int64_t[]){ a->before, b->before, a->after, b->after } },
		{ .name = "auto_pad", .text = modes[a->padding] },
	};
	bool conv = strcmp(op, "conv") == 0;
	tensor t[] = {
		{ .rank = 4, .dim = { 1, 1, a->in, b->in } },
		{ .rank = 4, .dim = { 1, 1, a->kernel, b->kernel }, .data = op },
		{ .rank = 4, .dim = { 1, 1, s[0].windows, s[1].windows } },
	};
	const struct hone_region_call c = { .op = op, .ninputs = 1 + conv, .inputs = (const int[]){ 0, 1 },
					    .output = 2, .nattrs = 5 - conv, .attrs = attrs + conv };
	const struct hone_region r = { .ntensors = 3, .tensors = t, .ncalls = 1, .calls = &c };

	return hone_window_of(&r, &c);
}

static struct test_line random_line(struct rng *rng, enum test_padding padding)
{
	for (;;) {
		struct test_line l = {
			.in = 1 + (int64_t)rng_below(rng, 12), .kernel = 1 + (int64_t)rng_below(rng, 5),
			.stride = 1 + (int64_t)rng_below(rng, 4), .dilation = 1 + (int64_t)rng_below(rng, 3),
			.before = (int64_t)rng_below(rng, 4), .after = (int64_t)rng_below(rng, 4),
			.padding = padding,
		};

		if (padding >= UPPER)
			l.before = l.after = 0;
		if (look(&l).windows > 0)
			return l;
	}
}

static void test_windows(void **state)
{
	struct rng rng = rng_seed(1);
	int seen[4] = { 0 };

	(void)state;
	for (int i = 0; i < 20000; i++) {
		enum test_padding padding = (enum test_padding)(i % 4);
		const struct test_line l[] = { random_line(&rng, padding), random_line(&rng, padding) };
		const struct window_seen s[] = { look(&l[0]), look(&l[1]) };
		struct hone_window w = window_of(i / 4 % 2 ? "conv" : "max_pool", &l[0], &l[1], s);

		assert_int_equal(w.dims, 2);
		for (int d = 0; d < 2; d++) {
			assert_int_equal(w.in[d], l[d].in);
			assert_int_equal(w.out[d], s[d].windows);
			assert_int_equal(w.kernel[d], l[d].kernel);
			assert_int_equal(w.stride[d], l[d].stride);
			assert_int_equal(w.dilation[d], l[d].dilation);
			assert_int_equal(w.begin[d], s[d].begin);
			assert_int_equal(w.end[d], s[d].end);
			assert_int_equal(w.out[d],
					 (w.in[d] + w.begin[d] + w.end[d] - w.span[d]) / w.stride[d] + 1);
		}
		assert_int_equal(w.padded, s[0].padded || s[1].padded);
		assert_int_equal(w.beyond, s[0].beyond || s[1].beyond);
		assert_int_equal(w.empty, s[0].empty || s[1].empty);
		assert_int_equal(w.dilated, l[0].dilation > 1 || l[1].dilation > 1);
		assert_false(w.crops);
		seen[0] += w.padded, seen[1] += w.beyond, seen[2] += w.empty, seen[3] += w.dilated;
	}
	for (int k = 0; k < 4; k++)
		assert_in_range(seen[k], 1, 19999);
}

static void test_cropping(void **state)
{
	struct test_line a = { 8, 3, 1, 1, -1, 0, EXPLICIT }, b = { 8, 3, 1, 1, 0, 0, EXPLICIT };
	const struct window_seen s[] = { { .windows = 5 }, { .windows = 6 } };

	(void)state;
	assert_true(window_of("conv", &a, &b, s).crops);
	a.before = 0, a.after = -1;
	assert_true(window_of("conv", &a, &b, s).crops);
	a.after = 0;
	assert_false(window_of("conv", &a, &b, (const struct window_seen[]){ s[1], s[1] }).crops);
}

static void test_means(void **state)
{
	static const struct {
		int n;
		int64_t axes[3];
		bool spatial;
	} cases[] = {
		{ 2, { 2, 3 }, true }, { 2, { -1, -2 }, true }, { 3, { 2, -1, 3 }, true },
		{ 1, { 3 }, false }, { 3, { 1, 2, 3 }, false }, { 2, { 1, 3 }, false }, { 0, { 0 }, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		tensor t[] = {
			{ .rank = 4, .dim = { 2, 3, 5, 7 } },
			{ .type = HONE_I64, .rank = 1, .dim = { cases[i].n }, .data = cases[i].axes },
			{ .rank = 2, .dim = { 2, 3 } },
		};
		const struct hone_region_call c = { .op = "reduce_mean", .ninputs = 2,
						    .inputs = (const int[]){ 0, 1 }, .output = 2 };
		const struct hone_region r = { .ntensors = 3, .tensors = t, .ncalls = 1, .calls = &c };

		assert_int_equal(hone_is_spatial(&r, &c), cases[i].spatial);
		struct hone_window w = hone_window_of(&r, &c);

		assert_int_equal(w.kernel[0], 5);
		assert_int_equal(w.kernel[1], 7);
		assert_int_equal(w.out[0] * w.out[1], 1);
		assert_false(w.padded || w.beyond || w.empty || w.crops || w.dilated);
	}
}

/* --- biases and limits */

static void test_biases(void **state)
{
	const float data[12] = { 0 };
	tensor y = { .rank = 4, .dim = { 2, 6, 5, 6 } };
	tensor of[] = {
		{ .rank = 3, .dim = { 6, 1, 1 }, .data = data },
		{ .rank = 4, .dim = { 1, 6, 1, 1 }, .data = data },
		{ .rank = 1, .dim = { 6 }, .data = data }, { .rank = 2, .dim = { 1, 1 }, .data = data },
		{ .rank = 3, .dim = { 6, 1, 1 } }, { .rank = 4, .dim = { 2, 6, 1, 1 }, .data = data },
		{ .rank = 0, .data = data }, { .rank = 3, .dim = { 5, 1, 1 }, .data = data },
	};

	(void)state;
	for (size_t k = 0; k < sizeof(of) / sizeof(of[0]); k++) {
		assert_int_equal(hone_is_number(&of[k]), of[k].data && hone_count(&of[k], 0) == 1);
		for (int axis = 0; axis < 4; axis++) {
			/* an element each along AXIS, the same along all else */
			struct hone_region_tensor b = hone_aligned(&of[k], 4);
			bool vector = of[k].data != NULL;

			for (int d = 0; d < 4; d++)
				vector &= b.dim[d] == (d == axis ? y.dim[d] : 1);
			assert_int_equal(hone_is_vector(&of[k], &y, axis), vector);
		}
	}
}

/* V through C, which is relu or clip. */
static float through(const struct hone_region *r, const struct hone_region_call *c, float v)
{
	tensor *low = hone_operand(r, c, 1), *high = hone_operand(r, c, 2);

	if (hone_is_op(c, "relu"))
		return v > 0 ? v : 0;
	if (low && v < *(const float *)low->data)
		v = *(const float *)low->data;
	return high && v > *(const float *)high->data ? *(const float *)high->data : v;
}

/* All chains of up to three of these, also of limits that have nothing between them. */
static void test_limits(void **state)
{
	const float limits[] = { -2, 1, 3 };
	tensor t[] = { { .type = HONE_F32 }, { .type = HONE_F32, .data = &limits[0] },
		       { .type = HONE_F32, .data = &limits[1] }, { .type = HONE_F32, .data = &limits[2] } };
	const struct hone_region_call calls[] = {
		{ .op = "relu", .ninputs = 1, .inputs = (const int[]){ 0 } },
		{ .op = "clip", .ninputs = 3, .inputs = (const int[]){ 0, 1, 2 } },
		{ .op = "clip", .ninputs = 3, .inputs = (const int[]){ 0, -1, 1 } },
		{ .op = "clip", .ninputs = 2, .inputs = (const int[]){ 0, 2 } },
		{ .op = "clip", .ninputs = 3, .inputs = (const int[]){ 0, 3, 2 } },
		{ .op = "clip", .ninputs = 1, .inputs = (const int[]){ 0 } },
	};
	const struct hone_region r = { .ntensors = 4, .tensors = t, .ncalls = 6, .calls = calls };

	(void)state;
	for (int k = 0; k < 6 * 6 * 6; k++) {
		const int chain[] = { k % 6, k / 6 % 6, k / 36 };
		float low = -INFINITY, high = INFINITY;

		for (int i = 0; i < 3; i++)
			assert_true(hone_limit(&r, &calls[chain[i]], &low, &high));
		assert_true(low <= high);
		for (float v = -5; v <= 5; v += 0.25f) {
			float want = v, got = v < low ? low : v;

			for (int i = 0; i < 3; i++)
				want = through(&r, &calls[chain[i]], want);
			assert_true((got > high ? high : got) == want);
		}
	}
}

static void test_no_limits(void **state)
{
	const double zero = 0;
	tensor t[] = { { .type = HONE_F32 }, { .type = HONE_F32 }, { .type = HONE_F64, .data = &zero } };
	const struct hone_region_call calls[] = {
		{ .op = "sigmoid", .ninputs = 1, .inputs = (const int[]){ 0 } },
		{ .op = "clip", .ninputs = 2, .inputs = (const int[]){ 0, 1 } },	/* computed */
		{ .op = "clip", .ninputs = 2, .inputs = (const int[]){ 0, 2 } },	/* of doubles */
	};
	const struct hone_region r = { .ntensors = 3, .tensors = t, .ncalls = 3, .calls = calls };

	(void)state;
	for (int i = 0; i < 3; i++) {
		float low = -1, high = 1;

		assert_false(hone_limit(&r, &calls[i], &low, &high));
		assert_true(low == -1 && high == 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_attributes),
		cmocka_unit_test(test_operands),
		cmocka_unit_test(test_refuse),
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_broadcast),
		cmocka_unit_test(test_storages),
		cmocka_unit_test(test_memory_dims),
		cmocka_unit_test(test_all_stored),
		cmocka_unit_test(test_windows),
		cmocka_unit_test(test_cropping),
		cmocka_unit_test(test_means),
		cmocka_unit_test(test_biases),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_no_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
