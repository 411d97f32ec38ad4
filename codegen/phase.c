/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/phase.c - what the threads of a kernel do, and where they wait for each other.
 *
 * In:   the items of the program's top level: parallel loops, whose turns the threads share, and
 *       others, which thread 0 runs alone.
 * Out:  each item behind an if that names its phase.
 * Holds: within a phase no thread touches what another one writes. A parallel loop inside of another
 *        item is a plain loop. */
#include "codegen/emitter.h"

static bool is_shared(const struct nest *item)
{
	return item->kind == NEST_LOOP && item->annotation == ANNOTATION_PARALLEL;
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

/* Whether ITEM has to wait for the items of its phase before it, from FIRST on. */
static bool must_wait(const struct nest *first, const struct nest *item)
{
	for (const struct nest *n = first; n != item; n = n->next)
		if ((is_shared(n) || is_shared(item)) && (touches(item, n) || touches(n, item)))
			return true;
	return false;
}

static void close_group(struct emitter *e)
{
	e->indent--;
	emit_line(e, "}");
}

int emit_phases(struct emitter *e)
{
	const struct nest *first = e->p->body, *last = NULL;
	int phase = 0;

	for (const struct nest *item = first; item && !e->why; item = item->next) {
		bool waits = must_wait(first, item);

		if (item->kind == NEST_ALLOC)	/* the function's head has it */
			continue;
		if (waits) {
			phase++;
			first = item;
		}
		if (waits || !last || is_shared(last) || is_shared(item)) {
			if (last)
				close_group(e);
			emit_line(e, "if (phase == %d%s) {", phase,
				  is_shared(item) ? "" : " && thread == 0");
			e->indent++;
		}
		e->shared = is_shared(item) ? item : NULL;
		emit_node(e, item);
		last = item;
	}
	e->shared = NULL;
	if (last)
		close_group(e);
	return phase + 1;
}
