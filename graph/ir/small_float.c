/* SPDX-License-Identifier: Apache-2.0 */
/* graph/ir/small_float.c - one codec for all formats: each is a line of a table. */
#include "graph/ir/small_float.h"

#include <assert.h>
#include <math.h>

struct format {
	int exponent, mantissa;	/* bits */
	int bias;
	bool sign;
	bool infinity;		/* the greatest exponent is infinity and NaN, as in IEEE 754 */
	bool negative_zero_is_nan;	/* ..UZ: and there is no other NaN */
	uint8_t nan;		/* 0: none */
	uint8_t largest;	/* bits of the greatest finite number */
};

static const struct format formats[ELEMENT_COUNT] = {
	[ELEMENT_F8E4M3FN] = { 4, 3, 7, true, false, false, 0x7f, 0x7e },
	[ELEMENT_F8E4M3FNUZ] = { 4, 3, 8, true, false, true, 0x80, 0x7f },
	[ELEMENT_F8E5M2] = { 5, 2, 15, true, true, false, 0x7f, 0x7b },
	[ELEMENT_F8E5M2FNUZ] = { 5, 2, 16, true, false, true, 0x80, 0x7f },
	[ELEMENT_F8E8M0] = { 8, 0, 127, false, false, false, 0xff, 0xfe },
	[ELEMENT_F4E2M1] = { 2, 1, 1, true, false, false, 0, 0x7 },
};

bool element_is_small_float(enum element e)
{
	return e < ELEMENT_COUNT && formats[e].exponent != 0;
}

float small_float_decode(enum element e, uint8_t bits)
{
	const struct format *f = &formats[e];
	int sign_at = f->exponent + f->mantissa;
	int magnitude = bits & ((1 << sign_at) - 1);
	int exponent = magnitude >> f->mantissa;
	int mantissa = magnitude & ((1 << f->mantissa) - 1);
	bool negative = f->sign && bits >> sign_at & 1;
	float v;

	assert(f->exponent);
	if (f->nan && (f->negative_zero_is_nan ? bits == f->nan : magnitude == f->nan))
		return NAN;
	if (f->infinity && exponent == (1 << f->exponent) - 1)
		v = mantissa ? NAN : INFINITY;
	else if (exponent == 0 && f->mantissa)
		v = ldexpf((float)mantissa, 1 - f->bias - f->mantissa);
	else
		v = ldexpf((float)(mantissa + (1 << f->mantissa)), exponent - f->bias - f->mantissa);
	return negative ? -v : v;
}

/* What is beyond the greatest finite number. */
static uint8_t overflow(const struct format *f, bool saturate)
{
	if (saturate || (!f->infinity && !f->nan))
		return f->largest;
	if (f->infinity)
		return (uint8_t)(f->largest + 1);
	return f->nan;
}

uint8_t small_float_encode(enum element e, float v, bool saturate)
{
	const struct format *f = &formats[e];
	int sign_at = f->exponent + f->mantissa;
	uint8_t sign = f->sign && signbit(v) ? (uint8_t)(1 << sign_at) : 0;
	int exponent;

	if (isnan(v))
		return f->negative_zero_is_nan ? f->nan : (uint8_t)(f->nan | sign);
	if (!f->sign && v <= 0)
		return 0;
	float x = fabsf(v);

	if (isinf(x)) {
		uint8_t bits = overflow(f, saturate);

		return bits == f->nan && f->negative_zero_is_nan ? bits : (uint8_t)(bits | sign);
	}
	frexpf(x, &exponent);	/* x = m * 2^exponent, m in [0.5, 1) */
	exponent = exponent - 1 + f->bias;
	if (x == 0 || exponent < (f->mantissa ? 1 : 0))
		exponent = f->mantissa ? 1 : 0;	/* a subnormal has the scale of exponent 1 */
	float scaled = ldexpf(x, f->mantissa + f->bias - exponent);
	int units = (int)nearbyintf(scaled);	/* with the hidden bit */
	int bits;

	if (f->mantissa == 0)
		bits = exponent + (units > 1);
	else if (units < 1 << f->mantissa)
		bits = units;
	else
		bits = (exponent << f->mantissa) + units - (1 << f->mantissa);
	if (bits > f->largest) {
		bits = overflow(f, saturate);
		if (bits == f->nan && f->negative_zero_is_nan)
			return f->nan;
	}
	if (bits == 0 && f->negative_zero_is_nan)
		return 0;
	return (uint8_t)(bits | sign);
}
