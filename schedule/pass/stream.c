/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/stream.c - stores past the caches are proved to be what machines can do.
 *
 * Requires: vectors, those that are transposed marked.
 * Provides: a store that is to go past the caches is of all lanes of one vector, side by side, that begins at a
 *           multiple of its size. Others (tails, elements, lanes apart or under a mask) are plain stores. Where the target
 *           has none at all the program is refused.
 * Keeps:    results, and what is read and written. */
#include "schedule/pass/vectors/lanes.h"
#include "schedule/pass/pass.h"

/* What there is of stores that are to go past the caches. */
struct streams {
	const struct program *p;
	bool asked;
};

/* Does the vector of N's lanes begin at a multiple of its size? Arguments do at one of 64 bytes, and no vector is
 * longer. */
static bool is_aligned(const struct program *p, const struct nest *n, const struct nest *vector)
{
	struct linear l;

	if (!lanes_offset(p->arena, &n->buffer->tensor, n->index, &l) || lanes_bent(&l, vector->axis) ||
	    linear_coef(&l, vector->axis) != 1)
		return false;
	for (int i = 0; i < l.n; i++) {
		bool along = l.term[i].atom->kind == EXPR_AXIS && l.term[i].atom->axis == vector->axis;

		if (!along && l.term[i].coef % vector->lanes != 0)
			return false;
	}
	return (l.constant + vector->axis->lo) % vector->lanes == 0;
}

/* Is store N one whole vector? VECTOR is the loop of its lanes; NULL: it has none, or not all of them are stored. */
static bool is_whole(const struct program *p, const struct nest *n, const struct nest *vector)
{
	int bytes = vector ? vector->lanes * (int)dtype_bytes(n->buffer->tensor.dtype) : 0;

	return bytes >= p->target->stream_bytes && bytes > 0 && bytes <= p->target->vector_bytes &&
	       vector->axis->hi - vector->axis->lo == vector->lanes && n->reducer == REDUCE_NONE &&
	       is_aligned(p, n, vector);
}

static void prove(struct streams *s, struct nest *n, const struct nest *vector)
{
	for (; n; n = n->next) {
		/* the one store of a block writes other vectors than that of its lanes */
		struct nest *body = nest_is_whole(n) ? n->body->body : n->body;
		const struct nest *inside = n->annotation == ANNOTATION_VECTOR ? n : vector;

		if (n->kind == NEST_STORE && n->streams) {
			s->asked = true;
			n->streams = is_whole(s->p, n, vector);
		}
		prove(s, body, n->kind == NEST_IF ? NULL : inside);	/* under a mask, where lanes are around */
		prove(s, n->other, NULL);
	}
}

bool nest_pass_stream(struct program *p, const char **why)
{
	struct streams s = { .p = p };

	prove(&s, p->body, NULL);
	if (!s.asked || p->target->stream_bytes > 0)
		return true;
	*why = "the target has no stores past the caches";
	return false;
}
