/* SPDX-License-Identifier: Apache-2.0 */
/* hone_generator_sums.h - what code generators read of narrow models: what stands behind sums of integers and of
 * bf16, and how floats become integers. For C and C++; nothing of it is linked. */
#ifndef HONE_GENERATOR_SUMS_H
#define HONE_GENERATOR_SUMS_H

#include "hone_generator_read.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is done at once to a sum, which R's first call gives: constants are added along dim AXIS of the result, the
 * sum is cast, and where it is of integers constants make numbers of it, one or along AXIS. */
struct hone_sum {
	int bias, scales;			/* tensors; -1: none */
	const struct hone_region_call *next;	/* behind that */
};

static inline struct hone_sum hone_sum_of(const struct hone_region *r, int axis)
{
	const struct hone_region_tensor *y = &r->tensors[r->outputs[0]];
	bool integers = r->tensors[r->calls->output].type == HONE_I32;
	struct hone_sum s = { -1, -1, r->calls + 1 };

	for (; s.next < r->calls + r->ncalls; s.next++) {
		int other = s.next->ninputs == 2 ? hone_other(s.next, s.next[-1].output) : -1;
		bool each = other >= 0 && hone_is_vector(&r->tensors[other], y, axis);

		if (hone_is_op(s.next, "cast"))
			continue;
		if (hone_is_op(s.next, "add") && each && s.bias < 0 && s.scales < 0)
			s.bias = other;
		else if (hone_is_op(s.next, "mul") && integers && s.scales < 0 &&
			 (each || (other >= 0 && hone_is_number(&r->tensors[other]))))
			s.scales = other;
		else
			break;
	}
	return s;
}

/* The integers that floats become: x / scale, rounded, + zero, kept within the type. */
struct hone_grid {
	float scale, zero;
};

/* Is all from C on that makes integers of one byte of floats: div, which may be a part of what was before, round,
 * perhaps add, a clip to what the type has, cast? Then OUT is their grid. */
static inline bool hone_is_grid(const struct hone_region *r, const struct hone_region_call *c,
				struct hone_grid *out)
{
	const struct hone_region_call *end = r->calls + r->ncalls, *clip = end - 2;

	out->scale = hone_is_op(c, "div") ? hone_number(r, c++, 0) : 1;
	if (end - c < 3 || end - c > 4 || !hone_is_op(c, "round") || !hone_is_op(clip, "clip") ||
	    !hone_is_op(clip + 1, "cast") || (++c < clip && !hone_is_op(c, "add")))
		return false;
	enum hone_type type = r->tensors[clip[1].output].type;
	float low = type == HONE_U8 ? 0 : -128;

	out->zero = c < clip ? hone_number(r, c, 0) : 0;
	return (type == HONE_U8 || type == HONE_I8) && out->scale > 0 && isfinite(out->zero) &&
	       hone_number(r, clip, 0) == low && hone_number(r, clip, 1) == low + 255;
}

#ifdef __cplusplus
}
#endif

#endif
