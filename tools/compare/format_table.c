/* SPDX-License-Identifier: Apache-2.0 */
/* tools/compare/format_table.c - for a terminal: 80 columns have all figures, what a wider one leaves gets whole names,
 * a plot of each interval, and what is to be known in the same line. Who reads a file or a pipe gets whole names. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tools/compare/compare.h"

enum {
	FIGURES = 48,		/* columns of both times, ratio, interval and verdict */
	NAME_LEAST = 16,
	PLOT_LEAST = 31, PLOT_MOST = 61,
	UNLIMITED = 0,
};

struct table_layout {
	struct arena *a;
	const struct compare_table *t;
	int width;		/* of a line; UNLIMITED: any */
	int name, plot;		/* columns; no plot: 0 */
	bool threads, cache;	/* columns for these: rows differ in them */
	bool notes_inline;
	double reach;		/* of the plot */
};

static int columns(void)
{
	struct winsize w;
	const char *told = getenv("COLUMNS");

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 0)
		return w.ws_col;
	return told && atoi(told) > 0 ? atoi(told) : UNLIMITED;
}

static int longer(int most, const char *s)
{
	int n = (int)strlen(s);

	return n > most ? n : most;
}

static struct table_layout lay_out(struct arena *a, const struct compare_table *t)
{
	struct table_layout l = { .a = a, .t = t, .width = columns(), .name = NAME_LEAST,
				  .reach = compare_reach(t) };
	const struct db_record *first = &t->rows.at[0].side[NOW].record;
	int note = 0;

	for (int i = 0; i < t->rows.n; i++) {
		const struct db_record *r = &t->rows.at[i].side[NOW].record;

		l.threads |= r->threads != first->threads;
		l.cache |= strcmp(r->cache, first->cache) != 0;
		l.name = longer(l.name, t->rows.at[i].side[NOW].name);
		note = longer(note, compare_note(a, t, &t->rows.at[i]));
	}
	for (int i = 0; i < t->totals.n; i++)
		l.name = longer(l.name, t->totals.at[i].source);
	l.name = longer(l.name, compare_mean_words(a, t));
	l.notes_inline = true;
	if (l.width == UNLIMITED)
		return l;
	int left = l.width - FIGURES - 4 * l.threads - 6 * l.cache;

	if (l.name > left)
		l.name = left < NAME_LEAST ? NAME_LEAST : left;
	left -= l.name;
	if (left > PLOT_LEAST + 1)
		l.plot = left - 2 < PLOT_MOST ? left - 2 : PLOT_MOST;
	if (left >= PLOT_LEAST + note + 3 && l.plot > left - note - 3)	/* notes come first, where both fit */
		l.plot = left - note - 3;
	l.plot -= l.plot % 2 == 0 && l.plot > 0;	/* 1 is in the middle */
	left -= l.plot ? l.plot + 1 : 0;
	l.notes_inline = note + 2 <= left;
	return l;
}

/* --- cells */

/* NAME on WIDTH columns; of one that is longer its middle is left out: operators begin alike, and sizes end so. */
static void print_name(const char *name, int width)
{
	int n = (int)strlen(name), head = (width - 2) / 2;

	if (n <= width)
		printf("%-*s", width, name);
	else
		printf("%.*s..%s", head, name, name + n - (width - 2 - head));
}

/* S behind INDENT, as far as the line goes. */
static void print_line(const struct table_layout *l, const char *indent, const char *s)
{
	int room = l->width == UNLIMITED ? (int)strlen(s) : l->width - (int)strlen(indent);

	if (room < (int)strlen(s))
		printf("%s%.*s..\n", indent, room > 2 ? room - 2 : 0, s);
	else
		printf("%s%s\n", indent, s);
}

/* S behind INDENT, over as many lines as it takes. */
static void print_wrapped(const struct table_layout *l, const char *indent, const char *s)
{
	int room = l->width == UNLIMITED ? (int)strlen(s) : l->width - (int)strlen(indent);

	room = room < NAME_LEAST ? NAME_LEAST : room;
	while ((int)strlen(s) > room) {
		int n = room;

		while (n > 0 && s[n] != ' ')
			n--;
		n = n > 0 ? n : room;
		printf("%s%.*s\n", indent, n, s);
		s += n + (s[n] == ' ');
	}
	printf("%s%s\n", indent, s);
}

static void print_us(double us)
{
	if (us > 0)
		printf(" %9.4g", us);
	else
		printf(" %9s", "");
}

static int place(const struct table_layout *l, double ratio)
{
	double at = log(ratio) / log(l->reach);

	return (int)lround((1 + fmax(-1, fmin(1, at))) * (l->plot - 1) / 2);
}

