/* SPDX-License-Identifier: Apache-2.0 */
/* base/integer.h - arithmetic on integers of either sign. A quotient must not overflow. */
#ifndef HONE_BASE_INTEGER_H
#define HONE_BASE_INTEGER_H

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

#endif
