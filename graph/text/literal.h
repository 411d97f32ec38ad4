/* SPDX-License-Identifier: Apache-2.0 */
/* graph/text/literal.h - elements and numbers as both forms of a graph write them. */
#ifndef HONE_GRAPH_TEXT_LITERAL_H
#define HONE_GRAPH_TEXT_LITERAL_H

#include "base/hash.h"
#include "base/text.h"
#include "graph/ir/array.h"

/* Constants of no more elements are written out, one by one; where the rest is left out, shapes and
 * scalars only. */
enum { LITERAL_FULL = 32, LITERAL_BRIEF = 8 };

/* The shortest decimal that gives the bits of element I of DATA; else its bits: 0x7fc00001. */
void literal_print(struct text *out, enum element e, const void *data, int64_t i);
/* The same of V as an f64, with a point in it where it could be read as an integer. */
void literal_print_float(struct text *out, double v);

/* An element of type E, in *OUT (room for 8 bytes; a string lives in A). -1 and a message with
 * line and column. */
int literal_read(struct scan *s, struct arena *a, enum element e, void *out);

/* Of type and elements. */
struct hash128 literal_hash(const struct array *x);

/* Is every element one that its type has? Bytes from outside may be none: a bool of 7. */
bool literal_fits(const struct array *x);

void base64_print(struct text *out, const void *data, size_t n);
/* The bytes in N characters of TEXT, in DATA, which has SIZE bytes; false where they are not just as
 * many, or TEXT is no base64. */
bool base64_read(const char *text, size_t n, void *data, size_t size);

#endif
