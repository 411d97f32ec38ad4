/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node/ml/forest.c - trees of decisions as a loop of gathers. */
#include "graph/onnx/node/ml/forest.h"

#include <float.h>
#include <math.h>

#include "base/err.h"

/* Elements of a forest's tables: what a model of some hundred MB may ask for. */
#define MOST_ELEMENTS ((int64_t)1 << 27)

struct forest *forest_new(struct arena *a, int64_t nodes, int64_t trees, int64_t targets,
			  int64_t members)
{
	struct forest *f = arena_one(a, struct forest);

	if (nodes < 1 || trees < 1 || targets < 1 || nodes > MOST_ELEMENTS / targets ||
	    nodes > MOST_ELEMENTS / (members + 1)) {
		err_set("%lld trees of %lld nodes for %lld targets", (long long)trees,
			(long long)nodes, (long long)targets);
		return NULL;
	}
	*f = (struct forest){ .nodes = nodes, .trees = trees, .targets = targets,
			      .members = members };
	f->feature = arena_many(a, int64_t, nodes);
	f->yes = arena_many(a, int64_t, nodes);
	f->no = arena_many(a, int64_t, nodes);
	f->mode = arena_many(a, int64_t, nodes);
	f->missing = arena_many(a, int64_t, nodes);
	f->split = arena_many(a, double, nodes);
	f->set = arena_many(a, double, nodes * members + 1);
	for (int64_t i = 0; i < nodes * members; i++)
		f->set[i] = NAN;
	f->root = arena_many(a, int64_t, trees);
	f->vote = arena_many(a, double, nodes * targets);
	f->votes = arena_many(a, int64_t, nodes * targets);
	return f;
}

/* Steps to the deepest leaf; -1 and a message where there is none, or a way leads astray. */
static int64_t depth(const struct forest *f, struct arena *a)
{
	/* a level is the nodes that may be reached in so many steps, each once */
	int64_t *level = arena_many(a, int64_t, f->nodes), *next = arena_many(a, int64_t, f->nodes);
	int64_t *seen = arena_many(a, int64_t, f->nodes), n = 0, steps = 0;

	for (int64_t i = 0; i < f->nodes; i++)
		if (f->yes[i] < 0 || f->yes[i] >= f->nodes || f->no[i] < 0 || f->no[i] >= f->nodes)
			return err_set("node %lld leads out of the trees", (long long)i);
	for (int64_t i = 0; i < f->trees; i++) {
		if (f->root[i] < 0 || f->root[i] >= f->nodes)
			return err_set("tree %lld has no root", (long long)i);
		if (f->mode[f->root[i]] != BRANCH_LEAF && !seen[f->root[i]]++)
			level[n++] = f->root[i];
	}
	while (n) {
		int64_t m = 0;

		for (int64_t i = 0; i < n; i++)
			for (int way = 0; way < 2; way++) {
				int64_t to = way ? f->yes[level[i]] : f->no[level[i]];

				if (f->mode[to] == BRANCH_LEAF)
					continue;
				if (seen[to]++)
					return err_set("node %lld has two ways to it",
						       (long long)to);
				next[m++] = to;
			}
		int64_t *swap = level;

		level = next;
		next = swap;
		n = m;
		steps++;
	}
	return steps;
}

/* The table DATA[nodes] of E, or [nodes, WIDTH] where WIDTH is not 0, at the nodes AT. */
static int look_up(struct builder *b, const struct forest *f, enum element e, const void *data,
		   int64_t width, int at)
{
	int64_t dim[] = { f->nodes, width };
	int table = build_const(b, array_around(b->arena, e, width ? 2 : 1, dim, data));

	return compose_gather(b, table, 0, at);
}

