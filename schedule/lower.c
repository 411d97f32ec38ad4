/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/lower.c - from a state to its nest.
 *
 * Requires: regions and values as state_refresh derives them.
 * Provides: every stage as loops around one store (and one that sets a reduction's start), each
 *           attached stage inside the loop it is attached to, conditions as far out as they go. */
#include "schedule/narrow.h"
#include "te/index.h"

/* Beyond this a packed constant repeats too much of itself to be worth its memory. */
enum { PACK_MAX_GROWTH = 4 };

struct lowering {
	struct program *p;
	struct arena *a;
	const struct state *s;
	struct buffer **buffers;	/* by stage; NULL where it has none */
	const char *why;
};

/* A condition or a let of a stage and the number of its loops that must be open around it. */
struct placed {
	const struct axis *axis;	/* of a let; NULL for a condition */
	const struct expr *value;
	int depth;
	bool reduce;		/* depends on a reduce loop */
};

struct body {
	const struct stage *g;
	int stage;
	struct placed_vec VEC(struct placed) placed;
	int first_reduce;	/* place among the leaves; -1 where the stage reduces nothing */
	bool init;		/* only the loops and the store that set the start */
};

static struct nest *new_nest(struct arena *a, enum nest_kind kind)
{
	struct nest *n = arena_one(a, struct nest);

	n->kind = kind;
	return n;
}

static struct nest *append(struct nest *first, struct nest *rest)
{
	if (!first)
		return rest;
	struct nest *last = first;

	while (last->next)
		last = last->next;
	last->next = rest;
	return first;
}

/* --- accesses */

static struct buffer *new_buffer(struct lowering *l, int stage, enum buffer_kind kind)
{
	const struct stage *g = l->s->stages.at[stage];
	struct buffer *b = arena_one(l->a, struct buffer);

	b->tensor = g->op.tensor;
	b->tensor.dtype = narrow_held_as(g, kind);
	b->kind = kind;
	b->stage = stage;
	b->arg = -1;
	for (int i = 0; i < b->tensor.ndim; i++)
		b->tensor.shape[i] = g->part[i];
	return b;
}

/* The axes of stage G's expression and what stands for them in its nest. */
struct root_map {
	const struct axis *from[2 * TENSOR_MAX_DIMS];
	const struct expr *to[2 * TENSOR_MAX_DIMS];
	int n;
};

static struct root_map map_roots(struct arena *a, const struct stage *g)
{
	struct root_map m = { .n = 0 };

	for (int i = 0; i < g->op.tensor.ndim; i++) {
		m.from[m.n] = g->op.space[i];
		m.to[m.n++] = expr_add(a, g->base[i], g->iters.at[i].value);
	}
	for (int i = 0; i < g->op.nreduce; i++) {
		m.from[m.n] = g->op.reduce[i];
		m.to[m.n++] = g->iters.at[g->op.tensor.ndim + i].value;
	}
	return m;
}

struct depth_search {
	int depth;
	bool reduce;
};

static void search_depth(struct depth_search *s, const struct stage *g, const struct expr *e)
{
	int n = e->kind == EXPR_LOAD ? e->tensor->ndim : expr_kind_arity(e->kind);
	const struct expr *const *arg = e->kind == EXPR_LOAD ? e->index : e->arg;

	if (!e->axes)
		return;
	for (int i = 0; i < n; i++)
		search_depth(s, g, arg[i]);
	if (e->kind != EXPR_AXIS)
		return;
	for (int i = 0; i < g->leaves.n; i++)
		if (g->iters.at[g->leaves.at[i]].axis == e->axis) {
			s->depth = i + 1 > s->depth ? i + 1 : s->depth;
			s->reduce |= g->iters.at[g->leaves.at[i]].reduce;
			return;
		}
	for (int i = 0; i < g->lets.n; i++)
		if (g->lets.at[i].axis == e->axis)
			search_depth(s, g, g->lets.at[i].value);
}

/* How many of G's loops have to be open for E to have a value, lets resolved. */
static struct depth_search depth_of(const struct stage *g, const struct expr *e)
{
	struct depth_search s = { 0, false };

	search_depth(&s, g, e);
	return s;
}

static bool varies_with(const struct expr *const *index, int n, const struct axis *axis)
{
	for (int i = 0; i < n && axis->hi > 1; i++)
		if (expr_uses_axis(index[i], axis))
			return true;
	return false;
}

/* Adds the loops and lets around stage G, outermost first, that INDEX uses. */
static void collect_loops(struct lowering *l, int stage, const struct expr *const *index, int n,
			  struct pack *k)
{
	const struct stage *g = l->s->stages.at[stage];

	if (g->place == PLACE_AT)
		collect_loops(l, g->at_stage, index, n, k);
	for (int i = 0; i < g->leaves.n; i++) {
		const struct axis *loop = g->iters.at[g->leaves.at[i]].axis;

		if (varies_with(index, n, loop))
			vec_push(l->a, &k->loops, loop);
		for (int j = 0; j < g->lets.n; j++)
			if (varies_with(index, n, g->lets.at[j].axis) &&
			    depth_of(g, g->lets.at[j].value).depth == i + 1)
				vec_push(l->a, &k->loops, g->lets.at[j].axis);
	}
}

/* The packed form of constant stage I, read by stage READER at INDEX. */
static const struct expr *packed_load(struct lowering *l, int i, int reader,
				      const struct expr *const *index)
{
	struct pack *k = arena_one(l->a, struct pack);
	const struct tensor *raw = l->s->stages.at[i]->tensor;
	const struct expr *flat = expr_int(l->a, 0);
	int64_t count = 1;

	collect_loops(l, reader, index, raw->ndim, k);
	for (int j = 0; j < k->loops.n; j++) {
		int64_t extent = k->loops.at[j]->hi;

		flat = expr_add(l->a, expr_mul(l->a, flat, extent),
				expr_axis(l->a, k->loops.at[j]));
		count *= extent;
		if (count > PACK_MAX_GROWTH * (tensor_count(raw) + 64)) {
			l->why = "a packed constant would repeat itself too often";
			return flat;
		}
	}
	memcpy(k->index, index, (size_t)raw->ndim * sizeof(*index));
	k->raw = raw;
	k->packed = l->buffers[i];
	k->input = k->packed->arg;
	const struct pack *before = program_pack(l->p, k->input);

	for (int d = 0; before && d < raw->ndim; d++)
		if (!expr_equal(before->index[d], index[d]))
			l->why = "a packed constant is read at two places";
	if (before)
		return flat;
	k->packed->tensor.ndim = 1;
	k->packed->tensor.shape[0] = count;
	vec_push(l->a, &l->p->packs, k);
	return flat;
}

struct access {
	struct lowering *l;
	int reader;
	const struct root_map *roots;
};

static const struct expr *lower_node(struct arena *a, const struct expr *e, void *user);

/* A load of a stage's tensor as a load of its buffer. */
static const struct expr *lower_load(struct arena *a, const struct expr *e, struct access *c)
{
	const struct expr *index[TENSOR_MAX_DIMS];
	int stage = state_stage_of(c->l->s, e->tensor);
	const struct stage *g = c->l->s->stages.at[stage];
	struct buffer *b = c->l->buffers[stage];

	for (int i = 0; i < e->tensor->ndim; i++) {
		index[i] = expr_rewrite(a, e->index[i], lower_node, c);
		if (g->place == PLACE_AT)
			index[i] = expr_binary(a, EXPR_SUB, index[i], g->base[i]);
		index[i] = expr_simplify(a, index[i]);
	}
	if (g->packed)
		index[0] = packed_load(c->l, stage, c->reader, index);
	if (g->packed && b->tensor.ndim != 1)
		return expr_const(a, e->dtype, 0);	/* refused: l->why is set */
	return expr_load(a, &b->tensor, index);
}

/* An axis of the op as its value, a load as that of the buffer; what is narrow is widened. */
static const struct expr *lower_node(struct arena *a, const struct expr *e, void *user)
{
	struct access *c = user;

	switch (e->kind) {
	case EXPR_AXIS:
		for (int i = 0; i < c->roots->n; i++)
			if (c->roots->from[i] == e->axis)
				return c->roots->to[i];
		return NULL;
	case EXPR_FLOAT:
		return narrow_widened(a, e);
	case EXPR_LOAD:
		return narrow_widened(a, lower_load(a, e, c));
	case EXPR_CAST:
		return narrow_widened(a, expr_cast(a, e->dtype,
						   expr_rewrite(a, e->arg[0], lower_node, c)));
	default:
		return NULL;
	}
}

/* --- conditions and lets, with the loops they need */

static void place(struct lowering *l, struct body *b, const struct axis *axis,
		  const struct expr *value)
{
	value = expr_simplify(l->a, value);
	if (!axis && value->kind == EXPR_INT && value->i)
		return;		/* always true */
	struct depth_search s = depth_of(b->g, value);

	vec_push(l->a, &b->placed, (struct placed){ axis, value, s.depth, s.reduce });
}

struct packed_search {
	const struct state *s;
	const struct axis *axis;
	bool only_packed;
};

static bool search_unpacked(const struct expr *e, void *user)
{
	struct packed_search *s = user;

	if (e->kind == EXPR_LOAD && s->s->stages.at[state_stage_of(s->s, e->tensor)]->packed)
		return false;
	if (e->kind == EXPR_AXIS && e->axis == s->axis)
		s->only_packed = false;
	return s->only_packed;
}

/* True where values of dim D beyond its end do no harm: only packed constants, which have zeros
 * there, are read by it, and the stage's own buffer has room. */
static bool may_overrun(const struct lowering *l, const struct stage *g, int d)
{
	struct packed_search s = { l->s, g->op.space[d], true };

	expr_visit(g->op.body, search_unpacked, &s);
	return g->place == PLACE_AT && s.only_packed;
}

static void place_conditions(struct lowering *l, struct body *b)
{
	const struct stage *g = b->g;
	struct arena *a = l->a;

	for (int i = 0; i < g->lets.n; i++)
		place(l, b, g->lets.at[i].axis, g->lets.at[i].value);
	for (int i = 0; i < g->relations.n; i++) {
		const struct iter *parent = &g->iters.at[g->relations.at[i].parent];

		if (g->relations.at[i].kind == RELATION_SPLIT)
			place(l, b, NULL, expr_binary(a, EXPR_LT, parent->value,
						      expr_int(a, parent->extent)));
	}
	for (int d = 0; d < g->op.tensor.ndim; d++) {
		const struct expr *value = expr_add(a, g->base[d], g->iters.at[d].value);

		if (g->place != PLACE_AT || may_overrun(l, g, d))
			continue;
		place(l, b, NULL, expr_binary(a, EXPR_LE, expr_int(a, 0), value));
		place(l, b, NULL, expr_binary(a, EXPR_LT, value,
					      expr_int(a, g->op.tensor.shape[d])));
	}
}

/* --- loops */

static struct nest *build(struct lowering *l, struct body *b, int depth);

static struct nest *build_store(struct lowering *l, struct body *b)
{
	const struct stage *g = b->g;
	struct nest *n = new_nest(l->a, NEST_STORE);
	struct root_map roots = map_roots(l->a, g);
	struct access access = { l, b->stage, &roots };
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

		if (r->kind == RELATION_SPLIT && r->tail == TAIL_SHIFT &&
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
		struct nest *alloc = new_nest(l->a, NEST_ALLOC);

		alloc->buffer = l->buffers[stage] = new_buffer(l, stage, BUFFER_LOCAL);
		first = append(first, alloc);
		first = append(first, build_stage(l, stage));
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
			first = append(first, build_init(l, b, depth));
	}
	if (depth == g->leaves.n)
		return append(first, build_store(l, b));
	const struct iter *it = &g->iters.at[g->leaves.at[depth]];

	if (b->init && it->reduce)
		return append(first, build(l, b, depth + 1));
	struct nest *loop = new_nest(l->a, NEST_LOOP);

	loop->axis = it->axis;
	loop->annotation = it->annotation;
	loop->body = build(l, b, depth + 1);
	return append(first, loop);
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
		struct nest *n = new_nest(l->a, p->axis ? NEST_LET : NEST_IF);

		n->axis = p->axis;
		n->value = p->value;
		*hole = n;
		hole = &n->body;
	}
	*hole = build_inside(l, b, depth);
	return outer;
}

