/* SPDX-License-Identifier: Apache-2.0 */
/* graph/extract.c - grows groups along pointwise operators, from the first binding to the last. */
#include "graph/extract.h"

#include <stdlib.h>

#include "graph/infer.h"
#include "graph/op.h"

/* Bounds on the pointwise operators that join at once where a value is used more than once (SiLU,
 * GELU and hard-swish written out have 2 to 5), and on how far ahead they are looked for. */
enum { MAX_CHAIN = 8, MAX_LOOK = 64, MAX_PRODUCERS = 4 };

struct grouper {
	struct arena *arena;
	struct graph *graph;
	const struct function *f;
	const int *uses;
	int *group_of;
	bool *constant;
	struct group_vec groups;
	int *listed;	/* by value: 1 + the last group that has it among its inputs */
};

static const struct binding *at(const struct grouper *g, int value)
{
	return &g->f->bindings.at[value];
}

static bool is_pointwise(const struct grouper *g, int value)
{
	const struct binding *b = at(g, value);

	if (b->kind != BIND_CALL || b->call.op == OPER_UNKNOWN || b->call.noutputs > 1)
		return false;
	enum oper_role role = oper_role(b->call.op);

	return role == ROLE_POINTWISE || role == ROLE_NORM;
}

/* Known before the model runs: a constant, or a known operator on nothing else. */
static bool is_constant(const struct grouper *g, int value)
{
	const struct binding *b = at(g, value);

	switch (b->kind) {
	case BIND_PARAM:
		return false;
	case BIND_CONST:
		return true;
	case BIND_FIELD:
		return g->constant[b->tuple];
	case BIND_CALL:
		break;
	}
	if (b->call.op == OPER_UNKNOWN)
		return false;	/* may be random */
	for (int i = 0; i < b->call.nargs; i++)
		if (b->call.args[i] != VALUE_NONE && !g->constant[b->call.args[i]])
			return false;
	return true;
}

static const char *why_not(const struct grouper *g, int value)
{
	const struct call *c = &at(g, value)->call;

	if (c->op == OPER_UNKNOWN)
		return "unknown operator";
	if (oper_role(c->op) == ROLE_MOVE)
		return "only moves data";
	if (c->noutputs > 1)
		return "more than one output";
	return NULL;
}

static void join(struct grouper *g, int group, int value)
{
	struct group *to = &g->groups.at[group];

	g->group_of[value] = group;
	vec_push(g->arena, &to->members, value);
	if (at(g, value)->kind != BIND_FIELD)
		to->output = value;
}

/* Zeros around the spatial dims only, which a convolution has by itself, and an average of windows
 * that counts padding. */
static bool is_window_padding(const struct grouper *g, const struct call *pad)
{
	struct infer x = { .graph = g->graph, .f = g->f, .call = pad };
	int list = call_arg(pad, 1);
	int fill = call_arg(pad, 2);
	int n;
	const int64_t *pads = infer_list(&x, "pads", 1, &n);

	if (strcmp(call_string(pad, "mode", "constant"), "constant") != 0 || n < 6 || !pads ||
	    (list != VALUE_NONE && !g->constant[list]) || call_float(pad, "value", 0) != 0)
		return false;
	if (fill != VALUE_NONE &&
	    (at(g, fill)->kind != BIND_CONST || type_count(&at(g, fill)->type) != 1 ||
	     dtype_load(at(g, fill)->type.dtype, at(g, fill)->data, 0) != 0))
		return false;
	for (int i = 0; i < n; i++)
		if (pads[i] < 0 || (i % (n / 2) < 2 && pads[i] != 0))
			return false;
	return true;
}

/* An average over windows that lie within its operand, which may be padded. */
static bool is_plain_average(const struct call *c)
{
	int n;
	const int64_t *pads = call_ints(c, "pads", &n);

	for (int i = 0; i < n; i++)
		if (pads[i] != 0)
			return false;
	return c->op == OPER_AVERAGE_POOL && !call_int(c, "ceil_mode", 0) &&
	       strcmp(call_string(c, "auto_pad", "NOTSET"), "NOTSET") == 0;
}

/* The group of the zero padding in front of VALUE, where only VALUE reads it; else -1. Padding is a
 * condition on a load of the window, while a padded copy would be one more trip through memory. */
