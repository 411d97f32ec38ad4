/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/plan/roots.c - views, slices and concatenations that only say where something is. */
#include "runtime/plan/roots.h"

#include <assert.h>

#include "graph/task/piece.h"
#include "graph/task/variant.h"
#include "runtime/plan/plan.h"

/* Wholes in wholes: the blocks of DenseNet-264 have 64 layers, each of which adds one. A bound on
 * the time that walks from parts to wholes take. */
enum { MAX_DEPTH = 64 };

static const struct binding *at(const struct roots *r, int value)
{
	return function_at(r->function, value);
}

static size_t bytes_of(const struct roots *r, int value)
{
	int64_t bytes = type_bytes(at(r, value)->type);

	assert(bytes >= 0);
	return (size_t)bytes;
}

bool roots_is_computed(const struct roots *r, int root)
{
	return at(r, root)->kind == BIND_APPLY;
}

struct root_place roots_top(const struct roots *r, int value)
{
	struct root_place p = r->place[value];

	while (r->root[p.root].part_of >= 0) {
		p.offset += r->root[p.root].offset;
		p.root = r->root[p.root].part_of;
	}
	return p;
}

static void become_root(struct roots *r, int value)
{
	r->root[value] = (struct value_root){ .bytes = bytes_of(r, value), .result = -1, .part_of = -1 };
	r->place[value] = (struct root_place){ value, 0 };
}

static void become_view(struct roots *r, int value, struct root_place p)
{
	r->place[value] = p;
	r->idle[value] = true;
}

/* The plain function that application VALUE applies, and how it is stored. */
static const struct function *applied(const struct roots *r, int value, const int64_t **stored)
{
	return variant_plain(r->graph, r->graph->functions.at[at(r, value)->function], stored);
}

/* Slices of what lies together, where that begins as kernels want it. */
static bool try_slice(struct roots *r, int value)
{
	const int64_t *stored;
	const struct function *f = applied(r, value, &stored);
	int param;
	int64_t begin = slice_piece(f, stored, &param);
	int from = begin < 0 ? VALUE_NONE : at(r, value)->args[param];

	if (begin < 0 || at(r, r->place[from].root)->kind == BIND_CONST)
		return false;
	struct root_place p = r->place[from];

	p.offset += (size_t)begin * element_bytes(at(r, value)->type->element);
	if (p.offset % PLAN_ALIGN != 0)
		return false;
	become_view(r, value, p);
	return true;
}

/* --- concatenations */

struct joiner {
	struct roots *r;
	struct arena *scratch;
	/* By root, of the operands at hand: their bytes in it, and where it would be in the whole. */
	size_t *covered, *begin;
};

/* A concatenation whose operands lie one behind the other. */
struct joining {
	int value;
	int n;
	struct root_place *top;	/* by operand, what it is in */
	size_t *want;		/* by operand, its first byte in the whole */
	size_t *bytes;		/* by operand */
};

static bool find_operands(const struct joiner *x, int value, struct joining *j)
{
	const struct roots *r = x->r;
	const int64_t *stored;
	const struct function *f = applied(r, value, &stored);
	int *params;
	size_t end = 0;

	*j = (struct joining){ .value = value, .n = concat_pieces(x->scratch, f, stored, &params) };
	j->top = arena_many(x->scratch, struct root_place, j->n);
	j->want = arena_many(x->scratch, size_t, j->n);
	j->bytes = arena_many(x->scratch, size_t, j->n);
	for (int i = 0; i < j->n; i++) {
		int v = at(r, value)->args[params[i]];

		j->top[i] = roots_top(r, v);
		j->want[i] = end;
		j->bytes[i] = bytes_of(r, v);
		end += j->bytes[i];
	}
	return j->n > 0;
}

/* Are the operands one behind the other already? Then the whole is a view of what they are in. */
static bool try_view(struct roots *r, const struct joining *j)
{
	struct root_place p = j->top[0];

	for (int i = 1; i < j->n; i++)
		if (j->top[i].root != p.root || j->top[i].offset != p.offset + j->want[i])
			return false;
	if (at(r, p.root)->kind == BIND_CONST || p.offset % PLAN_ALIGN != 0)
		return false;
	become_view(r, j->value, p);
	return true;
}

/* Notes where the root that operand I is in would be in the whole. False where it cannot be there,
 * or not for the operands before. */
static bool note_operand(struct joiner *x, const struct joining *j, int i)
{
	const struct root_place *top = &j->top[i];

	if (!roots_is_computed(x->r, top->root) || x->r->root[top->root].depth >= MAX_DEPTH ||
	    j->want[i] < top->offset)
		return false;
	size_t begin = j->want[i] - top->offset;

	if (begin % PLAN_ALIGN != 0 || (x->covered[top->root] && x->begin[top->root] != begin))
		return false;
	x->begin[top->root] = begin;
	x->covered[top->root] += j->bytes[i];
	return true;
}

/* Is all that the operands are in among the operands, and in their order? */
static bool is_whole(struct joiner *x, const struct joining *j)
{
	bool whole = true;

	for (int i = 0; i < j->n && whole; i++)
		whole = note_operand(x, j, i);
	for (int i = 0; i < j->n && whole; i++)
		whole = x->covered[j->top[i].root] == x->r->root[j->top[i].root].bytes;
	for (int i = 0; i < j->n; i++)
		x->covered[j->top[i].root] = 0;
	return whole;
}

/* A root of its own, with the operands as its parts where that can be. */
static void join(struct joiner *x, const struct joining *j)
{
	struct roots *r = x->r;

	become_root(r, j->value);
	if (!is_whole(x, j))
		return;
	for (int i = 0; i < j->n; i++) {
		struct value_root *part = &r->root[j->top[i].root];

		part->part_of = j->value;
		part->offset = x->begin[j->top[i].root];
		if (part->depth >= r->root[j->value].depth)
			r->root[j->value].depth = part->depth + 1;
	}
	r->idle[j->value] = true;
}

static void place_application(struct joiner *x, int value)
{
	struct joining j;

	if (try_slice(x->r, value))
		return;
	if (!find_operands(x, value, &j))
		become_root(x->r, value);
	else if (!try_view(x->r, &j))
		join(x, &j);
	arena_reset(x->scratch);
}

/* --- all of it */

/* Has the caller's memory stand for the roots that are a result and no part of anything. */
static void find_results(struct roots *r)
{
	for (int i = 0; i < r->function->nresults; i++) {
		int v = r->function->results[i];
		struct root_place p = r->place[v];
		struct value_root *root = &r->root[p.root];

		if (roots_is_computed(r, p.root) && root->part_of < 0 && root->result < 0 &&
		    p.offset == 0 && bytes_of(r, v) == root->bytes)
			root->result = i;
	}
}

struct roots roots_of(struct arena *a, const struct graph *g, int function)
{
	const struct function *f = g->functions.at[function];
	int n = f->bindings.n;
	struct roots r = { g, f, arena_many(a, struct value_root, n),
			   arena_many(a, struct root_place, n), arena_many(a, bool, n) };
	struct arena *held = arena_new();
	struct joiner x = { &r, arena_new(), arena_many(held, size_t, n), arena_many(held, size_t, n) };

	for (int v = 0; v < n; v++)
		if (at(&r, v)->kind == BIND_APPLY)
			place_application(&x, v);
		else if (at(&r, v)->kind == BIND_CALL)
			r.place[v] = r.place[at(&r, v)->args[0]];
		else
			become_root(&r, v);
	find_results(&r);
	arena_free(x.scratch);
	arena_free(held);
	return r;
}
