/* SPDX-License-Identifier: Apache-2.0 */
/* graph/quantize/integer/plan.h - which values of a model are integers, from the first site to the last.
 *
 * Integers are i8 with a scale for the tensor, and 0 stands for 0. A site, the bias, one other tensor that is
 * added, and what bounds the sum from below and above are a chain, rounded once, at its end:
 *
 *	z = conv(q, weight: i8) * by + add		i32, by the channel; a step is scale / 2^shift
 *	z = z + cast i32(r) * term			r: another tensor of integers
 *	q = cast i8(clip(z >> shift, low, high))	ADD has the half of a step that makes this round
 *
 * A chain without a site is the sum of two tensors. What only moves integers, or picks among them, keeps their
 * scale; tensors that are joined have one scale. All else is floats: they read cast f32(q) * scale, and what is
 * made of integers rounds what it reads of them.
 *
 * Holds: by and term are exact, for scales of weights are made of them (integer/multiply.h); no sum leaves 32
 *        bits; so any order of the sums gives the same integers, on any machine. */
#ifndef HONE_GRAPH_QUANTIZE_INTEGER_PLAN_H
#define HONE_GRAPH_QUANTIZE_INTEGER_PLAN_H

#include "graph/quantize/integer/multiply.h"
#include "graph/quantize/quantize.h"

enum integer_kind {
	INTEGER_NONE,	/* a float, or of the model's own integers */
	INTEGER_INSIDE,	/* of a chain, before its end: never stored */
	INTEGER_END,	/* of a chain */
	INTEGER_SAME,	/* operand 0, moved, picked or bounded */
	INTEGER_JOIN,	/* several, one behind the other */
	INTEGER_MEAN,	/* of elements of operand 0 */
};

struct integer_chain {
	int site;		/* of struct quant; -1: the sum of two terms */
	int term[2], nterms;	/* values that are added */
	double low, high;	/* of the result, as numbers */
	int end;		/* value of main */
	bool open;		/* nothing that is made of integers reads it: its sums become floats at once */
	const char *why;	/* it stays float after all; NULL: it does not */
	struct integer_scale scale;
};

struct integer_chain_vec VEC(struct integer_chain);

struct integer_value {
	enum integer_kind kind;
	int chain;	/* that it is in; -1 */
	bool wanted;	/* what is made of integers reads it */
	bool positive;	/* its integers are 0 and above */
	int like;	/* a value that has the same grid; itself: it stands for all that have it */
	int tensor;	/* of struct quant; -1: none */
	struct integer_scale mean;	/* INTEGER_MEAN */
};

struct integer_plan {
	const struct function *main;
	struct integer_value *at;	/* by value of main */
	struct integer_chain_vec chains;
	struct quant_grid *grid;	/* by value that is its own `like`; scale 0: none */
};

/* The plan for main of G, in A. */
struct integer_plan *integer_plan_new(struct arena *a, const struct graph *g, const struct quant_site_vec *sites);
struct integer_count {
	int made, all;	/* calls whose results are tensors of floats: those that are made of integers; all of them */
};

/* Of those that a result needs. */
struct integer_count integer_count(const struct integer_plan *p);
/* The value that stands for all of V's grid. */
int integer_like(const struct integer_plan *p, int v);
/* The grid that VALUE has, or is rounded to where it is a float. */
struct quant_grid integer_grid(const struct integer_plan *p, int value);
/* Could VALUE be integers at all? A float tensor of known shape that is computed. */
bool integer_may_be(const struct function *f, int value);

/* Takes in what follows chain C, whose end is known, in P. READER: by value, the call that alone reads it;
 * VALUE_NONE. */
void integer_chain_grow(struct integer_plan *p, const int *reader, int chain);

#endif
