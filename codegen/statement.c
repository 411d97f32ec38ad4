/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/statement.c - loops, blocks and stores as C text.
 *
 * Unrolled loops are written out, vector loops become GNU vectors, a buffer in registers becomes
 * variables. Everything else reads as in the nest. */
#include <inttypes.h>

#include "codegen/emitter.h"
#include "schedule/mask.h"
#include "te/index/index.h"

void emit_line(struct emitter *e, const char *fmt, ...)
{
	va_list ap;

	text_indent(&e->body, e->indent);
	va_start(ap, fmt);
	text_vprintf(&e->body, fmt, ap);
	va_end(ap);
	text_puts(&e->body, "\n");
}

const char *emit_name(struct emitter *e, const char *name)
{
	char *s = arena_printf(e->a, "%s_%d", name, e->unique++);

	for (char *p = s; *p; p++)
		if (*p == '.')
			*p = '_';
	return s;
}

void emit_bind(struct emitter *e, struct bound_axis b)
{
	vec_push(e->a, &e->bindings, b);
}

/* --- stores */

/* Stores VALUE to the one element of N. */
static void emit_element(struct emitter *e, const struct nest *n, const char *value)
{
	struct place_name *p = place_of(e, &n->buffer->tensor);
	struct offset o = offset_of(e, &n->buffer->tensor, n->index);
	const char *cell;

	if (e->why)
		return;
	cell = p->buffer->registers ? slot_of(e, p, n->index).cell : element_text(e, p, &o);
	if (n->reducer != REDUCE_NONE)
		value = combine_text(e, n->reducer, n->buffer->tensor.dtype, 1, cell, value);
	emit_line(e, "%s = %s;", cell, value);
}

/* Combines the lanes R of a vector with one element. */
static void emit_combined_lanes(struct emitter *e, const struct nest *n, const struct lane_run *r)
{
	enum dtype t = n->buffer->tensor.dtype;
	const char *type = vector_type(e, t, e->lanes);
	const char *value = vector_text(e, n->value);

	if (!r->all) {
		const struct expr *nothing = expr_const(e->a, t, reducer_identity(n->reducer, t));

		value = arena_printf(e->a, "select_%s(lanes_%s(%s, %s), %s, %s)", type, type, r->lo, r->hi,
				     value, vector_text(e, nothing));
	}
	emit_element(e, n, arena_printf(e->a, "%s_across_%s(%s)", reducer_name(n->reducer), type, value));
}

/* The vector that store N writes whole; NULL where its lanes are apart. */
static const char *vector_cell(struct emitter *e, const struct nest *n)
{
	const struct tensor *t = &n->buffer->tensor;
	struct place_name *p = place_of(e, t);

	if (p->buffer->registers)
		return slot_of(e, p, n->index).variable;
	struct offset o = offset_of(e, t, n->index);

	if (o.stride != 1)
		return NULL;
	return arena_printf(e->a, "*(%s *)(%s)", vector_memory_type(e, t->dtype, e->lanes),
			    address_text(e, p, &o));
}

/* Computes the lanes together and stores them one by one, a stride apart. */
static void emit_scatter(struct emitter *e, const struct nest *n, const struct lane_run *r)
{
	const struct tensor *t = &n->buffer->tensor;
	struct offset o = offset_of(e, t, n->index);

	emit_line(e, "scatter_%s(%s, %" PRId64 ", %s, %s, %s);", vector_type(e, t->dtype, e->lanes),
		  address_text(e, place_of(e, t), &o), o.stride, vector_text(e, n->value), r->lo, r->hi);
}

static void emit_masked_store(struct emitter *e, const struct nest *n, const struct lane_run *r)
{
	const struct tensor *t = &n->buffer->tensor;
	struct offset o = offset_of(e, t, n->index);
	const char *type = vector_type(e, t->dtype, e->lanes);
	const char *cell = address_text(e, place_of(e, t), &o);
	const char *value = vector_text(e, n->value);

	if (n->reducer != REDUCE_NONE) {
		const char *before = arena_printf(e->a, "load_%s(%s, %s, %s)", type, cell, r->lo,
						  r->hi);

		value = combine_text(e, n->reducer, t->dtype, e->lanes, before, value);
	}
	emit_line(e, "store_%s(%s, %s, %s, %s);", type, cell, value, r->lo, r->hi);
}

