/* SPDX-License-Identifier: Apache-2.0 */
/* partition/generators/vdla/lacks.c - one operator after the other. */
#include "partition/generators/vdla/lacks.h"

#include "include/hone_generator_read.h"

/* As te/ has shifts of 32 bits, and one that does something. */
enum { SHIFT_LEAST = 1, SHIFT_MOST = 30 };

/* Operand I of C, a constant number of integers from LOW to HIGH? */
static bool is_within(const struct hone_region *r, const struct hone_region_call *c, int i, int low, int high)
{
	const struct hone_region_tensor *t = hone_operand(r, c, i);

	if (!t || t->type != HONE_I32 || !hone_is_number(t))
		return false;
	int32_t v = *(const int32_t *)t->data;

	return v >= low && v <= high;
}

static const char *conv_lacks(const struct hone_region *r, const struct hone_region_call *c)
{
	return hone_window_of(r, c).crops ? "negative padding" : NULL;
}

/* Around an image there are zeros, not the least bytes. */
static const char *pool_lacks(const struct hone_region *r, const struct hone_region_call *c)
{
	const struct hone_window w = hone_window_of(r, c);

	if (w.dilated)
		return "a pool whose windows have gaps";
	return w.padded || w.beyond || w.crops ? "a pool whose windows reach beyond the image" : NULL;
}

static const char *pad_lacks(const struct hone_region *r, const struct hone_region_call *c)
{
	const struct hone_region_tensor *pads = hone_operand(r, c, 1), *value = hone_operand(r, c, 2);
	const struct hone_region_tensor *axes = hone_operand(r, c, 3);
	int rank = r->tensors[c->output].rank;
	bool zero = !value || (hone_is_number(value) && *(const int8_t *)value->data == 0);

	if (!hone_attr_is(c, "mode", "constant") || !zero)
		return "padding with anything but 0";
	if (!pads->data || (axes && !axes->data))
		return "padding that is computed";
	int64_t n = hone_count(pads, 0) / 2;

	for (int64_t i = 0; i < n; i++) {
		int64_t axis = axes ? (((const int64_t *)axes->data)[i] + rank) % rank : i;
		int64_t before = ((const int64_t *)pads->data)[i], behind = ((const int64_t *)pads->data)[n + i];

		if (before < 0 || behind < 0)
			return "negative padding";
		if (axis < 2 && before + behind > 0)
			return "padding of other than spatial dims";
	}
	return NULL;
}

static const char *sum_lacks(const struct hone_region *r, const struct hone_region_call *c)
{
	return hone_is_spatial(r, c) ? NULL : "a sum over other than all spatial dims";
}

static const char *shift_lacks(const struct hone_region *r, const struct hone_region_call *c)
{
	return is_within(r, c, 1, SHIFT_LEAST, SHIFT_MOST) ? NULL : "a shift by other than a constant of 1 to 30";
}

/* Bytes are made of what is behind it. */
static const char *clip_lacks(const struct hone_region *r, const struct hone_region_call *c)
{
	bool within = is_within(r, c, 1, INT8_MIN, INT8_MAX) && is_within(r, c, 2, INT8_MIN, INT8_MAX);

	return within ? NULL : "bytes of sums that may be beyond theirs";
}

const char *vdla_lacks(const struct hone_region *r, const struct hone_region_call *c)
{
	static const struct {
		const char *op;
		const char *(*lacks)(const struct hone_region *r, const struct hone_region_call *c);
	} of[] = {
		{ "conv", conv_lacks }, { "max_pool", pool_lacks }, { "pad", pad_lacks },
		{ "reduce_sum", sum_lacks }, { "shift_right", shift_lacks }, { "clip", clip_lacks },
	};

	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		if (hone_is_op(c, of[i].op))
			return of[i].lacks(r, c);
	return NULL;
}
