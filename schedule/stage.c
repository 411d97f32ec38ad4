/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/stage.c - making stages, and asking them. */
#include "schedule/stage.h"

static void add_iter(struct arena *a, struct stage *g, const struct axis *axis)
{
	struct iter it = { .name = axis->name, .extent = axis->hi, .reduce = axis->reduce };

	vec_push(a, &g->leaves, g->iters.n);
	vec_push(a, &g->iters, it);
}

struct read_search {
	struct arena *arena;
	struct stage *stage;
};

static struct stage_read *read_of(struct read_search *s, const struct tensor *t)
{
	struct stage_read_vec *reads = &s->stage->reads;

	for (int i = 0; i < reads->n; i++)
		if (reads->at[i].tensor == t)
			return &reads->at[i];
	vec_push(s->arena, reads, (struct stage_read){ .tensor = t });
	return &reads->at[reads->n - 1];
}

static void add_index(struct arena *a, struct expr_vec *all, const struct expr *index)
{
	for (int i = 0; i < all->n; i++)
		if (expr_equal(all->at[i], index))
			return;
	vec_push(a, all, index);
}

static bool collect_read(const struct expr *e, void *user)
{
	struct read_search *s = user;

	if (e->kind != EXPR_LOAD)
		return e->loads;
	struct stage_read *r = read_of(s, e->tensor);

	for (int i = 0; i < e->tensor->ndim; i++)
		add_index(s->arena, &r->index[i], e->index[i]);
	return true;
}

void stage_set_body(struct arena *a, struct stage *g, const struct expr *body)
{
	struct read_search s = { a, g };

	g->op.body = body;
	g->reads = (struct stage_read_vec){ 0 };	/* the old one may be shared with a copy */
	expr_visit_once(body, collect_read, &s);
}

struct stage *stage_new(struct arena *a, const struct op *op, const struct tensor *identity)
{
	struct stage *g = arena_one(a, struct stage);

	g->op = *op;
	g->tensor = identity;
	g->at_stage = g->at_iter = -1;
	g->stale = STALE_REGION;
	if (op->kind != OP_COMPUTE)
		return g;
	for (int i = 0; i < op->tensor.ndim; i++)
		add_iter(a, g, op->space[i]);
	for (int i = 0; i < op->nreduce; i++)
		add_iter(a, g, op->reduce[i]);
	stage_set_body(a, g, op->body);
	return g;
}

int stage_find_iter(const struct stage *g, const char *name)
{
	for (int i = 0; i < g->iters.n; i++)
		if (strcmp(g->iters.at[i].name, name) == 0)
			return i;
	return -1;
}

int stage_root_of(const struct stage *g, int iter)
{
	for (int i = g->relations.n - 1; i >= 0; i--) {
		const struct relation *r = &g->relations.at[i];

		if (r->kind == RELATION_SPLIT && (r->outer == iter || r->inner == iter))
			iter = r->parent;
		else if (r->kind == RELATION_FUSE && r->parent == iter)
			return -1;
	}
	return iter;
}

struct relation *stage_split_of(const struct stage *g, int iter)
{
	for (int i = 0; i < g->relations.n; i++)
		if (g->relations.at[i].kind == RELATION_SPLIT && g->relations.at[i].inner == iter)
			return &g->relations.at[i];
	return NULL;
}

bool stage_has_tail(const struct stage *g, int iter)
{
	const struct relation *r = stage_split_of(g, iter);

	return r && g->iters.at[r->parent].extent % g->iters.at[iter].extent != 0;
}

bool stage_has_short_tiles(const struct stage *g, const struct relation *r)
{
	return r->kind == RELATION_SPLIT && r->tiles == BORDER_EVEN && stage_has_tail(g, r->inner);
}

int64_t stage_long_tiles(const struct stage *g, const struct relation *r)
{
	return g->iters.at[r->parent].extent - (g->iters.at[r->inner].extent - 1) * g->iters.at[r->outer].extent;
}

const struct expr *stage_is_long(struct arena *a, const struct stage *g, const struct relation *r)
{
	return expr_binary(a, EXPR_LT, g->iters.at[r->outer].value, expr_int(a, stage_long_tiles(g, r)));
}

const struct expr *stage_within_tile(struct arena *a, const struct stage *g, const struct relation *r)
{
	const struct iter *inner = &g->iters.at[r->inner];

	return expr_binary(a, EXPR_OR, stage_is_long(a, g, r),
			   expr_binary(a, EXPR_LT, inner->value, expr_int(a, inner->extent - 1)));
}

int stage_leaf(const struct stage *g, int iter)
{
	for (int i = 0; i < g->leaves.n; i++)
		if (g->leaves.at[i] == iter)
			return i;
	return -1;
}

bool stage_computes(const struct stage *g)
{
	return g->op.kind == OP_COMPUTE && g->place != PLACE_INLINE;
}

bool stage_is_constant(const struct stage *g)
{
	return g->op.kind == OP_CONST || g->place == PLACE_OFFLINE;
}

bool stage_is_untouched(const struct stage *g)
{
	return g->relations.n == 0 && g->place == PLACE_ROOT;
}

const struct stage_read *stage_read_of(const struct stage *g, const struct tensor *t)
{
	for (int i = 0; i < g->reads.n; i++)
		if (g->reads.at[i].tensor == t)
			return &g->reads.at[i];
	return NULL;
}

bool stage_reads(const struct stage *g, const struct tensor *t)
{
	return stage_read_of(g, t) != NULL;
}

const struct iter *stage_group(const struct stage *g)
{
	for (int i = 0; i < g->iters.n; i++)
		if (g->iters.at[i].intrinsic)
			return &g->iters.at[i];
	return NULL;
}
