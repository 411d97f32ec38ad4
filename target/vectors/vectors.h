/* SPDX-License-Identifier: Apache-2.0 */
/* target/vectors/vectors.h - the functions that generated C calls on vectors and on elements, as C text.
 *
 * In:   the body of a C file, which calls them by name: "load_f32x8(", and the vector types that it names.
 * Out:  the text of those types, and of the functions that it calls, to stand before it.
 * Holds: what compilers and machines have is asked in that text (#ifdef __AVX512VL__): whoever prints a call
 *        knows nothing of it. A function is a line of one of the tables (*.def), a family each. */
#ifndef HONE_TARGET_VECTORS_VECTORS_H
#define HONE_TARGET_VECTORS_VECTORS_H

#include "base/text.h"
#include "te/dtype.h"

/* Vectors have 1 << i lanes, i < VECTOR_SIZES. */
enum { VECTOR_SIZES = 7 };

/* What a body calls. */
struct calls;
/* In A; points into BODY. */
struct calls *calls_of(struct arena *a, const char *body);

/* The vector types USED, each with its functions. */
void put_vector_functions(struct text *out, const struct calls *c, const bool used[DTYPE_COUNT][VECTOR_SIZES]);
/* Functions of one element. */
void put_element_functions(struct text *out, const struct calls *c);
/* Those of target/intrinsic.def. */
void put_intrinsic_functions(struct text *out, const struct calls *c);

#endif
