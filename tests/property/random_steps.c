/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/random_steps.c - what a search would do, and what no search would.
 *
 * Recipes make the deep structures that single random steps would hardly ever meet; single steps
 * before and after them make all the others. */
#include "tests/property/random_steps.h"

#include "base/err.h"
#include "tests/property/library.h"

struct step_walk {
	struct rng *r;
	struct state *s;
	struct step_counts *counts;
};

static bool chance(struct step_walk *w, double p)
{
	return rng_chance(w->r, p);
}

static int below(struct step_walk *w, int n)
{
	return (int)rng_below(w->r, n);
}

static bool apply(struct step_walk *w, struct step step)
{
	const char *why = "";
	bool ok = state_apply(w->s, step, &why);

	if (!ok && !*why)
		die("%s is refused without a reason", step_name(step.kind));
	w->counts->tried[step.kind]++;
	w->counts->applied[step.kind] += ok;
	return ok;
}

static const struct stage *stage_at(const struct step_walk *w, int i)
{
	return w->s->stages.at[i];
}

/* A stage that computes; an input or constant where INPUT. */
static int random_stage(struct step_walk *w, bool input)
{
	for (int i = 0; i < 32; i++) {
		int stage = below(w, w->s->stages.n);
		const struct stage *g = stage_at(w, stage);

		if (input ? g->op.kind != OP_COMPUTE : stage_computes(g))
			return stage;
	}
	return below(w, w->s->stages.n);
}

static int random_leaf(struct step_walk *w, int stage)
{
	const struct stage *g = stage_at(w, stage);

	return g->leaves.n ? g->leaves.at[below(w, g->leaves.n)] : 0;
}

static int64_t random_size(struct step_walk *w, const struct iter *it)
{
	static const int64_t table[] = {1, 2, 3, 4, 4, 5, 6, 7, 8, 8, 16};

	if (chance(w, 0.3) && it->extent > 1)
		return 1 + rng_below(w->r, it->extent);
	return table[below(w, (int)(sizeof(table) / sizeof(*table)))];
}

/* --- single steps */

static struct step random_reorder(struct step_walk *w, int stage)
{
	const struct stage *g = stage_at(w, stage);
	int iters[STEP_MAX_ITERS];
	int n = 0;

	for (int i = 0; i < g->leaves.n && n < STEP_MAX_ITERS; i++)
		if (chance(w, 0.8))
			iters[n++] = g->leaves.at[i];
	for (int i = n - 1; i > 0; i--) {
		int j = below(w, i + 1);
		int iter = iters[i];

		iters[i] = iters[j];
		iters[j] = iter;
	}
	return step_reorder(stage, iters, n);
}

static struct step random_fuse(struct step_walk *w, int stage)
{
	const struct stage *g = stage_at(w, stage);
	int first = below(w, g->leaves.n + 1);
	int iters[3];
	int n = 0;

	for (int i = first; i < g->leaves.n && n < 2 + chance(w, 0.3); i++)
		iters[n++] = g->leaves.at[i];
	return step_fuse(stage, iters, n);
}

static struct step random_compute_at(struct step_walk *w, int stage)
{
	int consumers[16];
	int n = state_consumers(w->s, stage, consumers, 16);
	int target = n > 0 && chance(w, 0.9) ? consumers[below(w, n < 16 ? n : 16)]
					     : random_stage(w, false);

	return step_compute_at(stage, target, random_leaf(w, target));
}

static struct step random_cache_read(struct step_walk *w)
{
	int stage = random_stage(w, chance(w, 0.7));
	int ndim = stage_at(w, stage)->op.tensor.ndim;
	int consumers[16];
	int dims[TENSOR_MAX_DIMS];
	int n = state_consumers(w->s, stage, consumers, 16);
	int reader = n > 0 ? consumers[below(w, n < 16 ? n : 16)] : random_stage(w, false);

	for (int i = 0; i < ndim; i++) {
		int j = below(w, i + 1);

		dims[i] = dims[j];
		dims[j] = i;
	}
	return step_cache_read(stage, reader, dims, chance(w, 0.6) ? ndim : 0);
}

/* Of any iter of the stage: what does not fit it is refused. */
static struct step random_border(struct step_walk *w, int stage)
{
	int n = stage_at(w, stage)->iters.n;

	return step_border(stage, n ? below(w, n) : 0,
			   (enum border)(BORDER_PARTITION + below(w, BORDER_COUNT - 1)));
}

/* The dims of a tensor in any order, some of them in blocks. */
static struct step random_order(struct step_walk *w, int stage)
{
	int ndim = stage_at(w, stage)->op.tensor.ndim;
	const int64_t *shape = stage_at(w, stage)->op.tensor.shape;
	struct arrangement how = { .n = 0 };

