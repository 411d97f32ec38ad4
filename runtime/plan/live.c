/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/plan/live.c - from the values of a function to buffers with lives. */
#include "runtime/plan/live.h"

#include "runtime/plan/roots.h"

struct live_planner {
	struct arena *scratch;
	struct roots roots;
	const struct live_kernel *kernels;
	int *last;		/* by root: the last application that reads it */
	int *buffer;		/* by root: -1 where its memory is not planned */
	int *workspace;		/* by application: the buffer; -1 */
	struct plan_buffer_vec buffers;
};

static bool is_called(const struct live_planner *x, int value)
{
	return roots_is_computed(&x->roots, value) && !x->roots.idle[value];
}

/* Until which application each root is read; results that are copied are read at the end. */
static void find_lives(struct live_planner *x)
{
	const struct function *f = x->roots.function;

	for (int v = 0; v < f->bindings.n; v++) {
		const struct binding *b = function_at(f, v);

		x->last[v] = v;
		for (int i = 0; is_called(x, v) && i < b->nargs; i++)
			x->last[x->roots.place[b->args[i]].root] = v;
	}
	for (int i = 0; i < f->nresults; i++)
		x->last[x->roots.place[f->results[i]].root] = f->bindings.n;
}

/* Is ROOT in memory that is to be planned? */
static bool is_planned(const struct live_planner *x, int root)
{
	int top = roots_top(&x->roots, root).root;

	return roots_is_computed(&x->roots, root) && x->roots.place[root].root == root &&
	       x->roots.root[top].result < 0;
}

static int add_buffer(struct live_planner *x, size_t bytes, int first, int last)
{
	vec_push(x->scratch, &x->buffers, (struct plan_buffer){
		.bytes = bytes, .first = first, .last = last, .in_place = -1, .part_of = -1 });
	return x->buffers.n - 1;
}

static void add_buffers(struct live_planner *x)
{
	int n = x->roots.function->bindings.n;

	for (int v = 0; v < n; v++) {
		size_t workspace = is_called(x, v) ? x->kernels[v].workspace : 0;

		x->buffer[v] = is_planned(x, v)
				       ? add_buffer(x, x->roots.root[v].bytes, v, x->last[v])
				       : -1;
		x->workspace[v] = workspace ? add_buffer(x, workspace, v, v) : -1;
	}
	for (int v = 0; v < n; v++) {
		struct plan_buffer *b = x->buffer[v] < 0 ? NULL : &x->buffers.at[x->buffer[v]];

		if (!b || x->roots.root[v].part_of < 0)
			continue;
		b->part_of = x->buffer[x->roots.root[v].part_of];
		b->offset = x->roots.root[v].offset;
	}
}

/* Does argument I of application VALUE end there, and is the only one that has to do with its
 * memory? */
static bool dies_alone(const struct live_planner *x, int value, int i)
{
	const struct binding *b = function_at(x->roots.function, value);
	struct root_place p = x->roots.place[b->args[i]];
	int top = roots_top(&x->roots, b->args[i]).root;

	if (x->last[p.root] != value || p.offset != 0)
		return false;
	for (int j = 0; j < b->nargs; j++)
		if (j != i && roots_top(&x->roots, b->args[j]).root == top)
			return false;
	return true;
}

/* Which argument's bytes the result of VALUE may take over: the first that is as large. */
static void find_in_place(struct live_planner *x, int value)
{
	const struct binding *b = function_at(x->roots.function, value);
	struct plan_buffer *to = x->buffer[value] < 0 ? NULL : &x->buffers.at[x->buffer[value]];

	for (int i = 0; to && i < b->nargs && i < 64; i++) {
		int from = x->buffer[x->roots.place[b->args[i]].root];

		if (!(x->kernels[value].replaces >> i & 1) || from < 0 ||
		    x->buffers.at[from].bytes != to->bytes || !dies_alone(x, value, i))
			continue;
		to->in_place = from;
		return;
	}
}

static struct live_place place_of(const struct live_planner *x, const struct memory_plan *m, int value)
{
	struct root_place top = roots_top(&x->roots, value);
	const struct value_root *root = &x->roots.root[top.root];

	if (root->result >= 0)
		return (struct live_place){ LIVE_RESULT, root->result, top.offset };
	switch (function_at(x->roots.function, top.root)->kind) {
	case BIND_PARAM:
		return (struct live_place){ LIVE_PARAM, top.root, top.offset };
	case BIND_CONST:
		return (struct live_place){ LIVE_CONST, top.root, top.offset };
	default:
		return (struct live_place){ LIVE_MEMORY, 0,
					    m->offset[x->buffer[top.root]] + top.offset };
	}
}

int live_plan(struct arena *a, const struct graph *g, int function,
	      const struct live_kernel *kernels, double seconds, struct live_plan *out)
{
	int n = g->functions.at[function]->bindings.n;
	struct live_planner x = { .scratch = arena_new(), .kernels = kernels };

	x.roots = roots_of(x.scratch, g, function);
	x.last = arena_many(x.scratch, int, n);
	x.buffer = arena_many(x.scratch, int, n);
	x.workspace = arena_many(x.scratch, int, n);
	find_lives(&x);
	add_buffers(&x);
	for (int v = 0; v < n; v++)
		if (is_called(&x, v))
			find_in_place(&x, v);
	int rc = plan_memory(a, x.buffers.at, x.buffers.n, seconds, &out->memory);

	if (rc == 0) {
		out->at = arena_many(a, struct live_place, n);
		out->workspace = arena_many(a, size_t, n);
		out->idle = arena_memdup(a, x.roots.idle, (size_t)n * sizeof(*x.roots.idle));
		for (int v = 0; v < n; v++) {
			out->at[v] = place_of(&x, &out->memory, v);
			if (x.workspace[v] >= 0)
				out->workspace[v] = out->memory.offset[x.workspace[v]];
		}
	}
	arena_free(x.scratch);
	return rc;
}
