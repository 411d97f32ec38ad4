/* SPDX-License-Identifier: Apache-2.0 */
/* graph/pass/stretch.c - what runs without the interpreter becomes functions of their own.
 *
 * Requires: fused functions; their applications have static types.
 * Provides: each function is as few stretches as its order allows, with what only the interpreter
 *           runs between them: a stretch is a function with the attribute "compiled", applied
 *           once, that is nothing but applications of fused functions, views of static tensors
 *           and constants; no application of a fused function is anywhere else.
 * Keeps:    what the graph computes; functions that are compiled already. */
#include "graph/pass/pass.h"
#include "graph/pass/rewrite.h"
#include "graph/task/cut.h"

/* Operands that the bindings of one stretch have at most, as an application may not have any number
 * of them. */
enum { MOST_OPERANDS = 8192 };

/* The bindings of a function in levels: those of an odd one are a stretch, those of an even one
 * stand between stretches. A level reads nothing of those behind it. */
struct stretcher {
	struct rewrite *x;
	int *level;		/* by value */
	struct value_vec *at;	/* by level, its values in order; without parameters and constants */
	int levels;
	int *unread;		/* by value: uses by what is not made yet */
	/* By value, what stands for it in the stretch whose number that is. */
	struct stretched {
		int stretch, value;
	} *inside;
	int stretches;
};

/* A stretch that is being made. */
struct stretching {
	struct stretcher *s;
	struct builder inner;
	const int *members;		/* values, ascending */
	int n;
	struct value_vec outside;	/* in the order of the parameters */
	struct value_vec results;	/* members that others read */
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

/* --- between stretches */

/* What stands for VALUE there; a constant is made when it is first read. */
static int operand(struct rewrite *x, int value)
{
	if (value < 0)
		return value;
	if (x->value[value] == VALUE_NONE && function_const(x->function, value))
		x->value[value] = rewrite_copy(x, value, NULL);
	return x->value[value];
}

static int *operands(struct rewrite *x, int n, const int *values)
{
	int *out = arena_many(x->scratch, int, n);

	for (int i = 0; i < n; i++)
		out[i] = operand(x, values[i]);
	return out;
}

static int copy_level(struct rewrite *x, const struct value_vec *values)
{
	for (int i = 0; i < values->n; i++) {
		int v = values->at[i];
		const struct binding *b = function_at(x->function, v);

		x->builder->label = b->label;
		x->value[v] = rewrite_copy(x, v, operands(x, b->nargs, b->args));
		if (x->value[v] == VALUE_FAILED)
			return -1;
	}
	return 0;
}

/* --- a stretch */

static struct stretched *inside(const struct stretching *t, int value)
{
	return &t->s->inside[value];
}

static bool is_inside(const struct stretching *t, int value)
{
	return inside(t, value)->stretch == t->s->stretches;
}

static void set_inside(const struct stretching *t, int value, int made)
{
	*inside(t, value) = (struct stretched){ t->s->stretches, made };
}

static const struct binding *member(const struct stretching *t, int i)
{
	return function_at(t->s->x->function, t->members[i]);
}

/* What a member reads of outside is a parameter, but for constants. */
static void add_params(struct stretching *t)
{
	struct rewrite *x = t->s->x;

	for (int i = 0; i < t->n; i++) {
		const struct binding *b = member(t, i);

		for (int j = 0; j < b->nargs; j++) {
			int v = b->args[j];

			if (v < 0 || is_inside(t, v) || function_const(x->function, v))
				continue;
			vec_push(x->scratch, &t->outside, v);
			set_inside(t, v, build_param(&t->inner, function_at(x->function, v)->name,
						     build_type(x->builder, x->value[v])));
		}
		set_inside(t, t->members[i], VALUE_NONE);
	}
}

static int inner_operand(struct stretching *t, int value)
{
	if (value < 0)
		return value;
	if (!is_inside(t, value))
		set_inside(t, value, build_const(&t->inner,
						 function_const(t->s->x->function, value)));
	return inside(t, value)->value;
}

static void add_members(struct stretching *t)
{
	struct rewrite *x = t->s->x;

	for (int i = 0; i < t->n; i++) {
		const struct binding *b = member(t, i);
		int *args = arena_many(x->scratch, int, b->nargs);

		for (int j = 0; j < b->nargs; j++) {
			args[j] = inner_operand(t, b->args[j]);
			if (b->args[j] >= 0)
				t->s->unread[b->args[j]]--;
		}
		t->inner.label = b->label;
		int made = build_copy(&t->inner, b, args, x->through);

		build_name(&t->inner, made, b->name);
		set_inside(t, t->members[i], made);
	}
}

/* The function; FUNCTION_NONE and a message. */
static int end_function(struct stretching *t)
{
	struct rewrite *x = t->s->x;
	struct graph *g = x->builder->graph;
	struct value_vec results = { 0 };
	struct attr_vec attrs = { 0 };

	for (int i = 0; i < t->n; i++)
		if (t->s->unread[t->members[i]] > 0) {
			vec_push(x->scratch, &t->results, t->members[i]);
			vec_push(x->scratch, &results, inside(t, t->members[i])->value);
		}
	int index = builder_end(&t->inner, results.n, results.at);

	if (index == FUNCTION_NONE)
		return FUNCTION_NONE;
	attrs_int(g->arena, &attrs, "compiled", 1);
	t->inner.function->attrs = attrs.at;
	t->inner.function->nattrs = attrs.n;
	return index;
}

static int make_stretch(struct stretcher *s, int n, const int *members)
{
	struct rewrite *x = s->x;
	struct graph *g = x->builder->graph;
	struct stretching t = { .s = s, .members = members, .n = n };

	s->stretches++;
	t.inner = builder_begin(g, arena_printf(g->arena, "stretch_%d", g->functions.n));
	t.inner.plain = true;
	add_params(&t);
	add_members(&t);
	int index = end_function(&t);

	if (index == FUNCTION_NONE)
		return -1;
	x->builder->label = "";
	int made = build_apply(x->builder, index, t.outside.n,
			       operands(x, t.outside.n, t.outside.at));

	for (int i = 0; i < t.results.n; i++)
		x->value[t.results.at[i]] =
			t.results.n == 1 ? made : build_field(x->builder, made, i);
	return made == VALUE_FAILED ? -1 : 0;
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

/* --- the pass */

static struct stretcher stretcher_new(struct rewrite *x)
{
	const struct function *f = x->function;
	size_t n = (size_t)f->bindings.n;
	struct stretcher s = { .x = x };

	s.inside = arena_many(x->scratch, struct stretched, n);
	s.unread = arena_memdup(x->scratch, x->uses, n * sizeof(*x->uses));
	for (int v = f->nparams; v < f->bindings.n; v++)
		x->value[v] = VALUE_NONE;
	assign_levels(&s);
	return s;
}

/* All of x->function. -1 and a message. */
static int stretch_function(struct rewrite *x)
{
	struct stretcher s = stretcher_new(x);

	for (int level = 0; level < s.levels; level++) {
		const struct value_vec *values = &s.at[level];

		if (values->n > 0 && (is_odd(level) ? make_stretches(&s, values)
						    : copy_level(x, values)) < 0)
			return -1;
	}
	for (int i = 0; i < x->function->nresults; i++)
		operand(x, x->function->results[i]);
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