	for (int turn = 0; turn < 2; turn++)
		for (int d = 0; d < ndim && how.n < TENSOR_MAX_DIMS; d++) {
			int j = below(w, how.n + 1);

			if (turn == 1 && chance(w, 0.6))
				continue;
			how.at[how.n] = how.at[j];
			how.at[j] = (struct stored_dim){ d, turn ? 1 + rng_below(w->r, shape[d]) : 0 };
			how.n++;
		}
	return step_order(stage, &how);
}

/* Sums over windows as products of tiles, whose transforms of constants are made once; quotients as products. */
static void derive_some(struct step_walk *w)
{
	if (dag_truncates(w->s->dag))
		return;
	for (int i = w->s->stages.n - 1; i >= 0; i--) {
		int first = w->s->stages.n;
		int size = chance(w, 0.9) ? 2 + below(w, 3) : below(w, 8);
		static const enum derivation by[] = { DERIVATION_WINOGRAD, DERIVATION_RAGGED, DERIVATION_WINOGRAD_1D, DERIVATION_RAGGED_1D };
		enum derivation tiles = by[below(w, sizeof(by) / sizeof(*by))];

		if (stage_computes(stage_at(w, i)) && op_is_reduction(&stage_at(w, i)->op) &&
		    apply(w, step_derive(i, tiles, size)) && chance(w, 0.5))
			apply(w, step_place(first + below(w, 2)));
		else if (stage_computes(stage_at(w, i)) && chance(w, 0.5))
			apply(w, step_derive(i, DERIVATION_RECIPROCAL, below(w, 4)));
	}
}

/* Sums whose lanes read at a stride as sums of neighbours. */
static void derive_strided(struct step_walk *w)
{
	static const enum derivation by[] = { DERIVATION_DEINTERLEAVED, DERIVATION_DECIMATED, DERIVATION_POLYPHASE };

	for (int i = w->s->stages.n - 1; i >= 0; i--)
		if (stage_computes(stage_at(w, i)) && op_is_reduction(&stage_at(w, i)->op))
			apply(w, step_derive(i, by[below(w, sizeof(by) / sizeof(*by))], 2));
}

/* A copy of a constant, permuted, that is made once. */
static void copy_offline(struct step_walk *w)
{
	int copy = w->s->stages.n;

	if (!apply(w, random_cache_read(w)) || !apply(w, step_place(copy)))
		return;
	if (chance(w, 0.3))
		apply(w, step_layout(copy));
}

static struct step random_layout(struct step_walk *w)
{
	bool packs = chance(w, 0.5);
	int stage = random_stage(w, packs && chance(w, 0.7));

	return packs ? step_layout(stage) : random_order(w, stage);
}

/* Of something that a stage reads, in one of its loops. */
static struct step random_prefetch(struct step_walk *w, int stage)
{
	const struct stage *g = stage_at(w, chance(w, 0.7) ? stage : random_stage(w, false));	/* that may be attached */
	int read = g->reads.n > 0 ? state_stage_of(w->s, g->reads.at[below(w, g->reads.n)].tensor) : 0;

	return step_prefetch(stage, read, random_leaf(w, stage), 1 + below(w, 8));
}

static struct step random_step(struct step_walk *w)
{
	static const enum step_kind kinds[] = {
		STEP_SPLIT,	 STEP_SPLIT,	  STEP_SPLIT,	   STEP_REORDER,
		STEP_REORDER,	 STEP_FUSE,	  STEP_INLINE,	   STEP_COMPUTE_AT,
		STEP_COMPUTE_AT, STEP_COMPUTE_AT, STEP_CACHE_READ, STEP_CACHE_WRITE,
		STEP_RFACTOR,	 STEP_RFACTOR,	  STEP_LAYOUT,	   STEP_LAYOUT,
		STEP_PARALLEL,	 STEP_VECTORIZE,  STEP_UNROLL,	   STEP_BORDER,
		STEP_BORDER,	 STEP_BORDER,	  STEP_PLACE,	   STEP_STREAM,
		STEP_PREFETCH,	 STEP_PIPELINE,
	};
	enum step_kind kind = kinds[below(w, (int)(sizeof(kinds) / sizeof(*kinds)))];
	int stage = random_stage(w, false);
	const struct stage *g = stage_at(w, stage);
	int leaf = random_leaf(w, stage);

