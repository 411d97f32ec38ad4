/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/pointwise/numeric.h - what C's operators do not say, for each type that is computed in.
 *
 * A quotient or remainder by 0 is 0, so that hostile data cannot trap. */
#ifndef HONE_GRAPH_OP_POINTWISE_NUMERIC_H
#define HONE_GRAPH_OP_POINTWISE_NUMERIC_H

#include <math.h>
#include <stdint.h>

static inline int64_t abs_i64(int64_t x)
{
	return x < 0 ? (int64_t)(0 - (uint64_t)x) : x;
}

static inline uint64_t abs_u64(uint64_t x)
{
	return x;
}

static inline int64_t div_i64(int64_t x, int64_t y)
{
	if (y == 0)
		return 0;
	return y == -1 ? (int64_t)(0 - (uint64_t)x) : x / y;	/* -1: may overflow */
}

static inline uint64_t div_u64(uint64_t x, uint64_t y)
{
	return y == 0 ? 0 : x / y;
}

static inline int64_t rem_i64(int64_t x, int64_t y)
{
	return y == 0 || y == -1 ? 0 : x % y;
}

static inline uint64_t rem_u64(uint64_t x, uint64_t y)
{
	return y == 0 ? 0 : x % y;
}

static inline int64_t mod_i64(int64_t x, int64_t y)
{
	int64_t r = rem_i64(x, y);

	return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

static inline uint64_t mod_u64(uint64_t x, uint64_t y)
{
	return rem_u64(x, y);
}

static inline double mod_f64(double x, double y)
{
	double r = fmod(x, y);

	if (r < 0 || r > 0)
		return (r < 0) != (y < 0) ? r + y : r;
	return copysign(r, y);
}

static inline float mod_f32(float x, float y)
{
	float r = fmodf(x, y);

	if (r < 0 || r > 0)
		return (r < 0) != (y < 0) ? r + y : r;
	return copysignf(r, y);
}

/* Wraps. */
static inline uint64_t pow_u64(uint64_t x, uint64_t y)
{
	uint64_t v = 1;

	for (; y; y >>= 1, x *= x)
		v *= y & 1 ? x : 1;
	return v;
}

/* To a negative power: truncated. */
static inline int64_t pow_i64(int64_t x, int64_t y)
{
	if (y >= 0)
		return (int64_t)pow_u64((uint64_t)x, (uint64_t)y);
	if (x == 1 || x == -1)
		return y & 1 ? x : 1;
	return 0;
}

#endif
