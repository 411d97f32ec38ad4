/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/bulk.c - how much C text a nest makes, and how much local memory, without writing it.
 *
 * Requires: a nest whose registers are marked.
 * Provides: what codegen/ would write for registers of 64 bytes (narrower ones make more text).
 *           Constants and names count by their usual length; conditions on loops that are written
 *           out hold in a share of the copies. */
#include "schedule/bulk.h"

static void add_list(struct meter *m, const struct nest *n);

/* Vector loops are written out where what is inside has no vector form. */
static void add_lanes(struct meter *m, const struct nest *n,
		      void (*add)(struct meter *, const struct nest *))
{
	const struct axis *vector = m->vector;
	double copies = m->copies;

	m->vector = NULL;
	m->open[m->n++] = (struct open_axis){ vector, true };
	m->copies *= m->lanes;
	add(m, n);
	m->copies = copies;
	m->n--;
	m->vector = vector;
}

/* Do the lanes of store N go to neighbours? A register tile is laid out so that they do. */
static bool stores_vector(const struct meter *m, const struct nest *n)
{
	const struct tensor *t = &n->buffer->tensor;
	int last = t->ndim - 1;

	while (last > 0 && t->shape[last] == 1)
		last--;
	return m->vector && (n->buffer->registers || (last >= 0 && bulk_uses_lanes(m, n->index[last])));
}

static double combine_length(enum reducer r, enum dtype t)
{
	if (r == REDUCE_MAX || r == REDUCE_MIN)
		return CALL;
	return dtype_is_float(t) ? 3 : WRAP;
}

static void add_store(struct meter *m, const struct nest *n)
{
	const struct tensor *t = &n->buffer->tensor;

	if (m->vector && t->dtype == DTYPE_BOOL) {
		add_lanes(m, n, add_store);
		return;
	}
	bool whole = stores_vector(m, n);
	double cell = bulk_cell(m, t, n->index, whole);
	double lines = m->vector && !whole ? m->lanes : 1;

	m->text += m->copies * (lines * (m->indent + cell + 5) + bulk_length(m, n->value));
	if (n->reducer != REDUCE_NONE)
		m->text += m->copies * (cell + combine_length(n->reducer, t->dtype));
}

static void add_alloc(struct meter *m, const struct nest *n)
{
	const struct tensor *t = &n->buffer->tensor;
	double variables = 1;

	if (n->buffer->registers)
		variables = (double)tensor_bytes(t) / REGISTER_BYTES + 1;
	else if (n->buffer->kind == BUFFER_LOCAL)
		m->local += (double)tensor_bytes(t) * m->copies / m->block;
	m->text += m->copies * variables * (m->indent + SLOT + DECLARATION + (double)strlen(t->name));
}

static void add_body(struct meter *m, const struct nest *n, const struct axis *axis, bool known)
{
	m->open[m->n++] = (struct open_axis){ axis, known };
	add_list(m, n);
	m->n--;
}

static size_t widest(const struct nest *n)
{
	size_t most = 1;

	for (; n; n = n->next) {
		size_t here = n->body ? widest(n->body) : 1;

		if (n->kind == NEST_STORE)
			here = dtype_bytes(dtype_arithmetic(n->buffer->tensor.dtype));
		most = here > most ? here : most;
	}
	return most;
}

static void add_loop(struct meter *m, const struct nest *n)
{
	int64_t extent = n->axis->hi - n->axis->lo;
	double copies = m->copies, block = m->block, local = m->local;

	if (n->annotation == ANNOTATION_UNROLL) {
		m->copies *= (double)extent;
		add_body(m, n->body, n->axis, true);
	} else if (n->annotation == ANNOTATION_VECTOR && !m->vector) {
		int64_t lanes = REGISTER_BYTES / (int64_t)widest(n->body);
		int64_t pieces = extent / lanes + __builtin_popcountll((uint64_t)(extent % lanes));

		m->vector = n->axis;	/* in pieces of a power of two */
		m->lanes = (int)(extent / pieces);
		m->copies *= (double)pieces;
		add_body(m, n->body, n->axis, false);
		m->vector = NULL;
	} else {
		m->text += copies * (FOR_LINE + 2 * m->indent + 3 * (double)strlen(n->axis->name));
		m->indent++;
		m->block = copies;
		add_body(m, n->body, n->axis, false);
		m->block = block;
		m->indent--;
		if (m->local <= MAX_LOCAL)	/* its arrays end with it */
			m->local = local;
	}
	m->copies = copies;
}

static void add_let(struct meter *m, const struct nest *n)
{
	if (bulk_uses_lanes(m, n->value)) {
		add_lanes(m, n, add_let);
		return;
	}
	bool known = bulk_knows(m, n->value);

	if (!known)
		m->text += m->copies * (m->indent + LET_LINE + bulk_length(m, n->value));
	add_body(m, n->body, n->axis, known);
}

static void add_if(struct meter *m, const struct nest *n)
{
	struct share c = bulk_share(m, n->value);
	double copies = m->copies, open = 1 - c.holds - c.fails;

	if (open > 0 && bulk_uses_lanes(m, n->value)) {
		m->copies = copies * open;
		add_lanes(m, n, add_if);
		open = 0;	/* the lanes are done with it */
	}
	if (open > 0)
		m->text += copies * open * (2 * m->indent + IF_LINES + bulk_length(m, n->value));
	m->indent += open > 0;
	m->copies = copies * (c.holds + open);
	add_list(m, n->body);
	m->copies = copies * (c.fails + open);
	add_list(m, n->other);
	m->copies = copies;
	m->indent -= open > 0;
}

static void add_list(struct meter *m, const struct nest *n)
{
	for (; n && m->copies > 0 && m->n + 2 < MAX_OPEN; n = n->next)
		switch (n->kind) {
		case NEST_LOOP:
			add_loop(m, n);
			break;
		case NEST_LET:
			add_let(m, n);
			break;
		case NEST_IF:
			add_if(m, n);
			break;
		case NEST_ALLOC:
			add_alloc(m, n);
			break;
		case NEST_STORE:
			add_store(m, n);
			break;
		}
}

/* What is at the top level stands in a function, behind an if. */
static struct meter measure(const struct nest *n)
{
	struct meter m = { .n = 0, .copies = 1, .block = 1, .indent = 2 };

	add_list(&m, n);
	return m;
}

double nest_text(const struct nest *n)
{
	return measure(n).text;
}

bool check_bulk(const struct program *p, const char **why)
{
	struct meter m = measure(p->body);

	if (m.local > MAX_LOCAL)
		*why = "local buffers need too much memory";
	else if (m.text > TEXT_MARGIN * MAX_TEXT)
		*why = "too much text when unrolled";
	else
		return true;
	return false;
}