	switch (kind) {
	case STEP_SPLIT:
		return step_split(stage, leaf, g->iters.n ? random_size(w, &g->iters.at[leaf]) : 1);
	case STEP_REORDER:
		return random_reorder(w, stage);
	case STEP_FUSE:
		return random_fuse(w, stage);
	case STEP_INLINE:
		return step_inline(stage);
	case STEP_COMPUTE_AT:
		return random_compute_at(w, stage);
	case STEP_CACHE_READ:
		return random_cache_read(w);
	case STEP_CACHE_WRITE:
		return step_cache_write(stage);
	case STEP_RFACTOR:
		return step_rfactor(stage, leaf);
	case STEP_BORDER:
		return random_border(w, stage);
	case STEP_PLACE:
		return step_place(stage);
	case STEP_STREAM:
		return step_stream(stage);
	case STEP_PIPELINE:
		return step_pipeline(stage, leaf);
	case STEP_PREFETCH:
		return random_prefetch(w, stage);
	case STEP_LAYOUT:
		return random_layout(w);
	case STEP_PARALLEL:
		return step_annotate(stage, leaf, ANNOTATION_PARALLEL);
	case STEP_VECTORIZE:
		return step_annotate(stage, leaf, ANNOTATION_VECTOR);
	case STEP_UNROLL:
		return step_annotate(stage, leaf, ANNOTATION_UNROLL);
	default:
		return step_split(stage, leaf, 0); /* open: refused */
	}
}

/* --- recipes */

/* Splits each space axis of the stage in two and brings the outer ones to the front; in OUTER the
 * iters that are outside then. Returns how many there are. */
static int tile_space(struct step_walk *w, int stage, int *outer)
{
	int ndim = stage_at(w, stage)->op.tensor.ndim;
	int order[2 * TENSOR_MAX_DIMS];
	int n = 0;

	for (int i = 0; i < ndim; i++) {
		const struct stage *g = stage_at(w, stage);
		int next = g->iters.n;

		if (stage_leaf(g, i) < 0 ||
		    !apply(w, step_split(stage, i, random_size(w, &g->iters.at[i]))))
			continue;
		if (chance(w, 0.6))
			apply(w, step_border(stage, next + 1, chance(w, 0.5) ? BORDER_SHIFT : BORDER_EVEN));
		outer[n] = next;
		order[n++] = next;
	}
	for (int i = 0; i < n; i++)
		order[n + i] = order[i] + 1;
	if (n > 0 && 2 * n <= STEP_MAX_ITERS)
		apply(w, step_reorder(stage, order, 2 * n));
	return n;
}

/* The reduce loops of a stage in front of (some of) its space loops. */
static void reduce_outside(struct step_walk *w, int stage)
{
	const struct stage *g = stage_at(w, stage);
	int order[STEP_MAX_ITERS];
	int n = 0;

	for (int reduce = 1; reduce >= 0; reduce--)
		for (int i = 0; i < g->leaves.n && n < STEP_MAX_ITERS; i++)
			if (g->iters.at[g->leaves.at[i]].reduce == (reduce == 1))
				order[n++] = g->leaves.at[i];
	apply(w, step_reorder(stage, order, n));
}

/* A stage computes into a tile of its own, inside the tile loops of the copy. */
static void register_tile(struct step_walk *w, int stage)
{
	int outer[TENSOR_MAX_DIMS];
	int cache = w->s->stages.n;

	if (!apply(w, step_cache_write(stage)))
		return;
	int n = tile_space(w, stage, outer);

	if (n == 0 ||
	    !apply(w, step_compute_at(cache, stage, outer[n - 1 - (n > 1 && chance(w, 0.3))])))
		return;
	if (chance(w, 0.7))
		reduce_outside(w, cache);
	if (chance(w, 0.5))
		apply(w, random_layout(w));
	int pipelined = random_leaf(w, cache);

	for (int turn = 0; turn < 2; turn++) {
		int each = turn ? stage : cache;
		const struct stage *g = stage_at(w, each);

		apply(w, step_annotate(each, g->leaves.at[g->leaves.n - 1], ANNOTATION_VECTOR));
		for (int i = 0; i < g->leaves.n; i++)
			if (chance(w, 0.5) && g->iters.at[g->leaves.at[i]].extent <= 8)
				apply(w, step_annotate(each, g->leaves.at[i], ANNOTATION_UNROLL));
	}
	if (chance(w, 0.4))
		apply(w, step_pipeline(cache, pipelined));
}

/* Tiles a consumer and computes one of its producers inside. */
static void fuse_producer(struct step_walk *w, int stage)
{
	int outer[TENSOR_MAX_DIMS];
	int n = tile_space(w, stage, outer);

	for (int i = w->s->stages.n - 1; n > 0 && i >= 0; i--)
		if (stage_computes(stage_at(w, i)) && chance(w, 0.7))
			apply(w, step_compute_at(i, stage, outer[below(w, n)]));
}

