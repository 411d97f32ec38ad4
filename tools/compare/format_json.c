/* SPDX-License-Identifier: Apache-2.0 */
/* tools/compare/format_json.c - for programs; docs/json.md. */
#include "tools/compare/compare.h"
#include "tools/json.h"

static json_t *row_json(const struct compare_row *r)
{
	const struct db_record *x = &r->side[0].record, *y = &r->side[1].record;

	return json_pack("{s:s, s:o, s:i, s:s, s:f, s:f, s:f, s:f, s:f, s:s, s:i, s:b, s:b, s:s}", "task",
			 y->task_key, "name", json_label(r->side[1].name), "threads", y->threads,
			 "cache", y->cache, "before_us", x->time_us, "now_us", y->time_us, "ratio",
			 r->with.ratio, "low", r->with.low, "high", r->with.high, "verdict",
			 verdict_name(r->with.verdict), "samples", r->with.pairs, "calibrated",
			 r->calibrated, "again", r->again, "caveat", r->caveat);
}

static json_t *alone_json(const struct side_kernel_vec *v)
{
	json_t *all = json_array();

	for (int i = 0; i < v->n; i++)
		json_array_append_new(all, json_pack("{s:s, s:o, s:i, s:s, s:f}", "task", v->at[i].record.task_key,
						     "name", json_label(v->at[i].name), "threads",
						     v->at[i].record.threads, "cache", v->at[i].record.cache,
						     "time_us", v->at[i].record.time_us));
	return all;
}

static void print(const struct compare_table *t)
{
	json_t *rows = json_array();

	for (int i = 0; i < t->rows.n; i++)
		json_array_append_new(rows, row_json(&t->rows.at[i]));
	json_print(json_pack("{s:o, s:o, s:f, s:o, s:{s:f, s:f, s:f, s:s}, s:i, s:o, s:o}", "before",
			     json_label(t->options->side[0].name), "now", json_label(t->options->side[1].name),
			     "margin", t->options->margin, "tasks", rows, "mean", "ratio", t->mean.ratio, "low",
			     t->mean.low, "high", t->mean.high, "verdict", verdict_name(t->mean.verdict), "slower",
			     t->slower, "before_alone", alone_json(&t->alone[0]), "now_alone",
			     alone_json(&t->alone[1])));
}

const struct compare_format compare_format_json = { "json", print };
