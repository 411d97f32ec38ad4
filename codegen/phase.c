/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/phase.c - what the threads of a kernel do, and where they wait for each other.
 *
 * In:   the items of the program's top level: parallel loops, whose turns the threads share, and
 *       others, which thread 0 runs alone.
 * Out:  each item behind an if that names its phase.
 * Holds: within a phase no thread touches what another one writes. A parallel loop inside of another
 *        item is a plain loop. */
#include "codegen/emitter.h"

/* The loop of ITEM whose turns threads share: itself, or what is left below loops of one turn. NULL:
 * it is one thread's. */
static const struct nest *shared_loop(const struct nest *item)
{
	while (item->kind == NEST_LET && item->body && !item->body->next)
		item = item->body;
	return item->kind == NEST_LOOP && item->annotation == ANNOTATION_PARALLEL ? item : NULL;
}

static bool is_shared(const struct nest *item)
{
	return shared_loop(item) != NULL;
}

bool program_is_parallel(const struct program *p)
{
	for (const struct nest *item = p->body; item; item = item->next)
		if (is_shared(item))
			return true;
	return false;
}

static bool list_uses(const struct nest *n, const struct buffer *b);

static bool node_uses(const struct nest *n, const struct buffer *b)
{
	if (n->kind == NEST_STORE) {
		if (n->buffer == b)
			return true;
		for (int d = 0; d < n->buffer->tensor.ndim; d++)
			if (expr_loads(n->index[d], &b->tensor) > 0)
				return true;
	}
	return (n->value && expr_loads(n->value, &b->tensor) > 0) || list_uses(n->body, b) ||
	       list_uses(n->other, b);
}

static bool list_uses(const struct nest *n, const struct buffer *b)
{
	for (; n; n = n->next)
		if (node_uses(n, b))
			return true;
	return false;
}

/* Whether ITEM touches what N, or what is below it, writes. */
static bool touches(const struct nest *item, const struct nest *n)
{
	if (n->kind == NEST_STORE)
		return node_uses(item, n->buffer);
	for (const struct nest *below = n->body; below; below = below->next)
		if (touches(item, below))
			return true;
	for (const struct nest *below = n->other; below; below = below->next)
		if (touches(item, below))
			return true;
	return false;
}

/* The last item that stays with FIRST: a local buffer, where loops of one turn around it are gone,
 * lives on one thread, as do all who use it. */
static const struct nest *unit_end(const struct nest *first)
{
	const struct nest *last = first;

	for (const struct nest *n = first;; n = n->next) {
		bool local = n->kind == NEST_ALLOC && n->buffer->kind == BUFFER_LOCAL;

		for (const struct nest *user = last->next; user && local; user = user->next)
			if (node_uses(user, n->buffer))
				last = user;
		if (n == last)
			return last;
	}
}

/* Whether items FIRST to LAST have to wait for those of their phase before them, from BEGIN on. */
static bool must_wait(const struct nest *begin, const struct nest *first, const struct nest *last)
{
	for (const struct nest *n = begin; n != first; n = n->next)
		for (const struct nest *m = first; m != last->next; m = m->next)
			if ((is_shared(n) || is_shared(m)) && (touches(m, n) || touches(n, m)))
				return true;
	return false;
}

static void open_group(struct emitter *e, int phase, bool shared)
{
	emit_line(e, "if (phase == %d%s) {", phase, shared ? "" : " && thread == 0");
	e->indent++;
}

static void close_group(struct emitter *e)
{
	e->indent--;
	emit_line(e, "}");
}

int emit_phases(struct emitter *e)
{
	const struct nest *begin = e->p->body, *last;
	bool opened = false, alone = false;	/* a group is; for thread 0 */
	int phase = 0;

	for (const struct nest *first = begin; first && !e->why; first = last->next) {
		last = first;
		if (first->kind == NEST_ALLOC && first->buffer->kind == BUFFER_TEMP)
			continue;	/* the function's head has it */
		last = unit_end(first);
		bool waits = must_wait(begin, first, last);
		bool shared = first == last && is_shared(first);

		if (waits) {
			phase++;
			begin = first;
		}
		if (opened && (waits || shared || !alone))
			close_group(e);
		if (!opened || waits || shared || !alone)
			open_group(e, phase, shared);
		opened = true;
		alone = !shared;
		e->shared = shared ? shared_loop(first) : NULL;
		for (const struct nest *n = first; n != last->next && !e->why; n = n->next)
			emit_node(e, n);
	}
	e->shared = NULL;
	if (opened)
		close_group(e);
	return phase + 1;
}
