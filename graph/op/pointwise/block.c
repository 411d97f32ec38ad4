/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/pointwise/block.c - each primitive as a loop of BLOCK turns, which a compiler makes
 * vectors of, in each type that is computed in. */
#include "graph/op/pointwise/block.h"

#include <string.h>
#include <tgmath.h>

#include "base/err.h"
#include "graph/op/pointwise/numeric.h"

size_t compute_bytes(enum compute c)
{
	return c == COMPUTE_F32 ? sizeof(float) : sizeof(double);
}

enum compute compute_of(enum element e)
{
	if (e == ELEMENT_F64)
		return COMPUTE_F64;
	if (element_is_float(e))
		return COMPUTE_F32;
	return e == ELEMENT_U64 || e == ELEMENT_STRING ? COMPUTE_U64 : COMPUTE_I64;
}

bool compute_holds(enum compute c, enum element e)
{
	switch (c) {
	case COMPUTE_F32:
		return e == ELEMENT_F32;
	case COMPUTE_F64:
		return e == ELEMENT_F64;
	case COMPUTE_I64:
		return e == ELEMENT_I64;
	case COMPUTE_U64:
		return e == ELEMENT_U64 || e == ELEMENT_STRING;
	case COMPUTE_COUNT:
		break;
	}
	return false;
}

void compute_get(enum compute c, enum element e, const void *data, int64_t first, int64_t n,
		 void *out)
{
	if (compute_holds(c, e))
		memcpy(out, (const char *)data + (size_t)first * compute_bytes(c),
		       (size_t)n * compute_bytes(c));
	else if (c == COMPUTE_F32)
		element_get_f32(e, data, first, n, out);
	else if (c == COMPUTE_F64)
		element_get_f64(e, data, first, n, out);
	else
		element_get_i64(e, data, first, n, out);
}

void compute_put(enum compute c, enum element e, void *data, int64_t first, int64_t n,
		 const void *in)
{
	if (compute_holds(c, e))
		memcpy((char *)data + (size_t)first * compute_bytes(c), in,
		       (size_t)n * compute_bytes(c));
	else if (c == COMPUTE_F32)
		element_put_f32(e, data, first, n, in);
	else if (c == COMPUTE_F64)
		element_put_f64(e, data, first, n, in);
	else
		element_put_i64(e, data, first, n, in);
}

void compute_fill(enum compute c, double v, int n, void *out)
{
	enum element e = c == COMPUTE_F32   ? ELEMENT_F32
			 : c == COMPUTE_F64 ? ELEMENT_F64
			 : c == COMPUTE_I64 ? ELEMENT_I64
					    : ELEMENT_U64;

	for (int i = 0; i < n; i++)
		element_store(e, out, i, v);
}

/* Once for each generation of vectors. */
#define CLONES __attribute__((target_clones("avx512f", "avx2", "default")))

#define U(v) ((uint64_t)(v))
#define FORMULA(...)
#define LOOP(name, expr)                                                                           \
	case PRIMITIVE_##name:                                                                     \
		for (int i = 0; i < BLOCK; i++) {                                                  \
			T x = xs[i], y = ys[i], z = zs[i];                                         \
			(void)x, (void)y, (void)z;                                                 \
			out[i] = (T)(expr);                                                        \
		}                                                                                  \
		break;

#define T	 float
#define FN(name) name##_f32
#define PRIMITIVE(name, signature, te, real, integer, ...) LOOP(name, real)
CLONES static void apply_f32(enum primitive p, const T *restrict xs, const T *restrict ys,
			     const T *restrict zs, T *restrict out)
{
	switch (p) {
#include "graph/op/pointwise/pointwise.def"
	case PRIMITIVE_COUNT:
		break;
	}
}
#undef PRIMITIVE
#undef FN
#undef T

#define T	 double
#define FN(name) name##_f64
#define PRIMITIVE(name, signature, te, real, integer, ...) LOOP(name, real)
CLONES static void apply_f64(enum primitive p, const T *restrict xs, const T *restrict ys,
			     const T *restrict zs, T *restrict out)
{
	switch (p) {
#include "graph/op/pointwise/pointwise.def"
	case PRIMITIVE_COUNT:
		break;
	}
}
#undef PRIMITIVE
#undef FN
#undef T

#define T	 int64_t
#define FN(name) name##_i64
#define PRIMITIVE(name, signature, te, real, integer, ...) LOOP(name, integer)
CLONES static void apply_i64(enum primitive p, const T *restrict xs, const T *restrict ys,
			     const T *restrict zs, T *restrict out)
{
	switch (p) {
#include "graph/op/pointwise/pointwise.def"
	case PRIMITIVE_COUNT:
		break;
	}
}
#undef PRIMITIVE
#undef FN
#undef T

#define T	 uint64_t
#define FN(name) name##_u64
#define PRIMITIVE(name, signature, te, real, integer, ...) LOOP(name, integer)
CLONES static void apply_u64(enum primitive p, const T *restrict xs, const T *restrict ys,
			     const T *restrict zs, T *restrict out)
{
	switch (p) {
#include "graph/op/pointwise/pointwise.def"
	case PRIMITIVE_COUNT:
		break;
	}
}
#undef PRIMITIVE
#undef FN
#undef T

void block_apply(enum compute c, enum primitive p, const void *x, const void *y, const void *z,
		 void *out)
{
	switch (c) {
	case COMPUTE_F32:
		apply_f32(p, x, y, z, out);
		break;
	case COMPUTE_F64:
		apply_f64(p, x, y, z, out);
		break;
	case COMPUTE_I64:
		apply_i64(p, x, y, z, out);
		break;
	case COMPUTE_U64:
		apply_u64(p, x, y, z, out);
		break;
	case COMPUTE_COUNT:
		break;
	}
}

double primitive_apply(enum primitive p, double x, double y, double z)
{
	switch (p) {
#define FN(name)					       name##_f64
#define PRIMITIVE(name, signature, te, real, integer, ...)                                         \
	case PRIMITIVE_##name:                                                                     \
		return (double)(real);
#include "graph/op/pointwise/pointwise.def"
#undef PRIMITIVE
#undef FN
	case PRIMITIVE_COUNT:
		break;
	}
	die("no primitive");
}
