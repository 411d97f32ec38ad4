/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/genes/refusals.h - why samples of a task were no candidates, by how often.
 *
 * Holds: the first REFUSALS reasons are told apart; later ones count only in the total. */
#ifndef HONE_SEARCH_SPACE_GENES_REFUSALS_H
#define HONE_SEARCH_SPACE_GENES_REFUSALS_H

#include <stdint.h>

enum { REFUSALS = 8, REFUSAL_TEXT = 96 };

struct refusals {
	struct refusal {
		char why[REFUSAL_TEXT];
		int64_t n;
	} at[REFUSALS];
	int n;
	int64_t total;
};

/* Counts one; nothing where R is NULL. */
void refusals_note(struct refusals *r, const char *why);
/* The most frequent; NULL where there is none. */
const struct refusal *refusals_most(const struct refusals *r);

#endif
