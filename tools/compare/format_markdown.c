/* SPDX-License-Identifier: Apache-2.0 */
/* tools/compare/format_markdown.c - for notes and the comments of a review: GitHub's tables. */
#include <stdio.h>
#include <string.h>

#include "tools/compare/compare.h"

/* S, which may hold what Markdown takes for its own. */
static void print_text(const char *s)
{
	for (; *s; s++) {
		if (*s == '\n' || *s == '\r') {
			putchar(' ');
			continue;
		}
		if (strchr("\\|*_`<>[]#~&", *s))
			putchar('\\');
		putchar(*s);
	}
}

static void print_comparison(const struct comparison *c)
{
	printf("%.3f | ", c->ratio);
	if (c->bounded)
		printf("%.3f to %.3f", c->low, c->high);
	printf(" | %s%s%s |", c->verdict == VERDICT_SLOWER ? "**" : "", verdict_name(c->verdict),
	       c->verdict == VERDICT_SLOWER ? "**" : "");
}

static void print_row(struct arena *a, const struct compare_table *t, const struct compare_row *r)
{
	const struct db_record *x = &r->side[BEFORE].record, *y = &r->side[NOW].record;

	printf("| ");
	print_text(r->side[NOW].name);
	printf(" | %d | %s | %.4g | %.4g | ", y->threads, y->cache, x->time_us, y->time_us);
	print_comparison(&r->with);
	printf(" ");
	print_text(compare_note(a, t, r));
	puts(" |");
}

static void print_total(struct arena *a, const struct compare_total *total)
{
	printf("| ");
	print_text(total->source);
	printf(" | %d | %s | %.4g | %.4g | ", total->threads, total->cache, total->us[BEFORE], total->us[NOW]);
	print_comparison(&total->with);
	printf(" ");
	print_text(compare_total_words(a, total));
	puts(" |");
}

static void print_alone(const struct compare_table *t, int side)
{
	const struct compare_alone_vec *v = &t->alone[side];

	if (!v->n)
		return;
	printf("\n%s has alone, or is not compared:\n\n", side == BEFORE ? "Before" : "Now");
	for (int i = 0; i < v->n; i++) {
		const struct db_record *r = &v->at[i].kernel.record;

		printf("- ");
		print_text(v->at[i].kernel.name);
		printf(", %d thread%s, %s, %.4g us%s", r->threads, r->threads > 1 ? "s" : "", r->cache, r->time_us,
		       *v->at[i].why ? ": " : "");
		print_text(v->at[i].why);
		puts("");
	}
}

static void print(const struct compare_table *t)
{
	static const char *const who[] = { "Before", "Now" };
	struct arena *a = arena_new();

	for (int side = 0; side < SIDES; side++) {
		printf("%s: ", who[side]);
		print_text(t->options->side[side].name);
		printf(" (");
		print_text(compare_about(a, t, side));
		puts(")\\");
	}
	printf("%s. The ratio is the time before over that of now, with its 95%% interval; within %.3g%% is the same. As "
	       "far as samples tell, a false FASTER or SLOWER in all of it: below 5%%.\n\n", compare_counts(a, t), 100 * t->options->margin);
	puts("| task | threads | cache | before, us | now, us | ratio | interval | now it is | |");
	puts("|---|--:|---|--:|--:|--:|---|---|---|");
	for (int i = 0; i < t->rows.n; i++)
		print_row(a, t, &t->rows.at[i]);
	printf("| %s | | | | | ", compare_mean_words(a, t));
	print_comparison(&t->mean);
	puts(" |");
	for (int i = 0; i < t->totals.n; i++)
		print_total(a, &t->totals.at[i]);
	for (int side = 0; side < SIDES; side++)
		print_alone(t, side);
	arena_free(a);
}

const struct compare_format compare_format_markdown = { "markdown", print };
