/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/apply/stages.c - the steps that make stages or change what stages compute. */
#include "schedule/apply/stages.h"

#include "schedule/refresh.h"
#include "te/index/index.h"

void touch_sources(struct state *s, const struct stage *g)
{
	for (int i = 0; i < g->reads.n; i++)
		stage_touch(stage_at(s, state_stage_of(s, g->reads.at[i].tensor)), STALE_REGION);
}

/* --- rewriting bodies */

struct replace_load {
	const struct tensor *tensor;
	const struct op *op;		/* inline: its body stands for the load */
	const struct tensor *other;	/* else this tensor does, dims permuted by dims */
	const int16_t *dims;
};

static const struct expr *replace_load(struct arena *a, const struct expr *e, void *user);

/* The indices of load E, themselves rewritten. */
static void rewrite_index(struct arena *a, const struct expr *e, void *user,
			  const struct expr **index)
{
	for (int i = 0; i < e->tensor->ndim; i++)
		index[i] = expr_rewrite(a, e->index[i], replace_load, user);
}

static const struct expr *replace_load(struct arena *a, const struct expr *e, void *user)
{
	const struct replace_load *r = user;
	const struct expr *index[TENSOR_MAX_DIMS], *to[TENSOR_MAX_DIMS];

	if (e->kind != EXPR_LOAD || e->tensor != r->tensor)
		return NULL;
	rewrite_index(a, e, user, index);
	if (r->op)
		return expr_simplify(a, expr_substitute(a, r->op->body,
							(const struct axis *const *)r->op->space,
							index, e->tensor->ndim));
	for (int i = 0; i < e->tensor->ndim; i++)
		to[i] = index[r->dims ? r->dims[i] : i];
	return expr_load(a, r->other, to);
}

/* A chain of squares doubles with each inlining: beyond this a body is no longer read, written and
 * compiled in no time, and clang nests no more than 256 brackets. The largest of the library's
 * operators with all its pointwise ops inlined has some 200. */
enum { BODY_MAX_NODES = 1024 };

static bool body_fits(const struct stage *reader, const struct stage *inlined)
{
	int64_t loads = expr_loads(reader->op.body, inlined->tensor);

	return expr_size(reader->op.body) + loads * expr_size(inlined->op.body) <= BODY_MAX_NODES;
}

bool apply_inline(struct state *s, const struct step *step, const char **why)
{
	struct stage *g = stage_at(s, step->stage);
	int consumers[64];
	int n = state_consumers(s, step->stage, consumers, 64);
	struct replace_load r = { .tensor = g->tensor, .op = &g->op };

	if (op_is_reduction(&g->op))
		REFUSE("a reduction has no expression to inline");
	if (g->op.output)
		REFUSE("an output has to be stored");
	if (n == 0 || n > 64)
		REFUSE("no stage reads it");
	if (!stage_is_untouched(g))
		REFUSE("it has been scheduled already");
	for (int i = 0; i < s->stages.n; i++)
		if (s->stages.at[i]->place == PLACE_AT && s->stages.at[i]->at_stage == step->stage)
			REFUSE("another stage is attached to it");
	for (int i = 0; i < n; i++)
		if (!body_fits(s->stages.at[consumers[i]], g))
			REFUSE("the body would be too long");
	for (int i = 0; i < n; i++) {
		struct stage *reader = stage_at(s, consumers[i]);

		stage_set_body(s->arena, reader,
			       expr_rewrite(s->arena, reader->op.body, replace_load, &r));
	}
	g->place = PLACE_INLINE;
	stage_touch(g, STALE_REGION);
	touch_sources(s, g);
	return true;
}

/* --- stages that steps make */

const char *joined(struct arena *a, const char *name, const char *suffix)
{
	size_t n = strlen(name), more = strlen(suffix);
	char *s = arena_raw(a, n + more + 1);

	memcpy(s, name, n);
	memcpy(s + n, suffix, more + 1);
	return s;
}

const char *unused_name(const struct state *s, const char *name)
{
	const char *unused = name;

	for (int i = 2; state_find_stage(s, unused) >= 0; i++)
		unused = arena_printf(s->arena, "%s%d", name, i);
	return unused;
}

static const char *unique_name(const struct state *s, const char *base, const char *suffix)
{
	return unused_name(s, joined(s->arena, base, suffix));
}

int insert_stage(struct state *s, const struct op *op, const struct tensor *identity, int neighbour, bool after)
{
	vec_push(s->arena, &s->stages, stage_new(s->arena, op, identity));
	for (int i = 0; i < s->order.n; i++)
		if (s->order.at[i] == neighbour) {
			vec_insert(s->arena, &s->order, i + after, s->stages.n - 1);
			break;
		}
	return s->stages.n - 1;
}

/* The same of an OP that is gone with its maker. */
static int insert_made(struct state *s, const struct op *op, int neighbour, bool after)
{
	return insert_stage(s, op, arena_memdup(s->arena, &op->tensor, sizeof(op->tensor)), neighbour, after);
}

