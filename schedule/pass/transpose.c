/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/transpose.c - lanes that lie apart, but side by side from turn to turn of a loop around, are
 * transposed in registers.
 *
 * Requires: vectors.
 * Provides: a loop of as many turns as a vector has lanes, or fewer, right around a vector loop of one store: the
 *           turns of both are a block of which one side, what is stored or what is copied, has neighbours in memory
 *           along the other loop (loop.turns). Where it has more turns, a loop of such blocks and one of what is left.
 * Keeps:    results. Stores change their order, which none of them reads.
 *
 * Lane by lane a vector is as many loads, or stores, and as many instructions that a compiler has to look at: of a
 * direct 3x3 convolution that stores its 28 vectors into a plain layout, half of the time to compile
 * (docs/performance.md). */
#include "schedule/pass/blocks.h"
#include "schedule/pass/pass.h"

/* --- may the turns of a loop change places with what is inside? */

static bool is_ordinary_loop(const struct nest *n)
{
	return n->kind == NEST_LOOP && !n->intrinsic && n->turns == TURNS_PLAIN &&
	       (n->annotation == ANNOTATION_NONE || n->annotation == ANNOTATION_UNROLL);
}

struct buffer_reading {
	const struct buffer *of;
	bool found;
};

static bool find_reading(const struct expr *e, void *user)
{
	struct buffer_reading *r = user;

	r->found |= e->kind == EXPR_LOAD && buffer_of(e->tensor) == r->of;
	return e->loads && !r->found;
}

static bool reads_buffer(const struct nest *list, const struct buffer *b)
{
	for (const struct nest *n = list; n; n = n->next) {
		struct buffer_reading r = { b, false };

		if (n->kind == NEST_STORE)
			expr_visit_once(n->value, find_reading, &r);
		if (r.found || reads_buffer(n->body, b))
			return true;
	}
	return false;
}

/* Nothing but loops around vectors, none of which combines with what was there or reads what ALL of them store. */
static bool is_unordered(const struct nest *list, const struct nest *all)
{
	for (const struct nest *n = list; n; n = n->next) {
		if (n->kind == NEST_STORE) {
			if (n->reducer != REDUCE_NONE || reads_buffer(all, n->buffer))
				return false;
		} else if (n->kind != NEST_LOOP || n->intrinsic ||
			   (n->annotation != ANNOTATION_VECTOR && !is_ordinary_loop(n)) ||
			   !is_unordered(n->body, all)) {
			return false;
		}
	}
	return true;
}

static bool any_transposes(struct arena *a, const struct nest *list, const struct axis *axis)
{
	for (const struct nest *n = list; n; n = n->next) {
		if (n->kind == NEST_LOOP && (n->annotation == ANNOTATION_VECTOR ? block_transposes(a, n, axis)
										: any_transposes(a, n->body, axis)))
			return true;
	}
	return false;
}

static struct nest *transpose_list(struct arena *a, struct nest *list)
{
	struct nest *first = NULL;
	struct nest **hole = &first;

	while (list) {
		struct nest *n = list;

		list = n->next;
		n->next = NULL;
		if (is_ordinary_loop(n) && any_transposes(a, n->body, n->axis) && is_unordered(n->body, n->body)) {
			n = blocks_of(a, n);
		} else if (n->annotation != ANNOTATION_VECTOR) {
			n->body = transpose_list(a, n->body);
			n->other = transpose_list(a, n->other);
		}
		*hole = n;
		while (*hole)
			hole = &(*hole)->next;
	}
	return first;
}

bool nest_pass_transpose(struct program *p, const char **why)
{
	(void)why;
	p->body = transpose_list(p->arena, p->body);
	return true;
}
