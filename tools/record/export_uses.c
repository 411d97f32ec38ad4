/* SPDX-License-Identifier: Apache-2.0 */
/* tools/record/export_uses.c - nodes and weights of a model's kernels. */
#include "tools/record/export_uses.h"

#include "base/err.h"
#include "base/file.h"
#include "graph/model.h"
#include "graph/task/task.h"
#include "graph/task/variant.h"
#include "runtime/values/npy.h"
#include "te/eval.h"
#include "tools/json.h"

struct model_uses {
	const struct graph *graph;
	struct model_task_vec tasks;
};

struct model_uses *uses_open(struct arena *a, const char *source, const struct kernel_costs *costs,
			     struct onnx_files *files)
{
	struct model_uses *u = arena_one(a, struct model_uses);

	u->graph = model_open(a, source, &(struct onnx_options){ .files = files }, costs, NULL);
	if (!u->graph)
		return NULL;
	u->tasks = graph_tasks(a, u->graph);
	return u;
}

static const struct model_task *find_task(const struct model_uses *u, const char *key)
{
	for (int i = 0; i < u->tasks.n; i++) {
		char hex[HASH_TEXT];

		if (u->tasks.at[i].dag && strcmp(hash_text(u->tasks.at[i].key, hex), key) == 0)
			return &u->tasks.at[i];
	}
	return NULL;
}

/* The labels of the nodes that the function applied there was made of. */
static json_t *nodes_json(const struct model_uses *u, const struct model_use *use)
{
	const struct function *f = u->graph->functions.at[use->function];
	const int64_t *stored;
	const struct function *fused = variant_plain(
		u->graph, u->graph->functions.at[function_at(f, use->value)->function], &stored);
	json_t *nodes = json_array();
	const char *last = "";

	for (int i = fused->nparams; i < fused->bindings.n; i++) {
		const struct binding *b = &fused->bindings.at[i];

		if (b->kind != BIND_CALL || strcmp(b->origin->label, last) == 0)
			continue;
		last = b->origin->label;
		json_array_append_new(nodes, json_label(b->origin->label));
	}
	return nodes;
}

/* X in the shape that the kernel's input OP has, as the file NAME of DIR. */
static int write_weight(struct arena *a, const char *dir, const char *name, const struct op *op,
			const struct array *x)
{
	const struct tensor *t = &op->tensor;
	const struct array *as = x;

	if (t->ndim <= GRAPH_MAX_RANK && shape_count(t->ndim, t->shape) == x->count)
		as = array_around(a, x->element, t->ndim, t->shape, x->data);
	return npy_write(arena_printf(a, "%s/%s", dir, name), as);
}

/* The weights of USE as an array of files; NULL and a message. */
static json_t *weights_json(struct arena *a, const struct model_uses *u,
			    const struct model_task *t, const struct model_use *use,
			    const char *dir, const char *stem)
{
	const struct function *f = u->graph->functions.at[use->function];
	json_t *weights = json_array();

	for (int i = 0; i < use->inputs.n; i++) {
		const struct array *x = function_const(f, use->inputs.at[i]);
		const struct op *op = dag_arg_op(t->dag, i);
		const char *name = arena_printf(a, "weights/%s_%s.npy", stem, op->tensor.name);

		if (!x)
			continue;
		if (write_weight(a, dir, name, op, x) < 0) {
			json_decref(weights);
			return NULL;
		}
		json_array_append_new(weights, json_pack("{s:i, s:s}", "argument", i, "file", name));
	}
	return weights;
}

json_t *uses_write(struct arena *a, const struct model_uses *u, const char *key, const char *dir,
		   const char *symbol)
{
	const struct model_task *t = find_task(u, key);
	json_t *uses = json_array();

	if (dir_make(arena_printf(a, "%s/weights", dir)) < 0)
		goto failed;
	for (int i = 0; t && i < t->uses.n; i++) {
		const struct model_use *use = &t->uses.at[i];
		json_t *weights = weights_json(a, u, t, use, dir,
					       arena_printf(a, "%s_%d", symbol, i));

		if (!weights)
			goto failed;
		json_array_append_new(uses, json_pack("{s:o, s:o}", "nodes", nodes_json(u, use),
						      "weights", weights));
	}
	return uses;
failed:
	json_decref(uses);
	return NULL;
}