static int padding_group(const struct grouper *g, int value)
{
	const struct call *c = &at(g, value)->call;
	int in = call_arg(c, 0);

	if ((c->op != OPER_CONV && !is_plain_average(c)) || in == VALUE_NONE ||
	    at(g, in)->kind != BIND_CALL || at(g, in)->call.op != OPER_PAD)
		return -1;
	if (g->uses[in] != 1 || g->constant[in] || !is_window_padding(g, &at(g, in)->call))
		return -1;
	return g->group_of[in];
}

static void start(struct grouper *g, int value)
{
	const struct binding *b = at(g, value);
	struct group first = { .heavy = value, .kind = GROUP_COMPUTE };

	/* An unknown operator has the role of a mover: never free. */
	if (g->constant[value] || oper_role(b->call.op) == ROLE_FREE) {
		first.kind = GROUP_FREE;
	} else {
		int group = padding_group(g, value);

		first.reason = why_not(g, value);
		if (group >= 0) {
			g->groups.at[group].heavy = value;
			g->groups.at[group].reason = first.reason;
			join(g, group, value);
			return;
		}
	}
	vec_push(g->arena, &g->groups, first);
	join(g, g->groups.n - 1, value);
}

static bool contains(const int *set, int n, int value)
{
	for (int i = 0; i < n; i++)
		if (set[i] == value)
			return true;
	return false;
}

/* How many operands of VALUE are in SET, which is not empty where one is. */
static int count_args(const struct grouper *g, int value, const int *set, int n)
{
	const struct binding *b = at(g, value);
	int count = 0;

	if (b->kind == BIND_FIELD)
		return contains(set, n, b->tuple);
	for (int i = 0; b->kind == BIND_CALL && i < b->call.nargs; i++)
		count += contains(set, n, b->call.args[i]);
	return count;
}

/* VALUE is computed element by element from a value of type T and from what is there at FIRST. */
static bool fits(const struct grouper *g, int value, const struct type *t, int first,
		 const int *set, int n)
{
	const struct call *c = &at(g, value)->call;

	if (!is_pointwise(g, value) || !type_same_shape(&at(g, value)->type, t))
		return false;
	for (int i = 0; i < c->nargs; i++) {
		int arg = c->args[i];

		if (arg >= first && !g->constant[arg] && !contains(set, n, arg))
			return false;
	}
	return true;
}

/* The pointwise bindings from FIRST on that together take in all uses of FROM and are left through
 * the last of them, as x * sigmoid(x) does. Fills CHAIN, which begins with FROM; 0 where there are
 * none, else its length. The common case, a single user, is a chain of 2. */
static int find_chain(const struct grouper *g, int from, int first, int *chain)
{
	const struct type *type = &at(g, from)->type;
	int open = g->uses[from];
	int n = 1;

	chain[0] = from;
	for (int v = first; v < g->f->bindings.n && v < first + MAX_LOOK; v++) {
		int inside = count_args(g, v, chain, n);

		if (inside == 0)
			continue;
		if (n > MAX_CHAIN || !fits(g, v, type, first, chain, n))
			return 0;
		chain[n++] = v;
		open -= inside;
		if (open == 0)
			return n;
		open += g->uses[v];
	}
	return 0;
}

static bool is_open(const struct grouper *g, int value)
{
	int group = value == VALUE_NONE ? -1 : g->group_of[value];

	if (group < 0)
		return false;
	const struct group *to = &g->groups.at[group];

	return to->kind == GROUP_COMPUTE && !to->reason && to->output == value;
}

/* Joins VALUE to the group of an operand, the one computed last where it may, so that the other
 * operand of a residual add is there already. */
static bool join_producer(struct grouper *g, int value)
{
	const struct call *c = &at(g, value)->call;
	int chain[MAX_CHAIN + 1];
	int below = value;

	for (int tries = 0; tries < MAX_PRODUCERS; tries++) {
		int from = VALUE_NONE;	/* the last operand before those tried */

		for (int i = 0; i < c->nargs; i++)
			if (c->args[i] < below && c->args[i] > from && !g->constant[c->args[i]])
				from = c->args[i];
		if (from == VALUE_NONE)
			return false;
		int n = is_open(g, from) ? find_chain(g, from, value, chain) : 0;

		for (int i = 1; i < n; i++)
			join(g, g->group_of[from], chain[i]);
		if (n > 0)
			return true;
		below = from;
	}
	return false;
}

