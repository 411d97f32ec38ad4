/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/rules/scratchpads.c - tiles what is computed out of scratchpads: a reduction's operands are copied there, at
 * a loop of it, and its sums stay there until the consumer has taken a tile of them. Of what is computed element by
 * element, all operands are copied for a tile.
 *
 * Where the target has virtual threads, some tiles are interleaved: one is loaded while another is computed. */
#include "search/space/expression/group.h"
#include "search/space/level.h"
#include "search/space/sketch.h"

static bool applies(const struct sketch *s, int stage)
{
	const struct stage *g = s->state->stages.at[stage];

	if (!stage_computes(g) || !stage_is_untouched(g) || g->op.tensor.ndim == 0)
		return false;
	if (!op_is_reduction(&g->op))
		return g->op.output && !has_fusible_producer(s->state, stage);	/* whose turn is next */
	int consumer = fusible_consumer(s->state, stage, NULL);

	return consumer < 0 || stage_is_untouched(s->state->stages.at[consumer]);	/* one tile a consumer */
}

/* What is being built. */
struct scratch_tiling {
	struct sketch *s;
	int stage, consumer;
	struct op op, copy;	/* of these */
	int dim;		/* of the reduction, that lanes run along */
	struct group_use group;
	int around;		/* loops of the consumer around its tile */
	int place;		/* loops of the reduction in which operands may be copied */
};

/* Conditions stay where they are: they are the zeros that a transfer pads with. */
static bool keep_conditions(struct scratch_tiling *m, int stage, const struct level *l)
{
	return sketch_border(m->s, stage, l, BORDER_GUARD, ROLE_FIXED);
}

/* The consumer's loops: outer ones, virtual threads, the tile, lanes. The reduction is computed around the tile. */
static bool tile_consumer(struct scratch_tiling *m, int vector)
{
	struct level all = { .n = 0 }, outer = { .n = 0 }, threads = { .n = 0 }, tile = { .n = 0 }, lanes = { .n = 0 };

	for (int i = 0; i < m->copy.tensor.ndim; i++) {
		int o, v, t = i, l;

		if (m->copy.tensor.shape[i] == 1) {
			level_push(&all, i);
			continue;
		}
		if (!sketch_split(m->s, m->consumer, i, 0, i == vector ? ROLE_TILE_VECTOR : ROLE_TILE, &o, &t) ||
		    !sketch_split(m->s, m->consumer, o, 0, ROLE_VTHREAD, &o, &v) ||
		    (i == vector && !sketch_split(m->s, m->consumer, t, 0, ROLE_VECTOR, &t, &l)))
			return false;
		level_push(&outer, o);
		level_push(&threads, v);
		level_push(&tile, t);
		if (i == vector)
			level_push(&lanes, l);
	}
	level_append(&all, &outer);
	level_append(&all, &threads);

	m->around = all.n;
	level_append(&all, &tile);
	level_append(&all, &lanes);
	struct step place = { .kind = STEP_COMPUTE_AT, .stage = m->stage, .target = m->consumer, .size = m->around - 1 };
	bool alone = m->stage == m->consumer;

	return m->around > 0 && all.n < STEP_MAX_ITERS && sketch_reorder(m->s, m->consumer, &all, ROLE_FIXED) &&
	       sketch_reorder(m->s, m->consumer, &outer, ROLE_PERMUTE) &&
	       keep_conditions(m, m->consumer, &outer) && keep_conditions(m, m->consumer, &threads) &&
	       (alone || sketch_add(m->s, place, ROLE_PLACE)) &&
	       sketch_annotate(m->s, m->consumer, &threads, ANNOTATION_VTHREAD) &&
	       sketch_annotate(m->s, m->consumer, &lanes, ANNOTATION_VECTOR);
}

