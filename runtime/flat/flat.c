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
	const struct array **constant;	/* by value: that it is, or is a view of; NULL: none */
	struct live_plan plan;
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
	if (!s->choice || s->choice->origin >= CHOICE_GENERATOR)
		return false;
	for (int i = 0; i < s->nargs - 1; i++)
		if (!m->constant[b->args[s->param[i]]] && site_wants_constant(s, i))
			return false;
	return true;
}

/* The generator's kernel for application VALUE; NULL. */
static struct foreign *foreign_at(const struct flattener *m, int value)
{
	const struct binding *b = function_at(m->function, value);

	return site_foreign(&m->sites[b->function], m->flat->function, value);
}

/* The site of application VALUE; NULL where the interpreter has to. */
static struct kernel_site *site_at(const struct flattener *m, int value)
{
	const struct binding *b = function_at(m->function, value);
	struct kernel_site *s = &m->sites[b->function];

	return has_kernel(m, s, b) ? s : NULL;
}

/* --- memory */

/* Longer than this a start should not wait for a plan that may be better. */
#define PLAN_SECONDS 0.1

static void find_constants(struct flattener *m)
{
	const struct function *f = m->function;

	m->constant = arena_many(m->arena, const struct array *, f->bindings.n);
	for (int v = 0; v < f->bindings.n; v++) {
		const struct binding *b = function_at(f, v);

		m->constant[v] = b->kind == BIND_CALL ? m->constant[b->args[0]] : b->array;
	}
}

static int plan(struct flattener *m)
{
	const struct function *f = m->function;
	struct live_kernel *kernels = arena_many(m->arena, struct live_kernel, f->bindings.n);

	for (int v = 0; v < f->bindings.n; v++) {
		bool applies = function_at(f, v)->kind == BIND_APPLY;
		const struct kernel_site *s = applies && !foreign_at(m, v) ? site_at(m, v) : NULL;

		if (s)
			kernels[v] = (struct live_kernel){ s->choice->kernel.workspace_bytes,
							   site_replaces(s) };
	}
	if (live_plan(m->arena, m->flat->graph, m->flat->function, kernels, PLAN_SECONDS,
		      &m->plan) < 0)
		return -1;
	m->flat->memory = m->plan.memory;
	return 0;
}

/* --- steps */

static const struct live_place *place_of(const struct flattener *m, int value)
{
	return &m->plan.at[value];
}

static void add_place(struct flattener *m, struct flat_place p)
{
	struct flat *f = m->flat;

	if (p.at.room == LIVE_PARAM || p.at.room == LIVE_RESULT)
		vec_push(m->arena, &f->open, f->places.n);
	vec_push(m->arena, &f->places, p);
}

/* VALUE as it is. */
static void add_plain(struct flattener *m, int value)
{
	struct flat_place p = { .at = *place_of(m, value) };

	if (p.at.room == LIVE_CONST)
		p.constant = site_plain(function_const(m->function, p.at.index)) + p.at.offset;
	add_place(m, p);
}

/* VALUE as S's kernel wants it in buffer ARG. */
static void add_operand(struct flattener *m, struct kernel_site *s, int arg, int value)
{
	struct flat_place p = { .at = *place_of(m, value) };

	if (p.at.room == LIVE_CONST)
		p.constant = (const char *)site_weight(m->arena, s, arg,
						       function_const(m->function, p.at.index)) +
			     p.at.offset;
	add_place(m, p);
}

static void add_foreign(struct flattener *m, int value, struct foreign *foreign)
{
	const struct binding *b = function_at(m->function, value);
	struct flat_step step = { .kind = FLAT_FOREIGN, .value = value, .first = m->flat->places.n,
				  .site = &m->sites[b->function], .foreign = foreign };

	for (int i = 0; i < foreign_ninputs(foreign); i++)
		add_plain(m, b->args[foreign_argument(foreign, i)]);
	add_plain(m, value);
	step.nargs = m->flat->places.n - step.first;
	vec_push(m->arena, &m->flat->steps, step);
}

static void add_application(struct flattener *m, int value)
{
	const struct binding *b = function_at(m->function, value);
	struct kernel_site *s = site_at(m, value);
	struct flat_step step = { .kind = s ? FLAT_KERNEL : FLAT_INTERPRET, .value = value,
				  .first = m->flat->places.n, .site = s,
				  .workspace = m->plan.workspace[value] };

	for (int i = 0; s && i < s->nargs - 1; i++)
		add_operand(m, s, i, b->args[s->param[i]]);
	for (int i = 0; !s && i < b->nargs; i++)
		add_plain(m, b->args[i]);
	add_plain(m, value);
	step.nargs = m->flat->places.n - step.first;
	vec_push(m->arena, &m->flat->steps, step);
	if (s)
		m->flat->threads = s->choice->kernel.threads;
}

/* Results that were not computed where the caller wants them. */
static void add_copies(struct flattener *m)
{
	const struct function *f = m->function;

	for (int i = 0; i < f->nresults; i++) {
		int v = f->results[i];
		struct live_place to = { .room = LIVE_RESULT, .index = i };
		struct flat_step step = { .kind = FLAT_COPY, .value = v,
					  .first = m->flat->places.n, .nargs = 2,
					  .bytes = (size_t)type_bytes(function_at(f, v)->type) };

		if (place_of(m, v)->room == to.room && place_of(m, v)->index == i)
			continue;
		add_plain(m, v);
		add_place(m, (struct flat_place){ .at = to });
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
	find_constants(&m);
	if (plan(&m) < 0)
		return NULL;
	for (int v = 0; v < m.function->bindings.n; v++)
		if (function_at(m.function, v)->kind == BIND_APPLY && !m.plan.idle[v]) {
			struct foreign *foreign = foreign_at(&m, v);

			if (foreign)
				add_foreign(&m, v, foreign);
			else
				add_application(&m, v);
		}
	add_copies(&m);
	return f;
}
