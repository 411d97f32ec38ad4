/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/transpose.c - lanes that lie apart, but side by side from turn to turn of a loop around, are
 * transposed in registers.
 *
 * Requires: vectors.
 * Provides: a loop of as many turns as a vector has lanes, or fewer, right around a vector loop of one store: the
 *           turns of both are a block of which one side, what is stored or what is copied, has neighbours in memory
 *           along the other loop (loop.turns), which may be fused of others. Where it has more turns, a loop of such blocks and
 *           one of what is left.
 * Keeps:    results. Stores change their order, which none of them reads.
 *
 * Lane by lane a vector is as many loads, or stores, and as many instructions that a compiler has to look at: of a
 * direct 3x3 convolution that stores its 28 vectors into a plain layout, half of the time to compile
 * (docs/performance.md). */
#include "schedule/pass/vectors/blocks.h"
#include "schedule/pass/pass.h"

static bool any_transposes(struct arena *a, const struct nest *list, const struct axis *axis)
{
	for (const struct nest *n = list; n; n = n->next) {
		if (n->kind == NEST_LOOP && (n->annotation == ANNOTATION_VECTOR ? block_transposes(a, n, axis)
										: any_transposes(a, n->body, axis)))
			return true;
	}
	return false;
}

enum { MOST_VARIABLES = TENSOR_MAX_DIMS };

/* LOOP, whose turns are those of loops that were fused, with what stands for the turn of each of these said in its own: where the
 * dims that these walk lie one behind the other, they are one. */
static struct nest *without_variables(struct arena *a, const struct nest *loop)
{
	struct nest *made = arena_memdup(a, loop, sizeof(*loop));
	const struct axis *axis[MOST_VARIABLES];
	const struct expr *value[MOST_VARIABLES];
	const struct nest *body = loop->body;
	int n = 0;

	for (; body && body->kind == NEST_LET && !body->next && n < MOST_VARIABLES; body = body->body, n++) {
		axis[n] = body->axis;
		value[n] = body->value;
	}
	made->body = nest_copy(a, body, axis, value, n);
	return made;
}

static struct nest *transposed(struct program *p, struct nest *n)
{
	const struct nest *loop = n->body && n->body->kind == NEST_LET ? without_variables(p->arena, n) : n;

	return any_transposes(p->arena, loop->body, loop->axis) && block_is_unordered(loop->body) ? blocks_of(p->arena, loop) : NULL;
}

bool nest_pass_transpose(struct program *p, const char **why)
{
	(void)why;
	p->body = blocks_in(p, p->body, transposed);
	return true;
}
