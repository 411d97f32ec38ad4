/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/place.c - where tensors are: arguments, the workspace, the stack, registers. */
#include <inttypes.h>

#include "codegen/emitter.h"
#include "te/index.h"

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

/* With room behind it, and so that the next one is aligned. */
static size_t bytes_of(const struct emitter *e, const struct tensor *t)
{
	return (tensor_bytes(t) + overrun_bytes(e) + 63) / 64 * 64;
}

void emit_temps(struct emitter *e)
{
	for (const struct nest *n = e->p->body; n; n = n->next) {
		if (n->kind != NEST_ALLOC || n->buffer->kind != BUFFER_TEMP)
			continue;
		const struct tensor *t = &n->buffer->tensor;
		const char *name = emit_name(e, t->name);
		const char *type = dtype_c(t->dtype);

		vec_push(e->a, &e->places,
			 (struct place_name){ .buffer = n->buffer, .name = name });
		emit_line(e, "%s *restrict %s = (%s *)(temps + %zu);", type, name, type, e->temps);
		e->temps += bytes_of(e, t);
	}
}

void emit_workspace(struct emitter *e)
{
	size_t local = e->peak.memory;

	emit_line(e, "(void)phase, (void)workspace, (void)thread, (void)threads;\n");
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
		.stack = STACK_FRAMES + e->peak.stack,
		.shared = e->temps + (e->forks ? 0 : local),
		.thread = e->forks ? local : 0,
	};
}

/* --- local buffers */

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
	size_t bytes = bytes_of(e, t);

	vec_push(e->a, &e->places, (struct place_name){ .buffer = alloc->buffer, .name = name });
	if (e->open.stack + e->open.memory + bytes > MAX_LOCAL)
		e->why = "local buffers need too much memory";
	if (e->open.stack + bytes > STACK_ARRAYS) {
		declare_in_workspace(e, type, name, bytes);
		return;
	}
	emit_line(e, "_Alignas(64) %s %s[%" PRId64 "];", type, name,
		  tensor_count(t) + (int64_t)(overrun_bytes(e) / dtype_bytes(t->dtype)));
	e->open.stack += bytes;
	if (e->open.stack > e->peak.stack)
		e->peak.stack = e->open.stack;
}

void emit_alloc(struct emitter *e, const struct nest *n)
{
	if (n->buffer->kind == BUFFER_TEMP)
		return;		/* the function's head has it */
	if (n->buffer->registers)
		declare_registers(e, n);
	else
		declare_array(e, n);
}
