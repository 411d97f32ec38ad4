/* SPDX-License-Identifier: Apache-2.0 */
/* te/dtype.h - element types of tensors; the table is te/dtype.def. */
#ifndef HONE_TE_DTYPE_H
#define HONE_TE_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum __attribute__((packed)) dtype {
#define X(name, text, bytes, c, arithmetic, is_float) DTYPE_##name,
#include "te/dtype.def"
#undef X
	DTYPE_COUNT
};

const char *dtype_name(enum dtype t);
/* False where NAME is no element type. */
bool dtype_parse(const char *name, enum dtype *out);
size_t dtype_bytes(enum dtype t);
bool dtype_is_float(enum dtype t);
/* The C type that holds an element: of f16 and bf16, its bits. */
const char *dtype_c(enum dtype t);
/* What arithmetic on elements of T is done in: f32 for f16 and bf16, which are narrow, else T. */
enum dtype dtype_arithmetic(enum dtype t);
bool dtype_is_narrow(enum dtype t);

/* Element I of an array of T as a double (i64 beyond 2^53 loses bits), and back: floats are
 * rounded to nearest even, integers truncated and wrapped to their width, bool is 0 or 1. */
double dtype_load(enum dtype t, const void *data, int64_t i);
void dtype_store(enum dtype t, void *data, int64_t i, double v);
/* V as an element of T would hold it. */
double dtype_round(enum dtype t, double v);

/* IEEE half and bfloat16 as bits, rounded to nearest even. */
uint16_t f16_from_f32(float v);
float f16_to_f32(uint16_t bits);
uint16_t bf16_from_f32(float v);
float bf16_to_f32(uint16_t bits);

#endif
