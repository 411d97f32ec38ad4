/* SPDX-License-Identifier: Apache-2.0 */
/* measure/verify.c - comparison of outputs; the bound is derived in verify.h. */
#include "measure/verify.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Unit roundoff of the arithmetic, of the stored type, and the smallest normal number. */
static void rounding(enum dtype t, double *compute, double *storage, double *tiny)
{
	*compute = t == DTYPE_F64 ? DBL_EPSILON / 2 : (double)FLT_EPSILON / 2;
	*storage = t == DTYPE_F16 ? 0x1p-11 : t == DTYPE_BF16 ? 0x1p-8 : 0;
	*tiny = t == DTYPE_F64 ? DBL_MIN : t == DTYPE_F16 ? 0x1p-14 : (double)FLT_MIN;
}

static double root_mean_square(enum dtype t, const void *data, int64_t count)
{
	double sum = 0;
	int64_t n = 0;

	for (int64_t i = 0; i < count; i++) {
		double v = dtype_load(t, data, i);

		if (isfinite(v)) {
			sum += v * v;
			n++;
		}
	}
	return n ? sqrt(sum / (double)n) : 0;
}

struct tolerance verify_tolerance(enum dtype t, const void *want, int64_t count, int64_t reduction,
				  double magnitude)
{
	double compute, storage, tiny;

	if (!dtype_is_float(t))
		return (struct tolerance){ 0, 0 };
	if (magnitude <= 0)
		magnitude = root_mean_square(t, want, count);
	rounding(t, &compute, &storage, &tiny);
	/* A sum near the middle of two stored numbers may fall to either: that is 2 units, and 4
	 * where an intermediate value was stored too. */
	double unit = VERIFY_LAMBDA * sqrt((double)(reduction > 1 ? reduction : 1)) * compute
		    + 4 * storage;

	return (struct tolerance){ unit, unit * magnitude + tiny };
}

double verify_bound(enum dtype t, double want, struct tolerance tol)
{
	return dtype_is_float(t) ? tol.relative * fabs(want) + tol.absolute : 0;
}

/* How far GOT is beyond its bound, in bounds; at most 1 where it is not. */
static double excess(enum dtype t, double got, double want, struct tolerance tol)
{
	double bound = verify_bound(t, want, tol);

	if (got == want || (isnan(got) && isnan(want)))
		return 0;
	if (!isfinite(got) || !isfinite(want))
		return HUGE_VAL;
	return bound > 0 ? fabs(got - want) / bound : HUGE_VAL;
}

/* The usual case, in a loop the compiler can vectorize: no finite element beyond its bound. The
 * bound itself is rounded to float here, which is far below its own uncertainty. */
static bool all_within_f32(const float *got, const float *want, int64_t count, struct tolerance tol)
{
	float relative = (float)tol.relative, absolute = (float)tol.absolute;
	int bad = 0;

	for (int64_t i = 0; i < count; i++)
		bad |= !(fabsf(got[i] - want[i]) <= relative * fabsf(want[i]) + absolute);
	return !bad;
}

int64_t verify_worst(enum dtype t, const void *got, const void *want, int64_t count,
		     struct tolerance tol)
{
	int64_t worst = -1;
	double most = 1;

	if (count == 0)
		return -1;
	if (t == DTYPE_F32 ? all_within_f32(got, want, count, tol)
			   : memcmp(got, want, (size_t)count * dtype_bytes(t)) == 0)
		return -1;
	for (int64_t i = 0; i < count; i++) {
		double e;

		if (t == DTYPE_I64)	/* beyond 2^53 a double would hide a difference */
			e = ((const int64_t *)got)[i] == ((const int64_t *)want)[i] ? 0 : HUGE_VAL;
		else
			e = excess(t, dtype_load(t, got, i), dtype_load(t, want, i), tol);
		if (e > most) {
			most = e;
			worst = i;
		}
	}
	return worst;
}
