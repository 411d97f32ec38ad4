/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/given.c - sizes that the options give for dims that the model leaves open. */
#include "base/err.h"
#include "base/text.h"
#include "graph/onnx/reader.h"

enum { NAMES_TOLD = 20 };	/* in a message: more than models have names of dims */

/* The symbol NAME: of the model, or as the graph prints it. NULL: none that was read up to now. */
static const struct axis *find_symbol(const struct onnx_reader *r, const char *name)
{
	int index = names_get(&r->symbols, name, -1);

	return index >= 0 ? r->graph->symbol.at[index] : graph_find_symbol(r->graph, name);
}

struct dim given_named(struct onnx_reader *r, struct dim d)
{
	for (int i = 0; r->options && i < r->options->ndims; i++) {
		const struct onnx_dim *given = &r->options->dims[i];
		const struct axis *axis = find_symbol(r, given->name);

		if (axis)
			d = dim_substitute(r->arena, d, axis, dim_number(given->size));
	}
	return d;
}

struct dim given_unnamed(struct onnx_reader *r, const char *input, int axis)
{
	const char *name = arena_printf(r->scratch, "%s.%d", input, axis);

	vec_push(r->scratch, &r->unnamed, name);
	for (int i = 0; r->options && i < r->options->ndims; i++)
		if (strcmp(r->options->dims[i].name, name) == 0)
			return dim_number(r->options->dims[i].size);
	return dim_unknown();
}

static bool is_open(const struct onnx_reader *r, const char *name)
{
	for (int i = 0; i < r->unnamed.n; i++)
		if (strcmp(r->unnamed.at[i], name) == 0)
			return true;
	return find_symbol(r, name) != NULL;
}

/* -1, and a message with the names that there are. */
static int refuse(const struct onnx_reader *r, const char *name)
{
	const struct symbol_vec *named = &r->graph->symbol;
	int n = named->n + r->unnamed.n;
	struct text t = { 0 };

	for (int i = 0; i < n && i < NAMES_TOLD; i++)
		text_printf(&t, "%s%.100s", i ? ", " : "",
			    i < named->n ? named->at[i]->name : r->unnamed.at[i - named->n]);
	if (n > NAMES_TOLD)
		text_printf(&t, " and %d more", n - NAMES_TOLD);
	if (n)
		err_set("--dim '%.200s': the model has no such open dim; give one of %s", name,
			text_str(&t));
	else
		err_set("--dim '%.200s': the model leaves no dim open", name);
	text_free(&t);
	return -1;
}

int given_check(const struct onnx_reader *r)
{
	for (int i = 0; r->options && i < r->options->ndims; i++)
		if (!is_open(r, r->options->dims[i].name))
			return refuse(r, r->options->dims[i].name);
	return 0;
}
