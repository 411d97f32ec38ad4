/* SPDX-License-Identifier: Apache-2.0 */
/* graph/pass/stretch.c - what runs without the interpreter becomes functions of their own.
 *
 * Requires: fused functions; their applications have static types.
 * Provides: each function is as few stretches as its order allows, with what only the interpreter
 *           runs between them: a stretch is a function with the attribute "compiled", applied
 *           once, that is nothing but applications of fused functions, views of static tensors
 *           and constants; no application of a fused function is anywhere else.
 * Keeps:    what the graph computes; functions that are compiled already. */
#include "graph/pass/outline.h"
#include "graph/pass/pass.h"
#include "graph/task/cut.h"

/* Operands that the bindings of one stretch have at most, as an application may not have any number
 * of them. */
enum { MOST_OPERANDS = 8192 };

/* The bindings of a function in levels: those of an odd one are a stretch, those of an even one
 * stand between stretches. A level reads nothing of those behind it. */
struct stretcher {
	struct outliner outliner;
	struct rewrite *x;
	int *level;		/* by value */
	struct value_vec *at;	/* by level, its values in order; without parameters and constants */
	int levels;
};

static bool is_odd(int level)
{
	return level % 2 != 0;
}

static bool is_given(const struct binding *b)
{
	return b->kind == BIND_PARAM || b->kind == BIND_CONST;
}

static bool is_compiled(const struct rewrite *x, const struct binding *b)
{
	const struct function *applied = graph_applied(x->from, b);

	return applied && function_is_fused(applied);
}

/* Another shape of a static tensor, where the shape is no datum. */
static bool is_free(const struct function *f, const struct binding *b)
{
	if (!binding_is_view(b) || !type_is_static(b->type) ||
	    !type_is_static(function_at(f, b->args[0])->type))
		return false;
	for (int i = 1; i < b->nargs; i++)
		if (b->args[i] >= 0 && !function_const(f, b->args[i]))
			return false;
	return true;
}

/* The first level at which binding VALUE can be; a view follows its operand. */
static int first_level(const struct stretcher *s, int value)
{
	const struct function *f = s->x->function;
	const struct binding *b = function_at(f, value);
	int level = 0;

	for (int i = 0; i < b->nargs; i++)
		if (b->args[i] >= 0 && s->level[b->args[i]] > level)
			level = s->level[b->args[i]];
	if (is_given(b) || is_free(f, b))
		return level;
	return level + (is_odd(level) != is_compiled(s->x, b));
}

/* Views that stand between stretches move to the one that has all of their readers. */
static void sink_views(struct stretcher *s)
{
	const struct function *f = s->x->function;
	int *reader = arena_many(s->x->scratch, int, f->bindings.n);	/* level; 0: none, or several */
	bool *read = arena_many(s->x->scratch, bool, f->bindings.n);

	for (int i = 0; i < f->nresults; i++)
		read[f->results[i]] = true;
	for (int v = f->bindings.n - 1; v >= f->nparams; v--) {
		const struct binding *b = function_at(f, v);

		if (!s->x->needed[v])
			continue;
		if (is_free(f, b) && is_odd(reader[v]))
			s->level[v] = reader[v];
		for (int i = 0; i < b->nargs; i++) {
			int of = b->args[i];

			if (of < 0)
				continue;
			if (!read[of])
				reader[of] = s->level[v];
			else if (reader[of] != s->level[v])
				reader[of] = 0;
			read[of] = true;
		}
	}
}

static void assign_levels(struct stretcher *s)
{
	const struct rewrite *x = s->x;
	const struct function *f = x->function;

	s->level = arena_many(x->scratch, int, f->bindings.n);
	for (int v = f->nparams; v < f->bindings.n; v++) {
		if (x->needed[v])
			s->level[v] = first_level(s, v);
		if (s->level[v] >= s->levels)
			s->levels = s->level[v] + 1;
	}
	sink_views(s);
	s->at = arena_many(x->scratch, struct value_vec, s->levels);
	for (int v = f->nparams; v < f->bindings.n; v++)
		if (x->needed[v] && !is_given(function_at(f, v)))
			vec_push(x->scratch, &s->at[s->level[v]], v);
}

/* --- the function anew */

static int keep_level(struct stretcher *s, const struct value_vec *values)
{
	for (int i = 0; i < values->n; i++)
		if (outline_keep(&s->outliner, values->at[i]) < 0)
			return -1;
	return 0;
}

static int make_stretch(struct stretcher *s, int n, const int *members)
{
	struct graph *g = s->x->builder->graph;
	struct attr_vec attrs = { 0 };

	attrs_int(g->arena, &attrs, "compiled", 1);
	return outline_function(&s->outliner, arena_printf(g->arena, "stretch_%d", g->functions.n), n,
				members, &attrs);
}

/* Stretches of all VALUES, in order. */
static int make_stretches(struct stretcher *s, const struct value_vec *values)
{
	int begin = 0, count = 0;

	for (int i = 0; i < values->n; i++) {
		int more = function_at(s->x->function, values->at[i])->nargs;

		if (i > begin && count + more > MOST_OPERANDS) {
			if (make_stretch(s, i - begin, &values->at[begin]) < 0)
				return -1;
			begin = i;
			count = 0;
		}
		count += more;
	}
	return make_stretch(s, values->n - begin, &values->at[begin]);
}

/* All of x->function. -1 and a message. */
static int stretch_function(struct rewrite *x)
{
	struct stretcher s = { .x = x, .outliner = outline_begin(x) };

	assign_levels(&s);
	for (int level = 0; level < s.levels; level++) {
		const struct value_vec *values = &s.at[level];

		if (values->n > 0 && (is_odd(level) ? make_stretches(&s, values)
						    : keep_level(&s, values)) < 0)
			return -1;
	}
	outline_end(&s.outliner);
	return 0;
}

/* The first binding has the whole function made; the others are there then. */
static int stretch(struct rewrite *x, int value, const int *args)
{
	const struct function **done = x->user;

	(void)args;
	if (*done != x->function && stretch_function(x) < 0)
		return VALUE_FAILED;
	*done = x->function;
	return x->value[value];
}

static struct graph *run(struct arena *a, const struct graph *g)
{
	const struct function *done = NULL;

	return rewrite_graph(a, g, &(struct rewriter){ .binding = stretch, .user = &done });
}

const struct pass pass_stretch = {
	.name = "stretch",
	.summary = "make functions of what runs without the interpreter",
	.run = run,
};
