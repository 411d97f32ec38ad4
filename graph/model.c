/* SPDX-License-Identifier: Apache-2.0 */
/* graph/model.c - from a name on the command line to a graph. */
#include "graph/model.h"

#include <jansson.h>

#include "base/err.h"
#include "base/file.h"
#include "graph/pass/pass.h"
#include "graph/text/text.h"

bool model_is(const char *source)
{
	return text_ends_with(source, ".onnx") || text_ends_with(source, ".graph") ||
	       text_ends_with(source, ".json");
}

/* More text than a graph with all its weights has. */
#define TEXT_BYTES ((size_t)8 << 30)

static struct graph *read_text(struct arena *a, const char *path)
{
	size_t size;
	const char *text = file_read(a, path, TEXT_BYTES, &size);

	return text ? graph_parse(a, path, text) : NULL;
}

static struct graph *read_json(struct arena *a, const char *path)
{
	json_error_t error;
	json_t *json = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
	struct graph *g = json ? graph_from_json(a, path, json) : NULL;

	if (!json)
		err_set("%s:%d:%d: %s", path, error.line, error.column, error.text);
	json_decref(json);
	return g;
}

struct graph *model_read(struct arena *a, const char *source, const struct onnx_options *options)
{
	bool onnx = text_ends_with(source, ".onnx");

	if (!onnx && options && options->ndims) {
		err_set("%s: --dim is for ONNX models; hone's own forms have dims to edit", source);
		return NULL;
	}
	if (text_ends_with(source, ".hone")) {
		err_set("%s is a module, which is there to be run: give the model that it was compiled of", source);
		return NULL;
	}
	if (text_ends_with(source, ".graph"))
		return read_text(a, source);
	if (text_ends_with(source, ".json"))
		return read_json(a, source);
	return onnx_read(a, source, options);
}

struct graph *model_open(struct arena *a, const char *source, const struct onnx_options *options,
			 const struct kernel_costs *costs, const char *last)
{
	struct graph *g = model_read(a, source, options);

	if (g)
		g->costs = costs;
	return g ? graph_passes(a, g, last) : NULL;
}
