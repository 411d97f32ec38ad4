/* SPDX-License-Identifier: Apache-2.0 */
/* graph/ir/element.c - element types, and runs of elements as numbers that C computes with. */
#include "graph/ir/element.h"

#include <math.h>
#include <string.h>

#include "base/err.h"
#include "graph/ir/small_float.h"

static const struct {
	const char *name;
	size_t bytes;
	enum element_class class;
	enum dtype dtype;
} elements[] = {
#define X(name, text, bytes, class, dtype) { text, bytes, ELEMENT_CLASS_##class, dtype },
#include "graph/ir/element.def"
#undef X
};

const char *element_name(enum element e)
{
	return e < ELEMENT_COUNT ? elements[e].name : "?";
}

bool element_parse(const char *name, enum element *out)
{
	for (int e = 0; e < ELEMENT_COUNT; e++)
		if (strcmp(elements[e].name, name) == 0) {
			*out = (enum element)e;
			return true;
		}
	return false;
}

size_t element_bytes(enum element e)
{
	return elements[e].bytes;
}

int element_bits(enum element e)
{
	switch (e) {
	case ELEMENT_I4:
	case ELEMENT_U4:
	case ELEMENT_F4E2M1:
		return 4;
	case ELEMENT_I2:
	case ELEMENT_U2:
		return 2;
	default:
		return (int)elements[e].bytes * 8;
	}
}

enum element_class element_class(enum element e)
{
	return elements[e].class;
}

bool element_is_float(enum element e)
{
	return e < ELEMENT_COUNT && elements[e].class == ELEMENT_CLASS_FLOAT;
}

bool element_is_integer(enum element e)
{
	return e < ELEMENT_COUNT && (elements[e].class == ELEMENT_CLASS_SIGNED ||
				     elements[e].class == ELEMENT_CLASS_UNSIGNED);
}

bool element_is_whole(enum element e)
{
	return element_is_integer(e) || e == ELEMENT_BOOL;
}

enum dtype element_dtype(enum element e)
{
	return e < ELEMENT_COUNT ? elements[e].dtype : DTYPE_COUNT;
}

int64_t element_min(enum element e)
{
	return element_class(e) == ELEMENT_CLASS_SIGNED ? -(INT64_C(1) << (element_bits(e) - 2)) * 2
							: 0;
}

int64_t element_max(enum element e)
{
	if (e == ELEMENT_BOOL)
		return 1;
	if (element_class(e) == ELEMENT_CLASS_SIGNED)
		return ~element_min(e);
	return element_bits(e) == 64 ? -1 : (INT64_C(1) << element_bits(e)) - 1;
}

/* V wrapped to the width of E. */
static int64_t wrap(enum element e, int64_t v)
{
	int bits = element_bits(e);

	if (e == ELEMENT_BOOL)
		return v != 0;
	if (bits == 64)
		return v;
	uint64_t low = (uint64_t)v & ((UINT64_C(1) << bits) - 1);

	if (element_class(e) == ELEMENT_CLASS_SIGNED && low >> (bits - 1))
		low |= ~UINT64_C(0) << bits;
	return (int64_t)low;
}

/* Truncated; what no int64 holds has some value. */
static int64_t truncate_f64(enum element e, double v)
{
	if (e == ELEMENT_BOOL)
		return v != 0;
	if (e == ELEMENT_U64 && v >= 0x1p63)
		return v < 0x1p64 ? (int64_t)(uint64_t)v : -1;
	if (isnan(v) || v < -0x1p63)
		return INT64_MIN;
	return v >= 0x1p63 ? INT64_MAX : (int64_t)v;
}

/* A loop over all elements of C type TYPE, V the variable that holds one. */
#define EACH(type, ...)                                                                            \
	{                                                                                          \
		const type *from = (const type *)data + first;                                     \
		for (int64_t i = 0; i < n; i++) {                                                  \
			type v = from[i];                                                          \
			out[i] = __VA_ARGS__;                                                      \
		}                                                                                  \
		return;                                                                            \
	}

/* The cases of all types, as CAST of what they hold. */
#define LOAD_CASES(cast)                                                                           \
	switch (e) {                                                                               \
	case ELEMENT_F32: EACH(float, (cast)v)                                                     \
	case ELEMENT_F64: EACH(double, (cast)v)                                                    \
	case ELEMENT_F16: EACH(uint16_t, (cast)f16_to_f32(v))                                      \
	case ELEMENT_BF16: EACH(uint16_t, (cast)bf16_to_f32(v))                                    \
	case ELEMENT_I8: case ELEMENT_I4: case ELEMENT_I2: EACH(int8_t, (cast)v)                   \
	case ELEMENT_I16: EACH(int16_t, (cast)v)                                                   \
	case ELEMENT_I32: EACH(int32_t, (cast)v)                                                   \
	case ELEMENT_I64: EACH(int64_t, (cast)v)                                                   \
	case ELEMENT_U8: case ELEMENT_U4: case ELEMENT_U2: EACH(uint8_t, (cast)v)                  \
	case ELEMENT_U16: EACH(uint16_t, (cast)v)                                                  \
	case ELEMENT_U32: EACH(uint32_t, (cast)v)                                                  \
	case ELEMENT_U64: EACH(uint64_t, (cast)v)                                                  \
	case ELEMENT_BOOL: EACH(uint8_t, (cast)(v != 0))                                           \
	case ELEMENT_F8E4M3FN: case ELEMENT_F8E4M3FNUZ: case ELEMENT_F8E5M2:                       \
	case ELEMENT_F8E5M2FNUZ: case ELEMENT_F8E8M0: case ELEMENT_F4E2M1:                         \
		EACH(uint8_t, (cast)small_float_decode(e, v))                                      \
	case ELEMENT_STRING: case ELEMENT_COUNT: break;                                            \
	}                                                                                          \
	die("elements that are no numbers")