/* Past the caches: what the pass stream has proved to be a whole vector that may begin there. */
static void emit_streamed(struct emitter *e, const struct nest *n)
{
	const struct tensor *t = &n->buffer->tensor;
	struct offset o = offset_of(e, t, n->index);

	emit_line(e, "stream_%s(%s, %s);", vector_type(e, t->dtype, e->lanes),
		  address_text(e, place_of(e, t), &o), vector_text(e, n->value));
	e->streams = true;
}

static void emit_vector_store(struct emitter *e, const struct nest *n)
{
	enum dtype t = n->buffer->tensor.dtype;
	struct lane_run r = lane_run(e);

	if (store_combines_lanes(n, e->vector_axis)) {
		emit_combined_lanes(e, n, &r);
		return;
	}
	if (n->streams) {
		emit_streamed(e, n);
		return;
	}
	const char *cell = vector_cell(e, n);
	const char *type = vector_type(e, t, e->lanes);

	if (!cell) {
		emit_scatter(e, n, &r);
		return;
	}
	if (e->group) {
		emit_line(e, "%s = %s;", cell, intrinsic_call(e, n, cell));
		return;
	}
	bool room = !e->under && mask_has_room(e->a, n, e->vector_axis, e->vector_start, e->lanes);

	if (!r.all && !n->buffer->registers && !room) {
		emit_masked_store(e, n, &r);
		return;
	}
	const char *value = vector_text(e, n->value);

	if (n->reducer != REDUCE_NONE)
		value = combine_text(e, n->reducer, t, e->lanes, cell, value);
	if (e->under && !r.all)		/* of registers: what is not in the mask stays */
		value = arena_printf(e->a, "select_%s(lanes_%s(%s, %s), %s, %s)", type, type, r.lo,
				     r.hi, value, cell);
	emit_line(e, "%s = %s;", cell, value);
}

static void emit_store(struct emitter *e, const struct nest *n)
{
	emit_matrix_forget(e);
	if (e->vector_axis)
		emit_vector_store(e, n);
	else
		emit_element(e, n, scalar_text(e, n->value));
}

/* The address is computed as a number, for it may be of no object. Locality 3 is all levels, 2 the second and on. */
static void emit_prefetch(struct emitter *e, const struct nest *n)
{
	const struct tensor *t = &n->buffer->tensor;

	use_helper(e, HELPER_PREFETCH);
	emit_line(e, "hone_prefetch(%s, (%s) * %zu, %d);", place_of(e, t)->name, index_text(e, n->value),
		  dtype_bytes(t->dtype), n->far ? 2 : 3);
}

/* --- loops */

static void emit_body(struct emitter *e, const struct nest *n)
{
	int places = e->places.n;

	emit_list(e, n);
	e->places.n = places;
}

static void emit_unrolled(struct emitter *e, const struct nest *n)
{
	bool braces = nest_allocates(n->body);

	for (int64_t i = n->axis->lo; i < n->axis->hi && !e->why; i++) {
		if (n->turns == TURNS_RELOAD && i > n->axis->lo)
			emit_line(e, "READ_AGAIN;");
		if (braces)
			emit_line(e, "{");
		e->indent += braces;
		emit_bind(e, (struct bound_axis){ n->axis, true, i, NULL });
		emit_body(e, n->body);
		e->bindings.n--;
		e->indent -= braces;
		if (braces)
			emit_line(e, "}");
	}
}

/* All turns of the group N at once: what is written is the first. */
static void emit_group(struct emitter *e, const struct nest *n)
{
	emit_bind(e, (struct bound_axis){ n->axis, true, n->axis->lo, NULL });
	e->group = n;
	emit_body(e, n->body);
	e->group = NULL;
	e->bindings.n--;
}

void emit_begin_lanes(struct emitter *e, const struct nest *n)
{
	emit_bind(e, (struct bound_axis){ n->axis, false, 0, "lane" });
	e->vector_axis = n->axis;
	e->vector_start = n->axis->lo;
	e->lanes = n->lanes;
}

void emit_end_lanes(struct emitter *e)
{
	e->vector_axis = NULL;
	e->lanes = 0;
	e->bindings.n--;
}

static void emit_vector(struct emitter *e, const struct nest *n)
{
	emit_begin_lanes(e, n);
	emit_body(e, n->body);
	emit_end_lanes(e);
}