static struct axis *copy_axis(struct arena *a, const struct axis *axis)
{
	return arena_memdup(a, axis, sizeof(*axis));
}

/* A load of T at the values of AXES, dim i at axis dims[i] (or i). */
static const struct expr *load_at(struct arena *a, const struct tensor *t,
				  struct axis *const *axes, const int16_t *dims)
{
	const struct expr *index[TENSOR_MAX_DIMS];

	for (int i = 0; i < t->ndim; i++)
		index[dims ? dims[i] : i] = expr_axis(a, axes[i]);
	return expr_load(a, t, index);
}

void rebuild_stage(struct arena *a, struct stage *g, const struct op *op)
{
	struct stage *other = stage_new(a, op, g->tensor);

	other->stored = g->stored;
	other->streams = g->streams;
	other->is_partial = g->is_partial;
	*g = *other;
}

/* Turns stage G into a copy of tensor FROM, with new axes. */
static void become_copy(struct state *s, struct stage *g, const struct tensor *from)
{
	struct arena *a = s->arena;
	struct axis **space = arena_many(a, struct axis *, g->op.tensor.ndim);
	struct op op = g->op;

	for (int i = 0; i < op.tensor.ndim; i++)
		space[i] = copy_axis(a, g->op.space[i]);
	op.space = space;
	op.nreduce = 0;
	op.reducer = REDUCE_NONE;
	op.body = load_at(a, from, space, NULL);
	rebuild_stage(a, g, &op);
}

bool apply_cache_write(struct state *s, const struct step *step, const char **why)
{
	struct stage *g = stage_at(s, step->stage);

	if (!stage_computes(g))
		REFUSE("only a computed stage has a cache");
	if (!stage_is_untouched(g))
		REFUSE("it has been scheduled already");
	struct op op = g->op;

	op.tensor.name = unique_name(s, g->op.tensor.name, ".local");
	op.output = false;
	int cache = insert_made(s, &op, step->stage, false);

	stage_at(s, cache)->is_cache = true;
	become_copy(s, g, stage_at(s, cache)->tensor);
	touch_sources(s, stage_at(s, cache));
	return true;
}

static bool is_permutation(const int16_t *dims, int n)
{
	int seen = 0;

	for (int i = 0; i < n; i++)
		if (dims[i] < n)
			seen |= 1 << dims[i];
	return seen == (1 << n) - 1;
}

static const char *const dim_name[TENSOR_MAX_DIMS] = {
	"d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7", "d8", "d9", "d10", "d11",
};

bool apply_cache_read(struct state *s, const struct step *step, const char **why)
{
	struct stage *g = stage_at(s, step->stage);
	struct stage *reader = stage_at(s, step->target);
	struct arena *a = s->arena;
	struct op op = { .kind = OP_COMPUTE, .tensor = g->op.tensor };
	int ndim = g->op.tensor.ndim;
	int consumers[64];
	int n = state_consumers(s, step->stage, consumers, 64);
	bool reads = false;

	for (int i = 0; i < n && i < 64; i++)
		reads |= consumers[i] == step->target;
	if (!reads || !stage_computes(reader))
		REFUSE("the reader does not read it");
	if (g->packed)
		REFUSE("its layout has been chosen already");
	if (reader->place == PLACE_OFFLINE)
		REFUSE("the reader is computed offline");
	if (step->n != 0 && (step->n != ndim || !is_permutation(step->list, ndim)))
		REFUSE("the dims are no permutation");
	const int16_t *dims = step->n ? step->list : NULL;

	op.tensor.name = unique_name(s, g->op.tensor.name, ".cache");
	op.space = arena_many(a, struct axis *, ndim);
	for (int i = 0; i < ndim; i++) {
		int dim = dims ? dims[i] : i;

		op.space[i] = arena_one(a, struct axis);
		op.space[i]->name = dim_name[dim];
		op.space[i]->hi = op.tensor.shape[i] = g->op.tensor.shape[dim];
	}
	op.body = load_at(a, g->tensor, op.space, dims);
	int cache = insert_made(s, &op, step->stage, true);
	struct replace_load r = { .tensor = g->tensor,
				  .other = stage_at(s, cache)->tensor,
				  .dims = dims };

	stage_at(s, cache)->is_cache = true;
	stage_set_body(a, reader, expr_rewrite(a, reader->op.body, replace_load, &r));
	stage_touch(g, STALE_REGION);
	return true;
}

static const struct expr *both(struct arena *a, const struct expr *x, const struct expr *y)
{
	return x ? expr_binary(a, EXPR_AND, x, y) : y;
}

