/* SPDX-License-Identifier: Apache-2.0 */
/* tools/model/graph.c - `hone graph`: what hone understands of a model, behind any pass. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/file.h"
#include "graph/model.h"
#include "graph/pass/pass.h"
#include "graph/text/text.h"
#include "tools/args/dims.h"
#include "tools/args/words.h"
#include "tools/command.h"
#include "tools/model/graph.h"

enum { KEY_AFTER = 256, KEY_TEXT, KEY_DOT, KEY_SVG, KEY_FULL, KEY_CHECK };

enum graph_output { OUTPUT_SUMMARY, OUTPUT_TEXT, OUTPUT_JSON, OUTPUT_DOT, OUTPUT_SVG };

struct graph_options {
	const char *source;
	const char *after;	/* NULL: as it was read */
	const char *file;	/* NULL: standard output */
	enum graph_output output;
	bool full, check;
	struct dim_options dims;
};

static void choose(struct graph_options *o, struct argp_state *state, enum graph_output output)
{
	if (o->output != OUTPUT_SUMMARY && o->output != output)
		argp_error(state, "one of --text, --json, --dot and --svg at a time");
	o->output = output;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct graph_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->dims;
		return 0;
	case KEY_AFTER:
		o->after = arg;
		return 0;
	case KEY_TEXT:
		choose(o, state, OUTPUT_TEXT);
		return 0;
	case 'j':
		choose(o, state, OUTPUT_JSON);
		return 0;
	case KEY_DOT:
		choose(o, state, OUTPUT_DOT);
		return 0;
	case KEY_SVG:
		choose(o, state, OUTPUT_SVG);
		return 0;
	case KEY_FULL:
		o->full = true;
		return 0;
	case KEY_CHECK:
		o->check = true;
		return 0;
	case 'o':
		o->file = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num > 0)
			argp_error(state, "one SOURCE at a time");
		o->source = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "which SOURCE?");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp_option option_list[] = {
	{ "after", KEY_AFTER, "PASS", 0, "behind all passes up to this one", 0 },
	{ "text", KEY_TEXT, NULL, 0, "the graph in hone's text form", 0 },
	{ "json", 'j', NULL, 0, "the same as JSON", 0 },
	{ "dot", KEY_DOT, NULL, 0, "a digraph for Graphviz", 0 },
	{ "svg", KEY_SVG, NULL, 0, "its drawing; needs Graphviz's dot", 0 },
	{ "full", KEY_FULL, NULL, 0,
	  "text and JSON with all constants, as they can be read back", 0 },
	{ "check", KEY_CHECK, NULL, 0,
	  "list what hone does not support, and values without a type; exit status 3 if any", 0 },
	{ "output", 'o', "FILE", 0, "file for the result (default: standard output)", 0 },
	{ 0 },
};

static const struct argp_child children[] = { { &dims_argp, 0, NULL, 0 }, { 0 } };

static const struct argp argp = {
	.options = option_list,
	.parser = parse,
	.args_doc = "SOURCE",
	.children = children,
	.doc = "Prints the graph of SOURCE, a model in an ONNX file, or a graph that this command "
	       "printed with --text --full (*.graph) or --json --full (*.json): for each function "
	       "its inputs and outputs with their types, its operators and its constants; with "
	       "--text all of it.\v"
	       "Example:\n"
	       "  hone graph resnet18.onnx\n"
	       "  hone graph resnet18.onnx --after fuse --text\n"
	       "  hone graph resnet18.onnx --text --full -o resnet18.graph\n"
	       "  hone graph detector.onnx --check",
};

/* --- what is printed */

static void print_json(struct text *out, const struct graph *g, bool full)
{
	json_t *json = graph_to_json(g, full);
	char *text = json_dumps(json, JSON_INDENT(1));

	text_puts(out, text ? text : "null");
	text_puts(out, "\n");
	free(text);
	json_decref(json);
}

static int print(struct arena *a, const struct graph_options *o, const struct graph *g,
		 struct text *out)
{
	switch (o->output) {
	case OUTPUT_SUMMARY:
		graph_summary(out, g);
		return 0;
	case OUTPUT_TEXT:
		graph_print(out, g, o->full);
		return 0;
	case OUTPUT_JSON:
		print_json(out, g, o->full);
		return 0;
	case OUTPUT_DOT:
		graph_print_dot(out, g);
		return 0;
	case OUTPUT_SVG:
		return graph_svg(a, out, g);
	}
	return -1;
}

static int write_out(const struct graph_options *o, const struct text *out)
{
	if (o->file)
		return file_write(o->file, text_str(out), out->n);
	fwrite(text_str(out), 1, out->n, stdout);
	return 0;
}

/* Lists what is unsupported and what has no type. Their number. */
static int list_problems(const struct onnx_problems *problems, const struct graph *g,
			 struct text *out)
{
	int n = problems->list.n + problems->more;

	for (int i = 0; i < problems->list.n; i++) {
		const struct onnx_problem *p = &problems->list.at[i];

		text_printf(out, "%s %s", p->op, *p->node ? p->node : "(no name)");
		if (p->opset)
			text_printf(out, ", operator set %d", p->opset);
		text_printf(out, ": %s\n", p->message);
	}
	if (problems->more)
		text_printf(out, "and %d more\n", problems->more);
	if (g)
		n += graph_untyped(out, g);
	if (n == 0)
		text_puts(out, "every operator is supported, every value has a type\n");
	return n;
}

static struct graph *open_source(struct arena *a, const struct graph_options *o,
				 struct onnx_problems *problems)
{
	struct onnx_options options = { .dims = o->dims.at, .ndims = o->dims.n,
					.problems = problems };

	if (!model_is(o->source)) {
		err_set("%s is no model: give an *.onnx, *.graph or *.json file", o->source);
		return NULL;
	}
	return o->after ? model_open(a, o->source, &options, NULL, o->after)
			: model_read(a, o->source, &options);
}

static int run_in(struct arena *a, const struct graph_options *o, struct text *out)
{
	struct onnx_problems problems = { .arena = a };
	const struct graph *g = open_source(a, o, o->check ? &problems : NULL);

	if (!g && problems.list.n == 0)
		return command_failed();
	int found = o->check ? list_problems(&problems, g, out) : 0;

	if (!o->check && print(a, o, g, out) < 0)
		return command_failed();
	if (write_out(o, out) < 0)
		return command_failed();
	return found ? EXIT_FAILED : EXIT_OK;
}

static int run(int argc, char **argv)
{
	struct graph_options o = { 0 };
	struct arena *a = arena_new();
	struct text out = { 0 };

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	int status = run_in(a, &o, &out);

	text_free(&out);
	arena_free(a);
	return status;
}

static void list_passes(struct text *out)
{
	text_puts(out, "read");
	for (int i = 0; pass_at(i); i++)
		text_printf(out, ", %s", pass_at(i)->name);
}

static const struct word words[] = {
	{ "SOURCE", "onnx graph json", false, NULL },
	{ "PASS", NULL, false, list_passes },
	{ 0 },
};

const struct command command_graph = {
	.name = "graph",
	.summary = "print what hone understands of a model",
	.argp = &argp,
	.words = words,
	.run = run,
};