/* The reduction's loops: those around its operands' copies, those of instructions, an intrinsic's where it is one. */
static bool tile_reduction(struct scratch_tiling *m)
{
	struct level all = { .n = 0 }, outer = { .n = 0 }, inner = { .n = 0 }, lanes = { .n = 0 };
	int turns = -1, l;

	for (int i = 0; i < m->op.nreduce; i++) {
		int iter = m->op.tensor.ndim + i, k0, k1;

		if (m->group.by && i == m->group.reduce &&
		    !sketch_split(m->s, m->stage, iter, m->group.by->group, ROLE_FIXED, &iter, &turns))
			return false;
		if (m->op.reduce[i]->hi == 1) {
			level_push(&outer, iter);
			continue;
		}
		if (!sketch_split(m->s, m->stage, iter, 0, ROLE_OUTER, &k0, &k1))
			return false;
		level_push(&outer, k0);
		level_push(&inner, k1);
	}
	for (int d = 0; d < m->op.tensor.ndim; d++) {
		int t = d;

		if (d == m->dim && !sketch_split(m->s, m->stage, d, 0, ROLE_VECTOR, &t, &l))
			return false;
		level_push(&inner, t);
		if (d == m->dim)
			level_push(&lanes, l);
	}
	level_append(&all, &outer);
	level_append(&all, &inner);
	if (m->group.by)
		level_push(&all, turns);
	level_append(&all, &lanes);
	m->place = outer.n;
	return all.n < STEP_MAX_ITERS && sketch_reorder(m->s, m->stage, &all, ROLE_FIXED) &&
	       sketch_reorder(m->s, m->stage, &outer, ROLE_PERMUTE) && sketch_reorder(m->s, m->stage, &inner, ROLE_PERMUTE) &&
	       keep_conditions(m, m->stage, &outer) &&
	       (!m->group.by || sketch_add(m->s, step_tensorize(m->stage, turns, m->group.by->id), ROLE_FIXED)) &&
	       sketch_annotate(m->s, m->stage, &lanes, ANNOTATION_VECTOR);
}

/* The dim of LOAD that AXIS moves; -1: none. */
static int dim_moved(const struct expr *load, const struct axis *axis)
{
	for (int d = 0; d < load->tensor->ndim; d++)
		if (expr_uses_axis(load->index[d], axis))
			return d;
	return -1;
}

/* Blocks of what lanes and groups run along, as the intrinsic has them, behind all else: in CACHE, and by its loops. */
static bool store_in_blocks(struct scratch_tiling *m, int cache, const struct expr *load)
{
	const struct intrinsic *x = m->group.by;
	int along_lanes = dim_moved(load, m->op.space[m->dim]);
	int along_group = dim_moved(load, m->op.reduce[m->group.reduce]);
	struct arrangement how = { .n = 0 };
	struct level all = { .n = 0 }, block = { .n = 0 };
	int lane, turn;

	for (int d = 0; d < load->tensor->ndim; d++) {
		int iter = d;

		if (d == along_lanes && !sketch_split(m->s, cache, d, x->lanes, ROLE_FIXED, &iter, &lane))
			return false;
		if (d == along_group && !sketch_split(m->s, cache, d, x->group, ROLE_FIXED, &iter, &turn))
			return false;
		how.at[how.n++] = (struct stored_dim){ d, 0 };
		level_push(&all, iter);
	}
	if (along_lanes < 0 || along_group < 0 || how.n + 2 > TENSOR_MAX_DIMS)
		return false;
	how.at[how.n++] = (struct stored_dim){ along_lanes, x->lanes };
	how.at[how.n++] = (struct stored_dim){ along_group, x->group };
	level_push(&block, lane);
	level_push(&block, turn);
	level_append(&all, &block);
	return sketch_reorder(m->s, cache, &all, ROLE_FIXED) && sketch_add(m->s, step_order(cache, &how), ROLE_FIXED);
}

/* Copies what LOAD reads; the number of the copy, -1 where the state refuses. */
static int copy_operand(struct scratch_tiling *m, const struct expr *load)
{
	struct sketch *s = m->s;
	int source = state_stage_of(s->state, load->tensor), cache = s->state->stages.n;
	struct step place = { .kind = STEP_COMPUTE_AT, .stage = cache, .target = m->stage, .size = m->place };

	if (!sketch_add(s, step_cache_read(source, m->stage, NULL, 0), ROLE_FIXED) ||
	    !sketch_add(s, place, ROLE_SCRATCH))
		return -1;
	if (stage_is_constant(s->state->stages.at[source]) && !sketch_add(s, step_layout(source), ROLE_FIXED))
		return -1;
	return cache;
}

