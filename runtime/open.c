/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/open.c - the order of these calls is a model's way to its kernels. */
#include "runtime/open.h"

#include "base/err.h"
#include "graph/ir/known.h"
#include "graph/layout/space.h"
#include "graph/model.h"
#include "measure/device/calibration.h"
#include "partition/demand.h"
#include "runtime/kept/kept.h"
#include "runtime/kept/module.h"
#include "runtime/kernel/task_times.h"
#include "runtime/offload/alone.h"
#include "runtime/offload/demanded.h"

/* The device, with figures where kernels are to be guessed. */
static struct device *find_device(struct arena *a, const struct target *target)
{
	struct device *d = device_describe(a, NULL);

	if (d && target)
		d->target = target;
	return d && device_recall_or_probe(d) == 0 ? d : NULL;
}

/* O's model as it was read. A graph of the caller's is not changed: what is added to it is in a copy. */
static struct graph *read_model(struct arena *a, const struct open_options *o, const struct onnx_options *options)
{
	if (!o->graph)
		return model_read(a, o->model, options);
	struct graph *g = arena_memdup(a, o->graph, sizeof(*o->graph));

	g->arena = a;
	return g;
}

/* O's model behind all passes, cut where generators were asked for. -1 and a message. */
static int read(struct arena *a, const struct open_options *o, const struct choice_plan *plan,
		const struct onnx_options *options, struct task_times *times, struct opened *m)
{
	bool cut = plan->generators.regions.n > 0 && offers_policy(plan->offers) != OFFLOAD_NONE;
	struct graph *g = demanded_passes(a, read_model(a, o, options), &o->offload, task_times_costs(times),
					  cut ? OFFLOAD_AFTER : NULL);

	if (g && cut && offloaded_new(a, g, &plan->generators.regions, &o->offload,
				       plan->offers, plan->generators.kernels.n, plan->threads, &m->offloaded) < 0)
		return -1;
	m->graph = cut ? m->offloaded.graph : g;
	return g ? 0 : -1;
}

int open_graph(struct arena *a, struct graph *g, const struct choice_plan *plan, struct opened *out)
{
	struct model_task_vec *tasks = arena_one(a, struct model_task_vec);

	g->costs = NULL;		/* they end here */
	*tasks = graph_tasks(a, g);
	out->graph = g;
	out->tasks = tasks;
	out->choices = choose(a, g, tasks, plan, &out->built);
	return out->choices ? 0 : -1;
}

/* The graph for what the device can do, and its kernels. */
static int prepare(struct arena *a, const struct open_options *o, const struct choice_plan *plan,
		   struct onnx_files *files, struct opened *m)
{
	struct onnx_options options = { .dims = o->dims, .ndims = o->ndims, .files = files };
	struct task_times times = { .db = plan->db, .device = plan->device, .now = plan->now,
				   .threads = plan->threads, .exact = plan->exact,
				   .offers = offers_in_use(plan->offers) };

	if (read(a, o, plan, &options, &times, m) < 0)
		return -1;
	m->images = times.images;
	if (open_graph(a, m->graph, plan, m) < 0)
		return -1;
	return times.offers ? demanded_check(m, plan) : 0;
}

/* What kernels are chosen by, but for the database. */
static int find_plan(struct arena *a, const struct open_options *o, struct choice_plan *out)
{
	struct device *device = find_device(a, o->target);

	if (!device)
		return -1;
	*out = (struct choice_plan){
		.device = device, .now = calibration_of(device),
		.threads = o->threads ? o->threads : device->threads, .exact = o->exact,
	};
	/* Which peak a probe saw, on a busy day or bound to one core, decides what a record's time is
	 * worth; its kernel is better than a guess in any case. */
	out->now.peak[0] = 0;
	return 0;
}

static int add_db(const struct open_options *o, struct choice_plan *plan)
{
	if (o->db && !(plan->db = db_open(o->db, o->offers_to_db ? DB_WRITE : DB_READ)))
		return -1;
	if (plan->db)
		db_listen(plan->db, &o->listener);
	return 0;
}

/* What tells models apart whose plans are compared: their tasks as the rules of fusion have them, and what is
 * DEMANDED. */
static struct hash128 key_of(const struct model_task_vec *tasks, struct hash128 demanded)
{
	struct hasher *h = hasher_new();

	if (!hash_equal(demanded, (struct hash128){ 0 }))
		hasher_bytes(h, &demanded, sizeof(demanded));

	for (int i = 0; i < tasks->n; i++) {
		hasher_bytes(h, &tasks->at[i].key, sizeof(tasks->at[i].key));
		hasher_int(h, tasks->at[i].weight);
	}
	return hasher_end(h);
}

/* Adds those of MORE that TASKS does not have. */
static void add_new(struct arena *a, struct model_task_vec *tasks, const struct model_task_vec *more)
{
	struct known_calls seen = { 0 };

	for (int i = 0; i < tasks->n; i++)
		known_at(a, &seen, tasks->at[i].key, i);
	for (int i = 0; i < more->n; i++)
		if (*known_at(a, &seen, more->at[i].key, tasks->n) == tasks->n)
			vec_push(a, tasks, more->at[i]);
}

