/* SPDX-License-Identifier: Apache-2.0 */
/* graph/ir/element.h - element types of a model's tensors; the table is graph/ir/element.def. */
#ifndef HONE_GRAPH_IR_ELEMENT_H
#define HONE_GRAPH_IR_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "te/dtype.h"

enum element {
#define X(name, text, bytes, class, dtype) ELEMENT_##name,
#include "graph/ir/element.def"
#undef X
	ELEMENT_COUNT	/* not known */
};

enum element_class {
	ELEMENT_CLASS_FLOAT,
	ELEMENT_CLASS_SIGNED,
	ELEMENT_CLASS_UNSIGNED,
	ELEMENT_CLASS_BOOL,
	ELEMENT_CLASS_STRING,	/* an element is a const char *, owned by whoever made it */
};

const char *element_name(enum element e);
/* False where NAME is no element type. */
bool element_parse(const char *name, enum element *out);
size_t element_bytes(enum element e);
/* Bits that an element means: 4 for i4, though it takes a byte. */
int element_bits(enum element e);
enum element_class element_class(enum element e);
bool element_is_float(enum element e);
/* Signed or unsigned, not bool. */
bool element_is_integer(enum element e);
/* What shapes and the conditions on them are made of: integers and bool. */
bool element_is_whole(enum element e);
/* The type that kernels know it by; DTYPE_COUNT where there is none. */
enum dtype element_dtype(enum element e);

/* Least and greatest value of an integer type or bool; those of u64 as its bits. */
int64_t element_min(enum element e);
int64_t element_max(enum element e);

/* N elements of DATA from the FIRST on, as doubles (floats of all types, integers rounded) or as
 * int64 (floats truncated; u64 as its bits), and back: floats are rounded to nearest even, integers
 * wrapped to their width, bool is 0 or 1. Not for strings. */
void element_get_f64(enum element e, const void *data, int64_t first, int64_t n, double *out);
void element_put_f64(enum element e, void *data, int64_t first, int64_t n, const double *in);
void element_get_f32(enum element e, const void *data, int64_t first, int64_t n, float *out);
void element_put_f32(enum element e, void *data, int64_t first, int64_t n, const float *in);
void element_get_i64(enum element e, const void *data, int64_t first, int64_t n, int64_t *out);
void element_put_i64(enum element e, void *data, int64_t first, int64_t n, const int64_t *in);

/* One element of the same. */
double element_load(enum element e, const void *data, int64_t i);
void element_store(enum element e, void *data, int64_t i, double v);
int64_t element_load_int(enum element e, const void *data, int64_t i);
void element_store_int(enum element e, void *data, int64_t i, int64_t v);

#endif
