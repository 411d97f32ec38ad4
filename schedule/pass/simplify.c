/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/simplify.c - what turns out to be no loop is none.
 *
 * Requires: values that are simplified: an axis of one value is that number in them.
 * Provides: no loop and no let of a single value, but where a loop ends the life of a local buffer before
 *           others that follow.
 * Keeps:    what is computed, and its order. */
#include "schedule/pass/pass.h"

static bool allocates(const struct nest *list)
{
	for (; list; list = list->next)
		if (list->kind == NEST_ALLOC)
			return true;
	return false;
}

static struct nest *simplify_list(struct nest *list)
{
	struct nest *first = NULL;
	struct nest **hole = &first;
	bool alone = list && !list->next;

	while (list) {
		struct nest *n = list, *next = list->next;

		n->next = NULL;
		n->body = simplify_list(n->body);
		n->other = simplify_list(n->other);
		bool once = n->axis && n->axis->hi - n->axis->lo == 1 &&
			    (alone || !allocates(n->body));

		*hole = once ? n->body : n;
		while (*hole)
			hole = &(*hole)->next;
		list = next;
	}
	return first;
}

bool nest_pass_simplify(struct program *p, const char **why)
{
	(void)why;
	p->body = simplify_list(p->body);
	return true;
}
