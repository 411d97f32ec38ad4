/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/simplify.c - what turns out to be no loop is none.
 *
 * Requires: nothing.
 * Provides: no loop and no let of a single value, which is a number inside of it instead, but where a loop
 *           ends the life of a local buffer before others that follow.
 * Keeps:    what is computed, and its order. */
#include "schedule/pass/pass.h"

static bool has_one_value(const struct nest *n)
{
	return n->axis && n->axis->hi - n->axis->lo == 1;
}

/* Does LIST allocate a buffer itself, once what is inside of it is simplified? */
static bool allocates(const struct nest *list)
{
	while (list && !list->next && has_one_value(list))
		list = list->body;
	return nest_allocates(list);
}

static bool is_no_loop(const struct nest *n, bool alone)
{
	return has_one_value(n) && (alone || !allocates(n->body));
}

bool nest_pass_simplify(struct program *p, const char **why)
{
	(void)why;
	p->body = nest_copy_without(p->arena, p->body, is_no_loop);
	for (int i = 0; i < p->packs.n; i++)
		p->packs.at[i]->body = nest_copy_without(p->arena, p->packs.at[i]->body, is_no_loop);
	return true;
}