/* What else the consumer reads is copied for each tile, beside its sums. */
static bool copy_others(struct scratch_tiling *m)
{
	const struct stage *consumer = m->s->state->stages.at[m->consumer];
	const struct stage_read_vec reads = consumer->reads;
	const struct tensor *sums = m->s->state->stages.at[m->stage]->tensor;

	for (int i = 0; i < reads.n; i++) {
		int source = state_stage_of(m->s->state, reads.at[i].tensor), copy = m->s->state->stages.n;
		struct step place = { .kind = STEP_COMPUTE_AT, .stage = copy, .target = m->consumer, .size = m->around - 1 };

		if (reads.at[i].tensor != sums &&
		    (!sketch_add(m->s, step_cache_read(source, m->consumer, NULL, 0), ROLE_FIXED) ||
		     !sketch_add(m->s, place, ROLE_PLACE)))
			return false;
	}
	return true;
}

/* What is combined without an intrinsic. */
static bool copy_operand_alone(struct scratch_tiling *m)
{
	const struct expr *load = expr_cast_load(m->op.body);
	int copy = load ? copy_operand(m, load) : -1;
	struct level all = { .n = 0 };

	for (int d = 0; copy >= 0 && d < load->tensor->ndim; d++)
		level_push(&all, d);
	return copy >= 0 && keep_conditions(m, copy, &all);
}

static bool copy_operands(struct scratch_tiling *m)
{
	if (!m->group.by)
		return copy_operand_alone(m);

	const struct expr *e = m->op.body;
	const struct expr *a = expr_cast_load(e->arg[0]), *b = expr_cast_load(e->arg[1]);

	if (dim_moved(a, m->op.space[m->dim]) >= 0) {
		const struct expr *other = a;

		a = b;
		b = other;
	}
	int inputs = copy_operand(m, a), weights = inputs < 0 ? -1 : copy_operand(m, b);
	struct level of_inputs = { .n = 0 };

	int along_group = dim_moved(a, m->op.reduce[m->group.reduce]), groups, turns;

	for (int d = 0; d < a->tensor->ndim; d++)
		if (d != along_group)
			level_push(&of_inputs, d);
	return weights >= 0 && store_in_blocks(m, weights, b) &&
	       sketch_split(m->s, inputs, along_group, m->group.by->group, ROLE_FIXED, &groups, &turns) &&
	       keep_conditions(m, inputs, &of_inputs);
}

/* Who takes the sums of the stage, element by element; a copy of them, where nobody does. */
static bool find_consumer(struct scratch_tiling *m, int *axis)
{
	m->consumer = fusible_consumer(m->s->state, m->stage, axis);
	if (m->consumer < 0) {
		m->consumer = m->stage;
		m->stage = m->s->state->stages.n;
		if (!sketch_add(m->s, step_cache_write(m->consumer), ROLE_FIXED))
			return false;
		fusible_consumer(m->s->state, m->stage, axis);
	}
	m->copy = m->s->state->stages.at[m->consumer]->op;
	return true;
}

static bool tile(struct scratch_tiling *m)
{
	int axis[TENSOR_MAX_DIMS];

	if (!op_is_reduction(&m->op)) {
		m->consumer = m->stage;
		m->copy = m->op;
		return tile_consumer(m, m->dim) && copy_others(m);
	}
	return find_consumer(m, axis) && tile_consumer(m, axis[m->dim]) && tile_reduction(m) && copy_operands(m) &&
	       copy_others(m);
}

static void apply(struct sketcher *k, const struct sketch *s, int stage)
{
	const struct op op = s->state->stages.at[stage]->op;
	int lanes = tensor_innermost(&op.tensor);	/* sums lie side by side, in a scratchpad and where they are stored */

	if (!k->aim.target->operands || lanes < 0)
		return;
	struct scratch_tiling m = { .s = sketch_copy(k->arena, s), .op = op, .stage = stage, .dim = lanes };

	if (op_is_reduction(&op))
		m.group = group_of(s->state, stage, lanes, k->aim.target);

	if (tile(&m))
		sketch_emit(k, m.s, s->at - 1 + m.s->state->order.n - s->state->order.n);
}

const struct rule rule_scratchpads = {
	.name = "scratchpads",
	.ends = true,
	.applies = applies,
	.apply = apply,
};
