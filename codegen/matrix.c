/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/matrix.c - operations on matrices, with tiles by number (target/matrix.h).
 *
 * Sums take tiles in the order in which they are met. An operand is loaded where no tile has it: of two tiles the one that
 * was not used last. */
#include <inttypes.h>

#include "codegen/emitter.h"
#include "schedule/matrix.h"

void emit_matrix_alloc(struct emitter *e, const struct nest *n)
{
	const char *name = emit_name(e, n->buffer->tensor.name);
	struct matrix_block shape;

	if (!matrix_find_product(e->a, n->next, n->buffer, &shape)) {
		e->why = "nothing adds to tiles";
		return;
	}
	vec_push(e->a, &e->places, (struct place_name){ .buffer = n->buffer, .name = name });
	e->matrix = (struct matrix_tiles){ .used = true, .sums = n->buffer, .last = { 1, 1 } };
	emit_line(e, "matrices = matrix_shape(matrices, %d, %d);", matrix_turns(shape.rows), matrix_turns(shape.depth));
}

void emit_matrix_forget(struct emitter *e)
{
	memset(e->matrix.has, 0, sizeof(e->matrix.has));
}

/* The tile of the sums at INDEX. */
static int tile_of_sums(struct emitter *e, const struct tensor *t, const struct expr *const *index)
{
	struct matrix_tiles *m = &e->matrix;
	struct offset o = offset_of(e, t, index);
	int i = 0;

	while (i < m->n && m->at[i] != o.constant)
		i++;
	if (*o.text || i == MATRIX_SUMS || &m->sums->tensor != t) {
		e->why = "sums of matrices are not known by number";
		return 0;
	}
	if (i == m->n)
		m->at[m->n++] = o.constant;
	return i;
}

/* LOAD's first element as a pointer, and the bytes from one of its rows to the next. */
static const char *rows_text(struct emitter *e, const struct tensor *t, const struct expr *const *index, int64_t row)
{
	struct place_name *p = place_of(e, t);
	struct offset o = offset_of(e, t, index);

	return arena_printf(e->a, "%s, %" PRId64, address_text(e, p, &o), row * (int64_t)dtype_bytes(t->dtype));
}

/* The tile that has LOAD, of operand WHICH. */
static int tile_of_operand(struct emitter *e, int which, const struct expr *load, int64_t row)
{
	struct matrix_tiles *m = &e->matrix;
	const char *rows = rows_text(e, load->tensor, load->index, row);
	int slot = 0;

	while (slot < MATRIX_OPERANDS && (!m->has[which][slot] || strcmp(m->has[which][slot], rows) != 0))
		slot++;
	bool loaded = slot < MATRIX_OPERANDS;

	if (!loaded)
		slot = (m->last[which] + 1) % MATRIX_OPERANDS;
	int tile = MATRIX_SUMS + which * MATRIX_OPERANDS + slot;

	if (!loaded)
		emit_line(e, "matrix_load(%d, %s);", tile, rows);
	m->has[which][slot] = rows;
	m->last[which] = slot;
	return tile;
}

static void emit_product(struct emitter *e, const struct matrix_block *m)
{
	int sum = tile_of_sums(e, &m->store->buffer->tensor, m->store->index);
	int a = tile_of_operand(e, 0, m->a, m->a_row);

	emit_line(e, "%s(%d, %d, %d);", m->by->name, sum, a, tile_of_operand(e, 1, m->b, m->b_row));
}

static void emit_block(struct emitter *e, const struct matrix_block *m)
{
	const struct nest *s = m->store;

	switch (m->kind) {
	case MATRIX_NONE:
		break;
	case MATRIX_ZERO:
		emit_line(e, "matrix_zero(%d);", tile_of_sums(e, &s->buffer->tensor, s->index));
		break;
	case MATRIX_PRODUCT:
		emit_product(e, m);
		break;
	case MATRIX_COPY:
		emit_line(e, "matrix_store(%d, %s);", tile_of_sums(e, m->a->tensor, m->a->index),
			  rows_text(e, &s->buffer->tensor, s->index, m->store_row));
		emit_matrix_forget(e);
		break;
	}
}

static bool is_in_tiles(const struct matrix_block *m)
{
	return m->store->buffer->scratchpad == SCOPE_MATRIX ||
	       (m->kind == MATRIX_COPY && buffer_of(m->a->tensor)->scratchpad == SCOPE_MATRIX);
}

bool emit_matrix(struct emitter *e, const struct nest *n)
{
	if (!e->matrix.used)
		return false;
	const struct matrix_block m = matrix_block(e->a, n);
	const struct axis *const axes[] = { m.rows, m.depth, m.group, m.lanes };
	int bound = e->bindings.n;

	if (m.kind == MATRIX_NONE || !is_in_tiles(&m))
		return false;
	for (size_t i = 0; i < sizeof(axes) / sizeof(axes[0]); i++)
		if (axes[i])
			emit_bind(e, (struct bound_axis){ axes[i], true, axes[i]->lo, NULL });
	emit_block(e, &m);
	e->bindings.n = bound;
	return true;
}
