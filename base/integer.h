/* SPDX-License-Identifier: Apache-2.0 */
/* base/integer.h - arithmetic on integers of either sign, and from floats to them. A quotient must not
 * overflow. */
#ifndef HONE_BASE_INTEGER_H
#define HONE_BASE_INTEGER_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

/* X / Y rounded towards minus infinity. */
static inline int64_t floor_div(int64_t x, int64_t y)
{
	return x / y - (x % y != 0 && (x < 0) != (y < 0));
}

/* X / Y rounded towards infinity. */
static inline int64_t ceil_div(int64_t x, int64_t y)
{
	return x / y + (x % y != 0 && (x < 0) == (y < 0));
}

/* What floor_div() leaves over: of Y's sign. */
static inline int64_t floor_mod(int64_t x, int64_t y)
{
	return x - floor_div(x, y) * y;
}

/* The greatest common divisor, at least 0; the other's size where one is 0. */
static inline int64_t gcd(int64_t x, int64_t y)
{
	while (y != 0) {
		int64_t rest = x % y;

		x = y;
		y = rest;
	}
	return x < 0 ? -x : x;
}

/* The greatest divisor of X, at least 1, that is not more than MOST. */
static inline int64_t divisor_up_to(int64_t x, int64_t most)
{
	int64_t d = x < most ? x : most;

	while (x % d != 0)
		d--;
	return d;
}

static inline int64_t least(int64_t x, int64_t y)
{
	return x < y ? x : y;
}

static inline int64_t most(int64_t x, int64_t y)
{
	return x > y ? x : y;
}

/* The least multiple of UNIT that is no less than X, and so for N bytes. */
static inline int64_t round_up(int64_t x, int64_t unit)
{
	return ceil_div(x, unit) * unit;
}

static inline size_t bytes_up(size_t n, size_t unit)
{
	return (n + unit - 1) / unit * unit;
}

/* V without its fraction; the nearest that there is where 64 bits do not hold that, 0 where V is no
 * number. */
static inline int64_t truncated(double v)
{
	if (isnan(v))
		return 0;
	if (v >= 0x1p63)
		return INT64_MAX;
	if (v <= -0x1p63)
		return INT64_MIN;
	return (int64_t)v;
}

#endif
