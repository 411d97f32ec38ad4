/* SPDX-License-Identifier: Apache-2.0 */
/* tools/compare/format_json.c - for programs; docs/json.md. */
#include "tools/compare/compare.h"
#include "tools/json.h"

/* Adds what C says to the object TO, which is handed on. */
static json_t *with_comparison(json_t *to, const struct comparison *c)
{
	json_object_update_new(to, json_pack("{s:f, s:f, s:f, s:b, s:f, s:s}", "ratio", c->ratio, "low", c->low, "high",
					     c->high, "bounded", c->bounded, "p", c->p, "verdict",
					     verdict_name(c->verdict)));
	return to;
}

/* Where a kernel is from. */
static json_t *record_json(const struct db_record *r)
{
	return json_pack("{s:s, s:s, s:s?, s:o, s:b, s:b, s:b}", "device", r->fingerprint, "toolchain",
			 r->toolchain_text, "hone", r->hone, "campaign", json_count(r->campaign), "confirmed", r->final,
			 "imported", r->imported, "estimate", r->estimate);
}

static json_t *row_json(struct arena *a, const struct compare_table *t, const struct compare_row *r)
{
	const struct db_record *x = &r->side[BEFORE].record, *y = &r->side[NOW].record;
	json_t *row = json_pack("{s:s, s:o, s:i, s:s, s:f, s:f, s:i, s:b, s:b, s:b, s:b, s:s?, s:o, s:o, s:o}", "task", y->task_key,
				"name", json_label(r->side[NOW].name), "threads", y->threads, "cache", y->cache,
				"before_us", x->time_us, "now_us", y->time_us, "samples", r->with.pairs, "calibrated",
				r->calibrated, "sound", r->sound, "same_kernel", r->same, "again", r->again, "was", r->again ? verdict_name(r->was) : NULL,
				"before", record_json(x), "now", record_json(y), "caveat",
				json_label(compare_note(a, t, r)));

	return with_comparison(row, &r->with);
}

static json_t *alone_json(const struct compare_alone_vec *v)
{
	json_t *all = json_array();

	for (int i = 0; i < v->n; i++) {
		const struct compare_alone *one = &v->at[i];
		const struct db_record *r = &one->kernel.record;

		json_array_append_new(all, json_pack("{s:s, s:o, s:i, s:s, s:f, s:b, s:o, s:o}", "task", r->task_key,
						     "name", json_label(one->kernel.name), "threads", r->threads,
						     "cache", r->cache, "time_us", r->time_us, "withheld",
						     one->withheld, "record", record_json(r), "why",
						     json_label(one->why)));
	}
	return all;
}

static json_t *totals_json(const struct compare_table *t)
{
	json_t *all = json_array();

	for (int i = 0; i < t->totals.n; i++) {
		const struct compare_total *total = &t->totals.at[i];
		json_t *one = json_pack("{s:o, s:i, s:s, s:f, s:f, s:i, s:i}", "source", json_label(total->source),
					"threads", total->threads, "cache", total->cache, "before_us",
					total->us[BEFORE], "now_us", total->us[NOW], "tasks", total->tasks, "missing",
					total->missing);

		json_array_append_new(all, with_comparison(one, &total->with));
	}
	return all;
}

static int count_alone(const struct compare_alone_vec *v)
{
	int n = 0;

	for (int i = 0; i < v->n; i++)
		n += !v->at[i].withheld;
	return n;
}

static void print(const struct compare_table *t)
{
	const struct compare_options *o = t->options;
	struct arena *a = arena_new();
	json_t *rows = json_array();

	for (int i = 0; i < t->rows.n; i++)
		json_array_append_new(rows, row_json(a, t, &t->rows.at[i]));
	json_print(json_pack("{s:o, s:o, s:f, s:f, s:o, s:o, s:o, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:{s:o, s:o}}",
			     "before", json_label(o->side[BEFORE].name), "now", json_label(o->side[NOW].name), "margin",
			     o->margin, "false_alarms", 1 - VERDICT_CONFIDENCE, "tasks", rows, "mean",
			     with_comparison(json_object(), &t->mean), "models", totals_json(t), "faster",
			     t->verdicts[VERDICT_FASTER], "slower", t->verdicts[VERDICT_SLOWER], "same",
			     t->verdicts[VERDICT_SAME], "unclear", t->verdicts[VERDICT_UNCLEAR], "retimed", t->retimed,
			     "settled", t->settled, "sound", t->sound, "before_alone", count_alone(&t->alone[BEFORE]), "now_alone",
			     count_alone(&t->alone[NOW]), "alone", "before", alone_json(&t->alone[BEFORE]), "now",
			     alone_json(&t->alone[NOW])));
	arena_free(a);
}

const struct compare_format compare_format_json = { "json", print };
