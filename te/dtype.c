/* SPDX-License-Identifier: Apache-2.0 */
/* te/dtype.c - conversions between element types. */
#include "te/dtype.h"

#include <math.h>
#include <string.h>

#include "base/integer.h"

static const struct {
	const char *name;
	size_t bytes;
	const char *c;
	enum dtype arithmetic;
	bool is_float;
} table[] = {
#define X(name, text, bytes, c, arithmetic, is_float) \
	{ text, bytes, c, DTYPE_##arithmetic, is_float },
#include "te/dtype.def"
#undef X
};

const char *dtype_name(enum dtype t)
{
	return table[t].name;
}

bool dtype_parse(const char *name, enum dtype *out)
{
	for (int i = 0; i < DTYPE_COUNT; i++)
		if (strcmp(table[i].name, name) == 0) {
			*out = (enum dtype)i;
			return true;
		}
	return false;
}

size_t dtype_bytes(enum dtype t)
{
	return table[t].bytes;
}

bool dtype_is_float(enum dtype t)
{
	return table[t].is_float;
}

const char *dtype_c(enum dtype t)
{
	return table[t].c;
}

enum dtype dtype_arithmetic(enum dtype t)
{
	return table[t].arithmetic;
}

bool dtype_is_narrow(enum dtype t)
{
	return table[t].arithmetic != t;
}

static uint32_t bits_of(float v)
{
	uint32_t b;

	memcpy(&b, &v, sizeof(b));
	return b;
}

static float float_of(uint32_t b)
{
	float v;

	memcpy(&v, &b, sizeof(v));
	return v;
}

uint16_t bf16_from_f32(float v)
{
	uint32_t b = bits_of(v);

	if (isnan(v))
		return (uint16_t)(b >> 16 | 0x40);
	return (uint16_t)((b + 0x7fff + (b >> 16 & 1)) >> 16);
}

float bf16_to_f32(uint16_t bits)
{
	return float_of((uint32_t)bits << 16);
}

uint16_t f16_from_f32(float v)
{
	uint32_t b = bits_of(v);
	uint16_t sign = (uint16_t)(b >> 16 & 0x8000);
	float a = fabsf(v);

	if (isnan(v))
		return sign | 0x7e00;
	if (a >= 65520.0f)
		return sign | 0x7c00;
	if (a < 0x1p-14f)	/* subnormal: units of 2^-24, rounded by the FPU */
		return (uint16_t)(sign | (uint16_t)lrintf(a * 0x1p24f));
	b &= 0x7fffffff;
	b += 0xfff + (b >> 13 & 1);
	return (uint16_t)(sign | ((b >> 13) - (112 << 10)));
}

float f16_to_f32(uint16_t bits)
{
	uint32_t sign = (uint32_t)(bits & 0x8000) << 16;
	uint32_t exponent = bits >> 10 & 31;
	uint32_t fraction = bits & 0x3ff;

	if (exponent == 31)
		return float_of(sign | 0x7f800000 | fraction << 13);
	if (exponent == 0)
		return (sign ? -1.0f : 1.0f) * (float)fraction * 0x1p-24f;
	return float_of(sign | (exponent + 112) << 23 | fraction << 13);
}

double dtype_load(enum dtype t, const void *data, int64_t i)
{
	switch (t) {
	case DTYPE_F32:
		return (double)((const float *)data)[i];
	case DTYPE_F64:
		return ((const double *)data)[i];
	case DTYPE_F16:
		return (double)f16_to_f32(((const uint16_t *)data)[i]);
	case DTYPE_BF16:
		return (double)bf16_to_f32(((const uint16_t *)data)[i]);
	case DTYPE_I8:
		return ((const int8_t *)data)[i];
	case DTYPE_U8:
	case DTYPE_BOOL:
		return ((const uint8_t *)data)[i];
	case DTYPE_I32:
		return ((const int32_t *)data)[i];
	case DTYPE_I64:
		return (double)((const int64_t *)data)[i];
	case DTYPE_COUNT:
		break;
	}
	return 0;
}

void dtype_store(enum dtype t, void *data, int64_t i, double v)
{
	switch (t) {
	case DTYPE_F32:
		((float *)data)[i] = (float)v;
		break;
	case DTYPE_F64:
		((double *)data)[i] = v;
		break;
	case DTYPE_F16:
		((uint16_t *)data)[i] = f16_from_f32((float)v);
		break;
	case DTYPE_BF16:
		((uint16_t *)data)[i] = bf16_from_f32((float)v);
		break;
	case DTYPE_I8:
		((int8_t *)data)[i] = (int8_t)truncated(v);
		break;
	case DTYPE_U8:
		((uint8_t *)data)[i] = (uint8_t)truncated(v);
		break;
	case DTYPE_BOOL:
		((uint8_t *)data)[i] = v != 0;
		break;
	case DTYPE_I32:
		((int32_t *)data)[i] = (int32_t)truncated(v);
		break;
	case DTYPE_I64:
		((int64_t *)data)[i] = truncated(v);
		break;
	case DTYPE_COUNT:
		break;
	}
}

double dtype_round(enum dtype t, double v)
{
	_Alignas(8) unsigned char cell[8];

	if (t == DTYPE_F64)
		return v;
	dtype_store(t, cell, 0, v);
	return dtype_load(t, cell, 0);
}
