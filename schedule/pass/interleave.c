/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/interleave.c - lanes that leave room between them for the turns of a loop right around are stored with these,
 * as words.
 *
 * Requires: vectors; those that are transposed marked.
 * Provides: a loop right around a vector loop of one store, where the lanes lie as many elements apart as it has turns, the
 *           turns side by side, and an element of each turn together are a word: such a block is written at once (loop.turns).
 *           What else was in the loop has one of its own.
 * Keeps:    results. Stores change their order, which none of them reads.
 *
 * So operands of intrinsics are copied whose groups lie side by side (target/intrinsic.def), from rows: lane by lane that
 * were as many stores as there are elements. */
#include "schedule/pass/vectors/blocks.h"
#include "schedule/pass/vectors/lanes.h"
#include "schedule/pass/pass.h"

/* Are the turns of loop N, with all there is in it, words that are one vector of P's target? */
static bool is_of_words(const struct program *p, const struct nest *n)
{
	const struct nest *v = n->body;
	struct linear to;

	if (!nest_is_of_words(n) || v->lanes > target_lanes(p->target, dtype_bytes(DTYPE_I32)) ||
	    !lanes_offset(p->arena, &v->body->buffer->tensor, v->body->index, &to) || lanes_bent(&to, v->axis) ||
	    lanes_bent(&to, n->axis))
		return false;
	return linear_coef(&to, v->axis) == n->axis->hi - n->axis->lo && linear_coef(&to, n->axis) == 1;
}

/* Loop N, with an axis of its own, around a copy of BODY, from N's. */
static struct nest *around_all(struct arena *a, const struct nest *n, const struct nest *body)
{
	struct nest *loop = arena_memdup(a, n, sizeof(*n));
	const struct axis *axis = axis_part(a, n->axis, n->axis->lo, n->axis->hi);
	const struct expr *value = expr_axis(a, axis);

	loop->next = NULL;
	loop->axis = axis;
	loop->body = nest_copy(a, body, &n->axis, &value, 1);
	return loop;
}

/* Around node ONE of its body alone. */
static struct nest *around(struct arena *a, const struct nest *n, const struct nest *one)
{
	struct nest alone = *one;

	alone.next = NULL;
	return around_all(a, n, &alone);
}

/* Are the turns of N with some vector in it as many elements as a word has? Mostly not, and then that is all there is to ask. */
static bool has_words(const struct nest *n)
{
	bool found = false;

	for (const struct nest *b = n->body; b && !found; b = b->next) {
		struct nest loop = *n, alone = *b;

		alone.next = NULL;
		loop.body = &alone;
		found = nest_is_of_words(&loop);
	}
	return found;
}

/* Is there but a condition in N, the same for all its turns, around what has words? */
static bool has_one_condition(const struct nest *n)
{
	const struct nest *cond = n->body;
	struct nest loop = *n;

	if (!cond || cond->kind != NEST_IF || cond->next || expr_uses_axis(cond->value, n->axis))
		return false;
	loop.body = cond->body;
	return has_words(&loop);
}

static struct nest *interleaved(struct program *p, struct nest *n);

/* The condition that is all there is in loop N, and is the same for all its turns, around loops of them. */
static struct nest *inside_of_condition(struct program *p, const struct nest *n)
{
	struct nest *cond = arena_memdup(p->arena, n->body, sizeof(*cond));
	struct nest **branch[] = { &cond->body, &cond->other };

	for (int i = 0; i < 2; i++) {
		struct nest *loop = arena_memdup(p->arena, n, sizeof(*n));

		if (!*branch[i])
			continue;
		loop->next = NULL;
		loop->body = *branch[i];
		struct nest *made = interleaved(p, loop);

		*branch[i] = made ? made : around_all(p->arena, n, loop->body);
	}
	cond->next = NULL;
	return cond;
}

/* A loop of N for each node in it, those of words marked; NULL where none is. */
static struct nest *interleaved(struct program *p, struct nest *n)
{
	struct nest *first = NULL;
	bool any = false;

	if (has_one_condition(n))
		return inside_of_condition(p, n);
	if (!has_words(n) || !block_is_unordered(n->body))
		return NULL;
	for (const struct nest *one = n->body; one; one = one->next) {
		struct nest *loop = around(p->arena, n, one);

		if (is_of_words(p, loop))
			loop->turns = TURNS_INTERLEAVED;
		any |= loop->turns == TURNS_INTERLEAVED;
		first = nest_append(first, loop);
	}
	return any ? first : NULL;
}

bool nest_pass_interleave(struct program *p, const char **why)
{
	(void)why;
	p->body = blocks_in(p, p->body, interleaved);
	return true;
}
