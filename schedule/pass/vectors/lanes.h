/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/vectors/lanes.h - what lanes of a vector may do: for the pass vectorize. */
#ifndef HONE_SCHEDULE_PASS_VECTORS_LANES_H
#define HONE_SCHEDULE_PASS_VECTORS_LANES_H

#include "schedule/nest.h"
#include "te/index/index.h"

/* A local buffer that is open at a place. */
struct laid_out {
	const struct buffer *buffer;
	const struct lane_layout *layout;	/* how it lies in registers; NULL: it is in memory */
	int64_t reach;		/* where what is written to it ends along its last dim */
};

struct vectorizer {
	struct arena *a;
	const struct target *target;
	struct laid_out_vec VEC(struct laid_out) open;
};

/* Opens the local buffer that ALLOC makes. Where that is in registers, says how its variables lie, by the widest
 * vector behind it that stores to it. */
void lanes_lay_out(struct vectorizer *v, struct nest *alloc);
/* So many lanes has a register of the widest element that the vector loop N computes with. */
int lanes_of_register(const struct vectorizer *v, const struct nest *n);
/* So many lanes of the vector loop N from turn AT on, a register having LANES: a power of two. More than
 * there are turns where the last ones may be done for nothing or masked: seven lanes are a vector of eight
 * whose last lane is never looked at, rather than vectors of four, two and one. */
int lanes_from(const struct vectorizer *v, const struct nest *n, int64_t at, int lanes);
/* May whatever stores vectors to B, of registers, in LIST do so for lanes beyond the end? */
bool lanes_may_overrun(const struct vectorizer *v, const struct buffer *b, const struct nest *list);
/* What is open of B, which must be. */
const struct laid_out *lanes_open(const struct vectorizer *v, const struct buffer *b);
/* Where what LIST stores to B ends along its last dim; beyond all numbers where that is not known. */
int64_t lanes_reach(struct arena *a, const struct buffer *b, const struct nest *list);
/* The flat index of an element of T; false where it has too many terms. */
bool lanes_offset(struct arena *a, const struct tensor *t, const struct expr *const *index,
		  struct linear *out);
/* Does AXIS move L in another way than by a coefficient of its own? */
bool lanes_bent(const struct linear *l, const struct axis *axis);
/* Are LANES turns of AXIS, which moves L, elements side by side in each half of them, wherever the halves are? */
bool lanes_in_halves(const struct linear *l, const struct axis *axis, int lanes);
/* Is the element of B, of registers, at INDEX in LANES turns of AXIS, from the first on, just one variable? */
bool lanes_are_variable(const struct vectorizer *v, const struct buffer *b, const struct expr *const *index,
			const struct axis *axis, int lanes);
/* May the stores to memory in LIST, the body of a vector loop over AXIS, be of LANES lanes from turn AT on, more than
 * there are turns: by a mask, or because rows have room? */
bool lanes_end_whole(const struct vectorizer *v, const struct nest *list, const struct axis *axis,
		     int64_t at, int lanes);
/* Can store N be one vector of LANES lanes along AXIS? */
bool lanes_store(const struct vectorizer *v, const struct nest *n, const struct axis *axis, int lanes);

#endif
