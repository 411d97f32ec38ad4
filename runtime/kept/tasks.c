/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/kept/tasks.c - tasks, their choices and what storages came to, as JSON. */
#include "runtime/kept/form.h"
#include "runtime/objects.h"

/* --- writing */

/* [function, value, inputs...] */
static json_t *use_json(const struct model_use *u)
{
	json_t *out = json_pack("[i, i]", u->function, u->value);

	for (int i = 0; i < u->inputs.n; i++)
		json_array_append_new(out, json_integer(u->inputs.at[i]));
	return out;
}

static json_t *choice_json(const struct choice *c)
{
	return json_pack("{s:s, s:s*, s:I, s:s*, s:f, s:b, s:f}", "origin",
			 choice_origin_name(c->origin), "object", c->object, "replaces",
			 (json_int_t)c->replaces, "why", c->why, "time_us", c->time_us, "in_model",
			 c->in_model, "expected_us", c->expected_us);
}

static json_t *task_json(const struct model_task *t, const struct choice *c)
{
	char hex[HASH_TEXT];
	json_t *uses = json_array();

	for (int i = 0; i < t->uses.n; i++)
		json_array_append_new(uses, use_json(&t->uses.at[i]));
	return json_pack("{s:s, s:s, s:s*, s:s, s:f, s:o, s:o}", "op", t->op, "shape", t->shape,
			 "reason", t->reason, "key", hash_text(t->key, hex), "flop", t->flop,
			 "uses", uses, "choice", choice_json(c));
}

json_t *kept_tasks_json(const struct opened *m)
{
	json_t *out = json_array();
	bool whole = true;

	for (int i = 0; i < m->tasks->n; i++)
		whole &= json_array_append_new(out, task_json(&m->tasks->at[i], &m->choices[i])) == 0;
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

/* jansson has no const. */
static json_t *any(const json_t *json)
{
	return (json_t *)(uintptr_t)json;
}

static const char *copy(struct arena *a, const char *s)
{
	return s ? arena_strdup(a, s) : NULL;
}

static bool read_use(struct arena *a, const struct graph *g, const json_t *json,
		     struct model_use *out)
{
	size_t n = json_array_size(json);

	*out = (struct model_use){ 0 };
	if (n < 2)
		return false;
	out->function = (int)json_integer_value(json_array_get(json, 0));
	out->value = (int)json_integer_value(json_array_get(json, 1));
	if (out->function < 0 || out->function >= g->functions.n || out->value < 0 ||
	    out->value >= g->functions.at[out->function]->bindings.n)
		return false;
	for (size_t i = 2; i < n; i++)
		vec_push(a, &out->inputs, (int)json_integer_value(json_array_get(json, i)));
	return true;
}

static bool read_choice(struct arena *a, const json_t *json, int threads, struct choice *out)
{
	const char *origin, *object = NULL, *why = NULL;
	json_int_t replaces;
	int in_model;

	*out = (struct choice){ 0 };
	if (json_unpack(any(json), "{s:s, s?s, s:I, s?s, s:F, s:b, s:F}", "origin", &origin,
			"object", &object, "replaces", &replaces, "why", &why, "time_us",
			&out->time_us, "in_model", &in_model, "expected_us",
			&out->expected_us) < 0 ||
	    !choice_origin_parse(origin, &out->origin))
		return false;
	out->why = copy(a, why);
	out->replaces = (uint32_t)replaces;
	out->in_model = in_model;
	out->object = copy(a, object);
	if (out->origin == CHOICE_NONE)
		return true;
	/* One that cannot be loaded, such as another machine's, is made again. */
	return object && objects_find(object) && kernel_load(&out->kernel, out->object, threads) == 0;
}

static bool read_task(struct arena *a, const struct graph *g, const json_t *json, int threads,
		      struct model_task *out, struct choice *choice)
{
	const char *op, *shape, *reason = NULL, *key;
	json_t *uses, *of, *use;
	size_t i;

	*out = (struct model_task){ 0 };
	if (json_unpack(any(json), "{s:s, s:s, s?s, s:s, s:F, s:o, s:o}", "op", &op, "shape", &shape,
			"reason", &reason, "key", &key, "flop", &out->flop, "uses", &uses, "choice",
			&of) < 0 ||
	    !hash_parse(key, &out->key))
		return false;
	out->op = copy(a, op);
	out->shape = copy(a, shape);
	out->reason = copy(a, reason);
	json_array_foreach(uses, i, use) {
		struct model_use u;

		if (!read_use(a, g, use, &u))
			return false;
		vec_push(a, &out->uses, u);
	}
	out->weight = out->uses.n;
	return read_choice(a, of, threads, choice);
}

bool kept_tasks_read(struct arena *a, const json_t *json, const struct graph *g, int threads,
		     struct opened *out)
{
	struct model_task_vec *tasks = arena_one(a, struct model_task_vec);
	struct choice *choices = arena_many(a, struct choice, json_array_size(json));
	json_t *one;
	size_t i;

	json_array_foreach(any(json), i, one) {
		struct model_task t;

		if (!read_task(a, g, one, threads, &t, &choices[i]))
			return false;
		vec_push(a, tasks, t);
	}
	out->tasks = tasks;
	out->choices = choices;
	return json_is_array(json);
}

bool kept_images_read(const json_t *json, struct layout_choice *out)
{
	json_t *uniform;
	int exact;

	*out = (struct layout_choice){ 0 };
	if (json_unpack(any(json), "{s:F, s:F, s:b, s:o, s:F, s:i}", "us", &out->us, "bound", &out->bound,
			"exact", &exact, "uniform", &uniform, "greedy", &out->greedy_us,
			"alternatives", &out->alternatives) < 0 ||
	    json_array_size(uniform) != MANNER_COUNT)
		return false;
	out->exact = exact;
	for (int i = 0; i < MANNER_COUNT; i++)
		out->uniform_us[i] = json_number_value(json_array_get(uniform, (size_t)i));
	return true;
}
