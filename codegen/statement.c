/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/statement.c - loops, blocks and stores as C text.
 *
 * Unrolled loops are written out, vector loops become GNU vectors, a local buffer whose indices are
 * then all numbers becomes variables. Everything else reads as in the nest. */
#include <inttypes.h>

#include "codegen/emitter.h"
#include "te/index.h"

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

void emit_bind(struct emitter *e, struct binding b)
{
	vec_push(e->a, &e->bindings, b);
}

/* --- stores */

static void emit_scalar_store(struct emitter *e, const struct nest *n)
{
	struct place_name *p = place_of(e, &n->buffer->tensor);
	struct offset o = offset_of(e, &n->buffer->tensor, n->index);
	enum dtype t = n->buffer->tensor.dtype;
	const char *value = scalar_text(e, n->value);
	const char *cell;

	if (e->why)
		return;
	if (p->buffer->registers) {
		cell = slot_of(e, p, n->index).cell;
	} else {
		cell = arena_printf(e->a, "%s[%s%s%" PRId64 "]", p->name, o.text,
				    *o.text ? " + " : "", o.constant);
	}
	if (n->reducer != REDUCE_NONE)
		value = combine_text(e, n->reducer, t, 1, cell, value);
	emit_line(e, "%s = %s;", cell, value);
}

/* Runs EMIT on N once a lane, the vector axis bound to its number. */
static void emit_lanes(struct emitter *e, const struct nest *n,
		       void (*emit)(struct emitter *, const struct nest *))
{
	const struct axis *axis = e->vector_axis;

	e->vector_axis = NULL;
	for (int i = 0; i < e->lanes && !e->why; i++) {
		emit_bind(e, (struct binding){ axis, true, e->vector_start + i, NULL });
		emit(e, n);
		e->bindings.n--;
	}
	e->vector_axis = axis;
}

/* The vector that store N writes whole; NULL where its lanes go to places of their own. */
static const char *vector_cell(struct emitter *e, const struct nest *n)
{
	const struct tensor *t = &n->buffer->tensor;
	struct place_name *p = place_of(e, t);

	if (p->buffer->registers) {
		struct slot slot = slot_of(e, p, n->index);

		return slot.whole ? slot.variable : NULL;
	}
	struct offset o = offset_of(e, t, n->index);

	if (o.per_lane || o.stride != 1)
		return NULL;
	return arena_printf(e->a, "*(%s *)(%s + %s%s%" PRId64 ")",
			    vector_memory_type(e, t->dtype, e->lanes), p->name, o.text,
			    *o.text ? " + " : "", o.constant);
}

/* Computes the lanes together and stores them one by one, a stride apart. */
static bool emit_scatter(struct emitter *e, const struct nest *n)
{
	const struct tensor *t = &n->buffer->tensor;
	struct place_name *p = place_of(e, t);
	struct offset o = offset_of(e, t, n->index);

	if (o.per_lane || o.stride == 0 || p->buffer->registers || n->reducer != REDUCE_NONE)
		return false;
	const char *name = emit_name(e, "lanes");

	emit_line(e, "const %s %s = %s;", vector_type(e, t->dtype, e->lanes), name,
	     vector_text(e, n->value));
	for (int i = 0; i < e->lanes; i++)
		emit_line(e, "%s[%s%s%" PRId64 "] = %s[%d];", p->name, o.text, *o.text ? " + " : "",
		     o.constant + i * o.stride, name, i);
	return true;
}

static void emit_vector_store(struct emitter *e, const struct nest *n)
{
	enum dtype t = n->buffer->tensor.dtype;
	const char *cell = t == DTYPE_BOOL ? NULL : vector_cell(e, n);

	if (!cell && t != DTYPE_BOOL && !e->why && emit_scatter(e, n))
		return;
	if (!cell) {
		emit_lanes(e, n, emit_scalar_store);
		return;
	}
	const char *value = vector_text(e, n->value);

	if (n->reducer != REDUCE_NONE)
		value = combine_text(e, n->reducer, t, e->lanes, cell, value);
	emit_line(e, "%s = %s;", cell, value);
}

static void emit_store(struct emitter *e, const struct nest *n)
{
	if (e->body.n > MAX_TEXT) {
		e->why = "too much text when unrolled";
		return;
	}
	if (e->vector_axis)
		emit_vector_store(e, n);
	else
		emit_scalar_store(e, n);
}

