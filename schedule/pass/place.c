/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/place.c - from a state to its nest.
 *
 * Requires: regions and values as state_refresh derives them.
 * Provides: every stage as loops around one store (and one that sets a reduction's start), each
 *           attached stage inside the loop it is attached to, conditions as far out as they go. */
#include "schedule/narrow.h"
#include "schedule/pass/pass.h"
#include "schedule/pass/placing/place.h"
#include "te/index/index.h"

static struct nest *build(struct lowering *l, struct body *b, int depth);

static struct nest *build_store(struct lowering *l, struct body *b)
{
	const struct stage *g = b->g;
	struct nest *n = nest_new(l->a, NEST_STORE, NULL);
	struct root_map roots = root_map_of(l->a, g);
	struct load_access access = { .l = l, .roots = &roots };
	enum dtype t = l->buffers[b->stage]->tensor.dtype;

	n->buffer = l->buffers[b->stage];
	n->index = arena_many(l->a, const struct expr *, g->op.tensor.ndim);
	for (int d = 0; d < g->op.tensor.ndim; d++)
		n->index[d] = expr_simplify(l->a, g->iters.at[d].value);
	if (b->init) {
		n->value = expr_const(l->a, t, reducer_identity(g->op.reducer, t));
		return n;
	}
	n->reducer = g->op.reducer;
	n->streams = g->streams && n->buffer->kind == BUFFER_OUTPUT;
	const struct expr *value = expr_rewrite(l->a, g->op.body, lower_node, &access);

	n->value = expr_simplify(l->a, narrow_stored(l->a, t, value));
	return n;
}

/* True where two tiles that overlap both come after the start of a reduction is set: elements of
 * both would be reduced twice. */
static bool overlap_after_init(const struct body *b)
{
	const struct stage *g = b->g;

	for (int i = 0; i < g->relations.n && b->first_reduce >= 0; i++) {
		const struct relation *r = &g->relations.at[i];

		if (r->kind == RELATION_SPLIT && r->tiles == BORDER_SHIFT &&
		    g->iters.at[r->parent].extent % g->iters.at[r->inner].extent != 0 &&
		    depth_of(g, g->iters.at[r->outer].value).depth > b->first_reduce)
			return true;
	}
	return false;
}

static struct nest *build_stage(struct lowering *l, int stage)
{
	struct body b = { .g = l->s->stages.at[stage], .stage = stage, .first_reduce = -1 };

	for (int i = b.g->leaves.n - 1; i >= 0; i--)
		if (b.g->iters.at[b.g->leaves.at[i]].reduce)
			b.first_reduce = i;
	if (overlap_after_init(&b))
		l->why = "a shifted tile inside a reduce loop would add elements twice";
	place_check_prefetches(l, b.g);
	place_conditions(l, &b);
	return build(l, &b, 0);
}

/* The stages attached to the loop that has just been opened. */
static struct nest *build_attached(struct lowering *l, struct body *b, int depth)
{
	struct nest *first = NULL;

	for (int i = 0; depth > 0 && i < l->s->order.n; i++) {
		int stage = l->s->order.at[i];
		const struct stage *g = l->s->stages.at[stage];

		if (g->place != PLACE_AT || g->at_stage != b->stage ||
		    g->at_iter != b->g->leaves.at[depth - 1])
			continue;
		struct nest *alloc = nest_new(l->a, NEST_ALLOC, NULL);

		alloc->buffer = l->buffers[stage] = place_buffer(l, stage, BUFFER_LOCAL);
		first = nest_append(first, alloc);
		first = nest_append(first, build_stage(l, stage));
	}
	return first;
}

static struct nest *build_init(struct lowering *l, struct body *b, int depth)
{
	struct body init = *b;

	init.init = true;
	return build(l, &init, depth);
}

/* What is inside DEPTH loops of the stage, its lets and conditions apart. */
static struct nest *build_inside(struct lowering *l, struct body *b, int depth)
{
	const struct stage *g = b->g;
	struct nest *first = NULL;

	if (!b->init) {
		first = build_attached(l, b, depth);
		if (depth == b->first_reduce)
			first = nest_append(first, build_init(l, b, depth));
	}
	if (depth == g->leaves.n)
		return nest_append(first, build_store(l, b));
	const struct iter *it = &g->iters.at[g->leaves.at[depth]];

	if (b->init && it->reduce)
		return nest_append(first, build(l, b, depth + 1));
	struct nest *loop = nest_new(l->a, NEST_LOOP, NULL);

	loop->axis = it->axis;
	loop->annotation = it->annotation;
	loop->intrinsic = it->intrinsic;
	loop->border = border_is_of_tile(it->border) ? BORDER_OPEN : it->border;	/* has been done */
	loop->pipelined = it->pipelined;
	if (!b->init)
		place_prefetches(l, g, g->leaves.at[depth], loop);
	loop->body = build(l, b, depth + 1);
	return nest_append(first, loop);
}

static struct nest *build(struct lowering *l, struct body *b, int depth)
{
	struct nest *outer = NULL;
	struct nest **hole = &outer;
	bool starts = b->init && depth == b->first_reduce;

	for (int i = 0; i < b->placed.n; i++) {
		const struct placed *p = &b->placed.at[i];

		if (p->depth != depth || (b->init && (p->reduce || starts)))
			continue;
		struct nest *n = nest_new(l->a, p->axis ? NEST_LET : NEST_IF, NULL);

		n->axis = p->axis;
		n->value = p->value;
		*hole = n;
		hole = &n->body;
	}
	*hole = build_inside(l, b, depth);
	return outer;
}

static bool is_parallel(const struct stage *g)
{
	for (int i = 0; i < g->leaves.n; i++)
		if (g->iters.at[g->leaves.at[i]].annotation == ANNOTATION_PARALLEL)
			return true;
	return false;
}

static struct nest *new_temp(struct lowering *l, int stage)
{
	struct nest *alloc = nest_new(l->a, NEST_ALLOC, NULL);

	alloc->buffer = l->buffers[stage] = place_buffer(l, stage, BUFFER_TEMP);
	return alloc;
}

/* A stage at the root, with the buffer it needs where it is no plain output. */
static struct nest *build_root(struct lowering *l, int stage)
{
	const struct stage *g = l->s->stages.at[stage];
	struct buffer *output = l->buffers[stage];

	if (output && !narrow_gathers_apart(g, output))
		return build_stage(l, stage);
	struct nest *first = new_temp(l, stage);
	struct buffer *temp = first->buffer;

	if (output)
		temp->tensor.name = arena_printf(l->a, "%s.wide", output->tensor.name);
	nest_append(first, build_stage(l, stage));
	if (output)
		nest_append(first, narrow_copy(l->a, output, temp, is_parallel(g),
						 target_lanes(l->p->target, sizeof(float))));
	return first;
}

static bool is_read_offline(const struct state *s, int stage)
{
	int reader;

	return state_consumers(s, stage, &reader, 1) > 0 &&
	       s->stages.at[reader]->place == PLACE_OFFLINE;
}

/* An offline stage, in the pack of its constant. The last of them is what the kernel gets for it. */
static void build_offline(struct lowering *l, int stage)
{
	const struct stage *g = l->s->stages.at[stage];
	int arg = l->buffers[g->at_stage]->arg;
	struct pack *k = program_add_pack(l->p, arg);
	struct nest *alloc = new_temp(l, stage);

	if (is_read_offline(l->s, stage)) {
		k->body = nest_append(k->body, alloc);
	} else {
		k->packed = l->p->args.at[arg] = alloc->buffer;
		k->packed->kind = BUFFER_INPUT;
		k->packed->constant = true;
		k->packed->arg = arg;
		k->packed->stage = g->at_stage;
	}
	k->body = nest_append(k->body, build_stage(l, stage));
}

bool nest_pass_place(struct program *p, const char **why)
{
	struct lowering l = { .p = p, .a = p->arena, .s = p->state };

	l.buffers = arena_many(l.a, struct buffer *, l.s->stages.n);
	place_arguments(&l);
	for (int i = 0; i < l.s->order.n; i++) {
		int stage = l.s->order.at[i];
		const struct stage *g = l.s->stages.at[stage];

		if (stage_computes(g) && g->place == PLACE_ROOT)
			p->body = nest_append(p->body, build_root(&l, stage));
		else if (g->place == PLACE_OFFLINE)
			build_offline(&l, stage);
	}
	if (l.why)
		*why = l.why;
	return !l.why;
}
