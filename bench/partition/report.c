/* SPDX-License-Identifier: Apache-2.0 */
/* bench/partition/report.c - the tables as one object. */
#include "bench/partition/tables.h"
#include "tools/json.h"
#include "tools/partition/plans.h"

static json_t *names_json(const struct partition_set *s)
{
	json_t *out = json_array();

	for (int i = 0; i < s->n; i++)
		json_array_append_new(out, json_label(s->backends[i]));
	return out;
}

static json_t *entry_json(const struct partition_set *s, const struct partition_entry *e, bool narrow)
{
	json_t *out = e->json ? e->json : json_object();

	json_object_set_new(out, "with", names_json(s));
	json_object_set_new(out, "why", json_label(e->why));
	if (!e->why)
		json_object_set_new(out, "with_f32", narrow ? plan_comparison_json(&e->with_f32) : json_null());
	return out;
}

static json_t *model_json(const struct partition_report *r, const struct partition_model *m)
{
	json_t *entries = json_array();

	for (int i = 0; !m->why && i < r->sets.n; i++)
		json_array_append_new(entries, entry_json(&r->sets.at[i], &m->entries[i], m->as != ELEMENT_F32));
	return json_pack("{s:o, s:s, s:o, s:o}", "model", json_label(m->model), "as", element_name(m->as), "why",
			 json_label(m->why), "entries", entries);
}

static json_t *mean_json(const struct partition_report *r, enum element as, int set)
{
	const struct partition_mean m = partition_mean_of(&r->models, as, set);
	bool predicted = m.predicted == m.models;

	return json_pack("{s:o, s:s, s:i, s:o, s:o, s:o, s:o, s:o}", "with", names_json(&r->sets.at[set]), "as",
			 element_name(as), "models", m.models, "over_f32",
			 json_positive(as == ELEMENT_F32 ? 0 : m.over_f32), "over_host", json_positive(m.over_host), "over_all", json_positive(m.over_all),
			 "predicted_over_host", json_positive(predicted ? m.predicted_over_host : 0),
			 "predicted_over_all", json_positive(predicted ? m.predicted_over_all : 0));
}

static json_t *generator_json(const struct partition_generator *g)
{
	return json_pack("{s:s, s:o, s:o, s:o}", "name", g->name, "configuration", json_label(g->text), "version",
			 json_label(g->version), "lines", json_count(g->lines));
}

json_t *partition_report_json(const struct partition_report *r)
{
	json_t *models = json_array(), *means = json_array(), *generators = json_array();

	for (int i = 0; i < r->models.n; i++)
		json_array_append_new(models, model_json(r, &r->models.at[i]));
	for (int t = 0; t < r->types.n; t++)
		for (int i = 0; i < r->sets.n; i++)
			json_array_append_new(means, mean_json(r, r->types.at[t], i));
	for (int i = 0; i < r->generators.n; i++)
		json_array_append_new(generators, generator_json(&r->generators.at[i]));
	return json_pack("{s:i, s:o, s:o, s:o}", "threads", r->threads, "models", models, "means", means, "generators",
			 generators);
}
