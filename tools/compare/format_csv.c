/* SPDX-License-Identifier: Apache-2.0 */
/* tools/compare/format_csv.c - for spreadsheets (RFC 4180). What a line is, its first field says: task, mean, model,
 * before (alone there), now, or withheld; a field of what it does not have is empty. */
#include <stdio.h>

#include "tools/compare/compare.h"

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

/* The fields that all lines begin with; no THREADS or times: 0. */
static void print_what(const char *kind, const char *key, const char *name, int threads, const char *cache,
		       double before_us, double now_us)
{
	printf("%s,%s,", kind, key);
	print_field(name);
	putchar(',');
	if (threads)
		printf("%d", threads);
	printf(",%s,", cache);
	if (before_us > 0)
		printf("%.6g", before_us);
	putchar(',');
	if (now_us > 0)
		printf("%.6g", now_us);
}

static void print_comparison(const struct comparison *c)
{
	printf(",%.6g,", c->ratio);
	if (c->bounded)
		printf("%.6g,%.6g", c->low, c->high);
	else
		putchar(',');
	printf(",%.3g,%s,%d", c->p, verdict_name(c->verdict), c->pairs);
}

static void print_row(struct arena *a, const struct compare_table *t, const struct compare_row *r)
{
	const struct db_record *x = &r->side[BEFORE].record, *y = &r->side[NOW].record;

	print_what("task", y->task_key, r->side[NOW].name, y->threads, y->cache, x->time_us, y->time_us);
	print_comparison(&r->with);
	printf(",%s,", r->again ? verdict_name(r->was) : "");
	print_field(compare_note(a, t, r));
	puts("");
}

static void print_alone(const struct compare_table *t, int side)
{
	for (int i = 0; i < t->alone[side].n; i++) {
		const struct compare_alone *one = &t->alone[side].at[i];
		const struct db_record *r = &one->kernel.record;
		const char *kind = one->withheld ? "withheld" : side == BEFORE ? "before" : "now";

		print_what(kind, r->task_key, one->kernel.name, r->threads, r->cache,
			   side == BEFORE ? r->time_us : 0, side == NOW ? r->time_us : 0);
		printf(",,,,,,,,");
		print_field(one->why);
		puts("");
	}
}

static void print(const struct compare_table *t)
{
	struct arena *a = arena_new();

	puts("kind,task,name,threads,cache,before_us,now_us,ratio,low,high,p,verdict,samples,was,note");
	for (int i = 0; i < t->rows.n; i++)
		print_row(a, t, &t->rows.at[i]);
	print_what("mean", "", "geometric mean", 0, "", 0, 0);
	print_comparison(&t->mean);
	puts(",,");
	for (int i = 0; i < t->totals.n; i++) {
		const struct compare_total *total = &t->totals.at[i];

		print_what("model", "", total->source, total->threads, total->cache, total->us[BEFORE],
			   total->us[NOW]);
		print_comparison(&total->with);
		printf(",,");
		print_field(compare_total_words(a, total));
		puts("");
	}
	for (int side = 0; side < SIDES; side++)
		print_alone(t, side);
	arena_free(a);
}

const struct compare_format compare_format_csv = { "csv", print };
