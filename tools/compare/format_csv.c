/* SPDX-License-Identifier: Apache-2.0 */
/* tools/compare/format_csv.c - for spreadsheets (RFC 4180). */
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

static void print(const struct compare_table *t)
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

const struct compare_format compare_format_csv = { "csv", print };
