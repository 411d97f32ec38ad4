/* SPDX-License-Identifier: Apache-2.0 */
/* hone_generator_read.h - what code generators read of regions, beside their own library's interface:
 * attributes, shapes, storages, windows, biases and limits. For C and C++; nothing of it is linked.
 *
 * docs/partition.md says what operators, operands and attributes are. */
#ifndef HONE_GENERATOR_READ_H
#define HONE_GENERATOR_READ_H

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "hone_generator.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __GNUC__
__attribute__((format(printf, 2, 3)))
#endif
/* Writes the reason to WHY. Returns -1. */
static inline int hone_refuse(char *why, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why, HONE_WHY_BYTES, format, args);
	va_end(args);
	return -1;
}

static inline bool hone_is_op(const struct hone_region_call *c, const char *op)
{
	return strcmp(c->op, op) == 0;
}

/* --- attributes of a call */

/* NULL where C has none of that NAME. */
static inline const struct hone_region_attr *hone_attr(const struct hone_region_call *c, const char *name)
{
	for (int i = 0; i < c->nattrs; i++)
		if (strcmp(c->attrs[i].name, name) == 0)
			return &c->attrs[i];
	return NULL;
}

/* Number I of the attribute NAME; OTHERWISE where it has fewer, as a list at its default has. */
static inline int64_t hone_attr_int(const struct hone_region_call *c, const char *name, int i,
				    int64_t otherwise)
{
	const struct hone_region_attr *a = hone_attr(c, name);

	return a && a->ints && i < a->n ? a->ints[i] : otherwise;
}

static inline double hone_attr_float(const struct hone_region_call *c, const char *name, int i,
				     double otherwise)
{
	const struct hone_region_attr *a = hone_attr(c, name);

	return a && a->floats && i < a->n ? a->floats[i] : otherwise;
}

/* Is the attribute NAME there, and TEXT? */
static inline bool hone_attr_is(const struct hone_region_call *c, const char *name, const char *text)
{
	const struct hone_region_attr *a = hone_attr(c, name);

	return a && a->text && strcmp(a->text, text) == 0;
}

/* --- tensors */

/* Bytes of an element; 0 of HONE_OTHER. */
static inline size_t hone_type_bytes(enum hone_type type)
{
	switch (type) {
	case HONE_F64:
	case HONE_I64:
		return 8;
	case HONE_F32:
	case HONE_I32:
		return 4;
	case HONE_F16:
	case HONE_BF16:
		return 2;
	case HONE_I8:
	case HONE_U8:
	case HONE_BOOL:
		return 1;
	case HONE_OTHER:
		return 0;
	}
	return 0;
}

/* Elements of T's dims from FROM on: with 0 all of them, with 2 the pixels of an image. */
static inline int64_t hone_count(const struct hone_region_tensor *t, int from)
{
	int64_t count = 1;

	for (int d = from; d < t->rank; d++)
		count *= t->dim[d];
	return count;
}

/* Operand I of C; NULL where it was left out. */
static inline const struct hone_region_tensor *hone_operand(const struct hone_region *r,
							    const struct hone_region_call *c, int i)
{
	return i < c->ninputs && c->inputs[i] >= 0 ? &r->tensors[c->inputs[i]] : NULL;
}

/* The operand of C, of two, that tensor X is not; X where both are, or it is the only one; -1 where it was left
 * out. */
static inline int hone_other(const struct hone_region_call *c, int x)
{
	return c->inputs[c->inputs[0] == x && c->ninputs > 1];
}

/* Where a run has the elements of tensor X of R: of a constant, an input, an output. NULL: it is none.
 * OUTPUTS may be NULL where X is none. */
static inline const void *hone_elements(const struct hone_region *r, int x, const void *const *inputs,
					void *const *outputs)
{
	for (int i = 0; i < r->ninputs; i++)
		if (r->inputs[i] == x)
			return inputs[i];
	for (int i = 0; i < r->noutputs && outputs; i++)
		if (r->outputs[i] == x)
			return outputs[i];
	return x < 0 ? NULL : r->tensors[x].data;
}

/* T as a tensor of RANK dims, which broadcasts alike: with dims of 1 before its own. */
static inline struct hone_region_tensor hone_aligned(const struct hone_region_tensor *t, int rank)
{
	struct hone_region_tensor out = *t;

	for (int d = 0; d < rank; d++)
		out.dim[d] = d < rank - t->rank ? 1 : t->dim[d - (rank - t->rank)];
	out.rank = rank;
	return out;
}

/* Which element of T, counted row-major, stands at element I of OUT: dims of 1, and those that T lacks, are
 * repeated. */
