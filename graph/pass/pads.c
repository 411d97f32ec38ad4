/* SPDX-License-Identifier: Apache-2.0 */
/* graph/pass/pads.c - padding in front of a window becomes the window's own: a condition on a load,
 * while a padded copy would be one more trip through memory.
 *
 * Requires: nothing; `simplify` before it leaves less to look through.
 * Provides: no constant padding of spatial dims in front of a convolution (of zeros), an average
 *           (of zeros, which it then counts) or a maximum (of -inf) whose own padding is explicit.
 * Keeps:    what the graph computes, to the bit. */
#include <math.h>

#include "graph/pass/pass.h"
#include "graph/pass/rewrite.h"

/* What a window takes for padding, and what its attribute says of it then. */
static const struct padded_window {
	const struct core_op *op;
	double fill;
	bool counts;	/* an average */
} windows[] = {
	{ &core_conv, 0, false },
	{ &core_avg_pool, 0, true },
	{ &core_max_pool, -INFINITY, false },
};

static const struct padded_window *find_window(const struct binding *b)
{
	for (size_t i = 0; b->kind == BIND_CALL && i < sizeof(windows) / sizeof(windows[0]); i++)
		if (windows[i].op == b->op)
			return &windows[i];
	return NULL;
}

/* Does B pad with constant V? */
static bool pads_with(const struct builder *b, const struct binding *pad, double v)
{
	int value = call_arg(pad, 2);
	const struct array *c = value < 0 ? NULL : build_array(b, value);

	if (strcmp(call_string(pad, "mode"), "constant") != 0)
		return false;
	return value == VALUE_NONE ? v == 0
				   : c && c->count == 1 && element_is_float(c->element) &&
					     array_float(c, 0) == v;
}

/* The padding of each of RANK dims, before and behind; false where it is not known, negative, or
 * not of spatial dims only. */
static bool read_pads(const struct builder *b, const struct binding *pad, int rank,
		      int64_t *before, int64_t *behind)
{
	const struct array *pads = build_array(b, pad->args[1]);
	int given = call_arg(pad, 3);
	const struct array *axes = given < 0 ? NULL : build_array(b, given);
	int n = pads ? (int)pads->count / 2 : 0;

	if (!pads || (given >= 0 && !axes) || (axes ? n != axes->count : n != rank))
		return false;
	memset(before, 0, sizeof(*before) * (size_t)rank);
	memset(behind, 0, sizeof(*behind) * (size_t)rank);
	for (int i = 0; i < n; i++) {
		int64_t axis = axes ? array_int(axes, i) : i;

		axis += axis < 0 ? rank : 0;
		before[axis] = array_int(pads, i);
		behind[axis] = array_int(pads, n + i);
	}
	for (int i = 0; i < rank; i++)
		if (before[i] < 0 || behind[i] < 0 || (i < 2 && (before[i] || behind[i])))
			return false;
	return true;
}

static bool has_pads(const struct binding *call)
{
	int n;
	const int64_t *pads = call_ints(call, "pads", &n);

	for (int i = 0; i < n; i++)
		if (pads[i] != 0)
			return true;
	return false;
}

/* May more padding be the window's own? */
static bool takes_pads(const struct padded_window *w, const struct binding *call)
{
	if (strcmp(call_string(call, "auto_pad"), "explicit") != 0)
		return false;
	if (w->op == &core_conv)
		return true;
	/* With "ceil" the last window may reach over the end, where padding is not counted. */
	return !call_flag(call, "ceil") &&
	       (!w->counts || !has_pads(call) || call_flag(call, "count_include_pad"));
}

static void copy_attrs(struct arena *a, const struct binding *call, struct attr_vec *out)
{
	for (int i = 0; i < call->nattrs; i++)
		if (strcmp(call->attrs[i].name, "pads") != 0 &&
		    strcmp(call->attrs[i].name, "count_include_pad") != 0)
			vec_push(a, out, call->attrs[i]);
}

static int absorb(struct rewrite *x, int value, const int *args)
{
	const struct binding *b = function_at(x->function, value);
	const struct padded_window *w = find_window(b);
	const struct binding *pad = w ? build_at(x->builder, args[0]) : NULL;
	int64_t before[GRAPH_MAX_RANK], behind[GRAPH_MAX_RANK], all[2 * GRAPH_MAX_RANK];
	int n, rank = pad ? pad->type->rank : 0;

	if (!pad || pad->kind != BIND_CALL || pad->op != &core_pad || rank < 3 ||
	    !takes_pads(w, b) || !pads_with(x->builder, pad, w->fill) ||
	    !read_pads(x->builder, pad, rank, before, behind))
		return REWRITE_COPY;
	const int64_t *own = call_ints(b, "pads", &n);
	struct arena *a = x->builder->arena;
	struct attr_vec attrs = { 0 };
	int operands[2] = { pad->args[0], b->nargs > 1 ? args[1] : VALUE_NONE };

	for (int i = 0; i < rank - 2; i++) {
		all[i] = before[2 + i] + (n ? own[i] : 0);
		all[rank - 2 + i] = behind[2 + i] + (n ? own[rank - 2 + i] : 0);
	}
	copy_attrs(a, b, &attrs);
	attrs_ints(a, &attrs, "pads", 2 * (rank - 2), all);
	if (w->counts)
		attrs_int(a, &attrs, "count_include_pad", 1);
	return build_call(x->builder, b->op, b->nargs, operands, &attrs);
}

static struct graph *run(struct arena *a, const struct graph *g)
{
	return rewrite_graph(a, g, &(struct rewriter){ .binding = absorb });
}

const struct pass pass_pads = {
	.name = "pads",
	.summary = "padding in front of a window becomes the window's own",
	.run = run,
};
