/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pack_copy.c - packs that only move elements, without an interpreter: weights have millions. */
#include <string.h>

#include "schedule/pass/vectors/lanes.h"

enum { MAX_LOOPS = 24 };

/* Loops around one store, outermost first; steps in elements. */
struct pack_loops {
	int n;
	const struct axis *axis[MAX_LOOPS];
	int64_t from[MAX_LOOPS], to[MAX_LOOPS];
	size_t bytes;		/* of an element */
};

/* The element of T at INDEX as steps of L's loops, in STEP; where the first is, in FIRST. False where it is no such sum. */
static bool find_steps(struct arena *a, const struct pack_loops *l, const struct tensor *t, const struct expr *const *index,
		       int64_t *step, int64_t *first)
{
	struct linear at;
	int found = 0;

	if (!lanes_offset(a, t, index, &at))
		return false;
	*first = at.constant;
	for (int i = 0; i < l->n; i++) {
		step[i] = linear_coef(&at, l->axis[i]);
		*first += step[i] * l->axis[i]->lo;
		found += step[i] != 0;
	}
	return found == at.n;	/* nothing but these moves it */
}

static void copy(const struct pack_loops *l, int at, const char *from, char *to)
{
	int64_t turns;

	if (at == l->n) {
		memcpy(to, from, l->bytes);
		return;
	}
	turns = l->axis[at]->hi - l->axis[at]->lo;
	for (int64_t i = 0; i < turns; i++)
		copy(l, at + 1, from + i * l->from[at] * (int64_t)l->bytes, to + i * l->to[at] * (int64_t)l->bytes);
}

void pack_run(const struct pack *k, const void *raw, void *packed)
{
	struct arena *a = arena_new();
	struct pack_loops l = { .bytes = dtype_bytes(k->raw->tensor.dtype) };
	const struct nest *n = k->body;
	int64_t from, to;

	for (; n && n->kind == NEST_LOOP && !n->next && l.n < MAX_LOOPS; n = n->body)
		l.axis[l.n++] = n->axis;
	if (n && n->kind == NEST_STORE && !n->next && n->reducer == REDUCE_NONE && n->value->kind == EXPR_LOAD &&
	    n->value->tensor == &k->raw->tensor && n->buffer == k->packed &&
	    find_steps(a, &l, n->value->tensor, n->value->index, l.from, &from) &&
	    find_steps(a, &l, &n->buffer->tensor, n->index, l.to, &to))
		copy(&l, 0, (const char *)raw + from * (int64_t)l.bytes, (char *)packed + to * (int64_t)l.bytes);
	else
		pack_interpret(k, raw, packed);
	arena_free(a);
}
