/* SPDX-License-Identifier: Apache-2.0 */
/* tools/compare/format_markdown.c - for notes and the comments of a review: GitHub's tables. */
#include <stdio.h>
#include <string.h>

#include "tools/compare/compare.h"

/* S, which may hold what Markdown takes for its own. */
static void print_text(const char *s)
{
	for (; *s; s++) {
		if (*s == '\n') {
			putchar(' ');
			continue;
		}
		if (strchr("\\|*_`<>[]#~", *s))
			putchar('\\');
		putchar(*s);
	}
}

static void print_ratio(const struct comparison *c)
{
	printf("%.3f | %.3f to %.3f | %s", c->ratio, c->low, c->high, verdict_name(c->verdict));
}

static void print_alone(const struct compare_table *t, int side)
{
	const struct side_kernel_vec *v = &t->alone[side];

	if (!v->n)
		return;
	printf("\nOnly in ");
	print_text(t->options->side[side].name);
	puts(":\n");
	for (int i = 0; i < v->n; i++) {
		printf("- ");
		print_text(v->at[i].name);
		printf(", %.4g us\n", v->at[i].record.time_us);
	}
}

static void print(const struct compare_table *t)
{
	printf("Before: ");
	print_text(t->options->side[0].name);
	printf("  \nNow: ");
	print_text(t->options->side[1].name);
	printf("  \nThe ratio is the time before over that of now, with its 95%% interval; within %.3g%% is the same.\n\n",
	       100 * t->options->margin);
	puts("| task | threads | cache | before, us | now, us | ratio | interval | now it is | |");
	puts("|---|--:|---|--:|--:|--:|---|---|---|");
	for (int i = 0; i < t->rows.n; i++) {
		const struct compare_row *r = &t->rows.at[i];
		const struct db_record *x = &r->side[0].record, *y = &r->side[1].record;

		printf("| ");
		print_text(r->side[1].name);
		printf(" | %d | %s | %.4g | %.4g | ", y->threads, y->cache, x->time_us, y->time_us);
		print_ratio(&r->with);
		printf(" | ");
		print_text(r->caveat);
		puts(" |");
	}
	printf("| geometric mean of %d | | | | | ", t->rows.n);
	print_ratio(&t->mean);
	puts(" | |");
	for (int side = 0; side < 2; side++)
		print_alone(t, side);
}

const struct compare_format compare_format_markdown = { "markdown", print };
