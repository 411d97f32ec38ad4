/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/transposed.c - blocks that are transposed on their way to memory: a vector is what a turn of the loop around
 * has for all lanes, and a lane's row in memory what all turns have for it. */
#include <inttypes.h>

#include "codegen/emitter.h"

/* The vectors of all turns of N, in an array; its name. */
static const char *emit_rows(struct emitter *e, const struct nest *n, const struct nest *store)
{
	const char *type = vector_type(e, store->buffer->tensor.dtype, e->lanes);
	const char *rows = emit_name(e, "rows"), *turn = emit_name(e, n->axis->name);
	bool written = n->annotation == ANNOTATION_UNROLL;

	emit_line(e, "%s %s[%d];", type, rows, e->lanes);
	for (int64_t i = n->axis->lo; written && i < n->axis->hi && !e->why; i++) {
		emit_bind(e, (struct bound_axis){ n->axis, true, i, NULL });
		emit_line(e, "%s[%" PRId64 "] = %s;", rows, i - n->axis->lo, vector_text(e, store->value));
		e->bindings.n--;
	}
	if (written)
		return rows;
	emit_line(e, "for (int64_t %s = %" PRId64 "; %s < %" PRId64 "; %s++)", turn, n->axis->lo, turn,
		  n->axis->hi, turn);
	e->indent++;
	emit_bind(e, (struct bound_axis){ n->axis, false, 0, turn });
	emit_line(e, "%s[%s - %" PRId64 "] = %s;", rows, turn, n->axis->lo, vector_text(e, store->value));
	e->bindings.n--;
	e->indent--;
	return rows;
}

struct offset offset_at_turn(struct emitter *e, const struct nest *n, int64_t i, const struct tensor *t,
			     const struct expr *const *index)
{
	emit_bind(e, (struct bound_axis){ n->axis, true, i, NULL });
	struct offset o = offset_of(e, t, index);

	e->bindings.n--;
	return o;
}

void emit_transposed(struct emitter *e, const struct nest *n)
{
	const struct nest *vector = n->body, *store = vector->body;
	const struct tensor *to = &store->buffer->tensor;
	int64_t turns = n->axis->hi - n->axis->lo, lanes = vector->axis->hi - vector->axis->lo;
	const char *type;

	emit_begin_lanes(e, vector);
	type = vector_type(e, to->dtype, e->lanes);
	struct offset o = offset_at_turn(e, n, n->axis->lo, to, store->index);

	emit_line(e, "{");
	e->indent++;
	if (o.stride != 1) {
		const char *rows = emit_rows(e, n, store);

		emit_line(e, "transpose_store_%s(%s, %" PRId64 ", (const %s *)%s, %d, %" PRId64 ", %" PRId64 ");", type,
			  address_text(e, place_of(e, to), &o), o.stride, dtype_c(to->dtype), rows, e->lanes, turns, lanes);
	} else {
		const struct expr *x = store->value;
		struct offset from = offset_at_turn(e, n, n->axis->lo, x->tensor, x->index);
		struct offset next = offset_at_turn(e, n, n->axis->lo + 1, to, store->index);

		emit_line(e, "transpose_copy_%s(%s, %" PRId64 ", %s, %" PRId64 ", %" PRId64 ", %" PRId64 ");", type,
			  address_text(e, place_of(e, to), &o), next.constant - o.constant,
			  address_text(e, place_of(e, x->tensor), &from), from.stride, turns, lanes);
	}
	e->indent--;
	emit_line(e, "}");
	emit_end_lanes(e);
}
