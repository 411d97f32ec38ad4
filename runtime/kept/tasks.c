/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/kept/tasks.c - tasks, their choices and what storages came to, as JSON. */
#include "runtime/kept/form.h"
#include "runtime/kernel/objects.h"

/* Of a shared object, more than any kernel has. */
#define MOST_OBJECT ((size_t)1 << 30)

/* --- writing */

/* [function, value, inputs...] */
static json_t *use_json(const struct model_use *u)
{
	json_t *out = json_pack("[i, i]", u->function, u->value);

	for (int i = 0; i < u->inputs.n; i++)
		json_array_append_new(out, json_integer(u->inputs.at[i]));
	return out;
}

/* Its object: a path, or the bytes of it. NULL: it has none, or cannot be read. */
static json_t *object_json(struct kept_writer *k, const struct choice *c)
{
	struct arena *a = arena_new();
	size_t bytes;
	json_t *out = NULL;

	if (c->object && kept_is_module(k)) {
		const void *data = file_map(a, c->object, MOST_OBJECT, &bytes);

		out = data ? kept_bytes_json(k, data, bytes) : NULL;
	} else if (c->object) {
		out = json_string(c->object);
	}
	arena_free(a);
	return out;
}

static json_t *choice_json(struct kept_writer *k, const struct choice *c)
{
	json_t *out = json_pack("{s:s, s:I, s:s*, s:f, s:b, s:f, s:f, s:b, s:s*}", "origin",
				choice_origin_name(c->origin), "replaces", (json_int_t)c->replaces, "why", c->why,
				"time_us", c->time_us, "in_model", (int)c->in_model, "expected_us", c->expected_us,
				"foreign_us", c->foreign_us, "foreign_in_model", (int)c->foreign_in_model,
				"foreign_why", c->foreign_why);
	bool whole = !c->object || json_object_set_new(out, "object", object_json(k, c)) == 0;

	return kept_whole(out, whole);
}

static json_t *task_json(struct kept_writer *k, const struct model_task *t, const struct choice *c)
{
	char hex[HASH_TEXT];
	json_t *uses = json_array();

	for (int i = 0; i < t->uses.n; i++)
		json_array_append_new(uses, use_json(&t->uses.at[i]));
	return json_pack("{s:s, s:s, s:s*, s:s, s:f, s:o, s:o}", "op", t->op, "shape", t->shape,
			 "reason", t->reason, "key", hash_text(t->key, hex), "flop", t->flop,
			 "uses", uses, "choice", choice_json(k, c));
}

json_t *kept_tasks_json(struct kept_writer *k, const struct opened *m)
{
	json_t *out = json_array();
	bool whole = true;

	for (int i = 0; i < m->tasks->n; i++)
		whole &= json_array_append_new(out, task_json(k, &m->tasks->at[i], &m->choices[i])) == 0;
	return kept_whole(out, whole);
}

json_t *kept_images_json(const struct layout_choice *c)
{
	json_t *uniform = json_array();

	for (int i = 0; i < MANNER_COUNT; i++)
		json_array_append_new(uniform, json_real(c->uniform_us[i]));
	return json_pack("{s:f, s:f, s:b, s:o, s:f, s:i}", "us", c->us, "bound", c->bound, "exact",
			 c->exact, "uniform", uniform, "greedy", c->greedy_us, "alternatives",
			 c->alternatives);
}

/* --- reading */

static const char *copy(struct arena *a, const char *s)
{
	return s ? arena_strdup(a, s) : NULL;
}

static int read_use(const struct kept_reader *r, const json_t *json, struct model_use *out)
{
	const struct graph *g = r->out->graph;
	size_t n = json_array_size(json);

	*out = (struct model_use){ 0 };
	if (n < 2)
		return kept_bad(r, "tasks");
	out->function = (int)json_integer_value(json_array_get(json, 0));
	out->value = (int)json_integer_value(json_array_get(json, 1));
	if (out->function < 0 || out->function >= g->functions.n || out->value < 0 ||
	    out->value >= g->functions.at[out->function]->bindings.n)
		return kept_bad(r, "tasks");
	for (size_t i = 2; i < n; i++)
		vec_push(r->a, &out->inputs, (int)json_integer_value(json_array_get(json, i)));
	return 0;
}

/* The object out of the file, as one of its own for as long as that is read; NULL and a message. */
static const char *extract(struct kept_reader *r, const json_t *json)
{
	const void *data;
	size_t bytes;

	if (!r->folder && !(r->folder = dir_temp(r->a)))
		return NULL;
	/* A path of its own for each: the loader takes what it has loaded from a path for what is there. */
	const char *path = arena_printf(r->a, "%s/%jd.so", r->folder,
					(intmax_t)json_integer_value(json_array_get(json, 0)));

	return kept_bytes_read(r, json, &data, &bytes) < 0 || file_write(path, data, bytes) < 0 ? NULL : path;
}

