/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/level.c - steps on several loops at once. */
#include "search/space/level.h"

void level_push(struct level *l, int iter)
{
	if (l->n < STEP_MAX_ITERS)
		l->at[l->n++] = iter;
}

void level_append(struct level *l, const struct level *more)
{
	for (int i = 0; i < more->n; i++)
		level_push(l, more->at[i]);
}

bool sketch_split(struct sketch *s, int stage, int iter, int64_t size, enum role role, int *outer, int *inner)
{
	*outer = s->state->stages.at[stage]->iters.n;
	*inner = *outer + 1;
	return sketch_add(s, step_split(stage, iter, size), role);
}

bool sketch_reorder(struct sketch *s, int stage, const struct level *l, enum role role)
{
	return l->n < 2 || sketch_add(s, step_reorder(stage, l->at, l->n), role);
}

bool sketch_annotate(struct sketch *s, int stage, const struct level *l, enum annotation annotation)
{
	for (int i = 0; i < l->n; i++)
		if (!sketch_add(s, step_annotate(stage, l->at[i], annotation), ROLE_FIXED))
			return false;
	return true;
}

bool sketch_border(struct sketch *s, int stage, const struct level *l, enum border border, enum role role)
{
	for (int i = 0; i < l->n; i++)
		if (!sketch_add(s, step_border(stage, l->at[i], border), role))
			return false;
	return true;
}
