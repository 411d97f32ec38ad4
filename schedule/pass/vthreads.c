/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/vthreads.c - turns of virtual threads are interleaved, statement by statement.
 *
 * Requires: turns that were proved not to meet; buffers stored as they are indexed.
 * Provides: loops of virtual threads around single statements. Their turns go through the loops inside side by side: each
 *           statement is done for all of them before the next one, and what a turn has of its own is a slice of a buffer for all. So what
 *           one waits for (a unit that loads, one that computes) others fill.
 *           What is the same for all turns is done once, in as many copies as there are turns, one after the other.
 * Keeps:    what is computed. */
#include "schedule/pass/pass.h"

/* A buffer inside of the loop, and what has a slice of it for each turn. */
struct sliced {
	const struct buffer *from;
	struct buffer *to;
};

struct threads {
	struct arena *a;
	const struct axis *turn;
	enum border border;
	const struct nest *body;	/* of the loop */
	struct sliced_vec VEC(struct sliced) sliced;
	bool grew;	/* as found in the last walk */
};

static int turns_of(const struct threads *t)
{
	return (int)(t->turn->hi - t->turn->lo);
}

static struct buffer *slice_of(const struct threads *t, const struct tensor *tensor)
{
	for (int i = 0; i < t->sliced.n; i++)
		if (&t->sliced.at[i].from->tensor == tensor)
			return t->sliced.at[i].to;
	return NULL;
}

/* --- which buffers differ from turn to turn */

struct difference {
	const struct threads *t;
	bool found;
};

static bool find_difference(const struct expr *e, void *user)
{
	struct difference *d = user;

	d->found |= (e->kind == EXPR_AXIS && e->axis == d->t->turn) ||
		    (e->kind == EXPR_LOAD && slice_of(d->t, e->tensor));
	return !d->found;
}

static bool differs(const struct threads *t, const struct expr *e)
{
	struct difference d = { t, false };

	if (e)
		expr_visit_once(e, find_difference, &d);
	return d.found;
}

static bool allocates(const struct nest *list, const struct buffer *b)
{
	for (const struct nest *n = list; n; n = n->next)
		if ((n->kind == NEST_ALLOC && n->buffer == b) || allocates(n->body, b) || allocates(n->other, b))
			return true;
	return false;
}

/* Of what is there before the loop each turn writes elements of its own. */
static void slice(struct threads *t, const struct buffer *b)
{
	struct buffer *to = arena_memdup(t->a, b, sizeof(*b));

	if (b->kind != BUFFER_LOCAL || slice_of(t, &b->tensor) || !allocates(t->body, b))
		return;
	to->tensor.shape[0] = t->turn->hi - t->turn->lo;
	for (int d = 0; d < b->tensor.ndim; d++)
		to->tensor.shape[d + 1] = b->tensor.shape[d];
	to->tensor.ndim++;
	to->slices = (b->slices ? b->slices : 1) * turns_of(t);
	vec_push(t->a, &t->sliced, (struct sliced){ b, to });
	t->grew = true;
}

/* Slices what LIST stores to that differs; APART: all of it does. */
static void find_sliced(struct threads *t, const struct nest *list, bool apart)
{
	for (const struct nest *n = list; n; n = n->next) {
		bool here = apart || differs(t, n->value);

		for (int d = 0; n->kind == NEST_STORE && d < n->buffer->tensor.ndim; d++)
			here |= differs(t, n->index[d]);
		if (n->kind == NEST_STORE && here)
			slice(t, n->buffer);
		find_sliced(t, n->body, here);
		find_sliced(t, n->other, here);
	}
}

/* --- accesses */

static const struct expr *turn_number(const struct threads *t)
{
	return expr_add(t->a, expr_axis(t->a, t->turn), expr_int(t->a, -t->turn->lo));
}

static const struct expr **index_of_slice(const struct threads *t, int ndim, const struct expr *const *index)
{
	const struct expr **out = arena_many(t->a, const struct expr *, ndim + 1);

	out[0] = turn_number(t);
	for (int d = 0; d < ndim; d++)
		out[d + 1] = index[d];
	return out;
}