static inline int64_t hone_broadcast(const struct hone_region_tensor *t, const struct hone_region_tensor *out,
				     int64_t i)
{
	int64_t at = 0, size = 1;

	for (int d = t->rank - 1, o = out->rank - 1; d >= 0; i /= out->dim[o--], size *= t->dim[d--])
		at += t->dim[d] == 1 ? 0 : i % out->dim[o] * size;
	return at;
}

/* --- how images are stored */

/* Has the memory of T one order only, whatever `channels` says? */
static inline bool hone_is_plain(const struct hone_region_tensor *t)
{
	return t->rank < 3 || t->dim[1] == 1 || hone_count(t, 2) == 1;
}

/* The order of T's memory as `channels` of hone_generator.h has it, with one number for each order:
 * HONE_CHANNELS_FIRST of what has one only, HONE_CHANNELS_LAST of a single block. Two tensors of the same
 * shape lie in the same order where this is equal. */
static inline int hone_storage(const struct hone_region_tensor *t)
{
	if (t->data || hone_is_plain(t))
		return HONE_CHANNELS_FIRST;
	return t->channels == t->dim[1] ? HONE_CHANNELS_LAST : t->channels;
}

/* Could T's memory be that of STORAGE, as hone_storage() has it? */
static inline bool hone_is_stored(const struct hone_region_tensor *t, int storage)
{
	return hone_is_plain(t) || hone_storage(t) == storage;
}

/* Could that of all inputs and outputs of R? */
static inline bool hone_all_stored(const struct hone_region *r, int storage)
{
	bool all = true;

	for (int i = 0; i < r->ninputs; i++)
		all = all && hone_is_stored(&r->tensors[r->inputs[i]], storage);
	for (int i = 0; i < r->noutputs; i++)
		all = all && hone_is_stored(&r->tensors[r->outputs[i]], storage);
	return all;
}

/* The dims of the memory of T in STORAGE, outermost first, [n, c / B, spatial..., B], to DIM; how many they
 * are. Blocks divide T's channels, or there is one channel, as of an operand that is repeated. */
static inline size_t hone_memory_dims(const struct hone_region_tensor *t, int storage,
				      size_t dim[HONE_MAX_RANK + 1])
{
	int64_t c = t->rank > 1 ? t->dim[1] : 1;
	int64_t block = storage == HONE_CHANNELS_LAST || c == 1 ? c : storage;
	size_t n = 0;

	for (int d = 0; d < t->rank; d++)
		if (d != 1 || storage == HONE_CHANNELS_FIRST)
			dim[n++] = (size_t)t->dim[d];
		else if (storage != HONE_CHANNELS_LAST)
			dim[n++] = (size_t)(c / block);
	if (storage != HONE_CHANNELS_FIRST)
		dim[n++] = (size_t)block;
	return n;
}

/* --- windows */

/* The windows of a convolution or a pool, by spatial dim, and of a mean over all of these, which is one. */
struct hone_window {
	int dims;
	int64_t in[HONE_MAX_RANK], out[HONE_MAX_RANK];	/* elements, windows */
	int64_t kernel[HONE_MAX_RANK], stride[HONE_MAX_RANK], dilation[HONE_MAX_RANK];
	int64_t span[HONE_MAX_RANK];	/* from the first element of a window to its last, and both */
	/* How far windows reach beyond the image, whatever asks for that: `pads`, `auto_pad` or `ceil`. Where
	 * nothing is cut off, (in + begin + end - span) / stride + 1 is out. */
	int64_t begin[HONE_MAX_RANK], end[HONE_MAX_RANK];
	bool crops;	/* padding is negative somewhere: it cuts off */
	bool dilated;
	bool padded;	/* windows see padding */
	bool beyond;	/* and what is behind the padding, as with `ceil`: no average counts that */
	bool empty;	/* some window has no element of the image in it */
};

/* Does a window of W see no element of dim D? */
static inline bool hone_window_misses(const struct hone_window *w, int d)
{
	for (int64_t i = 0; i < w->out[d]; i++) {
		int64_t at = i * w->stride[d] - w->begin[d];
		int64_t skip = at < 0 ? (-at - 1) / w->dilation[d] + 1 : 0;

		if (skip >= w->kernel[d] || at + skip * w->dilation[d] >= w->in[d])
			return true;
	}
	return false;
}

