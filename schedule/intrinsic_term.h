/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/intrinsic_term.h - whether a store, in lanes inside of a group, is what an intrinsic computes. */
#ifndef HONE_SCHEDULE_INTRINSIC_TERM_H
#define HONE_SCHEDULE_INTRINSIC_TERM_H

#include "schedule/nest.h"

/* The loads that are an intrinsic's operands. */
struct intrinsic_term {
	const struct expr *a, *b;
};

/* Do the turns of GROUP, with LANES inside, a loop of lanes around stores alone, add to sums what X does? The term of
 * STORE, one of them; otherwise false, with the reason in WHY. */
bool intrinsic_term(struct arena *a, const struct intrinsic *x, const struct axis *group,
		    const struct nest *lanes, const struct nest *store, struct intrinsic_term *out,
		    const char **why);
/* The loads that E, a product, multiplies, where their types are those of X; false otherwise. */
bool intrinsic_operands(const struct intrinsic *x, const struct expr *e, struct intrinsic_term *out);

#endif