static void print_plot(const struct table_layout *l, const struct comparison *c)
{
	char line[PLOT_MOST + 1];
	const double edge = 1 + l->t->options->margin;

	memset(line, ' ', sizeof(line));
	line[l->plot] = '\0';
	line[place(l, edge)] = line[place(l, 1 / edge)] = ':';
	line[place(l, 1)] = '|';
	if (c->bounded)
		memset(line + place(l, c->low), '-', (size_t)(place(l, c->high) - place(l, c->low) + 1));
	if (c->bounded && c->low < 1 / l->reach)
		line[0] = '<';
	if (c->bounded && c->high > l->reach)
		line[l->plot - 1] = '>';
	line[place(l, c->ratio)] = 'o';
	printf(" %s", line);
}

static void print_comparison(const struct table_layout *l, const struct comparison *c)
{
	char interval[32] = "-";

	if (c->bounded)
		snprintf(interval, sizeof(interval), "%.3f-%.3f", c->low, c->high);
	printf(" %6.3f %-12s %-7s", c->ratio, interval, verdict_name(c->verdict));
	if (l->plot)
		print_plot(l, c);
}

/* --- lines */

static void print_head(const struct table_layout *l)
{
	static const char *const who[] = { "before ", "now    " };

	for (int side = 0; side < SIDES; side++) {
		print_line(l, who[side], l->t->options->side[side].name);
		print_wrapped(l, "       ", compare_about(l->a, l->t, side));
	}
	puts("");
	print_name("task", l->name);
	printf("%s%s %9s %9s %6s %-12s %-7s", l->threads ? " thr" : "", l->cache ? " cache" : "", "before us", "now us",
	       "ratio", "95% interval", "now is");
	if (l->plot) {
		char edge[16];

		snprintf(edge, sizeof(edge), "%.2f", l->reach);
		printf(" %-*.2f1%*s", (l->plot - 1) / 2, 1 / l->reach, (l->plot - 1) / 2, edge);
	}
	puts("");
}

static void print_row(const struct table_layout *l, const struct compare_row *r)
{
	const struct db_record *x = &r->side[BEFORE].record, *y = &r->side[NOW].record;
	const char *note = compare_note(l->a, l->t, r);

	print_name(r->side[NOW].name, l->name);
	if (l->threads)
		printf(" %3d", y->threads);
	if (l->cache)
		printf(" %-5s", y->cache);
	print_us(x->time_us);
	print_us(y->time_us);
	print_comparison(l, &r->with);
	if (l->notes_inline && *note)
		printf("  %s", note);
	puts("");
	if (!l->notes_inline && *note)
		print_wrapped(l, "    ", note);
}

static void print_sum(const struct table_layout *l, const char *name, const double us[SIDES],
		      const struct comparison *c)
{
	print_name(name, l->name);
	printf("%s%s", l->threads ? "    " : "", l->cache ? "      " : "");
	for (int side = 0; side < SIDES; side++)
		print_us(us ? us[side] : 0);
	print_comparison(l, c);
	puts("");
}

static void print_alone(const struct table_layout *l, int side, bool withheld)
{
	const struct compare_alone_vec *v = &l->t->alone[side];
	int n = 0, width = NAME_LEAST;

	for (int i = 0; i < v->n; i++)
		if (v->at[i].withheld == withheld) {
			n++;
			width = longer(width, v->at[i].kernel.name);
		}
	if (n == 0)
		return;
	if (l->width != UNLIMITED && width > l->width / 2)
		width = l->width / 2;
	printf("\n%s %s, %d kernel%s:\n", withheld ? "not compared of" : "only", side == BEFORE ? "before" : "now", n,
	       n > 1 ? "s" : "");
	for (int i = 0; i < v->n; i++) {
		const struct compare_alone *one = &v->at[i];
		const struct db_record *r = &one->kernel.record;
		char figures[64];

		if (one->withheld != withheld)
			continue;
		print_name(one->kernel.name, width);
		snprintf(figures, sizeof(figures), " %3d %-5s %9.4g us", r->threads, r->cache, r->time_us);
		printf("%s", figures);
		if (*one->why)
			print_line(&(struct table_layout){ .width = l->width == UNLIMITED ? UNLIMITED
							   : l->width - width - (int)strlen(figures) }, "  ",
				   one->why);
		else
			puts("");
	}
}

static void print(const struct compare_table *t)
{
	struct arena *a = arena_new();
	struct table_layout l = lay_out(a, t);
	const double percent = 100 * t->options->margin;

	print_head(&l);
	for (int i = 0; i < t->rows.n; i++)
		print_row(&l, &t->rows.at[i]);
	puts("");
	print_sum(&l, compare_mean_words(a, t), NULL, &t->mean);
	for (int i = 0; i < t->totals.n; i++) {
		print_sum(&l, t->totals.at[i].source, t->totals.at[i].us, &t->totals.at[i].with);
		print_wrapped(&l, "    ", compare_total_words(a, &t->totals.at[i]));
	}
	print_wrapped(&l, "", arena_printf(a, "%s; within %.3g%% is the same; as far as samples tell, a false alarm in all of it: below 5%%",
					   compare_counts(a, t), percent));
	for (int withheld = 0; withheld < 2; withheld++)
		for (int side = 0; side < SIDES; side++)
			print_alone(&l, side, withheld);
	arena_free(a);
}

const struct compare_format compare_format_table = { "table", print };