/* Does VALUE go the way of yes at nodes that ask MODE? */
static int holds(struct builder *b, const struct forest *f, enum branch mode, int value, int at)
{
	int split = look_up(b, f, ELEMENT_F64, f->split, 0, at), hits;

	switch (mode) {
	case BRANCH_LEQ:
		return build(b, &core_less_equal, value, split);
	case BRANCH_LT:
		return build(b, &core_less, value, split);
	case BRANCH_GTE:
		return build(b, &core_less_equal, split, value);
	case BRANCH_GT:
		return build(b, &core_less, split, value);
	case BRANCH_EQ:
		return build(b, &core_equal, value, split);
	case BRANCH_NEQ:
		return build(b, &core_not, build(b, &core_equal, value, split));
	case BRANCH_MEMBER:
		hits = build(b, &core_equal, compose_unsqueeze(b, value, -1),
			     look_up(b, f, ELEMENT_F64, f->set, f->members, at));
		hits = compose_reduce(b, &core_reduce_max, compose_cast(b, hits, ELEMENT_I64),
				      INTS(-1), false);
		return compose_cast(b, hits, ELEMENT_BOOL);
	case BRANCH_LEAF:
	case BRANCH_COUNT:
		break;
	}
	return build_scalar(b, ELEMENT_BOOL, 0);
}

/* One step of all trees: (iteration, nodes [n, trees], x) -> (true, nodes). */
static int make_step(struct builder *outer, const struct forest *f, int at, int x)
{
	struct builder b = builder_begin(outer->graph, "forest");
	bool used[BRANCH_COUNT] = { false };

	build_param(&b, "step", type_shaped(b.arena, ELEMENT_I64, 0, NULL));
	at = build_param(&b, "nodes", build_type(outer, at));
	x = build_param(&b, "x", build_type(outer, x));
	int feature = look_up(&b, f, ELEMENT_I64, f->feature, 0, at);
	int value = build_with(&b, &core_gather_elements, with_int(&b, "axis", 1), x, feature);
	int mode = look_up(&b, f, ELEMENT_I64, f->mode, 0, at);
	int missing = compose_cast(&b, look_up(&b, f, ELEMENT_I64, f->missing, 0, at),
				   ELEMENT_BOOL);
	int yes = build(&b, &core_and, missing, build(&b, &core_is_nan, value));

	for (int64_t i = 0; i < f->nodes; i++)
		used[f->mode[i]] = true;
	for (int m = 0; m < BRANCH_LEAF; m++) {
		if (!used[m])
			continue;
		int asked = build(&b, &core_equal, mode, build_int(&b, m));

		yes = build(&b, &core_or, yes, build(&b, &core_and, asked,
						     holds(&b, f, (enum branch)m, value, at)));
	}
	int to = build(&b, &core_where, yes, look_up(&b, f, ELEMENT_I64, f->yes, 0, at),
		       look_up(&b, f, ELEMENT_I64, f->no, 0, at));

	return builder_end(&b, 2, (int[]){ build_scalar(&b, ELEMENT_BOOL, 1), to });
}

/* The leaves AT [n, trees] as one vote for each target. */
static int gather_votes(struct builder *b, const struct forest *f, int at, enum gathered how)
{
	bool least = how == GATHERED_MIN, most = how == GATHERED_MAX;
	int vote = look_up(b, f, ELEMENT_F64, f->vote, f->targets, at);

	if (!least && !most) {
		int sum = compose_reduce(b, &core_reduce_sum, vote, INTS(1), false);

		return how == GATHERED_SUM ? sum
					   : compose_with_number(b, &core_div, sum,
								 (double)f->trees);
	}
	int voted = compose_cast(b, look_up(b, f, ELEMENT_I64, f->votes, f->targets, at),
				 ELEMENT_BOOL);
	int none = build_scalar(b, ELEMENT_F64, least ? FLT_MAX : -FLT_MAX);

	return compose_reduce(b, least ? &core_reduce_min : &core_reduce_max,
			      build(b, &core_where, voted, vote, none), INTS(1), false);
}

int forest_votes(struct builder *b, const struct forest *f, int x, enum gathered how)
{
	int64_t steps = depth(f, b->arena);

	x = compose_cast(b, x, ELEMENT_F64);
	if (steps < 0 || x == VALUE_FAILED)
		return VALUE_FAILED;
	int shape[] = { compose_extent(b, x, 0), build_ints(b, INTS(f->trees)) };
	int at = build(b, &core_expand, build_ints(b, (int)f->trees, f->root),
		       compose_concat(b, 0, 2, shape));

	if (at == VALUE_FAILED)
		return VALUE_FAILED;
	int step = make_step(b, f, at, x);

	if (step == FUNCTION_NONE)
		return VALUE_FAILED;
	int leaves = build_loop(b, step, build_int(b, steps), VALUE_NONE, 1, &at, 1, &x);

	return gather_votes(b, f, build_field(b, leaves, 0), how);
}
