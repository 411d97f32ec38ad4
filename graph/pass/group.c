/* SPDX-License-Identifier: Apache-2.0 */
/* graph/pass/group.c - grows groups from the first binding to the last, after the kinds of
 * operators [Chen et al., OSDI'18; Roesch et al. 2019].
 *
 * Behind any operator that has an expression, pointwise ones of its shape join up to the value
 * that post-dominates it, so that all that reads what was joined is in the group: batch norms,
 * biases, residual adds, activations that are written out. A reduction takes in the pointwise
 * group before it where nobody else reads that, and so does a pointwise operator that joined another
 * operand's group. What only moves data joins others that do. */
#include "graph/pass/group.h"

#include "graph/ir/op.h"
#include "graph/pass/flow.h"
#include "measure/runner/workload.h"

/* Pointwise operators that join at once (GELU and hard-swish written out have 4 to 8), members of a
 * group, and operands tried: bounds on the time that this takes and on the size of kernels. */
enum { MAX_CHAIN = 16, MAX_MEMBERS = 32, MAX_PRODUCERS = 4 };

struct grouper {
	struct arena *arena;
	const struct function *f;
	struct flow flow;
	struct grouping out;
	bool *fit;	/* by value: a call that kernels can be made of */
};

static const struct binding *at(const struct grouper *g, int value)
{
	return function_at(g->f, value);
}

static struct fusion_group *group_of(const struct grouper *g, int value)
{
	int group = value < 0 ? -1 : g->out.group_of[value];

	return group < 0 ? NULL : &g->out.groups.at[group];
}

static bool moves(const struct binding *b)
{
	return b->op->fusion == FUSION_INJECTIVE && !b->op->pointwise;
}

/* Is VALUE what its group gives? */
static bool is_output(const struct fusion_group *to, int value)
{
	return to && to->members.n > 0 && to->members.at[to->members.n - 1] == value;
}

static void join(struct grouper *g, int group, int value)
{
	struct fusion_group *to = &g->out.groups.at[group];

	g->out.group_of[value] = group;
	vec_push(g->arena, &to->members, value);
	to->moves &= moves(at(g, value));
	to->pointwise &= at(g, value)->op->pointwise;
	for (int i = 0; i < at(g, value)->nargs; i++)
		to->inputs += at(g, value)->args[i] >= 0 &&
			      g->out.group_of[at(g, value)->args[i]] != group;
}

static int start(struct grouper *g, int value)
{
	vec_push(g->arena, &g->out.groups,
		 (struct fusion_group){ .moves = true, .pointwise = true });
	join(g, g->out.groups.n - 1, value);
	return g->out.groups.n - 1;
}

static bool same_shape(const struct type *x, const struct type *y)
{
	if (x->rank != y->rank)
		return false;
	for (int i = 0; i < x->rank; i++)
		if (x->dim[i].n != y->dim[i].n)
			return false;
	return true;
}

/* The members that join FROM's group with the one that post-dominates it; their number. */
static int find_chain(const struct grouper *g, int from, int *chain)
{
	int n = flow_region(&g->flow, from, MAX_CHAIN, chain);
	int inputs = group_of(g, from)->inputs;

	for (int i = 0; i < n; i++)
		inputs += at(g, chain[i])->nargs - 1;
	if (inputs >= WORKLOAD_ARGS)
		return 0;
	for (int i = 0; i < n; i++)
		if (!g->fit[chain[i]] || !at(g, chain[i])->op->pointwise ||
		    g->out.group_of[chain[i]] >= 0 ||
		    !same_shape(at(g, chain[i])->type, at(g, from)->type))
			return 0;
	return n;
}

/* The operand of VALUE that is computed last, of those before BELOW; VALUE_NONE. */
static int last_operand(const struct grouper *g, int value, int below)
{
	const struct binding *b = at(g, value);
	int last = VALUE_NONE;

	for (int i = 0; i < b->nargs; i++)
		if (b->args[i] < below && b->args[i] > last && !at(g, b->args[i])->array)
			last = b->args[i];
	return last;
}

/* What alone reads VALUE; VALUE_NONE. */
static int lone_reader(const struct grouper *g, int value)
{
	int reader = g->flow.dominator[value];

	return g->flow.first[value + 1] - g->flow.first[value] == 1 && reader < g->f->bindings.n ? reader
												 : VALUE_NONE;
}

/* Is FROM what its group gives, and VALUE all that reads it? */
static bool is_only_for(const struct grouper *g, int value, int from)
{
	return is_output(group_of(g, from), from) && lone_reader(g, from) == value;
}

/* Is operand FROM of VALUE, which is pointwise, made by pointwise ones for it alone? Then it is computed where
 * VALUE is, element by element: what a residual add has done to its other operand. */
static bool is_side(const struct grouper *g, int value, int from)
{
	return is_only_for(g, value, from) && group_of(g, from)->pointwise &&
	       same_shape(at(g, from)->type, at(g, value)->type);
}

/* May VALUE take in the group of its operand FROM? */
static bool takes_in(const struct grouper *g, int value, int from)
{
	const struct fusion_group *of = group_of(g, from);
	bool reduces = at(g, value)->op->fusion == FUSION_REDUCTION;
	bool pads = at(g, value)->op == &core_max_pool && at(g, from)->op == &core_pad;	/* it reads windows, with or without */

	if (!is_only_for(g, value, from))
		return false;
	return pads || (reduces && of->pointwise) || (moves(at(g, value)) && of->moves) ||
	       (at(g, value)->op->pointwise && is_side(g, value, from));
}

