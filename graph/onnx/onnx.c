/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/onnx.c - from ONNX's messages to a graph: the model's graph becomes the main function. */
#include "graph/onnx/onnx.h"

#include "base/err.h"
#include "base/file.h"
#include "graph/onnx/reader.h"

#define MAX_FILE ((size_t)2 << 30)	/* protobuf's own limit */

/* What reading may make of a file: constants that are copied or computed, and nodes of functions that
 * are called more than once. A node is at least 8 bytes of the file. */
#define ROOM_BASE	(INT64_C(64) << 20)
#define ROOM_FACTOR	4
#define NODES_BASE	INT64_C(100000)
/* Folding may take so long, and longer where there are weights to be converted (a GB in 10 s). */
#define FOLD_SECONDS	4
#define FOLD_RATE	1e8

/* Parameters come first in the array, so inputs are read before initializers, which old files
 * list among the inputs too. */
static int read_inputs(struct onnx_reader *r, struct onnx_scope *s, const Onnx__GraphProto *g)
{
	struct names weights = { 0 };

	for (size_t i = 0; i < g->n_initializer; i++)
		if (g->initializer[i]->name)
			names_add(r->scratch, &weights, g->initializer[i]->name, 1);
	for (size_t i = 0; i < g->n_input; i++) {
		const Onnx__ValueInfoProto *in = g->input[i];

		if (!in->name || !*in->name)
			return err_set("input %zu has no name", i);
		if (names_get(&weights, in->name, 0))
			continue;
		const struct type *type = onnx_input_type(r, in);

		if (!type)
			return err_prefix("input '%.200s'", in->name);
		if (scope_define(r, s, in->name, build_param(s->builder, in->name, type)) < 0)
			return -1;
	}
	return 0;
}

static int read_main(struct onnx_reader *r)
{
	const Onnx__GraphProto *g = r->model->graph;
	struct builder b = builder_begin(r->graph, "main");
	struct onnx_scope s = { .builder = &b };

	r->graph->main = b.index;
	if (scope_import(&s, r->model->n_opset_import, r->model->opset_import) < 0 ||
	    function_index(r) < 0 || read_inputs(r, &s, g) < 0 || scope_read(r, &s, g) < 0 ||
	    given_check(r) < 0)
		return -1;
	int *results = scope_results(r, &s, g);

	if (!results || problem_error(r) < 0)
		return -1;
	if (g->n_output == 0)
		return err_set("the model has no output");
	return builder_end(&b, (int)g->n_output, results) == FUNCTION_NONE ? -1 : 0;
}

static struct graph *read_model(struct onnx_reader *r)
{
	if (!r->model->graph) {
		err_set("not an ONNX model: it has no graph");
		return NULL;
	}
	const char *name = r->model->graph->name;

	r->graph = graph_new(r->arena, name ? name : "");
	r->graph->budget = (struct fold_budget){
		r->source.room, FOLD_SECONDS + (double)r->source.room / ROOM_FACTOR / FOLD_RATE };
	onnx_index_operators(r);
	int rc = read_main(r);

	function_forget(r);
	return rc < 0 ? NULL : r->graph;
}

const unsigned char *onnx_map(struct arena *a, struct onnx_files *files, const char *path,
			      size_t limit, size_t *size)
{
	struct onnx_file f = { .path = path, .state = hash_file(path) };

	f.data = file_map(a, path, limit, size);
	f.bytes = f.data ? *size : 0;
	if (f.data && files)
		vec_push(files->arena, &files->list, f);
	return f.data;
}

/* MAPPED: DATA is a file that is mapped for reading alone. */
static struct graph *parse(struct arena *a, const char *name, const char *folder,
			   const unsigned char *data, size_t size, bool mapped,
			   const struct onnx_options *options)
{
	ProtobufCMessage *m = wire_unpack(&onnx__model_proto__descriptor, data, size);
	struct arena *scratch = arena_new();
	struct onnx_problems problems = { .arena = scratch };
	int64_t room = ROOM_BASE + ROOM_FACTOR * (int64_t)size;
	struct onnx_reader r = {
		.arena = a,
		.scratch = scratch,
		.model = (const Onnx__ModelProto *)m,
		.source = { .arena = a, .data = data, .in_file = mapped, .folder = folder,
			    .read = options ? options->files : NULL, .room = room },
		.options = options,
		.problems = options && options->problems ? options->problems : &problems,
		.nodes_left = NODES_BASE + (int64_t)size,
	};
	struct graph *g = m ? read_model(&r) : NULL;

	wire_free(m);
	if (!g)
		err_prefix("%s", name);
	arena_free(scratch);
	return g;
}

struct graph *onnx_parse(struct arena *a, const char *name, const char *folder,
			 const unsigned char *data, size_t size, const struct onnx_options *options)
{
	return parse(a, name, folder, data, size, false, options);
}

struct graph *onnx_read(struct arena *a, const char *path, const struct onnx_options *options)
{
	const char *slash = strrchr(path, '/');
	const char *folder = slash ? arena_strndup(a, path, (size_t)(slash - path + 1)) : ".";
	size_t size;
	const unsigned char *data = onnx_map(a, options ? options->files : NULL, path, MAX_FILE,
					     &size);

	return data ? parse(a, path, folder, data, size, true, options) : NULL;
}