static void place(struct grouper *g, int value)
{
	const struct binding *b = at(g, value);

	if (g->group_of[value] >= 0)
		return;	/* came with a chain */
	if (b->kind == BIND_FIELD)
		join(g, g->group_of[b->tuple], value);
	else if (g->constant[value] || !is_pointwise(g, value) || !join_producer(g, value))
		start(g, value);
}

static void add_input(struct grouper *g, struct group *to, int group, int value)
{
	if (value == VALUE_NONE || g->group_of[value] == group || g->listed[value] == group + 1)
		return;
	g->listed[value] = group + 1;
	vec_push(g->arena, &to->inputs, value);
}

static void finish(struct grouper *g, int group)
{
	struct group *to = &g->groups.at[group];

	for (int i = 0; i < to->members.n; i++) {
		const struct binding *b = at(g, to->members.at[i]);

		for (int j = 0; b->kind == BIND_CALL && j < b->call.nargs; j++)
			add_input(g, to, group, b->call.args[j]);
	}
	if (to->kind == GROUP_FREE || to->reason)
		return;
	for (int i = 0; i < to->inputs.n; i++)
		if (!type_is_static(&at(g, to->inputs.at[i])->type))
			to->reason = "the shape of an operand is not known";
	if (!type_is_static(&at(g, to->output)->type))
		to->reason = "its shape is not known";
}

static int by_last(const void *p, const void *q)
{
	const struct group *a = p;
	const struct group *b = q;
	int x = a->members.at[a->members.n - 1];
	int y = b->members.at[b->members.n - 1];

	return (x > y) - (x < y);
}

struct grouping *graph_group(struct arena *a, struct graph *graph)
{
	const struct function *f = graph->main;
	struct grouper g = {
		.arena = a,
		.graph = graph,
		.f = f,
		.uses = function_uses(a, f),
		.group_of = arena_many(a, int, f->bindings.n),
		.constant = arena_many(a, bool, f->bindings.n),
		.listed = arena_many(a, int, f->bindings.n),
	};
	struct grouping *out = arena_one(a, struct grouping);

	for (int v = 0; v < f->bindings.n; v++)
		g.group_of[v] = -1;
	for (int v = 0; v < f->bindings.n; v++)
		g.constant[v] = is_constant(&g, v);
	for (int v = f->nparams; v < f->bindings.n; v++)
		place(&g, v);
	if (g.groups.n)
		qsort(g.groups.at, (size_t)g.groups.n, sizeof(struct group), by_last);
	for (int i = 0; i < g.groups.n; i++)
		for (int j = 0; j < g.groups.at[i].members.n; j++)
			g.group_of[g.groups.at[i].members.at[j]] = i;
	for (int i = 0; i < g.groups.n; i++)
		finish(&g, i);
	out->groups = g.groups;
	out->group_of = g.group_of;
	out->constant = g.constant;
	return out;
}

void grouping_print(struct text *out, const struct function *f, const struct grouping *g)
{
	for (int i = 0; i < g->groups.n; i++) {
		const struct group *at = &g->groups.at[i];

		if (f->bindings.at[at->heavy].kind == BIND_CONST)
			continue;	/* said by those that read it */
		text_puts(out, at->kind == GROUP_FREE ? "free" : at->reason ? "other" : "task");
		for (int j = 0; j < at->members.n; j++) {
			const struct binding *b = &f->bindings.at[at->members.at[j]];

			text_printf(out, " %%%d", at->members.at[j]);
			if (b->kind != BIND_CALL)
				continue;
			text_puts(out, ":");
			name_print(out, b->call.op_name);
		}
		text_puts(out, " <-");
		for (int j = 0; j < at->inputs.n; j++)
			text_printf(out, " %%%d", at->inputs.at[j]);
		text_puts(out, at->reason ? " # " : "");
		text_puts(out, at->reason ? at->reason : "");
		text_puts(out, "\n");
	}
}
