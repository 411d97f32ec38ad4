/* SPDX-License-Identifier: Apache-2.0 */
/* tools/text_table.c - columns as wide as their cells, and where that is too wide cut in turns. */
#include "tools/text_table.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { WIDE = 200, NARROWEST = 40, COLUMNS_MOST = 16, GAP = 1, DOTS = 3 };

int text_table_width(void)
{
	struct winsize w;
	const char *told = getenv("COLUMNS");
	int n = told ? atoi(told) : 0;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 0)
		n = w.ws_col;
	return n <= 0 ? WIDE : n < NARROWEST ? NARROWEST : n;
}

/* Does a character of UTF-8 begin at S? */
static bool begins(const char *s)
{
	return ((unsigned char)*s & 0xc0) != 0x80;
}

static int length(const char *s)
{
	int n = 0;

	for (; *s; s++)
		n += begins(s);
	return n;
}

/* S behind its first N characters. */
static const char *behind(const char *s, int n)
{
	while (*s && (n > 0 || !begins(s)))
		n -= begins(s++);
	return s;
}

static void put(struct text *out, const char *s, const char *end)
{
	for (; s < end; s++) {
		char c = iscntrl((unsigned char)*s) ? '?' : *s;

		text_putn(out, &c, 1);
	}
}

/* WIDTH characters of S at most; how many. Of a path the end. */
static int put_cut(struct text *out, const char *s, enum text_table_cut cut, int width)
{
	int n = length(s), dots = width > DOTS ? DOTS : 0;

	if (n <= width) {
		put(out, s, s + strlen(s));
		return n;
	}
	if (cut != CUT_DOTS) {
		put(out, s, behind(s, width));
		return width;
	}
	const char *slash = strrchr(s, '/');
	bool path = slash != NULL;

	if (path && length(slash + 1) <= width)
		return put_cut(out, slash + 1, cut, width);	/* the file's own name says most */
	text_putn(out, "...", path ? (size_t)dots : 0);
	if (path)
		put(out, behind(s, n - width + dots), s + strlen(s));
	else
		put(out, s, behind(s, width - dots));
	text_putn(out, "...", path ? 0 : (size_t)dots);
	return width;
}

/* Widths as the cells are; 0 where all are "". */
static void measure(const struct text_table *t, int widths[])
{
	for (int c = 0; c < t->n; c++) {
		widths[c] = 0;
		for (int i = 0; i < t->rows.n; i++) {
			int n = length(t->rows.at[i][c]);

			widths[c] = n > widths[c] ? n : widths[c];
		}
		int head = length(t->columns[c].head);

		widths[c] = widths[c] && widths[c] < head ? head : widths[c];
	}
}

static int total(const struct text_table *t, const int widths[])
{
	int n = -GAP;

	for (int c = 0; c < t->n; c++)
		n += widths[c] ? widths[c] + GAP : 0;
	return n;
}

/* The column to be a character less: of those that give first the widest; -1. */
static int next_cut(const struct text_table *t, const int widths[])
{
	int best = -1;

	for (int c = 0; c < t->n; c++) {
		const struct text_table_column *x = &t->columns[c], *y = best < 0 ? NULL : &t->columns[best];

		if (x->cut == CUT_NEVER || widths[c] <= x->least)
			continue;
		if (!y || x->gives < y->gives || (x->gives == y->gives && widths[c] > widths[best]))
			best = c;
	}
	return best;
}

/* Cuts columns until the table has WIDTH. */
static void cut(const struct text_table *t, int widths[], int width)
{
	int c = 0;

	while (total(t, widths) > width && c >= 0) {
		c = next_cut(t, widths);
		if (c >= 0)
			widths[c]--;
	}
}

/* First all columns are cut; where that does not do, those that may go do so, one by one. */
static void fit(const struct text_table *t, int widths[], int width)
{
	int gone = 0;

	measure(t, widths);
	cut(t, widths, width);
	while (total(t, widths) > width && gone++ < t->n) {
		measure(t, widths);
		for (int c = 0; c < t->n; c++)
			if (t->columns[c].may_go && t->columns[c].gives <= gone)
				widths[c] = 0;
		cut(t, widths, width);
	}
}

static void put_blanks(struct text *out, int n)
{
	if (n > 0)
		text_printf(out, "%*s", n, "");
}

static void print_line(struct text *out, const struct text_table *t, const int widths[], const char *const *cells)
{
	int owed = 0;	/* blanks before the next cell that has something: none end a line */

	for (int c = 0; c < t->n; c++) {
		struct text cell = { 0 };

		if (!widths[c])
			continue;
		int n = put_cut(&cell, cells ? cells[c] : t->columns[c].head, t->columns[c].cut, widths[c]);
		int free = widths[c] - n;

		owed += t->columns[c].right ? free : 0;
		if (n) {
			put_blanks(out, owed);
			text_puts(out, text_str(&cell));
			owed = 0;
		}
		owed += (t->columns[c].right ? 0 : free) + GAP;
		text_free(&cell);
	}
	text_puts(out, "\n");
}

void text_table_print(struct text *out, const struct text_table *t, int width)
{
	int widths[COLUMNS_MOST];

	assert(t->n <= COLUMNS_MOST);
	fit(t, widths, width);
	print_line(out, t, widths, NULL);
	for (int i = 0; i < t->rows.n; i++)
		print_line(out, t, widths, t->rows.at[i]);
}
