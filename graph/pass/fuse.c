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
#include "graph/task/fused.h"

struct fuser {
	struct arena *arena;			/* as long as the pass */
	struct fit_calls fits;
	const struct function *function;	/* that the grouping is of */
	struct grouping grouping;
};

/* The application that stands for GROUP. */
static int fuse_group(struct rewrite *x, const struct fusion_group *group)
{
	struct value_vec outside;
	int index = fused_make(x->builder->graph, x->scratch, x->function, &group->members, &outside);

	if (index == FUNCTION_NONE)
		return VALUE_FAILED;
	int *args = arena_many(x->scratch, int, outside.n);

	for (int i = 0; i < outside.n; i++)
		args[i] = x->value[outside.at[i]];
	return build_apply(x->builder, index, outside.n, args);
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