static const struct expr *slice_load(struct arena *a, const struct expr *e, void *user)
{
	const struct threads *t = user;
	const struct buffer *to = e->kind == EXPR_LOAD ? slice_of(t, e->tensor) : NULL;

	return to ? expr_load(a, &to->tensor, index_of_slice(t, e->tensor->ndim, e->index)) : e->loads ? NULL : e;
}

static void slice_accesses(const struct threads *t, struct nest *n)
{
	for (; n; n = n->next) {
		struct buffer *to = n->buffer ? slice_of(t, &n->buffer->tensor) : NULL;

		if (n->value && n->value->loads)
			n->value = expr_rewrite(t->a, n->value, slice_load, (void *)t);
		if (n->kind == NEST_STORE && to)
			n->index = index_of_slice(t, n->buffer->tensor.ndim, n->index);
		if (to)
			n->buffer = to;
		slice_accesses(t, n->body);
		slice_accesses(t, n->other);
	}
}

/* --- loops */

/* Statements in LIST, and allocations. */
static int parts_of(const struct nest *list)
{
	int n = 0;

	for (; list; list = list->next)
		n += list->kind == NEST_STORE || list->kind == NEST_ALLOC ? 1 : parts_of(list->body) + parts_of(list->other);
	return n;
}

static bool uses_turn(const struct threads *t, const struct nest *n)
{
	if (n->value && expr_uses_axis(n->value, t->turn))
		return true;
	for (int d = 0; n->kind == NEST_STORE && d < n->buffer->tensor.ndim; d++)
		if (expr_uses_axis(n->index[d], t->turn))
			return true;
	for (const struct nest *b = n->body; b; b = b->next)
		if (uses_turn(t, b))
			return true;
	for (const struct nest *b = n->other; b; b = b->next)
		if (uses_turn(t, b))
			return true;
	return false;
}

static bool is_slice(const struct threads *t, const struct buffer *b)
{
	for (int i = 0; i < t->sliced.n; i++)
		if (t->sliced.at[i].to == b)
			return true;
	return false;
}

/* LIST with a loop over all turns around each statement of its own. */
static struct nest *spread(const struct threads *t, struct nest *list)
{
	struct nest *first = NULL, *next;

	for (struct nest *n = list; n; n = next) {
		next = n->next;
		n->next = NULL;
		bool splits = n->kind != NEST_STORE && parts_of(n->body) + parts_of(n->other) > 1 &&
			      !(n->value && expr_uses_axis(n->value, t->turn));

		if (splits) {
			n->body = spread(t, n->body);
			n->other = spread(t, n->other);
		} else if (n->kind == NEST_ALLOC && n->buffer->kind == BUFFER_LOCAL && !is_slice(t, n->buffer)) {
			n->buffer->copies = (n->buffer->copies ? n->buffer->copies : 1) * turns_of(t);
		} else if (n->kind != NEST_ALLOC && uses_turn(t, n)) {
			n = nest_new(t->a, NEST_LOOP, n);
			n->axis = t->turn;
			n->annotation = ANNOTATION_VTHREAD;
			n->border = t->border;
		}
		first = nest_append(first, n);
	}
	return first;
}

static struct nest *interleave(struct arena *a, struct nest *loop)
{
	struct threads t = { .a = a, .turn = loop->axis, .border = loop->border, .body = loop->body };

	do {
		t.grew = false;
		find_sliced(&t, loop->body, false);
	} while (t.grew);
	slice_accesses(&t, loop->body);
	return spread(&t, loop->body);
}

static struct nest *interleave_list(struct arena *a, struct nest *list)
{
	struct nest *first = NULL, *next;

	for (struct nest *n = list; n; n = next) {
		next = n->next;
		n->next = NULL;
		n->body = interleave_list(a, n->body);	/* the inner ones first */
		n->other = interleave_list(a, n->other);
		if (n->kind == NEST_LOOP && n->annotation == ANNOTATION_VTHREAD)
			n = interleave(a, n);
		first = nest_append(first, n);
	}
	return first;
}

bool nest_pass_vthreads(struct program *p, const char **why)
{
	(void)why;
	p->body = interleave_list(p->arena, p->body);
	return true;
}
