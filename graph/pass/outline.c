/* SPDX-License-Identifier: Apache-2.0 */
/* graph/pass/outline.c - a function of bindings, with what they read of outside as parameters. */
#include "graph/pass/outline.h"

/* In the function whose number that is. */
struct outlined {
	int function, value;
};

/* A function that is being made. */
struct outlining {
	struct outliner *o;
	struct builder inner;
	const int *members;
	int n;
	struct value_vec outside;	/* in the order of the parameters */
	struct value_vec results;	/* members that others read */
};

struct outliner outline_begin(struct rewrite *x)
{
	const struct function *f = x->function;
	size_t n = (size_t)f->bindings.n;
	struct outliner o = { .x = x };

	o.inside = arena_many(x->scratch, struct outlined, n);
	o.unread = arena_memdup(x->scratch, x->uses, n * sizeof(*x->uses));
	for (int v = f->nparams; v < f->bindings.n; v++)
		x->value[v] = VALUE_NONE;
	return o;
}

/* --- what stays */

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

int outline_keep(struct outliner *o, int value)
{
	struct rewrite *x = o->x;
	const struct binding *b = function_at(x->function, value);

	x->builder->origin = b->origin;
	x->value[value] = rewrite_copy(x, value, operands(x, b->nargs, b->args));
	return x->value[value] == VALUE_FAILED ? -1 : 0;
}

void outline_end(struct outliner *o)
{
	for (int i = 0; i < o->x->function->nresults; i++)
		operand(o->x, o->x->function->results[i]);
}

/* --- a function */

static struct outlined *inside(const struct outlining *t, int value)
{
	return &t->o->inside[value];
}

static bool is_inside(const struct outlining *t, int value)
{
	return inside(t, value)->function == t->o->functions;
}

static void set_inside(const struct outlining *t, int value, int made)
{
	*inside(t, value) = (struct outlined){ t->o->functions, made };
}

static const struct binding *member(const struct outlining *t, int i)
{
	return function_at(t->o->x->function, t->members[i]);
}

/* What a member reads of outside is a parameter, but for constants. */
static void add_params(struct outlining *t)
{
	struct rewrite *x = t->o->x;

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

static int inner_operand(struct outlining *t, int value)
{
	if (value < 0)
		return value;
	if (!is_inside(t, value))
		set_inside(t, value, build_const(&t->inner,
						 function_const(t->o->x->function, value)));
	return inside(t, value)->value;
}

static void add_members(struct outlining *t)
{
	struct rewrite *x = t->o->x;

	for (int i = 0; i < t->n; i++) {
		const struct binding *b = member(t, i);
		int *args = arena_many(x->scratch, int, b->nargs);

		for (int j = 0; j < b->nargs; j++) {
			args[j] = inner_operand(t, b->args[j]);
			if (b->args[j] >= 0)
				t->o->unread[b->args[j]]--;
		}
		t->inner.origin = b->origin;
		int made = build_copy(&t->inner, b, args, x->through);

		build_name(&t->inner, made, b->name);
		set_inside(t, t->members[i], made);
	}
}

/* The function; FUNCTION_NONE and a message. */
static int end_function(struct outlining *t, const struct attr_vec *attrs)
{
	struct rewrite *x = t->o->x;
	struct value_vec results = { 0 };

	for (int i = 0; i < t->n; i++)
		if (t->o->unread[t->members[i]] > 0) {
			vec_push(x->scratch, &t->results, t->members[i]);
			vec_push(x->scratch, &results, inside(t, t->members[i])->value);
		}
	int index = builder_end(&t->inner, results.n, results.at);

	if (index == FUNCTION_NONE)
		return FUNCTION_NONE;
	t->inner.function->attrs = attrs->at;
	t->inner.function->nattrs = attrs->n;
	return index;
}

int outline_function(struct outliner *o, const char *name, int n, const int *members,
		     const struct attr_vec *attrs)
{
	struct rewrite *x = o->x;
	struct outlining t = { .o = o, .members = members, .n = n };

	o->functions++;
	t.inner = builder_begin(x->builder->graph, name);
	t.inner.plain = true;
	add_params(&t);
	add_members(&t);
	int index = end_function(&t, attrs);

	if (index == FUNCTION_NONE)
		return -1;
	x->builder->origin = &origin_none;
	int made = build_apply(x->builder, index, t.outside.n,
			       operands(x, t.outside.n, t.outside.at));

	for (int i = 0; i < t.results.n; i++)
		x->value[t.results.at[i]] =
			t.results.n == 1 ? made : build_field(x->builder, made, i);
	return made == VALUE_FAILED ? -1 : 0;
}
