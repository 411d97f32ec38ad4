/* SPDX-License-Identifier: Apache-2.0 */
/* measure/runner/verify.c - poison, and the comparison of outputs with the reference. */
#include "measure/runner/verify.h"

#include <math.h>
#include <string.h>

double verify_bound(enum dtype t, const void *bound, int64_t i)
{
	return t == DTYPE_F64 ? ((const double *)bound)[i] : (double)((const float *)bound)[i];
}

static void set_bound(enum dtype t, void *bound, int64_t i, double v)
{
	if (t == DTYPE_F64)
		((double *)bound)[i] = v;
	else
		((float *)bound)[i] = (float)v;
}

int64_t verify_settle(enum dtype t, const void *want, void *bound, int64_t count)
{
	int64_t silent = 0;

	for (int64_t i = 0; i < count; i++) {
		double b = verify_bound(t, bound, i);
		bool finite = isfinite(dtype_load(t, want, i));

		if (isnan(b)) {	/* of infinity - infinity: the value is infinite, or its error */
			b = finite ? INFINITY : 0;
			set_bound(t, bound, i, b);
		}
		silent += !finite || isinf(b);
	}
	return silent;
}

bool verify_says_little(int64_t silent, int64_t count)
{
	return silent > count / 2;
}

/* All ones, a NaN that no operation makes; nothing where the reference is NaN. An integer is as far
 * as can be from the reference's, a bool neither 0 nor 1. */
static void poison_element(enum dtype t, unsigned char *at, const unsigned char *want, size_t size)
{
	if (dtype_is_float(t)) {
		memset(at, isnan(dtype_load(t, want, 0)) ? 0 : 0xff, size);
		return;
	}
	memcpy(at, want, size);
	at[size - 1] ^= 0x80;	/* the sign, or the top bit; little-endian */
}

void verify_poison(enum dtype t, void *data, const void *want, int64_t count)
{
	size_t size = dtype_bytes(t);

	if (t == DTYPE_F32) {	/* the usual case, in a loop the compiler can vectorize */
		const float *w = want;
		uint32_t *d = data;

		for (int64_t i = 0; i < count; i++)
			d[i] = w[i] == w[i] ? UINT32_MAX : 0;
		return;
	}
	for (int64_t i = 0; i < count; i++)
		poison_element(t, (unsigned char *)data + (size_t)i * size,
			       (const unsigned char *)want + (size_t)i * size, size);
}

static bool is_poison(enum dtype t, const unsigned char *got, const unsigned char *want)
{
	unsigned char poison[8];
	size_t size = dtype_bytes(t);

	poison_element(t, poison, want, size);
	return memcmp(got, poison, size) == 0;
}

/* How far element I is beyond its bound, in bounds; at most 1 where it is not. */
static double excess(enum dtype t, const void *got, const void *want, const void *bound, int64_t i)
{
	double g = dtype_load(t, got, i), w = dtype_load(t, want, i);
	double b = verify_bound(t, bound, i);
	size_t at = (size_t)i * dtype_bytes(t);

	if (t == DTYPE_I64 && b == 0)	/* beyond 2^53 a double would hide a difference */
		return memcmp((const char *)got + at, (const char *)want + at, 8) ? HUGE_VAL : 0;
	if (g == w || (isnan(g) && isnan(w)))
		return 0;
	if (isinf(b))
		return is_poison(t, (const unsigned char *)got + at,
				 (const unsigned char *)want + at) ? HUGE_VAL : 0;
	if (!isfinite(g) || !isfinite(w))
		return HUGE_VAL;
	return b > 0 ? fabs(g - w) / b : HUGE_VAL;
}

/* The usual case, in a loop the compiler can vectorize: no element beyond its bound, none that is
 * not finite. */
static bool all_within_f32(const float *got, const float *want, const float *bound, int64_t count)
{
	int bad = 0;

	for (int64_t i = 0; i < count; i++)
		bad |= !(fabsf(got[i] - want[i]) <= bound[i]);
	return !bad;
}

int64_t verify_worst(enum dtype t, const void *got, const void *want, const void *bound,
		     int64_t count)
{
	int64_t worst = -1;
	double most = 1;

	if (count == 0)
		return -1;
	if (t == DTYPE_F32 ? all_within_f32(got, want, bound, count)
			   : memcmp(got, want, (size_t)count * dtype_bytes(t)) == 0)
		return -1;
	for (int64_t i = 0; i < count; i++) {
		double e = excess(t, got, want, bound, i);

		if (e > most) {
			most = e;
			worst = i;
		}
	}
	return worst;
}

double verify_rms(enum dtype t, const void *got, const void *want, const void *bound,
		  int64_t count)
{
	double error = 0, size = 0;

	for (int64_t i = 0; i < count; i++) {
		double g = dtype_load(t, got, i), w = dtype_load(t, want, i);

		if (!isfinite(w) || isinf(verify_bound(t, bound, i)))
			continue;
		error += (g - w) * (g - w);
		size += w * w;
	}
	return size > 0 ? sqrt(error / size) : 0;
}
