/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/interleaved.c - vectors of words: an element of each turn of a loop around, side by side. */
#include <inttypes.h>

#include "codegen/emitter.h"

/* The function that makes words of so many vectors, and the type whose bits it takes. */
static const struct {
	const char *name;
	enum dtype bits;
} by_turns[] = { [2] = { "pairs", DTYPE_BF16 }, [4] = { "quads", DTYPE_U8 } };

void emit_interleaved(struct emitter *e, const struct nest *n)
{
	const struct nest *vector = n->body, *store = vector->body;
	const struct tensor *to = &store->buffer->tensor;
	int64_t lo = n->axis->lo, turns = n->axis->hi - lo;
	struct text rows = { 0 };

	emit_begin_lanes(e, vector);
	struct offset o = offset_at_turn(e, n, lo, to, store->index);
	const char *words = vector_type(e, DTYPE_I32, e->lanes), *bits = vector_type(e, by_turns[turns].bits, e->lanes);

	if (o.per_lane || o.stride != turns || offset_at_turn(e, n, lo + 1, to, store->index).constant != o.constant + 1)
		e->why = "elements that are to be a word do not lie side by side";	/* a nest that was written by hand */
	for (int64_t i = lo; i < lo + turns && !e->why; i++) {
		emit_bind(e, (struct bound_axis){ n->axis, true, i, NULL });
		text_printf(&rows, "%s(%s)%s", i > lo ? ", " : "", bits, vector_text(e, store->value));
		e->bindings.n--;
	}
	if (!e->why)
		emit_line(e, "*(%s_u *)(%s) = %s_%s(%s);", words, address_text(e, place_of(e, to), &o), by_turns[turns].name,
			  words, text_str(&rows));
	text_free(&rows);
	emit_end_lanes(e);
}