/* --- buffers */

/* Elements from one turn of AXIS to the next; 1 where they are not evenly spaced. */
static int64_t stride_of(const struct emitter *e, const struct expr *index, const struct axis *axis)
{
	struct linear l;
	int64_t stride = linear_from(e->a, index, &l) ? linear_coef(&l, axis) : 1;

	return stride > 0 ? stride : 1;
}

/* The widest vector that stores to P's buffer below N, and how its lanes run. */
static void find_lanes(const struct emitter *e, struct place_name *p, const struct nest *n,
		       const struct axis *vector)
{
	const struct tensor *t = &p->buffer->tensor;
	int limit = e->options.vector_bytes / (int)dtype_bytes(t->dtype);

	for (; n; n = n->next) {
		bool opens = n->kind == NEST_LOOP && n->annotation == ANNOTATION_VECTOR;

		find_lanes(e, p, n->body, opens ? n->axis : vector);
		find_lanes(e, p, n->other, vector);
		if (n->kind != NEST_STORE || n->buffer != p->buffer || !vector)
			continue;
		for (int d = 0; d < t->ndim; d++) {
			int lanes = 1;

			if (!expr_uses_axis(n->index[d], vector))
				continue;
			while (2 * lanes <= limit &&
			       (p->overrun ? lanes : 2 * lanes - 1) < vector->hi - vector->lo)
				lanes *= 2;
			if (lanes > p->lanes) {
				p->lanes = lanes;
				p->dim = d;
				p->stride = stride_of(e, n->index[d], vector);
			}
		}
	}
}

static void declare_registers(struct emitter *e, const struct nest *alloc)
{
	const struct tensor *t = &alloc->buffer->tensor;
	struct place_name p = { .buffer = alloc->buffer,
				.name = emit_name(e, t->name),
				.lanes = 1,
				.stride = 1 };
	int64_t n = tensor_count(t);

	p.overrun = may_overrun(e, alloc->buffer, alloc->next);
	find_lanes(e, &p, alloc->next, NULL);
	if (p.lanes > 1)
		n = n / t->shape[p.dim] * variables_along(&p);
	vec_push(e->a, &e->places, p);
	const char *type = p.lanes > 1 ? vector_type(e, t->dtype, p.lanes)
				       : dtype_c(t->dtype);

	for (int64_t i = 0; i < n; i++)
		emit_line(e, "%s %s_%" PRId64 ";", type, p.name, i);
}

static void declare_array(struct emitter *e, const struct nest *alloc)
{
	const struct tensor *t = &alloc->buffer->tensor;
	const char *name = emit_name(e, t->name);

	vec_push(e->a, &e->places, (struct place_name){ .buffer = alloc->buffer, .name = name });
	e->stack += tensor_bytes(t) + overrun_bytes(e);
	if (e->stack > MAX_STACK)
		e->why = "local buffers need too much stack";
	emit_line(e, "_Alignas(64) %s %s[%" PRId64 "];", dtype_c(t->dtype), name,
	     tensor_count(t) + (int64_t)(overrun_bytes(e) / dtype_bytes(t->dtype)));
}

static void emit_alloc(struct emitter *e, const struct nest *n)
{
	if (n->buffer->kind == BUFFER_TEMP)
		return;		/* allocated at the function's head */
	if (n->buffer->registers)
		declare_registers(e, n);
	else
		declare_array(e, n);
}

/* --- loops */

static void emit_body(struct emitter *e, const struct nest *n)
{
	int places = e->places.n;

	emit_list(e, n);
	e->places.n = places;
}

static bool allocates(const struct nest *n)
{
	for (; n; n = n->next)
		if (n->kind == NEST_ALLOC)
			return true;
	return false;
}

static void emit_unrolled(struct emitter *e, const struct nest *n)
{
	bool braces = allocates(n->body);

	for (int64_t i = n->axis->lo; i < n->axis->hi && !e->why; i++) {
		if (braces)
			emit_line(e, "{");
		e->indent += braces;
		emit_bind(e, (struct binding){ n->axis, true, i, NULL });
		emit_body(e, n->body);
		e->bindings.n--;
		e->indent -= braces;
		if (braces)
			emit_line(e, "}");
	}
}

