/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/interpret.c - runs a nest as it stands, for tests: slow, checked, without a compiler.
 *
 * Vector, parallel and unrolled loops are plain loops. Local memory starts as garbage that is
 * not a number, so that an element that was never written shows. */
#include <stdlib.h>

#include "base/err.h"
#include "schedule/nest.h"
#include "te/scalar.h"

enum { MAX_OPEN = 256 };

struct machine {
	struct {
		const struct axis *axis;
		int64_t value;
	} axes[MAX_OPEN];
	int naxes;
	struct {
		const struct buffer *buffer;
		void *data;
	} buffers[MAX_OPEN];
	int nbuffers;
};

static union scalar eval(const struct machine *m, const struct expr *e);

static int64_t axis_value(const struct machine *m, const struct axis *axis)
{
	for (int i = m->naxes - 1; i >= 0; i--)
		if (m->axes[i].axis == axis)
			return m->axes[i].value;
	die("axis %s is not bound", axis->name);
}

static void *buffer_data(const struct machine *m, const struct buffer *b)
{
	for (int i = m->nbuffers - 1; i >= 0; i--)
		if (m->buffers[i].buffer == b)
			return m->buffers[i].data;
	die("buffer %s is not allocated", b->tensor.name);
}

static int64_t flat_index(const struct machine *m, const struct tensor *t,
			  const struct expr *const *index)
{
	int64_t flat = 0;

	for (int i = 0; i < t->ndim; i++) {
		int64_t v = eval(m, index[i]).i;

		if (v < 0 || v >= t->shape[i])
			die("%s: index %d is %jd of %jd", t->name, i, (intmax_t)v,
			    (intmax_t)t->shape[i]);
		flat = flat * t->shape[i] + v;
	}
	return flat;
}

/* What is to be stored in reading order has zeros beyond its end. */
static bool is_beyond(const struct machine *m, const struct tensor *t,
		      const struct expr *const *index)
{
	bool beyond = false;

	for (int i = 0; i < t->ndim && buffer_of(t)->by_reader; i++) {
		int64_t v = eval(m, index[i]).i;

		beyond |= v < 0 || v >= t->shape[i];
	}
	return beyond;
}

static union scalar load(const struct machine *m, const struct expr *e)
{
	if (is_beyond(m, e->tensor, e->index))
		return (union scalar){ .i = 0 };
	return scalar_load(e->dtype, buffer_data(m, buffer_of(e->tensor)),
			   flat_index(m, e->tensor, e->index));
}

static union scalar eval(const struct machine *m, const struct expr *e)
{
	switch (e->kind) {
	case EXPR_INT:
	case EXPR_FLOAT:
		return scalar_const(e);
	case EXPR_AXIS:
		return (union scalar){ .i = axis_value(m, e->axis) };
	case EXPR_LOAD:
		return load(m, e);
	case EXPR_SELECT:
		return eval(m, e->arg[eval(m, e->arg[0]).i ? 1 : 2]);
	case EXPR_CAST:
		return scalar_cast(e->dtype, e->arg[0]->dtype, eval(m, e->arg[0]));
	default:
		if (expr_kind_arity(e->kind) == 1)
			return scalar_unary(e->kind, e->arg[0]->dtype, eval(m, e->arg[0]));
		return scalar_binary(e->kind, e->arg[0]->dtype, eval(m, e->arg[0]),
				     eval(m, e->arg[1]));
	}
}

static void store(const struct machine *m, const struct nest *n)
{
	enum dtype t = n->buffer->tensor.dtype;
	void *data = buffer_data(m, n->buffer);
	int64_t i = flat_index(m, &n->buffer->tensor, n->index);
	union scalar v = eval(m, n->value);

	if (n->reducer != REDUCE_NONE)
		v = scalar_binary(reducer_combine(n->reducer), t, scalar_load(t, data, i), v);
	scalar_store(t, data, i, v);
}

static void *allocate(const struct tensor *t)
{
	void *data = malloc(tensor_bytes(t) + 1);

	if (!data)
		die("out of memory (%zu bytes)", tensor_bytes(t));
	return memset(data, 0xff, tensor_bytes(t));
}

static void push_axis(struct machine *m, const struct axis *axis, int64_t value)
{
	if (m->naxes == MAX_OPEN)
		die("loops are nested too deeply");
	m->axes[m->naxes].axis = axis;
	m->axes[m->naxes++].value = value;
}

static void push_buffer(struct machine *m, const struct buffer *b, void *data)
{
	if (m->nbuffers == MAX_OPEN)
		die("too many buffers");
	m->buffers[m->nbuffers].buffer = b;
	m->buffers[m->nbuffers++].data = data;
}

static void run(struct machine *m, const struct nest *n)
{
	int nbuffers = m->nbuffers;

	for (; n; n = n->next) {
		switch (n->kind) {
		case NEST_LOOP:
			for (int64_t i = n->axis->lo; i < n->axis->hi; i++) {
				push_axis(m, n->axis, i);
				run(m, n->body);
				m->naxes--;
			}
			break;
		case NEST_LET:
			push_axis(m, n->axis, eval(m, n->value).i);
			run(m, n->body);
			m->naxes--;
			break;
		case NEST_IF:
			run(m, eval(m, n->value).i ? n->body : n->other);
			break;
		case NEST_ALLOC:
			push_buffer(m, n->buffer, allocate(&n->buffer->tensor));
			break;
		case NEST_STORE:
			store(m, n);
			break;
		case NEST_PREFETCH:
			eval(m, n->value);	/* nothing else comes of it */
			break;
		}
	}
	while (m->nbuffers > nbuffers)
		free(m->buffers[--m->nbuffers].data);
}

void program_interpret(const struct program *p, void *const *args)
{
	struct machine m = { .naxes = 0 };

	for (int i = 0; i < p->args.n; i++)
		push_buffer(&m, p->args.at[i], args[i]);
	run(&m, p->body);
}

void pack_interpret(const struct pack *k, const void *raw, void *packed)
{
	struct machine m = { .naxes = 0 };

	push_buffer(&m, k->raw, (void *)(uintptr_t)raw);
	push_buffer(&m, k->packed, packed);
	run(&m, k->body);
}
