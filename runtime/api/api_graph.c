/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/api/api_graph.c - the graphs of include/hone_graph.h. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "graph/text/lines.h"
#include "graph/text/literal.h"
#include "include/hone_graph.h"
#include "runtime/api/api.h"

struct hone_graph {
	struct arena *arena;
	struct graph_lines *lines;	/* NULL: it was read as a whole */
	struct graph *graph;		/* NULL: it has no end yet */
	atomic_int holders;		/* the caller, and models that were opened of it */
};

static struct hone_graph *graph_begin(void)
{
	struct arena *a = arena_new();
	struct hone_graph *g = arena_one(a, struct hone_graph);

	g->arena = a;
	atomic_init(&g->holders, 1);
	return g;
}

void hone_graph_free(struct hone_graph *graph)
{
	if (graph && atomic_fetch_sub(&graph->holders, 1) == 1)
		arena_free(graph->arena);
}

/* G goes to *OUT where RC says so. */
static int hand_over(struct hone_graph *g, int rc, struct hone_graph **out)
{
	if (rc < 0)
		hone_graph_free(g);
	else
		*out = g;
	return rc;
}

int hone_graph_parse(const char *text, const char *name, struct hone_graph **graph)
{
	if (!graph)
		return api_fail(HONE_INVALID, "hone_graph_parse: where to put the graph?");
	*graph = NULL;
	if (!text || !name)
		return api_fail(HONE_INVALID, "hone_graph_parse: which text, and what is it called?");
	struct hone_graph *g = graph_begin();

	g->graph = graph_parse(g->arena, name, text);
	return hand_over(g, g->graph ? HONE_OK : HONE_INVALID, graph);
}

char *hone_graph_text(const struct hone_graph *graph, int full)
{
	struct text out = { 0 };

	if (!graph || !graph->graph) {
		err_set("hone_graph_text: the graph has no end yet: hone_graph_end() gives it one");
		return NULL;
	}
	graph_print(&out, graph->graph, full != 0);
	return out.s;
}

void hone_graph_text_free(char *text)
{
	free(text);
}

int hone_graph_open(const struct hone_graph *graph, const struct hone_options *options, struct hone_model **model)
{
	if (!model)
		return api_fail(HONE_INVALID, "hone_graph_open: where to put the model?");
	*model = NULL;
	if (!graph || !graph->graph)
		return api_fail(HONE_INVALID, "hone_graph_open: no graph, or one that has no end yet");
	if (options && options->ndims > 0)
		return api_fail(HONE_INVALID, "hone_graph_open: dims are for models in ONNX; a graph has them in its text");
	/* Whoever counts does not change what others see. */
	struct hone_graph *held = (struct hone_graph *)(uintptr_t)graph;

	atomic_fetch_add(&held->holders, 1);
	return api_open(graph->graph->name, held, graph->graph, options, model);
}

/* --- line by line */

int hone_graph_begin(const char *name, const char *params, struct hone_graph **graph)
{
	if (!graph)
		return api_fail(HONE_INVALID, "hone_graph_begin: where to put the graph?");
	*graph = NULL;
	if (!name || !params)
		return api_fail(HONE_INVALID, "hone_graph_begin: what is it called, and what does it take?");
	struct hone_graph *g = graph_begin();

	g->lines = graph_lines_new(g->arena, name, params);
	return hand_over(g, g->lines ? HONE_OK : HONE_INVALID, graph);
}

static int check_open(const struct hone_graph *g, const void *what, const char *who)
{
	if (!g || !what)
		return api_fail(HONE_INVALID, "%s: of what graph, and what?", who);
	if (!g->lines || g->graph)
		return api_fail(HONE_INVALID, "%s: the graph has its end already", who);
	return HONE_OK;
}

static int tell_type(struct hone_graph *g, int value, const char **type)
{
	if (value < 0)
		return HONE_INVALID;
	if (type)
		*type = type_string(g->arena, graph_lines_type(g->lines, value));
	return HONE_OK;
}

int hone_graph_line(struct hone_graph *graph, const char *line, const char **type)
{
	int rc = check_open(graph, line, "hone_graph_line");

	return rc < 0 ? rc : tell_type(graph, graph_lines_add(graph->lines, line), type);
}

int hone_graph_constant(struct hone_graph *graph, const char *name, const DLTensor *tensor, const char **type)
{
	int rc = check_open(graph, name && tensor ? name : NULL, "hone_graph_constant");
	struct value v = { 0 };

	if (rc == HONE_OK)
		rc = dlpack_read(graph->arena, tensor, ELEMENT_COUNT, &v);
	if (rc < 0)
		return rc;
	const struct array *x = v.array;
	struct array *own = array_in(graph->arena, x->element, x->rank, x->dim);

	if (x->count > 0)
		memcpy(own->data, x->data, array_bytes(x));
	value_release(v);
	if (!literal_fits(own))
		return api_fail(HONE_INVALID, "hone_graph_constant: %%%s has an element that is none of its type", name);
	return tell_type(graph, graph_lines_add_const(graph->lines, name, own), type);
}

int hone_graph_end(struct hone_graph *graph, const char *results)
{
	int rc = check_open(graph, results, "hone_graph_end");

	if (rc < 0)
		return rc;
	graph->graph = graph_lines_end(graph->lines, results);
	return graph->graph ? HONE_OK : HONE_INVALID;
}

/* --- operators */

int hone_operator(int index, struct hone_operator *op)
{
	const struct core_op *core = index < 0 ? NULL : core_op_at(index);

	if (!core || !op)
		return api_fail(HONE_INVALID, "hone_operator: there is no operator %d", index);
	*op = (struct hone_operator){
		.name = core->name, .summary = core->summary, .least = core->min_args,
		.most = core->max_args == ARGS_MANY ? -1 : core->max_args, .pointwise = core->pointwise,
	};
	while (core->attrs && core->attrs[op->attributes].name)
		op->attributes++;
	return HONE_OK;
}

static const int attribute_kinds[] = {
	[ATTR_INT] = HONE_INT, [ATTR_FLOAT] = HONE_FLOAT, [ATTR_STRING] = HONE_STRING,
	[ATTR_INTS] = HONE_INTS, [ATTR_FLOATS] = HONE_FLOATS, [ATTR_ELEMENT] = HONE_ELEMENT,
};

int hone_operator_attribute(int op, int index, struct hone_attribute *attribute)
{
	struct hone_operator of;
	int rc = hone_operator(op, &of);

	if (rc < 0)
		return rc;
	if (index < 0 || index >= of.attributes || !attribute)
		return api_fail(HONE_INVALID, "hone_operator_attribute: %s has %d", of.name, of.attributes);
	const struct attr_spec *spec = &core_op_at(op)->attrs[index];

	*attribute = (struct hone_attribute){
		.name = spec->name, .kind = attribute_kinds[spec->kind], .number = spec->number,
		.string = spec->kind == ATTR_ELEMENT ? element_name((enum element)spec->number) : spec->string,
		.meaning = spec->meaning,
	};
	return HONE_OK;
}