static size_t widest_element(const struct nest *n)
{
	size_t widest = 1;

	for (; n; n = n->next) {
		size_t below = n->body ? widest_element(n->body) : 1;

		if (n->kind == NEST_STORE)
			below = dtype_bytes(dtype_arithmetic(n->buffer->tensor.dtype));
		widest = below > widest ? below : widest;
	}
	return widest;
}

/* So many lanes of loop N from AT on: a power of two no wider than a register. */
static int lanes_from(struct emitter *e, const struct nest *n, int64_t at)
{
	int64_t left = n->axis->hi - at;
	int lanes = e->options.vector_bytes / (int)widest_element(n->body);

	if (lanes <= left)
		return lanes;
	e->vector_axis = n->axis;
	e->vector_start = at;
	emit_bind(e, (struct binding){ n->axis, false, 0, "lane" });
	int wide = overrun_lanes(e, n, left);

	e->bindings.n--;
	e->vector_axis = NULL;
	while (lanes > left)
		lanes /= 2;
	return wide > left ? wide : lanes;
}

/* The lanes in chunks. */
static void emit_vector(struct emitter *e, const struct nest *n)
{
	int64_t at = n->axis->lo;

	while (at < n->axis->hi && !e->why) {
		int lanes = lanes_from(e, n, at);

		if (lanes <= 1) {
			emit_bind(e, (struct binding){ n->axis, true, at, NULL });
			emit_body(e, n->body);
			lanes = 1;
		} else {
			emit_bind(e, (struct binding){ n->axis, false, 0, "lane" });
			e->vector_axis = n->axis;
			e->vector_start = at;
			e->lanes = lanes;
			emit_body(e, n->body);
			e->vector_axis = NULL;
			e->lanes = 0;
		}
		e->bindings.n--;
		at += lanes;
	}
}

/* Loops of few turns that fill a local buffer are written out: what reads it next then takes the
 * values from registers (docs/performance.md). */
enum { FEW_TURNS = 4 };

static void emit_for(struct emitter *e, const struct nest *n)
{
	const char *name = emit_name(e, n->axis->name);
	size_t stack = e->stack;

	if (n->annotation == ANNOTATION_PARALLEL)
		emit_line(e, "#pragma omp parallel for schedule(static)");
	else if (n->fills && n->axis->hi - n->axis->lo <= FEW_TURNS)
		emit_line(e, "WRITE_OUT");
	emit_line(e, "for (int64_t %s = %" PRId64 "; %s < %" PRId64 "; %s++) {", name, n->axis->lo,
	     name, n->axis->hi, name);
	e->indent++;
	emit_bind(e, (struct binding){ n->axis, false, 0, name });
	emit_body(e, n->body);
	e->bindings.n--;
	e->indent--;
	e->stack = stack;
	emit_line(e, "}");
}

static void emit_loop(struct emitter *e, const struct nest *n)
{
	if (n->annotation == ANNOTATION_UNROLL)
		emit_unrolled(e, n);
	else if (n->annotation == ANNOTATION_VECTOR && !e->vector_axis)
		emit_vector(e, n);
	else
		emit_for(e, n);
}

static void emit_let(struct emitter *e, const struct nest *n)
{
	struct binding b = { .axis = n->axis };

	if (uses_vector(e, n->value)) {
		emit_lanes(e, n, emit_let);
		return;
	}
	b.known = index_known(e, n->value, &b.value);
	if (!b.known) {
		b.name = emit_name(e, n->axis->name);
		emit_line(e, "const int64_t %s = %s;", b.name, scalar_text(e, n->value));
	}
	emit_bind(e, b);
	emit_body(e, n->body);
	e->bindings.n--;
}

static void emit_if(struct emitter *e, const struct nest *n)
{
	int64_t known;

	if (index_known(e, n->value, &known)) {
		emit_body(e, known ? n->body : n->other);
		return;
	}
	if (uses_vector(e, n->value)) {
		emit_lanes(e, n, emit_if);
		return;
	}
	emit_line(e, "if (%s) {", scalar_text(e, n->value));
	e->indent++;
	emit_body(e, n->body);
	e->indent--;
	if (n->other) {
		emit_line(e, "} else {");
		e->indent++;
		emit_body(e, n->other);
		e->indent--;
	}
	emit_line(e, "}");
}

void emit_list(struct emitter *e, const struct nest *n)
{
	for (; n && !e->why; n = n->next) {
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
		}
	}
}
