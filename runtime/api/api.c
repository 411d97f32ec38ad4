/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/api/api.c - the models of include/hone.h. */
#include "config.h"

#include "base/err.h"
#include "include/hone_graph.h"
#include "runtime/api/api.h"

const char *hone_version(void)
{
	return PACKAGE_VERSION;
}

const char *hone_error(void)
{
	return err_get();
}

/* What is known of the value NAME of type T. */
static struct hone_tensor describe(struct arena *a, const char *name, const struct type *t)
{
	struct hone_tensor out = { .name = name, .ndim = -1 };

	if (!type_is_tensor(t))
		return out;
	if (t->element != ELEMENT_COUNT)
		out.type = dlpack_type(t->element);
	if (!type_is_ranked(t))
		return out;
	int64_t *shape = arena_many(a, int64_t, t->rank);

	for (int i = 0; i < t->rank; i++)
		shape[i] = dim_is_number(t->dim[i]) ? t->dim[i].n : -1;
	out.ndim = t->rank;
	out.shape = shape;
	return out;
}

static void describe_all(struct hone_model *m)
{
	const struct function *main = graph_main(m->opened.graph);

	m->inputs = arena_many(m->arena, struct hone_tensor, main->nparams);
	m->outputs = arena_many(m->arena, struct hone_tensor, main->nresults);
	for (int i = 0; i < main->nparams; i++) {
		const struct binding *b = function_at(main, i);

		m->inputs[i] = describe(m->arena, b->name, b->type);
	}
	for (int i = 0; i < main->nresults; i++) {
		const struct binding *b = function_at(main, main->results[i]);

		m->outputs[i] = describe(m->arena, b->name, b->type);
	}
}

/* Hands what is told of records on to the caller of the library. */
static void hear(void *user, const struct tell *t)
{
	const struct hone_options *o = user;

	if (t->kind == TELL_WARNING && o->warn)
		o->warn(o->user, t->line);
}

static int check_options(const struct hone_options *o)
{
	if (o->threads < 0 || o->threads > DEVICE_MAX_THREADS)
		return api_fail(HONE_INVALID, "threads: %d, where at most %d are", o->threads,
				DEVICE_MAX_THREADS);
	if (o->ndims < 0 || (o->ndims > 0 && !o->dims))
		return api_fail(HONE_INVALID, "ndims: %d is not how many dims there are", o->ndims);
	for (int i = 0; i < o->ndims; i++)
		if (!o->dims[i].name || o->dims[i].size < 0)
			return api_fail(HONE_INVALID, "dims[%d] has no name, or a negative size", i);
	return HONE_OK;
}

static int open_in(struct hone_model *m, const char *path, const struct graph *graph, struct hone_options o)
{
	struct onnx_dim *dims = arena_many(m->arena, struct onnx_dim, o.ndims);

	for (int i = 0; i < o.ndims; i++)
		dims[i] = (struct onnx_dim){ o.dims[i].name, o.dims[i].size };
	const struct open_options options = {
		.model = path,
		.graph = graph,
		.db = o.db,
		.threads = o.threads,
		.dims = dims,
		.ndims = o.ndims,
		.listener = { hear, &o },
		.recall = true,
	};

	if (open_model(m->arena, &options, &m->opened) < 0)
		return HONE_FAILED;
	describe_all(m);
	return HONE_OK;
}

int api_open(const char *path, struct hone_graph *holder, const struct graph *graph,
	     const struct hone_options *options, struct hone_model **model)
{
	const struct hone_options usual = { 0 };
	struct arena *a = arena_new();
	struct hone_model *m = arena_one(a, struct hone_model);

	m->arena = a;
	m->from = holder;
	if (!options)
		options = &usual;
	int rc = check_options(options);

	if (rc == HONE_OK)
		rc = open_in(m, path, graph, *options);
	if (rc < 0)
		hone_close(m);
	else
		*model = m;
	return rc;
}

int hone_open(const char *path, const struct hone_options *options, struct hone_model **model)
{
	if (!model)
		return api_fail(HONE_INVALID, "hone_open: where to put the model?");
	*model = NULL;
	return path ? api_open(path, NULL, NULL, options, model) : api_fail(HONE_INVALID, "hone_open: which model?");
}

void hone_close(struct hone_model *model)
{
	if (!model)
		return;
	struct hone_graph *from = model->from;

	arena_free(model->arena);
	hone_graph_free(from);
}

int hone_input_count(const struct hone_model *model)
{
	return graph_main(model->opened.graph)->nparams;
}

int hone_output_count(const struct hone_model *model)
{
	return graph_main(model->opened.graph)->nresults;
}

static int pick(const struct hone_tensor *all, int n, int index, const char *what,
		struct hone_tensor *out)
{
	if (index < 0 || index >= n)
		return api_fail(HONE_INVALID, "%s %d: the model has %d", what, index, n);
	*out = all[index];
	return HONE_OK;
}

int hone_input(const struct hone_model *model, int index, struct hone_tensor *tensor)
{
	return pick(model->inputs, hone_input_count(model), index, "input", tensor);
}

int hone_output(const struct hone_model *model, int index, struct hone_tensor *tensor)
{
	return pick(model->outputs, hone_output_count(model), index, "output", tensor);
}
