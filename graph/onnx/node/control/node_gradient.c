/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node/control/node_gradient.c - Gradient of ai.onnx.preview.training: of what lies between tensors that
 * it names, by the names that they have in the graph around it. */
#include "graph/diff/diff.h"
#include "graph/onnx/compose.h"
#include "graph/onnx/reader.h"

/* What is differentiated: a function of it, made of the bindings between. */
struct between {
	struct node *node;
	struct builder builder;
	struct value_vec inputs;	/* values around: those that xs, then zs name */
	int nxs;
	int y;
	int *to;	/* by value around: its value in the function; VALUE_NONE: not needed */
};

static int named(const struct between *w, const char *name)
{
	int value = scope_find(w->node->scope, name);

	if (value == VALUE_UNDEFINED || value == VALUE_NONE) {
		node_error(w->node, "there is no tensor '%s' before it", name);
		return VALUE_FAILED;
	}
	return value;
}

/* The values that the strings NAME name, appended to the inputs. -1 and a message. */
static int read_names(struct between *w, const char *name)
{
	int n;
	const char *const *names = node_strings(w->node, name, &n);

	for (int i = 0; i < n; i++) {
		int value = named(w, names[i]);

		if (value == VALUE_FAILED)
			return -1;
		if (build_array(w->node->b, value))
			return node_error(w->node, "'%s' is a constant, and so is what was computed "
					  "of it: make it an input of the graph", names[i]);
		vec_push(w->node->b->arena, &w->inputs, value);
	}
	return 0;
}

/* Which values around y is computed of; what is computed of the inputs alone ends there. */
static bool *needed(const struct between *w)
{
	const struct builder *b = w->node->b;
	bool *need = arena_many(b->arena, bool, b->function->bindings.n);
	bool *input = arena_many(b->arena, bool, b->function->bindings.n);

	for (int i = 0; i < w->inputs.n; i++)
		input[w->inputs.at[i]] = true;
	need[w->y] = true;
	for (int i = w->y; i >= 0; i--) {
		const struct binding *of = build_at(b, i);

		for (int j = 0; need[i] && !input[i] && j < of->nargs; j++)
			if (of->args[j] >= 0)
				need[of->args[j]] = true;
	}
	return need;
}

/* Parameters: the inputs, then those of the function around that are needed; ARGS gets the latter. */
static void add_params(struct between *w, const bool *need, struct value_vec *args)
{
	struct builder *b = w->node->b;

	for (int i = 0; i < b->function->bindings.n; i++)
		w->to[i] = VALUE_NONE;
	for (int i = 0; i < w->inputs.n; i++)
		w->to[w->inputs.at[i]] =
			build_param(&w->builder, "", build_type(b, w->inputs.at[i]));
	for (int i = 0; i < b->function->nparams; i++) {
		if (!need[i] || w->to[i] != VALUE_NONE)
			continue;
		w->to[i] = build_param(&w->builder, "", build_type(b, i));
		vec_push(b->arena, args, i);
	}
}

/* The function; FUNCTION_NONE and a message. */
static int make(struct between *w, struct value_vec *args)
{
	struct builder *b = w->node->b;
	const bool *need = needed(w);

	w->to = arena_many(b->arena, int, b->function->bindings.n);
	w->builder = builder_begin(b->graph, arena_printf(b->arena, "%s of", b->function->name));
	add_params(w, need, args);
	for (int i = b->function->nparams; i <= w->y; i++) {
		const struct binding *of = build_at(b, i);
		int *operands = arena_many(b->arena, int, of->nargs);

		if (!need[i] || w->to[i] != VALUE_NONE)
			continue;
		for (int j = 0; j < of->nargs; j++)
			operands[j] = of->args[j] < 0 ? of->args[j] : w->to[of->args[j]];
		w->to[i] = build_copy(&w->builder, of, operands, NULL);
		if (w->to[i] == VALUE_FAILED)
			return FUNCTION_NONE;
	}
	return builder_end(&w->builder, 1, &w->to[w->y]);
}

/* Gradients of what has gradients in it are several times as large, each time: what was made since
 * there were FIRST functions counts as nodes do. -1 and a message where these are used up. */
static int spend(struct node *n, int first)
{
	const struct graph *g = n->b->graph;

	for (int i = first; i < g->functions.n; i++)
		n->reader->nodes_left -= g->functions.at[i]->bindings.n;
	if (n->reader->nodes_left >= 0)
		return 0;
	n->reader->nodes_left = 0;
	return node_error(n, "more to differentiate than the file's size allows (gradients of "
			  "gradients?)");
}

/* Operand I is the place at which the function is differentiated, for input I. */
int node_gradient(struct node *n)
{
	struct between w = { .node = n };
	struct builder *b = n->b;
	struct value_vec args = { 0 }, more = { 0 };
	const char *y = node_string(n, "y", NULL);
	int known = 1, nfunctions = b->graph->functions.n;

	if (read_names(&w, "xs") < 0)
		return -1;
	w.nxs = w.inputs.n;
	if (read_names(&w, "zs") < 0)
		return -1;
	if (!y || w.inputs.n != n->nargs || n->nouts > w.nxs)
		return node_error(n, "y, and as many operands as xs and zs name, were expected");
	if ((w.y = named(&w, y)) == VALUE_FAILED)
		return -1;
	int function = make(&w, &more);
	int gradient = function == FUNCTION_NONE ? FUNCTION_NONE
						 : graph_gradient(b->graph, function);

	if (gradient == FUNCTION_NONE || spend(n, nfunctions) < 0)
		return -1;
	for (int i = 0; i < n->nargs; i++)
		vec_push(b->arena, &args, n->args[i]);
	for (int i = 0; i < more.n; i++)
		vec_push(b->arena, &args, more.at[i]);
	vec_push(b->arena, &args, build(b, &core_fill, build(b, &core_shape_of, w.y),
					build_scalar(b, build_type(b, w.y)->element, 1)));
	int all = build_inline(b, gradient, args.n, args.at);

	for (int i = 0; i < w.nxs; i++) {
		const struct type *t = build_type(b, w.inputs.at[i]);

		if (t->kind != TYPE_TENSOR || !element_is_float(t->element))
			return node_error(n, "tensor %d of xs has no floats", i);
		if (node_wants(n, i) && node_give(n, i, build_field(b, all, known)) < 0)
			return -1;
		known++;
	}
	return 0;
}
