/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/open.c - the order of these calls is a model's way to its kernels. */
#include "runtime/open.h"

#include "base/err.h"
#include "graph/model.h"
#include "measure/calibration.h"

/* The device, with figures where kernels are to be guessed. */
static struct device *find_device(struct arena *a)
{
	struct device *d = device_describe(a, NULL);

	return d && device_recall_or_probe(d) == 0 ? d : NULL;
}

static int choose_kernels(struct arena *a, const struct open_options *o, struct opened *m)
{
	struct device *device = find_device(a);
	struct db *db = NULL;

	if (!device || (o->db && !(db = db_open(o->db, DB_READ))))
		return -1;
	if (db)
		db_listen(db, &o->listener);
	struct choice_plan plan = {
		.db = db, .device = device, .now = calibration_of(device),
		.threads = o->threads ? o->threads : device->threads,
		.recall = o->recall,
	};

	m->choices = choose(a, m->tasks, &plan, &m->built);
	db_close(db);
	return m->choices ? 0 : -1;
}

int open_model(struct arena *a, const struct open_options *o, struct opened *out)
{
	struct onnx_options options = { .dims = o->dims, .ndims = o->ndims };
	struct model_task_vec *tasks = arena_one(a, struct model_task_vec);

	*out = (struct opened){ .tasks = tasks };
	out->graph = model_open(a, o->model, &options, NULL);
	if (!out->graph)
		return -1;
	*tasks = graph_tasks(a, out->graph);
	if (choose_kernels(a, o, out) < 0)
		return -1;
	out->code = model_code_new(a, out->graph, tasks, out->choices);
	return 0;
}

int open_argument(const struct binding *param, struct value v)
{
	struct arena *a = arena_new();
	const struct type *given = value_type(a, v);
	int rc = 0;

	if (v.kind != VALUE_EMPTY && !type_fits(given, param->type))
		rc = err_set("input '%s' is %s, the model wants %s", param->name,
			     type_string(a, given), type_string(a, param->type));
	arena_free(a);
	return rc;
}
