/* SPDX-License-Identifier: Apache-2.0 */
/* graph/quantize/integer/closed.h - operators that make integers of integers as they make floats of floats. */
#ifndef HONE_GRAPH_QUANTIZE_INTEGER_CLOSED_H
#define HONE_GRAPH_QUANTIZE_INTEGER_CLOSED_H

#include "graph/build/build.h"
#include "graph/quantize/integer/plan.h"

/* Does the call B of F give elements of operand 0 elsewhere, or zeros, and nothing else? */
bool integer_moves(const struct function *f, const struct binding *b);
/* Does it give one of several elements, or bounds them? */
bool integer_picks(const struct function *f, const struct binding *b);
/* Is what it gives never below 0, whatever operand 0 is? */
bool integer_is_bounded_by_0(const struct function *f, const struct binding *b);
/* Of how many elements of operand 0 each of its results is the mean; 0 where it is something else. */
int64_t integer_mean_count(struct arena *a, const struct function *f, const struct binding *b);

/* The integer of GRID next to X, which may be infinite. */
int integer_bound(double x, struct quant_grid grid);
/* Z, scaled sums in i32 to which the half was added, as integers of 8 bits within LOW and HIGH. */
int integer_build_narrow(struct builder *b, int z, int shift, int low, int high);
/* Integers X as i32, times BY. */
int integer_build_scaled(struct builder *b, int x, int32_t by);
/* The call OF, which moves or picks, of integers ARGS[0] on GRID; POSITIVE: they are 0 and above. */
int integer_build_same(struct builder *b, const struct function *f, const struct binding *of, const int *args,
		       struct quant_grid grid, bool positive);
/* The call OF, a mean, of integers ARGS[0]. */
int integer_build_mean(struct builder *b, const struct binding *of, const int *args,
		       const struct integer_scale *scale);

#endif
