/* SPDX-License-Identifier: Apache-2.0 */
/* tools/compare/format_table.c - for a terminal: names get what its width leaves. */
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tools/compare/compare.h"

/* Columns beside the name, and what a name gets at least. A file gets whole names. */
enum { OTHERS = 60, NAME_LEAST = 20, NAME_MOST = 100 };

static int name_width(const struct compare_table *t)
{
	struct winsize w;
	int longest = NAME_LEAST, room = NAME_MOST;

	for (int i = 0; i < t->rows.n; i++) {
		int n = (int)strlen(t->rows.at[i].side[1].name);

		longest = n > longest ? n : longest;
	}
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 0)
		room = w.ws_col - OTHERS;
	room = room < NAME_LEAST ? NAME_LEAST : room;
	return longest < room ? longest : room;
}

static void print_ratio(const struct comparison *c)
{
	printf(" %5.3f (%.3f-%.3f) %s\n", c->ratio, c->low, c->high, verdict_name(c->verdict));
}

static void print(const struct compare_table *t)
{
	int width = name_width(t);

	printf("%-*s thr cache  before us     now us ratio (interval)     now it is\n", width, "task");
	for (int i = 0; i < t->rows.n; i++) {
		const struct compare_row *r = &t->rows.at[i];
		const struct db_record *x = &r->side[0].record, *y = &r->side[1].record;

		printf("%-*.*s %3d %5s %10.4g %10.4g", width, width, r->side[1].name, y->threads, y->cache,
		       x->time_us, y->time_us);
		print_ratio(&r->with);
		if (*r->caveat)
			printf("    %s\n", r->caveat);
	}
	printf("geometric mean of %d:", t->rows.n);
	print_ratio(&t->mean);
	for (int i = 0; i < 2; i++)
		if (t->alone[i].n)
			printf("%d kernel%s of %s alone\n", t->alone[i].n, t->alone[i].n > 1 ? "s" : "",
			       t->options->side[i].name);
}

const struct compare_format compare_format_table = { "table", print };