/* The condition that the iters of G, by their values, are within all splits that do not divide; NULL: they all do. */
static const struct expr *tail_condition(struct arena *a, const struct stage *g)
{
	const struct expr *all = NULL;

	for (int i = 0; i < g->relations.n; i++) {
		const struct relation *r = &g->relations.at[i];
		const struct iter *parent = &g->iters.at[r->parent];

		if (stage_has_short_tiles(g, r))
			all = both(a, all, stage_within_tile(a, g, r));
		if (r->kind == RELATION_SPLIT && expr_range(parent->value).hi >= parent->extent)
			all = both(a, all, expr_binary(a, EXPR_LT, parent->value, expr_int(a, parent->extent)));
	}
	return all;
}

/* G's body over the values of its reduce iters. */
static const struct expr *partial_body(struct arena *a, const struct stage *g)
{
	const struct axis **from = arena_many(a, const struct axis *, g->op.nreduce);
	const struct expr **to = arena_many(a, const struct expr *, g->op.nreduce);
	const struct expr *body = g->op.body;
	const struct expr *inside = tail_condition(a, g);

	if (inside)	/* also where a reduction has no value of its own: the identity */
		body = expr_select(a, inside, body,
				   expr_const(a, body->dtype,
					      reducer_identity(g->op.reducer, body->dtype)));
	for (int i = 0; i < g->op.nreduce; i++) {
		from[i] = g->op.reduce[i];
		to[i] = g->iters.at[g->op.tensor.ndim + i].value;
	}
	return expr_substitute(a, body, from, to, g->op.nreduce);
}

/* The partial stage: G's space axes and the kept iter's, reduced over all other leaves. */
static struct op partial_op(struct state *s, const struct stage *g, int kept)
{
	struct arena *a = s->arena;
	struct op op = g->op;
	/* The axis of each leaf, and beside a space leaf's the op's own. */
	const struct axis **from = arena_many(a, const struct axis *, 2 * g->leaves.n);
	const struct expr **to = arena_many(a, const struct expr *, 2 * g->leaves.n);
	int n = 0;

	op.tensor.name = unique_name(s, g->op.tensor.name, ".rf");
	op.output = false;
	op.space = arena_many(a, struct axis *, op.tensor.ndim + 1);
	op.reduce = arena_many(a, struct axis *, g->leaves.n);
	op.nreduce = 0;
	for (int i = 0; i < g->leaves.n; i++) {
		const struct iter *it = &g->iters.at[g->leaves.at[i]];
		struct axis *axis = copy_axis(a, it->axis);

		from[n] = it->axis;
		to[n++] = expr_axis(a, axis);
		if (g->leaves.at[i] == kept) {
			axis->reduce = false;
			op.space[op.tensor.ndim] = axis;
		} else if (it->reduce) {
			op.reduce[op.nreduce++] = axis;
		} else {
			op.space[g->leaves.at[i]] = axis;
			from[n] = g->op.space[g->leaves.at[i]];
			to[n] = to[n - 1];
			n++;
		}
	}
	op.tensor.shape[op.tensor.ndim++] = g->iters.at[kept].extent;
	op.body = expr_substitute(a, partial_body(a, g), from, to, n);
	if (op.nreduce == 0)
		op.reducer = REDUCE_NONE;
	return op;
}

bool apply_rfactor(struct state *s, const struct step *step, const char **why)
{
	struct stage *g = stage_at(s, step->stage);
	struct arena *a = s->arena;
	int ndim = g->op.tensor.ndim;

	if (stage_leaf(g, step->iter) < 0 || !g->iters.at[step->iter].reduce)
		REFUSE("the iter is not a reduce loop");
	if (g->place != PLACE_ROOT || ndim == TENSOR_MAX_DIMS)
		REFUSE("it has been placed already");
	stage_settle(a, g);
	if (g->lets.n > 0)
		REFUSE("a reduction with fused loops is not factored");
	for (int i = 0; i < g->leaves.n; i++)
		if (!g->iters.at[g->leaves.at[i]].reduce && g->leaves.at[i] >= ndim)
			REFUSE("a space axis has been split already");
	for (int i = 0; i < s->stages.n; i++)
		if (s->stages.at[i]->place == PLACE_AT && s->stages.at[i]->at_stage == step->stage)
			REFUSE("another stage is attached to it");
	if (g->leaves.n - ndim - 1 > TENSOR_MAX_DIMS)	/* none of the space is split */
		REFUSE("the partial stage would reduce over more axes than an op may have");
	struct op op = partial_op(s, g, step->iter);
	int partial = insert_made(s, &op, step->stage, false);

	stage_at(s, partial)->is_partial = true;
	struct op final = g->op;
	struct axis **axes = arena_many(a, struct axis *, ndim + 1);

	for (int i = 0; i < ndim; i++)
		axes[i] = g->op.space[i];
	axes[ndim] = copy_axis(a, g->iters.at[step->iter].axis);
	final.reduce = axes + ndim;
	final.nreduce = 1;
	final.body = load_at(a, stage_at(s, partial)->tensor, axes, NULL);
	rebuild_stage(a, g, &final);
	touch_sources(s, stage_at(s, partial));
	return true;
}
