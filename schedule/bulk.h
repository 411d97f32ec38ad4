/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/bulk.h - what the two halves of the estimate share: nests (bulk.c) and what is in them
 * (bulk_expr.c). */
#ifndef HONE_SCHEDULE_BULK_H
#define HONE_SCHEDULE_BULK_H

#include "schedule/nest.h"

/* Characters of what codegen/ puts around things, read off its output. */
enum {
	SUFFIX = 4,		/* that makes a name distinct: _123 */
	SLOT = 6,		/* a variable of a register tile: _123_4 */
	ELEMENT = 2,		/* [] */
	POINTER = 18,		/* *(f32x16_u *)( + ) */
	CONST_POINTER = 6,	/* more of it in a load */
	FOR_LINE = 46,		/* a loop's head and end, but for its name, which comes three times */
	IF_LINES = 10,
	LET_LINE = 23,
	DECLARATION = 9,	/* f32x16 ; */
	CHOICE = 8,		/* ( ? : ) */
	BLEND = 40,		/* more of it for vectors: casts and splats */
	CALL = 14,		/* hone_max_f32( , ) */
	WRAP = 30,		/* the casts around integer arithmetic */
	NARROW = 13,		/* wide_f16x16() */
	CAST = 9,		/* (int32_t) */
	CONVERT = 35,		/* __builtin_convertvector(, f32x16) */
	FRACTION = 12,		/* 0.166666672f */
	INFINITE = 20,		/* (-__builtin_inff()) */
	REGISTER_BYTES = 64,
	MAX_OPEN = 64,
};

/* A variable on the way to a store. */
struct open_axis {
	const struct axis *axis;
	bool known;		/* a number in each copy */
};

struct meter {
	struct open_axis open[MAX_OPEN];
	int n;
	const struct axis *vector;	/* of the vector loop around; NULL: none */
	int lanes;
	int indent;
	double copies;		/* of the text at this place */
	double block;		/* of that in the innermost loop that stays one */
	double text, local;	/* so far: characters; bytes of arrays that are alive */
};

/* In what share of the copies a condition is certain. */
struct share {
	double holds, fails;
};

/* Characters of E; lanes together where they can be. */
double bulk_length(const struct meter *m, const struct expr *e);
/* Of an element, or of a vector of them where VECTOR. */
double bulk_cell(const struct meter *m, const struct tensor *t, const struct expr *const *index,
		 bool vector);
struct share bulk_share(const struct meter *m, const struct expr *cond);
/* A number in each copy? */
bool bulk_knows(const struct meter *m, const struct expr *e);
bool bulk_uses_lanes(const struct meter *m, const struct expr *e);

#endif
