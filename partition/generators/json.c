/* SPDX-License-Identifier: Apache-2.0 */
/* partition/generators/json.c - the reference: a region as a graph in hone's JSON form, run by hone's
 * interpreter. For tests, and to begin from where a generator has code of its own to keep.
 *
 * In:   a region of any core operators.
 * Out:  an artifact that is a model to every command, constants and all; results as the interpreter's.
 * Holds: what is run was read from the artifact alone. It is not quick, and it allocates in runs. */
#include "include/hone_generator_read.h"

#include <jansson.h>

#include "base/err.h"
#include "graph/eval/interp.h"
#include "graph/ir/op.h"
#include "graph/text/text.h"
#include "partition/region_graph.h"

/* What an error calls the artifact. */
#define ARTIFACT "artifact"

struct json_region {
	struct arena *a;
	struct interp interp;
	const struct function *main;
	struct array **args;	/* by parameter; each run says where their elements are */
};

/* --- and text */

struct writer {
	void (*write)(void *sink, const void *bytes, size_t n);
	void *sink;
};

static int write_piece(const char *bytes, size_t n, void *writer)
{
	const struct writer *w = writer;

	w->write(w->sink, bytes, n);
	return 0;
}

static int compile(const struct hone_region *region,
		   void (*write)(void *sink, const void *bytes, size_t n), void *sink, char *why)
{
	struct writer w = { write, sink };
	struct arena *a = arena_new();
	const struct graph *g = region_graph(a, region);
	json_t *json = g ? graph_to_json(g, true) : NULL;
	int rc = g ? json_dump_callback(json, write_piece, &w, JSON_INDENT(1))
		   : hone_refuse(why, "%s", err_get());

	if (g && rc < 0)
		rc = hone_refuse(why, "the region cannot be written as JSON: no memory");
	json_decref(json);
	arena_free(a);
	return rc;
}

/* --- what was written is run */

/* The graph in ARTIFACT, in A; NULL and a message. */
static struct graph *read_artifact(struct arena *a, const void *artifact, size_t size)
{
	json_error_t error;
	json_t *json = json_loadb(artifact ? artifact : "", size, JSON_REJECT_DUPLICATES, &error);
	struct graph *g = json ? graph_from_json(a, ARTIFACT, json) : NULL;

	if (!json)
		err_set(ARTIFACT ":%d:%d: %s: it is not whole; have it compiled again", error.line,
			error.column, error.text);
	json_decref(json);
	return g;
}

/* Are all tensors that cross F's border of types that a run, which has pointers alone, can count on? */
static int check_border(const struct function *f)
{
	for (int i = 0; i < f->nparams; i++)
		if (!type_is_static(function_at(f, i)->type))
			return err_set(ARTIFACT ": parameter %d has no static type", i);
	for (int i = 0; i < f->nresults; i++)
		if (!type_is_static(function_at(f, f->results[i])->type))
			return err_set(ARTIFACT ": result %d has no static type", i);
	return 0;
}

static void release(void *handle)
{
	struct json_region *x = handle;

	interp_end(&x->interp);
	arena_free(x->a);
}

static int init(const struct hone_region *region, const void *artifact, size_t size, int threads,
		void **handle, char *why)
{
	struct arena *a = arena_new();
	struct graph *g = read_artifact(a, artifact, size);
	struct json_region *x = arena_one(a, struct json_region);

	(void)region, (void)threads;	/* the artifact says all, and the interpreter has one thread */
	if (!g || check_border(graph_main(g)) < 0) {
		arena_free(a);
		return hone_refuse(why, "%s", err_get());
	}
	*x = (struct json_region){ a, interp_begin(a, g, interp_usual_limits), graph_main(g), NULL };
	x->args = arena_many(a, struct array *, x->main->nparams);
	for (int i = 0; i < x->main->nparams; i++) {
		const struct type *t = function_at(x->main, i)->type;
		int64_t dim[GRAPH_MAX_RANK];

		type_shape(t, dim);
		x->args[i] = array_around(a, t->element, t->rank, dim, NULL);
	}
	*handle = x;
	return 0;
}

static int run(void *handle, const void *const *inputs, void *const *outputs, char *why)
{
	struct json_region *x = handle;
	struct value *args = values_new(x->main->nparams), all;

	for (int i = 0; i < x->main->nparams; i++) {
		/* No array of an arena is written to. */
		x->args[i]->data = (void *)(uintptr_t)inputs[i];
		args[i] = value_of_array(x->args[i]);
	}
	interp_again(&x->interp);
	int rc = interp_run(&x->interp, x->interp.graph->main, args, x->main->nparams, &all);

	free(args);
	if (rc < 0)
		return hone_refuse(why, "%s", err_get());
	for (int i = 0; i < x->main->nresults; i++) {
		const struct array *y = x->main->nresults == 1 ? all.array : all.items->at[i].array;

		memcpy(outputs[i], y->data, array_bytes(y));
	}
	value_release(all);
	return 0;
}

/* --- the interface */

static int claims(const struct hone_region *region, char *why)
{
	for (int i = 0; i < region->ntensors; i++)
		if (region->tensors[i].type == HONE_OTHER)
			return hone_refuse(why, "elements of a type that generators do not know");
	for (int i = 0; i < region->ncalls; i++)
		if (core_op_find(region->calls[i].op)->impure)
			return hone_refuse(why, "each run of it differs");
	return 0;
}

static const char *version(void)
{
	return "json 1";
}

__attribute__((visibility("default"))) const struct hone_generator hone_generator = {
	.abi = HONE_GENERATOR_ABI,
	.name = "json",
	.summary = "the reference: graphs in hone's JSON form, run by its interpreter",
	.patterns = (const struct hone_pattern[]){ { "any", "any" }, { NULL, NULL } },
	.grain = HONE_REGIONS,
	.version = version,
	.extension = "json",
	.claims = claims,
	.compile = compile,
	.init = init,
	.run = run,
	.release = release,
};
