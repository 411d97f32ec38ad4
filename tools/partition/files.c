/* SPDX-License-Identifier: Apache-2.0 */
/* tools/partition/files.c - drawings and artifacts of a model that was cut. */
#include "tools/partition/files.h"

#include "base/err.h"
#include "base/file.h"
#include "graph/text/text.h"
#include "partition/view.h"
#include "tools/model/graph.h"

enum { KEY_DOT = 0x2200, KEY_SVG, KEY_ARTIFACTS };	/* no keys of a command that has these options */

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct partition_files_args *args = state->input;

	switch (key) {
	case KEY_DOT:
		args->dot = arg;
		return 0;
	case KEY_SVG:
		args->svg = arg;
		return 0;
	case KEY_ARTIFACTS:
		args->artifacts = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{ "dot", KEY_DOT, "FILE", 0, "write the model with all that generators take for Graphviz, regions as clusters", 0 },
	{ "svg", KEY_SVG, "FILE", 0, "write the same drawn by Graphviz's dot", 0 },
	{ "artifacts", KEY_ARTIFACTS, "DIR", 0,
	  "write what generators compile of all that they take to DIR, a file for each region", 0 },
	{ 0 },
};

const struct argp partition_files_argp = { options, parse, NULL, NULL, NULL, NULL, NULL };

static int write_dot(const char *file, const struct graph *g)
{
	struct text dot = { 0 };

	graph_print_dot(&dot, g);
	int rc = file_write(file, text_str(&dot), dot.n);

	text_free(&dot);
	return rc;
}

static int write_svg(struct arena *a, const char *file, const struct graph *g)
{
	struct text svg = { 0 };
	int rc = graph_svg(a, &svg, g) < 0 ? -1 : file_write(file, text_str(&svg), svg.n);

	text_free(&svg);
	return rc;
}

static void append(void *sink, const void *bytes, size_t n)
{
	text_putn(sink, bytes, n);
}

/* What the generator of B compiles F, a region of it, to, in OUT. -1 and a message. */
static int compile(struct arena *a, const struct function *f, const struct backend *b, struct text *out)
{
	const struct flow flow = flow_new(a, f);
	const struct value_vec calls = function_calls(a, f);
	const struct region_view *view = region_view_new(a, &flow, region_view_room(a, f), &calls, NULL);
	char why[HONE_WHY_BYTES] = "";

	if (!view)
		return err_set("%s: its shapes are not known", f->name);
	if (b->generator->compile(&view->region, append, out, why) == 0)
		return 0;
	why[HONE_WHY_BYTES - 1] = 0;
	return err_set("%s: generator %s: %s", f->name, b->generator->name, why);
}

/* DIR/REGION.EXTENSION, where the generator of the region compiles anything. */
static int write_artifact(struct arena *a, const char *dir, const struct graph *g,
			  const struct offload_region *r, const struct backend *b)
{
	const char *extension = b->generator->extension ? b->generator->extension : "bin";
	const char *file = arena_printf(a, "%s/%s.%s", dir, r->function, extension);
	const struct function *f = g->functions.at[graph_find_function(g, r->function)];
	struct text artifact = { 0 };
	int rc = b->generator->compile ? compile(a, f, b, &artifact) : 0;

	if (rc == 0 && b->generator->compile)
		rc = file_write(file, text_str(&artifact), artifact.n);
	text_free(&artifact);
	return rc;
}

static int write_artifacts(struct arena *a, const char *dir, const struct offload *cut,
			   const struct backend *backends)
{
	if (dir_make(dir) < 0)
		return -1;
	for (int i = 0; i < cut->regions.n; i++) {
		const struct offload_region *r = &cut->regions.at[i];

		if (write_artifact(a, dir, cut->graph, r, &backends[r->backend]) < 0)
			return -1;
	}
	return 0;
}

int partition_files(struct arena *a, const struct partition_files_args *args, const struct offload *cut,
		    const struct backend *backends)
{
	if (args->dot && write_dot(args->dot, cut->graph) < 0)
		return -1;
	if (args->svg && write_svg(a, args->svg, cut->graph) < 0)
		return -1;
	return args->artifacts ? write_artifacts(a, args->artifacts, cut, backends) : 0;
}
