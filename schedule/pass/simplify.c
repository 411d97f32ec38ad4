/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/simplify.c - what turns out to be no loop is none.
 *
 * Requires: nothing.
 * Provides: no loop and no let of a single value, which is a number inside of it instead, but where a loop
 *           ends the life of a local buffer before others that follow.
 * Keeps:    what is computed, and its order. */
#include "schedule/pass/pass.h"

/* The body of N for the one value of its axis: simplified values may have it still, where they have no linear
 * form. */
static struct nest *only_turn(struct arena *a, const struct nest *n)
{
	const struct expr *value = expr_int(a, n->axis->lo);

	return nest_copy(a, n->body, &n->axis, &value, 1);
}

static struct nest *simplify_list(struct arena *a, struct nest *list)
{
	struct nest *first = NULL;
	struct nest **hole = &first;
	bool alone = list && !list->next;

	while (list) {
		struct nest *n = list, *next = list->next;

		n->next = NULL;
		n->body = simplify_list(a, n->body);
		n->other = simplify_list(a, n->other);
		bool once = n->axis && n->axis->hi - n->axis->lo == 1 &&
			    (alone || !nest_allocates(n->body));

		*hole = once ? only_turn(a, n) : n;
		while (*hole)
			hole = &(*hole)->next;
		list = next;
	}
	return first;
}

bool nest_pass_simplify(struct program *p, const char **why)
{
	(void)why;
	p->body = simplify_list(p->arena, p->body);
	for (int i = 0; i < p->packs.n; i++)
		p->packs.at[i]->body = simplify_list(p->arena, p->packs.at[i]->body);
	return true;
}