static void add_arguments(struct lowering *l)
{
	for (int pass = 0; pass < 2; pass++)	/* inputs, then outputs */
		for (int i = 0; i < l->s->dag->ops.n; i++) {
			const struct op *op = l->s->dag->ops.at[i];
			bool output = op->kind == OP_COMPUTE;

			if (output != (pass == 1) || (output && !op->output))
				continue;
			l->buffers[i] = new_buffer(l, i, output ? BUFFER_OUTPUT : BUFFER_INPUT);
			l->buffers[i]->arg = l->p->args.n;
			vec_push(l->a, &l->p->args, l->buffers[i]);
		}
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
	struct nest *alloc = new_nest(l->a, NEST_ALLOC);

	alloc->buffer = l->buffers[stage] = new_buffer(l, stage, BUFFER_TEMP);
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

	append(first, build_stage(l, stage));
	if (output)
		append(first, narrow_copy(l->a, output, l->buffers[stage], is_parallel(g)));
	return first;
}

struct program *lower(struct arena *a, const struct state *s, const char **why)
{
	struct program *p = arena_one(a, struct program);
	struct lowering l = { .p = p, .a = a, .s = s };

	p->arena = a;
	p->state = s;
	l.buffers = arena_many(a, struct buffer *, s->stages.n);
	add_arguments(&l);
	for (int i = 0; i < s->order.n; i++) {
		int stage = s->order.at[i];
		const struct stage *g = s->stages.at[stage];

		if (!stage_computes(g) || g->place != PLACE_ROOT)
			continue;
		p->body = append(p->body, build_root(&l, stage));
	}
	mark_registers(p);
	if (!l.why && check_races(p, &l.why) && partition_loops(p, &l.why)) {
		mark_registers(p);	/* some indices are numbers only now */
		if (check_bulk(p, &l.why))
			check_bounds(p, &l.why);
	}
	if (why)
		*why = l.why;
	return l.why ? NULL : p;
}
