/* SPDX-License-Identifier: Apache-2.0 */
/* tools/model/graph_svg.c - a drawing of a graph, by Graphviz's program. */
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "graph/text/text.h"
#include "measure/build/pool.h"
#include "tools/model/graph.h"

/* Graphviz takes minutes for some thousand nodes; what takes longer nobody would look at. */
#define DRAW_SECONDS 600
#define DRAW_MEMORY  ((size_t)16 << 30)
#define SVG_BYTES    ((size_t)1 << 30)

/* Has dot draw the graph in the file FROM into the file TO. */
static int draw(struct arena *a, const char *from, const char *to)
{
	const char *const argv[] = { "dot", "-Tsvg", "-o", to, from, NULL };
	struct pool_limits limits = { .jobs = 1, .limit_s = DRAW_SECONDS, .memory = DRAW_MEMORY };
	struct command_run run = { .argv = argv };

	if (pool_run(a, &run, 1, &limits, environ) < 0)
		return err_set("dot, which draws graphs, does not start; apt-get install graphviz");
	if (run.timed_out)
		return err_set("dot took more than %d s; draw a smaller graph", DRAW_SECONDS);
	return command_succeeded(&run) ? 0 : err_set("dot: %s", run.output);
}

int graph_svg(struct arena *a, struct text *out, const struct graph *g)
{
	const char *folder = dir_temp(a);

	if (!folder)
		return -1;
	const char *from = arena_printf(a, "%s/graph.dot", folder);
	const char *to = arena_printf(a, "%s/graph.svg", folder);
	const char *svg = NULL;
	struct text dot = { 0 };
	size_t size;

	graph_print_dot(&dot, g);
	if (file_write(from, dot.s, dot.n) == 0 && draw(a, from, to) == 0)
		svg = file_read(a, to, SVG_BYTES, &size);
	if (svg)
		text_putn(out, svg, size);
	text_free(&dot);
	dir_remove(folder);
	return svg ? 0 : -1;
}
