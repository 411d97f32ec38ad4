/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/place.c - where tensors are: arguments, the workspace, the stack, registers. */
#include <inttypes.h>

#include "codegen/emitter.h"
#include "te/index/index.h"

void emit_arguments(struct emitter *e)
{
	uint32_t replaces = program_replaces(e->p);

	for (int i = 0; i < e->p->args.n; i++) {
		const struct buffer *b = e->p->args.at[i];
		const char *name = emit_name(e, b->tensor.name);
		const char *type = dtype_c(b->tensor.dtype);
		bool input = b->kind == BUFFER_INPUT;
		bool alone = input ? i >= 32 || !(replaces >> i & 1) : !replaces;

		vec_push(e->a, &e->places, (struct place_name){ .buffer = b, .name = name });
		emit_line(e, "%s%s *%s%s = args[%d];", input ? "const " : "", type,
			  alone ? "restrict " : "", name, i);
	}
}

/* The room behind each intermediate. */
static size_t overrun_bytes(const struct program *p)
{
	return OVERRUN_STRIDE * (size_t)p->target->vector_bytes;
}

/* With room behind it, and so that the next one is aligned. */
static size_t bytes_of(const struct program *p, const struct tensor *t)
{
	return (tensor_bytes(t) + overrun_bytes(p) + 63) / 64 * 64;
}

/* Pointers to the intermediates of LIST, which lie AT bytes behind BASE and on; where they end. */
static size_t place_temps(struct emitter *e, const struct nest *list, const char *base, size_t at)
{
	for (const struct nest *n = list; n; n = n->next) {
		if (n->kind != NEST_ALLOC || n->buffer->kind != BUFFER_TEMP)
			continue;
		const struct tensor *t = &n->buffer->tensor;
		const char *name = emit_name(e, t->name);
		const char *type = dtype_c(t->dtype);

		vec_push(e->a, &e->places,
			 (struct place_name){ .buffer = n->buffer, .name = name });
		emit_line(e, "%s *restrict %s = (%s *)(%s + %zu);", type, name, type, base, at);
		at += bytes_of(e->p, t);
	}
	return at;
}

void emit_temps(struct emitter *e)
{
	e->temps = place_temps(e, e->p->body, "temps", 0);
}

void emit_pack_places(struct emitter *e, const struct pack *k)
{
	const struct tensor *raw = &k->raw->tensor, *packed = &k->packed->tensor;
	const struct place_name from = { .buffer = k->raw, .name = emit_name(e, raw->name) };
	const struct place_name to = { .buffer = k->packed, .name = emit_name(e, packed->name) };

	vec_push(e->a, &e->places, from);
	vec_push(e->a, &e->places, to);
	emit_line(e, "const %s *restrict %s = raw;", dtype_c(raw->dtype), from.name);
	emit_line(e, "%s *restrict %s = packed;", dtype_c(packed->dtype), to.name);
	place_temps(e, k->body, "(char *)packed", bytes_of(e->p, packed));
}

size_t emit_packed_bytes(const struct program *p, const struct pack *k)
{
	size_t temps = 0;

	for (const struct nest *n = k->body; n; n = n->next)
		if (n->kind == NEST_ALLOC)
			temps += bytes_of(p, &n->buffer->tensor);
	return temps ? bytes_of(p, &k->packed->tensor) + temps : tensor_bytes(&k->packed->tensor);
}

void emit_workspace(struct emitter *e)
{
	size_t local = e->peak.memory;

	emit_line(e, "(void)phase, (void)workspace, (void)thread, (void)threads;\n");
	if (e->matrix.used)
		emit_line(e, "uint32_t matrices = 0;");
	if (e->temps > 0)
		emit_line(e, "char *const temps = workspace;");
	if (e->forks)
		emit_line(e, "char *const locals = (char *)workspace + %zu + %zu * (size_t)thread;",
			  e->temps, local);
	else if (local > 0)
		emit_line(e, "char *const locals = (char *)workspace + %zu;", e->temps);
}

struct emit_needs kernel_needs(const struct emitter *e)
{
	size_t local = e->peak.memory;

	return (struct emit_needs){
		.stack = e->p->target->frame_bytes + e->peak.stack,
		.shared = e->temps + (e->forks ? 0 : local),
		.thread = e->forks ? local : 0,
	};
}

/* --- local buffers */

static void declare_registers(struct emitter *e, const struct nest *alloc)
{
	const struct tensor *t = &alloc->buffer->tensor;
	const struct lane_layout *l = alloc->layout;
	const char *name = emit_name(e, t->name);
	int64_t n = tensor_count(t);

	if (l->lanes > 1)
		n = n / t->shape[l->dim] * variables_along(t, l);
	vec_push(e->a, &e->places, (struct place_name){ alloc->buffer, name, l });
	const char *type = l->lanes > 1 ? vector_type(e, t->dtype, l->lanes) : dtype_c(t->dtype);

	for (int64_t i = 0; i < n; i++)
		emit_line(e, "%s %s_%" PRId64 ";", type, name, i);
}

/* An array of BYTES that no longer fits on the stack: in the thread's part of the workspace. */
static void declare_in_workspace(struct emitter *e, const char *type, const char *name,
				 size_t bytes)
{
	emit_line(e, "%s *restrict %s = (%s *)(locals + %zu);", type, name, type, e->open.memory);
	e->forks |= e->shared != NULL;
	e->open.memory += bytes;
	if (e->open.memory > e->peak.memory)
		e->peak.memory = e->open.memory;
}

static void declare_array(struct emitter *e, const struct nest *alloc)
{
	const struct tensor *t = &alloc->buffer->tensor;
	const char *name = emit_name(e, t->name);
	const char *type = dtype_c(t->dtype);
	size_t bytes = bytes_of(e->p, t);
	const size_t *scope = e->p->target->scope_bytes;

	vec_push(e->a, &e->places, (struct place_name){ .buffer = alloc->buffer, .name = name });
	if (e->open.stack + e->open.memory + bytes > scope[SCOPE_WORKSPACE])
		e->why = "local buffers need too much memory";
	if (e->open.stack + bytes > scope[SCOPE_STACK]) {
		declare_in_workspace(e, type, name, bytes);
		return;
	}
	emit_line(e, "_Alignas(64) %s %s[%" PRId64 "];", type, name,
		  tensor_count(t) + (int64_t)(overrun_bytes(e->p) / dtype_bytes(t->dtype)));
	e->open.stack += bytes;
	if (e->open.stack > e->peak.stack)
		e->peak.stack = e->open.stack;
}

void emit_alloc(struct emitter *e, const struct nest *n)
{
	if (n->buffer->kind == BUFFER_TEMP)
		return;		/* the function's head has it */
	if (n->buffer->scratchpad == SCOPE_MATRIX)
		emit_matrix_alloc(e, n);
	else if (n->buffer->registers)
		declare_registers(e, n);
	else
		declare_array(e, n);
}
