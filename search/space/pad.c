/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/pad.c - sums over more terms. */
#include "search/space/pad.h"

void pad_terms(struct sketcher *k, const struct sketch *s, int stage, int64_t m)
{
	struct sketch *next = sketch_copy(k->arena, s);
	int first = s->state->stages.n;

	if (m == 0 || !sketch_add(next, step_derive(stage, DERIVATION_PADDED, m), ROLE_FIXED))
		return;
	for (int i = first; i < next->state->stages.n; i++)
		sketch_add(next, step_place(i), ROLE_FIXED);	/* refused: the data's */
	sketch_emit(k, next, sketch_place(next, stage) + 1);
}
