/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/tensorize.c - loops that are to be an intrinsic of the target are proved to mean it.
 *
 * Requires: vectors.
 * Provides: a loop that names an intrinsic is one of the target's, and each of its lanes' stores a call of it. Lanes
 *           that are not its own (the end of a row) are a written-out loop of their own; where there are no others,
 *           the program is refused.
 * Keeps:    results, up to the order of sums. The loops stay, and are the meaning of the call: whoever interprets,
 *           proves or counts reads them. */
#include "schedule/intrinsic_term.h"
#include "schedule/pass/pass.h"

/* Are all stores in LANES calls of loop N's intrinsic? */
static bool means_it(const struct program *p, const struct nest *n, const struct nest *lanes,
		     const char **why)
{
	struct intrinsic_term term;

	if (lanes->kind != NEST_LOOP)
		return intrinsic_term(p->arena, n->intrinsic, n->axis, lanes, lanes, &term, why);
	for (const struct nest *s = lanes->body; s; s = s->next)
		if (!intrinsic_term(p->arena, n->intrinsic, n->axis, lanes, s, &term, why))
			return false;
	return true;
}

/* Leaves in N what is its intrinsic; the rest is a loop behind it. */
static bool divide(struct program *p, struct nest *n, const char **why)
{
	struct nest *calls = NULL, *rest = NULL;

	for (struct nest *b = n->body, *next; b; b = next) {
		next = b->next;
		b->next = NULL;
		if (means_it(p, n, b, why))
			calls = nest_append(calls, b);
		else
			rest = nest_append(rest, b);
	}
	if (!calls && !rest)
		*why = "of what is to be an intrinsic there is no term that adds anything";
	n->body = calls;
	if (rest && calls) {
		struct nest *plain = arena_memdup(p->arena, n, sizeof(*n));

		plain->intrinsic = NULL;
		plain->body = rest;
		n->next = plain;
	}
	return calls;
}

static bool tensorize_list(struct program *p, struct nest *n, const char **why)
{
	for (; n; n = n->next) {
		if (n->intrinsic && !intrinsic_is_of(n->intrinsic, p->target)) {
			*why = "the target has no such intrinsic";
			return false;
		}
		if (n->intrinsic ? !divide(p, n, why)
				 : !tensorize_list(p, n->body, why) || !tensorize_list(p, n->other, why))
			return false;
	}
	return true;
}

bool nest_pass_tensorize(struct program *p, const char **why)
{
	return tensorize_list(p, p->body, why);
}
