/* SPDX-License-Identifier: Apache-2.0 */
/* target/vectors/pattern.h - C text with fields, written for each vector type.
 *
 *	$V	the vector's type: f32x8; $V_u is the same at any address, $V_mask and $V_bits are its lanes
 *		as integers, signed and unsigned
 *	$L $Z	its lanes, its bytes
 *	$T $B $E	an element's C type, its bits, its bytes
 *	$W	the float of as many bits
 *	$f	what the C library's functions of the type end with
 *	$K $A	what instructions of the size are called, under AVX-512 and under AVX
 *	$M	bits of the integer that has one for each lane
 *
 * Repeated is what stands between
 *
 *	$[ $]	for each lane $i, with commas between; $j is the row of a block that is to be row $i where it is transposed
 *	$< $>	for each distance that halves the lanes: lane $i meets lane $x
 *	${ $}	in there, for each pair of rows $a and $b of a block: lane $i of the new $a is number $u of the lanes of
 *		both, and of the new $b number $v, so that behind all of them lane $i of row $a is what lane $a of row $i was
 *	$(n $)	for each of the vectors $k, from number n on, that lanes apart are picked from: it begins with
 *		element $s; lane $i is number $p of the lanes before and those of vector $k */
#ifndef HONE_TARGET_VECTORS_PATTERN_H
#define HONE_TARGET_VECTORS_PATTERN_H

#include "base/text.h"
#include "te/dtype.h"

/* A row of elements that lanes are picked from: so many vectors, the last of which ends with the last element. */
struct picked_row {
	int64_t from, to;	/* lanes that are picked */
	int64_t stride, phase;	/* elements from one of them to the next; of the first in the row */
	int64_t elements;
	int64_t lanes;		/* of a vector */
};

/* How many vectors these are. */
int64_t row_loads(const struct picked_row *row);
/* The element with which vector K begins. */
int64_t row_start(const struct picked_row *row, int64_t k);
/* Of the lanes before, picked from the vectors before K, and of vector K, or zeros where there is but one: the number of
 * what LANE is, itself where it was picked already or is from a later one. */
int64_t row_pick(const struct picked_row *row, int64_t k, int64_t lane);

struct vector_form {
	enum dtype t;
	int lanes;
	const char *type;	/* "f32x8" */
	/* Of lanes apart: elements from one to the next, as many vectors are read. */
	int stride;
	int phase;	/* of the first lane in them; -1: it is the first, and the last lane ends them */
};

void pattern_print(struct text *out, const struct vector_form *v, const char *pattern);

#endif
