/* SPDX-License-Identifier: Apache-2.0 */
/* tools/record/compare_print.c - comparisons for people, for spreadsheets and for programs. */
#include "tools/record/compare.h"

#include <stdio.h>

#include "tools/json.h"

static void print_ratio(const struct comparison *c)
{
	printf("%7.3f (%.3f to %.3f)  %-7s", c->ratio, c->low, c->high, verdict_name(c->verdict));
}

void compare_print(const struct compare_options *o, const struct compare_table *t)
{
	printf("%-50s %3s %5s %10s %10s %-24s  it is\n", "task", "thr", "cache", "before us",
	       "now us", "   ratio");
	for (int i = 0; i < t->rows.n; i++) {
		const struct compare_row *r = &t->rows.at[i];
		const struct db_record *x = &r->side[0].record, *y = &r->side[1].record;

		printf("%-50.50s %3d %5s %10.4g %10.4g ", r->side[1].name, y->threads, y->cache,
		       x->time_us, y->time_us);
		print_ratio(&r->with);
		printf("%s%s\n", *r->caveat ? "  " : "", r->caveat);
	}
	printf("geometric mean of %d: ", t->rows.n);
	print_ratio(&t->mean);
	puts("");
	for (int i = 0; i < 2; i++)
		if (t->alone[i])
			printf("%d kernel%s of %s alone\n", t->alone[i], t->alone[i] > 1 ? "s" : "",
			       o->path[i]);
}

/* S as a field of CSV (RFC 4180). */
static void print_field(const char *s)
{
	putchar('"');
	for (; *s; s++) {
		if (*s == '"')
			putchar('"');
		putchar(*s);
	}
	putchar('"');
}

void compare_print_csv(const struct compare_table *t)
{
	puts("task,name,threads,cache,before_us,now_us,ratio,low,high,verdict,caveat");
	for (int i = 0; i < t->rows.n; i++) {
		const struct compare_row *r = &t->rows.at[i];
		const struct db_record *x = &r->side[0].record, *y = &r->side[1].record;

		printf("%s,", y->task_key);
		print_field(r->side[1].name);
		printf(",%d,%s,%.6g,%.6g,%.6g,%.6g,%.6g,%s,", y->threads, y->cache, x->time_us,
		       y->time_us, r->with.ratio, r->with.low, r->with.high,
		       verdict_name(r->with.verdict));
		print_field(r->caveat);
		puts("");
	}
}

static json_t *row_json(const struct compare_row *r)
{
	const struct db_record *x = &r->side[0].record, *y = &r->side[1].record;

	return json_pack("{s:s, s:o, s:i, s:s, s:f, s:f, s:f, s:f, s:f, s:s, s:i, s:b, s:s}", "task",
			 y->task_key, "name", json_label(r->side[1].name), "threads", y->threads,
			 "cache", y->cache, "before_us", x->time_us, "now_us", y->time_us, "ratio",
			 r->with.ratio, "low", r->with.low, "high", r->with.high, "verdict",
			 verdict_name(r->with.verdict), "samples", r->with.pairs, "calibrated",
			 r->calibrated, "caveat", r->caveat);
}

void compare_print_json(const struct compare_options *o, const struct compare_table *t)
{
	json_t *rows = json_array();

	for (int i = 0; i < t->rows.n; i++)
		json_array_append_new(rows, row_json(&t->rows.at[i]));
	json_print(json_pack("{s:o, s:o, s:f, s:o, s:{s:f, s:f, s:f, s:s}, s:i, s:i, s:i}", "before",
			     json_label(o->path[0]), "now", json_label(o->path[1]), "margin",
			     o->margin, "tasks", rows, "mean", "ratio", t->mean.ratio, "low",
			     t->mean.low, "high", t->mean.high, "verdict",
			     verdict_name(t->mean.verdict), "slower", t->slower, "before_alone",
			     t->alone[0], "now_alone", t->alone[1]));
}