/* All tasks that O's model may come down to, in whatever storages; in A. NULL and a message. */
static const struct model_task_vec *find_tasks(struct arena *a, const struct open_options *o,
					       const struct choice_plan *plan, struct hash128 *key, bool *forced)
{
	struct onnx_options options = { .dims = o->dims, .ndims = o->ndims };
	const struct backend_vec all = offload_generators_all(a, &plan->generators);
	const struct graph *g = demanded_passes(a, read_model(a, o, &options), &o->offload, NULL, "fuse");
	struct model_task_vec *tasks = arena_one(a, struct model_task_vec);

	if (!g || demands_check_names(g, all.at, all.n) < 0)
		return NULL;
	const struct layout_space *x = layout_space_new(a, g, target_lanes(plan->device->target, sizeof(float)));

	*tasks = graph_tasks(a, g);
	*key = key_of(tasks, demanded_key(g, forced));
	add_new(a, tasks, &x->tasks);
	return tasks;
}

/* What PLAN's generators take for TASKS, measured where nobody knows. -1 and a message. */
static int measure_offers(struct arena *a, const struct open_options *o, const struct model_task_vec *tasks,
			  bool forced, struct choice_plan *plan)
{
	struct offers_options *options = arena_one(a, struct offers_options);
	const struct backend_vec all = offload_generators_all(a, &plan->generators);

	*options = (struct offers_options){
		.backends = all.at, .n = all.n, .db = o->db,
		.writes = o->offers_to_db, .device = plan->device, .now = plan->now, .threads = plan->threads,
		.fall_back = o->offload.fall_back,
	};
	plan->offers = offers_new(a, options);
	if (!plan->offers || offers_measure(plan->offers, tasks, &o->listener) < 0)
		return -1;
	offers_set_model(plan->offers, plan->model_key, forced);
	offers_set_policy(plan->offers, offers_fastest_policy(plan->offers, plan->model_key));
	return 0;
}

/* What is known of PLAN's generators. *PLACE (PLACE may be NULL), where the next start will look for what this one
 * makes, is another where something was measured now; what decides is then read again, so that it is nothing but
 * what *PLACE tells of. */
static int find_offers(struct arena *a, const struct open_options *o, struct choice_plan *plan, const char **place)
{
	bool forced;

	if (o->offload.nbackends == 0)
		return 0;
	const struct model_task_vec *tasks = find_tasks(a, o, plan, &plan->model_key, &forced);

	if (!tasks || measure_offers(a, o, tasks, forced, plan) < 0)
		return -1;
	const char *now = place && *place ? kept_place(a, o, plan) : NULL;
	bool same = !now || strcmp(now, *place) == 0;

	if (place)
		*place = now;
	return same ? 0 : measure_offers(a, o, tasks, forced, plan);
}

int open_offers(struct arena *a, const struct open_options *o, struct choice_plan *plan)
{
	return offload_generators_load(a, &o->offload, &plan->generators) < 0 ? -1 : find_offers(a, o, plan, NULL);
}

int open_plan(struct arena *a, const struct open_options *o, struct choice_plan *out)
{
	if (find_plan(a, o, out) < 0 || open_offers(a, o, out) < 0)
		return -1;
	return add_db(o, out);
}

int open_choices(struct arena *a, const struct open_options *o, const struct choice_plan *plan,
		 struct opened *out)
{
	struct onnx_files files = { .arena = a };

	*out = (struct opened){ 0 };
	return prepare(a, o, plan, &files, out);
}

/* Of what generators compiled nothing is needed from here on. */
static void forget_artifacts(const struct opened *m)
{
	for (int i = 0; i < m->tasks->n; i++)
		for (int k = 0; k < m->choices[i].nforeign; k++)
			foreign_forget(m->choices[i].foreign[k].foreign);
	for (int i = 0; i < m->offloaded.cut.regions.n; i++)
		foreign_forget(m->offloaded.ready[i]);
}

/* Makes *OUT but for its code, and keeps it at PLACE unless that is NULL. */
static int make(struct arena *a, const struct open_options *o, struct choice_plan *plan,
		const char *place, struct opened *out)
{
	struct onnx_files files = { .arena = a };

	if (find_offers(a, o, plan, &place) < 0 || add_db(o, plan) < 0)
		return -1;
	int rc = prepare(a, o, plan, &files, out);

	db_close(plan->db);
	if (rc == 0 && place)
		kept_write(place, &files, out);
	if (rc == 0 && o->module)
		rc = module_write(o->module, plan, out);
	if (rc == 0 && o->recall)
		forget_artifacts(out);
	return rc;
}

/* Opens O's model, which is no module, but for its code. */
static int open_file(struct arena *a, const struct open_options *o, struct opened *out)
{
	struct choice_plan plan;

	if (find_plan(a, o, &plan) < 0 || offload_generators_load(a, &o->offload, &plan.generators) < 0)
		return -1;
	const char *place = o->recall ? kept_place(a, o, &plan) : NULL;

	return place && kept_recall(a, place, o, &plan, out) ? 0 : make(a, o, &plan, place, out);
}

int open_model(struct arena *a, const struct open_options *o, struct opened *out)
{
	*out = (struct opened){ 0 };
	if ((!o->graph && module_is(o->model) ? module_open : open_file)(a, o, out) < 0)
		return -1;
	out->code = model_code_new(a, out->graph, out->tasks, out->choices,
				   out->offloaded.foreign);
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