static void factor_reduction(struct step_walk *w, int stage)
{
	const struct stage *g = stage_at(w, stage);

	for (int i = g->leaves.n - 1; i >= 0; i--) {
		int iter = g->leaves.at[i];
		int inner = g->iters.n + 1;
		int partial = w->s->stages.n;

		if (!g->iters.at[iter].reduce)
			continue;
		if (!apply(w, step_split(stage, iter, random_size(w, &g->iters.at[iter]))))
			return;
		if (chance(w, 0.3))
			apply(w, step_border(stage, inner, BORDER_EVEN));
		if (!apply(w, step_rfactor(stage, inner)))
			return;
		g = stage_at(w, partial);
		reduce_outside(w, partial);
		apply(w, step_annotate(partial, stage_at(w, partial)->op.tensor.ndim - 1,
				       ANNOTATION_VECTOR));
		if (chance(w, 0.6))
			apply(w, step_compute_at(partial, stage, random_leaf(w, stage)));
		return;
	}
}

static void annotate_all(struct step_walk *w)
{
	for (int i = 0; i < w->s->stages.n; i++) {
		const struct stage *g = stage_at(w, i);

		if (!stage_computes(g) || g->leaves.n == 0)
			continue;
		if (chance(w, 0.5))
			apply(w,
			      step_annotate(i, g->leaves.at[g->leaves.n - 1], ANNOTATION_VECTOR));
		if (g->op.output && chance(w, 0.1))	/* few, for most rows are too short or begin anywhere */
			apply(w, step_stream(i));
		if (chance(w, 0.3))
			apply(w, step_annotate(i, random_leaf(w, i), ANNOTATION_UNROLL));
		if (g->place == PLACE_ROOT && chance(w, 0.3))
			apply(w, step_annotate(i, g->leaves.at[0], ANNOTATION_PARALLEL));
	}
	if (chance(w, 0.2))
		apply(w, random_prefetch(w, random_stage(w, false)));
	int interleaved = random_stage(w, false);

	/* Few, for most targets have none of them. */
	if (chance(w, 0.05) && stage_at(w, interleaved)->leaves.n > 0)
		apply(w, step_annotate(interleaved, stage_at(w, interleaved)->leaves.at[0], ANNOTATION_VTHREAD));
}

/* Names an intrinsic for a part of what a stage reduces: most are none, which lowering has to see. */
static void name_group(struct step_walk *w)
{
	enum intrinsic_id id = (enum intrinsic_id)below(w, INTRINSIC_COUNT);

	for (int i = w->s->stages.n - 1; i >= 0; i--) {
		int leaf = stage_computes(stage_at(w, i)) ? random_leaf(w, i) : -1;
		int inner = stage_at(w, i)->iters.n + 1;

		if (leaf >= 0 && stage_at(w, i)->iters.n > 0 && stage_at(w, i)->iters.at[leaf].reduce &&
		    apply(w, step_split(i, leaf, intrinsic_at(id)->group)) &&
		    apply(w, step_tensorize(i, inner, id)))
			return;
	}
}

/* Places become one block, whatever lanes that is: few have blocks that fill vectors of a target. */
static void widen_some(struct step_walk *w)
{
	for (int64_t lanes = 4; lanes <= 34 && !apply(w, step_widen(lanes)); lanes += 2)
		;
}

struct state *random_steps(struct rng *r, struct state *s, struct step_counts *counts)
{
	struct step_walk w = {r, s, counts};
	bool many = chance(&w, 0.15);
	int before = below(&w, many ? 8 : 4);
	int after = below(&w, many ? 20 : 5);

	apply(&w, step_collapse());	/* few have such dims, and most steps are legal on others, too */
	if (chance(&w, 0.4))
		widen_some(&w);
	if (chance(&w, 0.3))
		derive_strided(&w);
	if (chance(&w, 0.9))
		derive_some(&w);
	for (int i = 0; i < before; i++)
		apply(&w, random_step(&w));
	if (chance(&w, 0.2))
		copy_offline(&w);
	switch (below(&w, 6)) {
	case 0:
	case 1:
		register_tile(&w, random_stage(&w, false));
		break;
	case 2:
		fuse_producer(&w, random_stage(&w, false));
		break;
	case 3:
		factor_reduction(&w, random_stage(&w, false));
		break;
	default:
		after += 4;
		break;
	}
	for (int i = 0; i < after; i++)
		apply(&w, random_step(&w));
	if (chance(&w, 0.25))
		name_group(&w);
	annotate_all(&w);
	return w.s;
}
