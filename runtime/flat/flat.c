/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/flat/flat.c - from a compiled function to a list of steps. */
#include "runtime/flat/flat.h"

#include "graph/task/cut.h"

/* A list that is being made. */
struct flattener {
	struct arena *arena;
	struct flat *flat;
	const struct function *function;
	struct kernel_site *sites;
	struct flat_place *place;	/* by value */
	const struct array **constant;	/* by value: that it is, or is a view of; NULL: none */
	size_t *workspace;		/* by value: where the memory of its kernel begins */
};

static bool is_fused_call(const struct flattener *m, const struct binding *b)
{
	const struct function *applied = graph_applied(m->flat->graph, b);

	for (int i = 0; i < b->nargs; i++)
		if (b->args[i] < 0)
			return false;
	return applied && function_is_fused(applied);
}

/* Is the function made of what a list can do? A graph in a file may call anything compiled. */
static bool is_list(const struct flattener *m)
{
	for (int v = 0; v < m->function->bindings.n; v++) {
		const struct binding *b = function_at(m->function, v);
		bool given = v < m->function->nparams || b->array;

		if (!(given || binding_is_view(b) || is_fused_call(m, b)) ||
		    type_count(b->type) <= 0 || b->type->element == ELEMENT_STRING)
			return false;
	}
	return true;
}

/* Can S's kernel do the application B? Its weights have to be constants, for packing. */
static bool has_kernel(const struct flattener *m, const struct kernel_site *s,
		       const struct binding *b)
{
	if (!s->choice)
		return false;
	for (int i = 0; i < s->nargs - 1; i++)
		if (!m->constant[b->args[s->param[i]]] && site_wants_constant(s, i))
			return false;
	return true;
}

/* The site of application VALUE; NULL where the interpreter has to. */
static struct kernel_site *site_at(const struct flattener *m, int value)
{
	const struct binding *b = function_at(m->function, value);
	struct kernel_site *s = &m->sites[b->function];

	return has_kernel(m, s, b) ? s : NULL;
}

/* --- places */

/* The result that VALUE is the first of; -1: none. */
static int result_index(const struct function *f, int value)
{
	for (int i = 0; i < f->nresults; i++)
		if (f->results[i] == value)
			return i;
	return -1;
}

static void place_value(struct flattener *m, int value)
{
	const struct binding *b = function_at(m->function, value);
	int result = result_index(m->function, value);

	if (b->kind == BIND_PARAM) {
		m->place[value] = (struct flat_place){ .room = FLAT_ARG, .index = value };
	} else if (b->kind == BIND_CONST) {
		m->place[value] = (struct flat_place){ .room = FLAT_CONST, .data = b->array->data };
		m->constant[value] = b->array;
	} else if (b->kind == BIND_CALL) {
		m->place[value] = m->place[b->args[0]];
		m->constant[value] = m->constant[b->args[0]];
	} else if (result >= 0) {
		m->place[value] = (struct flat_place){ .room = FLAT_RESULT, .index = result };
	} else {
		m->place[value] = (struct flat_place){ .room = FLAT_MEMORY };
	}
}

static size_t take(struct flat *f, size_t bytes)
{
	size_t at = f->bytes;

	f->bytes += (bytes + CALLABLE_ALIGN - 1) / CALLABLE_ALIGN * CALLABLE_ALIGN;
	return at;
}

static void place_values(struct flattener *m)
{
	const struct function *f = m->function;

	m->place = arena_many(m->arena, struct flat_place, f->bindings.n);
	m->constant = arena_many(m->arena, const struct array *, f->bindings.n);
	m->workspace = arena_many(m->arena, size_t, f->bindings.n);
	for (int v = 0; v < f->bindings.n; v++) {
		const struct binding *b = function_at(f, v);

		place_value(m, v);
		if (b->kind != BIND_APPLY)
			continue;
		const struct kernel_site *s = site_at(m, v);

		if (m->place[v].room == FLAT_MEMORY)
			m->place[v].offset = take(m->flat, (size_t)type_bytes(b->type));
		if (s)
			m->workspace[v] = take(m->flat, s->choice->kernel.workspace_bytes);
	}
}

/* --- steps */

static void add_place(struct flattener *m, struct flat_place p)
{
	struct flat *f = m->flat;

	if (p.room == FLAT_ARG || p.room == FLAT_RESULT)
		vec_push(m->arena, &f->open, f->places.n);
	vec_push(m->arena, &f->places, p);
}

static void add_kernel(struct flattener *m, int value, struct kernel_site *s)
{
	const struct binding *b = function_at(m->function, value);

	for (int i = 0; i < s->nargs - 1; i++) {
		int v = b->args[s->param[i]];
		struct flat_place p = m->place[v];

		if (m->constant[v])
			p.data = site_weight(m->arena, s, i, m->constant[v]);
		add_place(m, p);
	}
}

static void add_application(struct flattener *m, int value)
{
	const struct binding *b = function_at(m->function, value);
	struct kernel_site *s = site_at(m, value);
	struct flat_step step = { .kind = s ? FLAT_KERNEL : FLAT_INTERPRET, .value = value,
				  .first = m->flat->places.n, .site = s,
				  .workspace = m->workspace[value] };

	if (s) {
		add_kernel(m, value, s);
		m->flat->threads = s->choice->kernel.threads;
	}
	for (int i = 0; !s && i < b->nargs; i++)
		add_place(m, m->place[b->args[i]]);
	add_place(m, m->place[value]);
	step.nargs = m->flat->places.n - step.first;
	vec_push(m->arena, &m->flat->steps, step);
}

/* Results that were not computed where the caller wants them. */
static void add_copies(struct flattener *m)
{
	const struct function *f = m->function;

	for (int i = 0; i < f->nresults; i++) {
		int v = f->results[i];
		struct flat_step step = { .kind = FLAT_COPY, .value = v,
					  .first = m->flat->places.n, .nargs = 2,
					  .bytes = (size_t)type_bytes(function_at(f, v)->type) };

		if (m->place[v].room == FLAT_RESULT && m->place[v].index == i)
			continue;
		add_place(m, m->place[v]);
		add_place(m, (struct flat_place){ .room = FLAT_RESULT, .index = i });
		vec_push(m->arena, &m->flat->steps, step);
	}
}

struct flat *flat_new(struct arena *a, const struct graph *g, int function,
		      struct kernel_site *sites)
{
	struct flat *f = arena_one(a, struct flat);
	struct flattener m = { .arena = a, .flat = f, .function = g->functions.at[function],
			       .sites = sites };

	*f = (struct flat){ .graph = g, .function = function, .threads = 1 };
	if (!is_list(&m))
		return NULL;
	place_values(&m);
	for (int v = 0; v < m.function->bindings.n; v++)
		if (function_at(m.function, v)->kind == BIND_APPLY)
			add_application(&m, v);
	add_copies(&m);
	return f;
}