void element_get_f64(enum element e, const void *data, int64_t first, int64_t n, double *out)
{
	LOAD_CASES(double);
}

void element_get_f32(enum element e, const void *data, int64_t first, int64_t n, float *out)
{
	LOAD_CASES(float);
}

void element_get_i64(enum element e, const void *data, int64_t first, int64_t n, int64_t *out)
{
	if (!element_is_float(e)) {
		LOAD_CASES(int64_t);
		return;
	}
	for (int64_t i = 0; i < n; i++) {
		double v;

		element_get_f64(e, data, first + i, 1, &v);
		out[i] = truncate_f64(ELEMENT_I64, v);
	}
}

/* To 16 bits by way of f32 rounds twice; where the first rounding lands on a tie of the second it
 * is made odd before [Boldo and Melquiond, Emulation of FMA and correctly rounded sums, 2008]. */
static float round_to_odd(double v)
{
	float near = (float)v;

	if ((double)near == v || isnan(v) || isinf(near))
		return near;
	uint32_t bits;

	memcpy(&bits, &near, sizeof(bits));
	if (!(bits & 1))
		near = nextafterf(near, v > (double)near ? INFINITY : -INFINITY);
	return near;
}

/* A loop that stores all elements as C type TYPE, V what comes in. */
#define EACH_OUT(type, ...)                                                                        \
	{                                                                                          \
		type *to = (type *)data + first;                                                   \
		for (int64_t i = 0; i < n; i++)                                                    \
			to[i] = (type)(__VA_ARGS__);                                               \
		return;                                                                            \
	}

/* The cases of all types: WHOLE(e, v) is v as an int64, NARROW(v) a float that 16 bits or fewer round
 * as they would round v. */
#define STORE_CASES(WHOLE, NARROW)                                                                 \
	switch (e) {                                                                               \
	case ELEMENT_F32: EACH_OUT(float, in[i])                                                   \
	case ELEMENT_F64: EACH_OUT(double, in[i])                                                  \
	case ELEMENT_F16: EACH_OUT(uint16_t, f16_from_f32(NARROW(in[i])))                          \
	case ELEMENT_BF16: EACH_OUT(uint16_t, bf16_from_f32(NARROW(in[i])))                        \
	case ELEMENT_F8E4M3FN: case ELEMENT_F8E4M3FNUZ: case ELEMENT_F8E5M2:                       \
	case ELEMENT_F8E5M2FNUZ: case ELEMENT_F8E8M0: case ELEMENT_F4E2M1:                         \
		EACH_OUT(uint8_t, small_float_encode(e, NARROW(in[i]), true))                      \
	case ELEMENT_I8: case ELEMENT_U8: EACH_OUT(uint8_t, WHOLE(e, in[i]))                       \
	case ELEMENT_I16: case ELEMENT_U16: EACH_OUT(uint16_t, WHOLE(e, in[i]))                    \
	case ELEMENT_I32: case ELEMENT_U32: EACH_OUT(uint32_t, WHOLE(e, in[i]))                    \
	case ELEMENT_I64: case ELEMENT_U64: EACH_OUT(int64_t, WHOLE(e, in[i]))                     \
	case ELEMENT_I4: case ELEMENT_I2: case ELEMENT_U4: case ELEMENT_U2:                        \
		EACH_OUT(uint8_t, wrap(e, WHOLE(e, in[i])))                                        \
	case ELEMENT_BOOL: EACH_OUT(uint8_t, in[i] != 0)                                           \
	case ELEMENT_STRING: case ELEMENT_COUNT: break;                                            \
	}                                                                                          \
	die("elements that are no numbers")

#define ITSELF(e, v) (v)
#define ROUNDED(v)   round_to_odd((double)(v))
#define EXACT(v)     (v)

void element_put_i64(enum element e, void *data, int64_t first, int64_t n, const int64_t *in)
{
	STORE_CASES(ITSELF, ROUNDED);
}

void element_put_f32(enum element e, void *data, int64_t first, int64_t n, const float *in)
{
	STORE_CASES(truncate_f64, EXACT);
}

void element_put_f64(enum element e, void *data, int64_t first, int64_t n, const double *in)
{
	STORE_CASES(truncate_f64, ROUNDED);
}

double element_load(enum element e, const void *data, int64_t i)
{
	double v;

	element_get_f64(e, data, i, 1, &v);
	return v;
}

void element_store(enum element e, void *data, int64_t i, double v)
{
	element_put_f64(e, data, i, 1, &v);
}

int64_t element_load_int(enum element e, const void *data, int64_t i)
{
	int64_t v;

	element_get_i64(e, data, i, 1, &v);
	return v;
}

void element_store_int(enum element e, void *data, int64_t i, int64_t v)
{
	element_put_i64(e, data, i, 1, &v);
}
