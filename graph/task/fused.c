/* SPDX-License-Identifier: Apache-2.0 */
/* graph/task/fused.c - bindings copied into a function that takes what they read. */
#include "graph/task/fused.h"

/* A fused function that is being made. */
struct fusing {
	struct arena *arena;
	const struct function *f;
	const struct value_vec *members;
	struct builder inner;
	struct value_vec *outside;	/* of f, in the order of the parameters */
	int *inside;			/* by member, its value here */
};

/* Does constant operand VALUE of B stand inside: a list of integers, what has no dims, which no kernel takes
 * as a tensor, or, where B is pointwise, a single number? */
static bool is_literal(const struct fusing *s, const struct binding *b, int value)
{
	const struct array *c = function_const(s->f, value);

	return c && ((c->element == ELEMENT_I64 && c->rank <= 1) || c->rank == 0 ||
		     (c->count == 1 && b->op->pointwise));
}

static void add_params(struct fusing *s)
{
	for (int i = 0; i < s->members->n; i++) {
		const struct binding *b = function_at(s->f, s->members->at[i]);

		for (int j = 0; j < b->nargs; j++) {
			int v = b->args[j];

			if (v < 0 || value_vec_find(s->members, v) >= 0 || value_vec_find(s->outside, v) >= 0 ||
			    is_literal(s, b, v))
				continue;
			vec_push(s->arena, s->outside, v);
			build_param(&s->inner, function_at(s->f, v)->name, function_at(s->f, v)->type);
		}
	}
}

static int operand(struct fusing *s, const struct binding *b, int value)
{
	int member = value < 0 ? -1 : value_vec_find(s->members, value);

	if (value < 0)
		return value;
	if (member >= 0)
		return s->inside[member];
	return is_literal(s, b, value) ? build_const(&s->inner, function_const(s->f, value))
				       : value_vec_find(s->outside, value);
}

static int add_members(struct fusing *s)
{
	int last = VALUE_NONE;

	s->inside = arena_many(s->arena, int, s->members->n);
	for (int i = 0; i < s->members->n; i++) {
		const struct binding *b = function_at(s->f, s->members->at[i]);
		int *args = arena_many(s->arena, int, b->nargs);

		for (int j = 0; j < b->nargs; j++)
			args[j] = operand(s, b, b->args[j]);
		last = s->inside[i] = build_copy(&s->inner, b, args, NULL);
	}
	return last;
}

/* conv_add_relu_7, the seventh function. */
static const char *name_of(struct arena *a, const struct function *f,
			   const struct value_vec *members, int index)
{
	struct text name = { 0 };

	for (int i = 0; i < members->n; i++)
		text_printf(&name, "%s_", function_at(f, members->at[i])->op->name);
	text_printf(&name, "%d", index);
	const char *out = arena_strdup(a, text_str(&name));

	text_free(&name);
	return out;
}

void fused_mark(struct graph *g, int index)
{
	struct function *f = g->functions.at[index];
	struct attr_vec attrs = { 0 };

	attrs_int(g->arena, &attrs, "fused", 1);
	f->attrs = attrs.at;
	f->nattrs = attrs.n;
}

int fused_make(struct graph *g, struct arena *a, const struct function *f,
	       const struct value_vec *members, struct value_vec *outside)
{
	struct fusing s = { .arena = a, .f = f, .members = members, .outside = outside };

	*outside = (struct value_vec){ 0 };
	s.inner = builder_begin(g, name_of(g->arena, f, members, g->functions.n));
	s.inner.plain = true;
	add_params(&s);
	int result = add_members(&s);
	int index = builder_end(&s.inner, 1, &result);

	if (index != FUNCTION_NONE)
		fused_mark(g, index);
	return index;
}
