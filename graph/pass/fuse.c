/* SPDX-License-Identifier: Apache-2.0 */
/* graph/pass/fuse.c - what runs as one kernel becomes a function of its own.
 *
 * Requires: nothing; what was not simplified makes more and smaller kernels.
 * Provides: each group of graph/pass/group.h is a function with the attribute "fused", applied
 *           once, that is nothing but calls with static types and has a tensor expression
 *           (graph/task/cut.h); weights are arguments that are constants, single numbers and lists
 *           of integers stand inside.
 * Keeps:    what the graph computes; functions that are fused already. */
#include "graph/pass/group.h"
#include "graph/pass/pass.h"
#include "graph/pass/rewrite.h"

struct fuser {
	struct arena *arena;			/* as long as the pass */
	struct fit_calls fits;
	const struct function *function;	/* that the grouping is of */
	struct grouping grouping;
};

/* A fused function that is being made. */
struct fusing {
	struct rewrite *x;
	const struct function *f;
	struct builder inner;
	const struct fusion_group *group;
	struct value_vec outside;	/* of f, in the order of the parameters */
	int *inside;			/* by member of the group, its value here */
};

/* Does constant operand VALUE of B stand inside: a list of integers or, where B is pointwise, a
 * single number? */
static bool is_literal(const struct fusing *s, const struct binding *b, int value)
{
	const struct array *c = function_const(s->f, value);

	return c && ((c->element == ELEMENT_I64 && c->rank <= 1) ||
		     (c->count == 1 && b->op->pointwise));
}

static int member_index(const struct fusing *s, int value)
{
	for (int i = 0; i < s->group->members.n; i++)
		if (s->group->members.at[i] == value)
			return i;
	return -1;
}

static int param_index(const struct fusing *s, int value)
{
	for (int i = 0; i < s->outside.n; i++)
		if (s->outside.at[i] == value)
			return i;
	return -1;
}

static void add_params(struct fusing *s)
{
	for (int i = 0; i < s->group->members.n; i++) {
		const struct binding *b = function_at(s->f, s->group->members.at[i]);

		for (int j = 0; j < b->nargs; j++) {
			int v = b->args[j];

			if (v < 0 || member_index(s, v) >= 0 || param_index(s, v) >= 0 ||
			    is_literal(s, b, v))
				continue;
			vec_push(s->x->scratch, &s->outside, v);
			build_param(&s->inner, function_at(s->f, v)->name,
				    build_type(s->x->builder, s->x->value[v]));
		}
	}
}

static int operand(struct fusing *s, const struct binding *b, int value)
{
	int member = value < 0 ? -1 : member_index(s, value);

	if (value < 0)
		return value;
	if (member >= 0)
		return s->inside[member];
	return is_literal(s, b, value) ? build_const(&s->inner, function_const(s->f, value))
				       : param_index(s, value);
}

static int add_members(struct fusing *s)
{
	int last = VALUE_NONE;

	s->inside = arena_many(s->x->scratch, int, s->group->members.n);
	for (int i = 0; i < s->group->members.n; i++) {
		const struct binding *b = function_at(s->f, s->group->members.at[i]);
		int *args = arena_many(s->x->scratch, int, b->nargs);

		for (int j = 0; j < b->nargs; j++)
			args[j] = operand(s, b, b->args[j]);
		last = s->inside[i] = build_copy(&s->inner, b, args, NULL);
	}
	return last;
}

/* conv_add_relu_7, the seventh function. */
static const char *name_of(const struct fusing *s, struct arena *a, int index)
{
	struct text name = { 0 };

	for (int i = 0; i < s->group->members.n; i++)
		text_printf(&name, "%s_", function_at(s->f, s->group->members.at[i])->op->name);
	text_printf(&name, "%d", index);
	const char *out = arena_strdup(a, text_str(&name));

	text_free(&name);
	return out;
}

/* The application that stands for GROUP. */
static int fuse_group(struct rewrite *x, const struct fusion_group *group)
{
	struct fusing s = { .x = x, .f = x->function, .group = group };
	struct graph *g = x->builder->graph;
	struct attr_vec attrs = { 0 };

	s.inner = builder_begin(g, name_of(&s, g->arena, g->functions.n));
	s.inner.plain = true;
	add_params(&s);
	int result = add_members(&s);
	int index = builder_end(&s.inner, 1, &result);

	if (index == FUNCTION_NONE)
		return VALUE_FAILED;
	attrs_int(g->arena, &attrs, "fused", 1);
	s.inner.function->attrs = attrs.at;
	s.inner.function->nattrs = attrs.n;
	int *args = arena_many(x->scratch, int, s.outside.n);

	for (int i = 0; i < s.outside.n; i++)
		args[i] = x->value[s.outside.at[i]];
	return build_apply(x->builder, index, s.outside.n, args);
}

static int fuse(struct rewrite *x, int value, const int *args)
{
	struct fuser *s = x->user;

	(void)args;
	if (s->function != x->function) {
		s->function = x->function;
		s->grouping = function_group(x->scratch, x->function, s->arena,
					     &s->fits);
	}
	int index = s->grouping.group_of[value];
	const struct fusion_group *group = index < 0 ? NULL : &s->grouping.groups.at[index];

	if (!group)
		return REWRITE_COPY;
	return group->members.at[group->members.n - 1] == value ? fuse_group(x, group)
								: VALUE_NONE;
}

static struct graph *run(struct arena *a, const struct graph *g)
{
	struct fuser s = { .arena = arena_new() };
	struct graph *out = rewrite_graph(a, g, &(struct rewriter){ .binding = fuse, .user = &s });

	arena_free(s.arena);
	return out;
}

const struct pass pass_fuse = {
	.name = "fuse",
	.summary = "make functions of what runs as one kernel",
	.run = run,
};