/* One that cannot be loaded, such as another machine's, is made again. */
static int load(struct kept_reader *r, const json_t *object, struct choice *out)
{
	if (json_is_array(object)) {
		const char *path = extract(r, object);

		return path ? kernel_load(&out->kernel, path, r->with->threads) : -1;
	}
	out->object = copy(r->a, json_string_value(object));
	if (!out->object || !objects_find(out->object))
		return kept_bad(r, "kernels");
	return kernel_load(&out->kernel, out->object, r->with->threads);
}

static int read_choice(struct kept_reader *r, const json_t *json, struct choice *out)
{
	const char *origin, *why = NULL, *foreign_why = NULL;
	json_int_t replaces;
	int in_model, foreign_in_model;

	*out = (struct choice){ 0 };
	if (json_unpack(kept_any(json), "{s:s, s:I, s?s, s:F, s:b, s:F, s:F, s:b, s?s}", "origin", &origin,
			"replaces", &replaces, "why", &why, "time_us", &out->time_us, "in_model", &in_model,
			"expected_us", &out->expected_us, "foreign_us", &out->foreign_us, "foreign_in_model",
			&foreign_in_model, "foreign_why", &foreign_why) < 0 ||
	    !choice_origin_parse(origin, &out->origin))
		return kept_bad(r, "kernels");
	out->why = copy(r->a, why);
	out->replaces = (uint32_t)replaces;
	out->in_model = in_model;
	out->foreign_in_model = foreign_in_model;
	out->foreign_why = copy(r->a, foreign_why);
	if (out->origin == CHOICE_NONE || out->origin == CHOICE_GENERATOR)
		return 0;
	return load(r, json_object_get(json, "object"), out);
}

static int read_task(struct kept_reader *r, const json_t *json, struct model_task *out, struct choice *choice)
{
	const char *op, *shape, *reason = NULL, *key;
	json_t *uses, *of, *use;
	size_t i;

	*out = (struct model_task){ 0 };
	if (json_unpack(kept_any(json), "{s:s, s:s, s?s, s:s, s:F, s:o, s:o}", "op", &op, "shape", &shape,
			"reason", &reason, "key", &key, "flop", &out->flop, "uses", &uses, "choice",
			&of) < 0 ||
	    !hash_parse(key, &out->key))
		return kept_bad(r, "tasks");
	out->op = copy(r->a, op);
	out->shape = copy(r->a, shape);
	out->reason = copy(r->a, reason);
	if (read_choice(r, of, choice) < 0)
		return -1;
	json_array_foreach(uses, i, use) {
		struct model_use u;

		if (read_use(r, use, &u) < 0)
			return -1;
		if (choice->origin != CHOICE_NONE && !kept_applies(r, u.function, u.value))
			return kept_bad(r, "kernels");
		vec_push(r->a, &out->uses, u);
	}
	out->weight = out->uses.n;
	return 0;
}

int kept_tasks_read(struct kept_reader *r, const json_t *json)
{
	struct model_task_vec *tasks = arena_one(r->a, struct model_task_vec);
	json_t *one;
	size_t i;

	r->choices = arena_many(r->a, struct choice, json_array_size(json));
	json_array_foreach(kept_any(json), i, one) {
		struct model_task t;

		if (read_task(r, one, &t, &r->choices[i]) < 0)
			return -1;
		vec_push(r->a, tasks, t);
	}
	r->out->tasks = tasks;
	r->out->choices = r->choices;
	return json_is_array(json) ? 0 : kept_bad(r, "tasks");
}

int kept_images_read(struct kept_reader *r, const json_t *json)
{
	struct layout_choice *out = &r->out->images;
	json_t *uniform;
	int exact;

	if (json_unpack(kept_any(json), "{s:F, s:F, s:b, s:o, s:F, s:i}", "us", &out->us, "bound", &out->bound,
			"exact", &exact, "uniform", &uniform, "greedy", &out->greedy_us,
			"alternatives", &out->alternatives) < 0 ||
	    json_array_size(uniform) != MANNER_COUNT)
		return kept_bad(r, "storages");
	out->exact = exact;
	for (int i = 0; i < MANNER_COUNT; i++)
		out->uniform_us[i] = json_number_value(json_array_get(uniform, (size_t)i));
	return 0;
}