/* The turns that a thread takes follow each other. */
static void emit_shared_head(struct emitter *e, const struct axis *axis, const char *name)
{
	use_helper(e, HELPER_FIRST_TURN);
	emit_line(e, "const int64_t %s_end = hone_first_turn(%" PRId64 ", %" PRId64
		     ", thread + 1, threads);\n", name, axis->lo, axis->hi);
	emit_line(e, "for (int64_t %s = hone_first_turn(%" PRId64 ", %" PRId64
		     ", thread, threads); %s < %s_end; %s++) {",
		  name, axis->lo, axis->hi, name, name, name);
}

void emit_for(struct emitter *e, const struct nest *n)
{
	const char *name = emit_name(e, n->axis->name);
	struct local_arrays open = e->open;

	if (n == e->shared) {
		emit_shared_head(e, n->axis, name);
	} else {
		if (n->turns == TURNS_FEW)
			emit_line(e, "WRITE_OUT");
		if (n->turns == TURNS_ALIKE)
			emit_line(e, "ALIKE");
		emit_line(e, "for (int64_t %s = %" PRId64 "; %s < %" PRId64 "; %s++) {", name,
			  n->axis->lo, name, n->axis->hi, name);
	}
	emit_matrix_forget(e);
	e->indent++;
	emit_bind(e, (struct bound_axis){ n->axis, false, 0, name });
	emit_body(e, n->body);
	e->bindings.n--;
	emit_induction_moves(e);
	e->indent--;
	emit_matrix_forget(e);
	e->open = open;		/* its arrays end with it */
	emit_line(e, "}");
}

static void emit_loop(struct emitter *e, const struct nest *n)
{
	if (emit_matrix(e, n))
		return;
	if (n->intrinsic)
		emit_group(e, n);
	else if (n->turns == TURNS_TRANSPOSED)
		emit_transposed(e, n);
	else if (n->turns == TURNS_INTERLEAVED)
		emit_interleaved(e, n);
	else if (n->annotation == ANNOTATION_UNROLL)
		emit_unrolled(e, n);
	else if (n->annotation == ANNOTATION_VECTOR)
		emit_vector(e, n);
	else if (!emit_moving(e, n))
		emit_for(e, n);
}

static void emit_let(struct emitter *e, const struct nest *n)
{
	struct bound_axis b = { .axis = n->axis };

	b.known = index_known(e, n->value, &b.value);
	if (!b.known) {
		b.name = emit_name(e, n->axis->name);
		emit_line(e, "const int64_t %s = %s;", b.name, scalar_text(e, n->value));
	}
	emit_bind(e, b);
	emit_body(e, n->body);
	e->bindings.n--;
}

/* Stores under a mask. Where no lane is in it, nothing they read is there. */
static void emit_masked(struct emitter *e, const struct nest *n)
{
	const char *when = lanes_when(e, n->value);
	const struct expr *before = emit_under(e, n->value);
	struct lane_run r = lane_run(e);
	bool asks = when || !r.known;

	if (asks)
		emit_line(e, "if (%s%s%s) {", when ? when : "", when && !r.known ? " && " : "",
			  r.known ? "" : arena_printf(e->a, "%s < %s", r.lo, r.hi));
	e->indent += asks;
	if (!r.none)
		emit_body(e, n->body);
	e->indent -= asks;
	if (asks)
		emit_line(e, "}");
	e->under = before;
}

static void emit_if(struct emitter *e, const struct nest *n)
{
	int64_t known;

	if (index_known(e, n->value, &known)) {
		emit_body(e, known ? n->body : n->other);
		return;
	}
	if (uses_vector(e, n->value)) {
		emit_masked(e, n);
		return;
	}
	emit_line(e, "if (%s) {", scalar_text(e, n->value));
	emit_matrix_forget(e);
	e->indent++;
	emit_body(e, n->body);
	e->indent--;
	emit_matrix_forget(e);
	if (n->other) {
		emit_line(e, "} else {");
		e->indent++;
		emit_body(e, n->other);
		e->indent--;
		emit_matrix_forget(e);
	}
	emit_line(e, "}");
}

void emit_node(struct emitter *e, const struct nest *n)
{
	switch (n->kind) {
	case NEST_LOOP:
		emit_loop(e, n);
		break;
	case NEST_LET:
		emit_let(e, n);
		break;
	case NEST_IF:
		emit_if(e, n);
		break;
	case NEST_ALLOC:
		emit_alloc(e, n);
		break;
	case NEST_STORE:
		emit_store(e, n);
		break;
	case NEST_PREFETCH:
		emit_prefetch(e, n);
		break;
	}
}

void emit_list(struct emitter *e, const struct nest *n)
{
	for (; n && !e->why; n = n->next)
		emit_node(e, n);
}
