/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/matrix.c - blocks of loops that are an operation on matrices. */
#include "schedule/matrix.h"

#include "schedule/intrinsic_term.h"
#include "schedule/pass/vectors/lanes.h"

int matrix_turns(const struct axis *axis)
{
	return axis ? (int)(axis->hi - axis->lo) : 1;
}

/* What is alone inside of N; NULL: nothing is. */
static const struct nest *only(const struct nest *n)
{
	return n->body && !n->body->next ? n->body : NULL;
}

static bool is_plain(const struct nest *n, bool reduce)
{
	return n && n->kind == NEST_LOOP && n->annotation == ANNOTATION_NONE && n->axis->reduce == reduce;
}

/* The loops of N in M, and the store that they are around; false where N is not so. */
static bool find_loops(const struct nest *n, struct matrix_block *m)
{
	if (is_plain(n, false)) {
		m->rows = n->axis;
		n = only(n);
	}
	if (is_plain(n, true)) {
		m->depth = n->axis;
		n = only(n);
	}
	if (n && n->kind == NEST_LOOP && n->intrinsic) {
		m->group = n->axis;
		m->by = n->intrinsic;
		n = only(n);
	}
	if (!n || n->kind != NEST_LOOP || n->annotation != ANNOTATION_VECTOR)
		return false;
	m->lanes = n->axis;
	m->store = only(n);
	return m->store && m->store->kind == NEST_STORE;
}

/* How far apart elements are from one turn of M's loops to the next; of ROWS any distance, which is put there. */
struct strides {
	int64_t rows, depth, group, lanes;
};

enum { ANY = -1 };

static bool goes(const struct linear *at, const struct axis *axis, int64_t want, int64_t *row)
{
	if (!axis)
		return true;
	int64_t stride = linear_coef(at, axis);

	if (want == ANY)
		*row = stride;
	return !lanes_bent(at, axis) && (want == ANY || stride == want);
}

static bool lies(struct arena *a, const struct matrix_block *m, const struct tensor *t, const struct expr *const *index,
		 const struct strides *s, int64_t *row)
{
	struct linear at;

	*row = 0;
	return !buffer_of(t)->registers && lanes_offset(a, t, index, &at) && goes(&at, m->rows, s->rows, row) &&
	       goes(&at, m->depth, s->depth, row) && goes(&at, m->group, s->group, row) &&
	       goes(&at, m->lanes, s->lanes, row);
}

static bool load_lies(struct arena *a, const struct matrix_block *m, const struct expr *load, struct strides s, int64_t *row)
{
	return lies(a, m, load->tensor, load->index, &s, row);
}

static bool is_product(struct arena *a, struct matrix_block *m)
{
	struct intrinsic_term term;
	const struct intrinsic *x = m->by;

	if (!x || !intrinsic_is_matrix(x) || !intrinsic_operands(x, m->store->value, &term) ||
	    matrix_turns(m->rows) > x->rows || matrix_turns(m->depth) > x->depth || matrix_turns(m->lanes) != x->lanes)
		return false;
	for (int i = 0; i < 2; i++) {	/* of two operands of one type either may be that of the rows */
		m->a = i ? term.b : term.a;
		m->b = i ? term.a : term.b;
		if (load_lies(a, m, m->a, (struct strides){ ANY, x->group, 1, 0 }, &m->a_row) &&
		    load_lies(a, m, m->b, (struct strides){ 0, ANY, 1, x->group }, &m->b_row))
			return true;
		if (x->a != x->b)
			return false;
	}
	return false;
}

static enum matrix_kind kind_of(struct arena *a, struct matrix_block *m)
{
	const struct nest *s = m->store;

	if (!lies(a, m, &s->buffer->tensor, s->index, &(struct strides){ ANY, 0, 0, 1 }, &m->store_row))
		return MATRIX_NONE;
	if (s->reducer == REDUCE_SUM && is_product(a, m))
		return MATRIX_PRODUCT;
	if (s->reducer != REDUCE_NONE || m->group || m->depth)
		return MATRIX_NONE;
	m->a = s->value;
	if (s->value->kind == EXPR_LOAD && load_lies(a, m, m->a, (struct strides){ ANY, 0, 0, 1 }, &m->a_row))
		return MATRIX_COPY;
	return expr_is_zero(s->value) ? MATRIX_ZERO : MATRIX_NONE;
}

struct matrix_block matrix_block(struct arena *a, const struct nest *n)
{
	struct matrix_block m = { .kind = MATRIX_NONE };

	if (find_loops(n, &m))
		m.kind = kind_of(a, &m);
	return m;
}

bool matrix_find_product(struct arena *a, const struct nest *list, const struct buffer *b, struct matrix_block *out)
{
	for (const struct nest *n = list; n; n = n->next) {
		*out = n->kind == NEST_LOOP ? matrix_block(a, n) : (struct matrix_block){ .kind = MATRIX_NONE };
		if (out->kind == MATRIX_PRODUCT && out->store->buffer == b)
			return true;
		if (matrix_find_product(a, n->body, b, out) || matrix_find_product(a, n->other, b, out))
			return true;
	}
	return false;
}