/* Moves the members of the group of FROM, an operand of VALUE, to that of VALUE, in order, if it has room. */
static void absorb(struct grouper *g, int value, int from)
{
	struct fusion_group *to = group_of(g, value), *of = group_of(g, from);

	if (of->members.n + to->members.n > MAX_MEMBERS || of->inputs + to->inputs >= WORKLOAD_ARGS)
		return;
	for (int j = 0; j < of->members.n; j++) {
		int k = 0;

		while (k < to->members.n && to->members.at[k] < of->members.at[j])
			k++;
		vec_insert(g->arena, &to->members, k, of->members.at[j]);
		g->out.group_of[of->members.at[j]] = g->out.group_of[value];
	}
	of->members.n = 0;
	to->inputs += of->inputs;
	to->moves &= of->moves;
}

/* Absorbs what VALUE may take in of the groups of its operands. */
static void take_in(struct grouper *g, int value)
{
	const struct binding *b = at(g, value);

	for (int i = 0; i < b->nargs; i++) {
		struct fusion_group *of = b->args[i] < 0 ? NULL : group_of(g, b->args[i]);

		if (of && of != group_of(g, value) && takes_in(g, value, b->args[i]))
			absorb(g, value, b->args[i]);
	}
}

/* Joins VALUE, which is pointwise, to the group of an operand: the one computed last where it may,
 * so that the other operand of a residual add is there already. SIDES: also to one that it could take in. */
static bool join_operand(struct grouper *g, int value, bool sides)
{
	int chain[MAX_CHAIN];
	int below = value;

	for (int tries = 0; tries < MAX_PRODUCERS; tries++) {
		int from = last_operand(g, value, below);
		struct fusion_group *to = group_of(g, from);

		if (from == VALUE_NONE)
			return false;
		below = from;
		if (!is_output(to, from) || to->moves || to->members.n >= MAX_MEMBERS ||
		    (!sides && is_side(g, value, from)))
			continue;
		int n = find_chain(g, from, chain);

		for (int i = 0; i < n; i++)
			join(g, g->out.group_of[from], chain[i]);
		for (int i = 0; i < n && !sides; i++)
			take_in(g, chain[i]);
		if (n > 0)
			return true;
	}
	return false;
}

/* The operand of VALUE that is no constant; VALUE_NONE where there are several. */
static int lone_operand(const struct grouper *g, int value)
{
	const struct binding *b = at(g, value);
	int lone = VALUE_NONE;

	for (int i = 0; i < b->nargs; i++) {
		if (b->args[i] < 0 || at(g, b->args[i])->array)
			continue;
		if (lone != VALUE_NONE)
			return VALUE_NONE;
		lone = b->args[i];
	}
	return lone;
}

/* The product that came to VALUE through pointwise operators; VALUE_NONE where it has other readers, or is none. */
static int product_behind(const struct grouper *g, int value)
{
	while (value >= 0 && g->fit[value] && lone_reader(g, value) >= 0) {
		const struct binding *b = at(g, value);

		if (b->op->fusion == FUSION_COMPLEX)
			return value;
		value = b->op->pointwise ? lone_operand(g, value) : VALUE_NONE;
	}
	return VALUE_NONE;
}

/* Are bytes made wide here for a reduction, or for a sum with a later product? Its kernel takes that in, and what
 * is stored between both kernels is bytes. */
static bool widens_for_another(const struct grouper *g, int value)
{
	const struct binding *b = at(g, value);
	int last = value, reader = lone_reader(g, value);

	if (b->op != &core_cast || !element_is_integer(at(g, b->args[0])->type->element) ||
	    element_bits(at(g, b->args[0])->type->element) != 8 || element_bits(b->type->element) <= 8)
		return false;
	while (reader >= 0 && g->fit[reader] && at(g, reader)->op->pointwise && lone_operand(g, reader) >= 0) {
		last = reader;
		reader = lone_reader(g, reader);
	}
	if (reader < 0 || !g->fit[reader])
		return false;
	const struct binding *sum = at(g, reader);

	if (!sum->op->pointwise || sum->nargs != 2)
		return sum->op->fusion == FUSION_REDUCTION;
	return product_behind(g, sum->args[sum->args[0] == last]) > b->args[0];
}

static bool join_producer(struct grouper *g, int value)
{
	return !widens_for_another(g, value) && (join_operand(g, value, false) || join_operand(g, value, true));
}

struct grouping function_group(struct arena *a, const struct function *f, struct arena *lasting,
			       struct fit_calls *fits)
{
	struct grouper g = {
		.arena = a,
		.f = f,
		.flow = flow_new(a, f),
		.out.group_of = arena_many(a, int, f->bindings.n),
		.fit = arena_many(a, bool, f->bindings.n),
	};

	for (int v = 0; v < f->bindings.n; v++) {
		g.out.group_of[v] = -1;
		g.fit[v] = g.flow.needed[v] && value_is_fit(lasting, fits, f, v);
	}
	for (int v = 0; v < f->bindings.n; v++) {
		if (!g.fit[v] || g.out.group_of[v] >= 0)
			continue;	/* none, or it came with a chain */
		if (at(&g, v)->op->pointwise && join_producer(&g, v))
			continue;
		start(&g, v);
		take_in(&g, v);
	}
	return g.out;
}