/* How W reaches beyond dim D, of which all else is known. */
static inline void hone_window_pad(struct hone_window *w, int d, const struct hone_region_call *c)
{
	bool lower = hone_attr_is(c, "auto_pad", "same_lower");
	bool same = lower || hone_attr_is(c, "auto_pad", "same_upper");
	int64_t begin = hone_attr_int(c, "pads", d, 0), end = hone_attr_int(c, "pads", w->dims + d, 0);
	int64_t reach = (w->out[d] - 1) * w->stride[d] + w->span[d] - w->in[d];

	if (same)
		begin = reach > 0 ? (reach + lower) / 2 : 0;
	w->begin[d] = begin;
	w->end[d] = reach > begin ? reach - begin : 0;
	if (same)
		end = w->end[d];
	w->crops = w->crops || begin < 0 || end < 0;
	w->dilated = w->dilated || w->dilation[d] > 1;
	w->padded = w->padded || begin > 0 || (end > 0 && w->end[d] > 0);
	w->beyond = w->beyond || w->end[d] > end;
	w->empty = w->empty || hone_window_misses(w, d);
}

/* The windows of C; its weights are operand 1 where it is a convolution. */
static inline struct hone_window hone_window_of(const struct hone_region *r, const struct hone_region_call *c)
{
	const struct hone_region_tensor *x = hone_operand(r, c, 0), *y = &r->tensors[c->output];
	bool conv = hone_is_op(c, "conv"), mean = hone_is_op(c, "reduce_mean");
	struct hone_window w;

	memset(&w, 0, sizeof(w));
	w.dims = x->rank - 2;
	for (int d = 0; d < w.dims; d++) {
		w.in[d] = x->dim[2 + d];
		w.out[d] = mean ? 1 : y->dim[2 + d];
		w.kernel[d] = conv ? r->tensors[c->inputs[1]].dim[2 + d]
				   : hone_attr_int(c, "kernel", d, mean ? w.in[d] : 1);
		w.stride[d] = hone_attr_int(c, "strides", d, 1);
		w.dilation[d] = hone_attr_int(c, "dilations", d, 1);
		w.span[d] = (w.kernel[d] - 1) * w.dilation[d] + 1;
		hone_window_pad(&w, d, c);
	}
	return w;
}

/* Is C, a reduction of an image, over all of its spatial dims and no other? Its axes are constant. */
static inline bool hone_is_spatial(const struct hone_region *r, const struct hone_region_call *c)
{
	const struct hone_region_tensor *x = hone_operand(r, c, 0), *axes = hone_operand(r, c, 1);
	unsigned seen = 0;

	for (int64_t i = 0; axes && axes->data && axes->type == HONE_I64 && i < hone_count(axes, 0); i++)
		seen |= 1u << (((const int64_t *)axes->data)[i] + x->rank) % x->rank;
	return x->rank > 2 && seen == (1u << x->rank) - 4;	/* all but the first two */
}

/* --- what stands behind a convolution or a product */

/* Is B a constant of one element? */
static inline bool hone_is_number(const struct hone_region_tensor *b)
{
	return b->data && hone_count(b, 0) == 1;
}

/* Number I of C's constant operands behind its first, f32 and alone; NAN where it is not. */
static inline float hone_number(const struct hone_region *r, const struct hone_region_call *c, int i)
{
	const struct hone_region_tensor *t = hone_operand(r, c, 1 + i);

	return t && t->type == HONE_F32 && hone_is_number(t) ? *(const float *)t->data : NAN;
}

/* Is B, which is added to Y or the like, a constant with an element for each place along Y's dim AXIS? */
static inline bool hone_is_vector(const struct hone_region_tensor *b, const struct hone_region_tensor *y,
				  int axis)
{
	int at = axis + b->rank - y->rank;

	return b->data && at >= 0 && b->dim[at] == y->dim[axis] && hone_count(b, 0) == y->dim[axis];
}

/* What lies within *LOW and *HIGH, to begin with -INFINITY and INFINITY, goes through C, relu or a clip with
 * constant limits of f32 or none: they become where it lies then. False: C is something else. */
static inline bool hone_limit(const struct hone_region *r, const struct hone_region_call *c, float *low,
			      float *high)
{
	float limit[2] = { 0, INFINITY };
	bool clips = hone_is_op(c, "clip");

	if (!clips && !hone_is_op(c, "relu"))
		return false;
	for (int i = 0; i < 2 && clips; i++)
		if (!hone_operand(r, c, 1 + i))
			limit[i] = i ? INFINITY : -INFINITY;
		else if (isnan(limit[i] = hone_number(r, c, i)))
			return false;
	/* as clip does it: the upper one wins */
	*low = *low < limit[0] ? limit[0] : *low;
	*low = *low > limit[1] ? limit[1] : *low;
	*high = *high < limit[0] ? limit[0] : *high;
	*high = *high > limit[1] ? limit[1] : *high;
	return true;
}

#ifdef __cplusplus
}
#endif

#endif
