/* SPDX-License-Identifier: Apache-2.0 */
/* tools/live/view/canvas.c - characters into cells. */
#include "tools/live/view/canvas.h"

#include <stdarg.h>
#include <string.h>
#include <wchar.h>

/* Where a text goes on beyond its room. */
#define MARK_UTF8 0x2026
#define MARK_ASCII '~'

static int within(int n)
{
	return n < 1 ? 1 : n > CANVAS_MOST ? CANVAS_MOST : n;
}

struct canvas canvas_new(struct arena *a, int columns, int rows, bool utf8)
{
	struct canvas c = { .columns = within(columns), .rows = within(rows), .utf8 = utf8 };
	int n = c.columns * c.rows;

	c.cells = arena_many(a, struct canvas_cell, n);
	for (int i = 0; i < n; i++)
		c.cells[i] = (struct canvas_cell){ .c = ' ', .style = STYLE_PLAIN };
	return c;
}

/* The code point at *S, which moves on; a byte that begins none is a question mark. */
static uint32_t decode(const char **s)
{
	const unsigned char *p = (const unsigned char *)*s;
	int more = p[0] < 0x80 ? 0 : (p[0] & 0xe0) == 0xc0 ? 1 : (p[0] & 0xf0) == 0xe0 ? 2 : (p[0] & 0xf8) == 0xf0 ? 3 : -1;
	static const uint32_t first[] = { 0, 0x80, 0x800, 0x10000 };
	uint32_t c = more > 0 ? p[0] & (0x3fu >> more) : p[0];

	for (int i = 1; i <= more; i++) {
		if ((p[i] & 0xc0) != 0x80) {
			more = -1;
			break;
		}
		c = c << 6 | (p[i] & 0x3f);
	}
	*s += more < 0 ? 1 : more + 1;
	bool is_code = more >= 0 && c >= first[more] && c < 0x110000 && !(c >= 0xd800 && c < 0xe000);

	return is_code ? c : '?';
}

/* Columns that it takes: 0, 1 or 2; a question mark in the place of what cannot be shown. */
static int fit(const struct canvas *c, uint32_t *code)
{
	if (*code < 0x80) {
		if (*code < ' ' || *code == 0x7f)
			*code = '?';
		return 1;
	}
	int width = c->utf8 ? wcwidth((wchar_t)*code) : -1;

	if (width < 0) {
		*code = '?';
		return 1;
	}
	return width;
}

void canvas_set(struct canvas *c, int row, int column, enum canvas_style style, uint32_t code)
{
	if (row >= 0 && row < c->rows && column >= 0 && column < c->columns)
		c->cells[row * c->columns + column] =
			(struct canvas_cell){ .c = code, .style = (uint8_t)style };
}

/* Where S would end. */
static int width_of(const struct canvas *c, const char *s)
{
	int width = 0;

	while (*s) {
		uint32_t code = decode(&s);

		width += fit(c, &code);
	}
	return width;
}

/* As much of S as there is room for before END. */
static int put(struct canvas *c, int row, int column, int end, enum canvas_style style, const char *s)
{
	if (end > c->columns)
		end = c->columns;
	while (*s) {
		uint32_t code = decode(&s);
		int width = fit(c, &code);

		if (column + width > end)
			return column;
		if (width > 0)
			canvas_set(c, row, column, style, code);
		if (width > 1)
			canvas_set(c, row, column + 1, style, 0);
		column += width;
	}
	return column;
}

int canvas_put(struct canvas *c, int row, int column, enum canvas_style style, const char *s)
{
	return put(c, row, column, c->columns, style, s);
}

int canvas_put_cut(struct canvas *c, int row, int column, int end, enum canvas_style style, const char *s)
{
	if (end > c->columns)
		end = c->columns;
	if (column + width_of(c, s) <= end)
		return put(c, row, column, end, style, s);
	if (column >= end)
		return column;
	column = put(c, row, column, end - 1, style, s);
	canvas_set(c, row, column, style, c->utf8 ? MARK_UTF8 : MARK_ASCII);
	return column + 1;
}

int canvas_printf(struct canvas *c, int row, int column, enum canvas_style style, const char *format, ...)
{
	struct text words = { 0 };
	va_list ap;

	va_start(ap, format);
	text_vprintf(&words, format, ap);
	va_end(ap);
	column = canvas_put(c, row, column, style, text_str(&words));
	text_free(&words);
	return column;
}

void canvas_shade(struct canvas *c, int row, enum canvas_style style)
{
	for (int i = 0; row >= 0 && row < c->rows && i < c->columns; i++)
		c->cells[row * c->columns + i].style = (uint8_t)style;
}

void canvas_encode(struct text *out, uint32_t c)
{
	char s[4];
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	static const unsigned char lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };

	for (size_t i = n; i-- > 1; c >>= 6)
		s[i] = (char)(0x80 | (c & 0x3f));
	s[0] = (char)(lead[n] | c);
	text_putn(out, s, n);
}

void canvas_print(struct text *out, const struct canvas *c)
{
	for (int row = 0; row < c->rows; row++) {
		const struct canvas_cell *cells = &c->cells[row * c->columns];
		int n = c->columns;

		while (n && cells[n - 1].c == ' ')
			n--;
		for (int i = 0; i < n; i++)
			if (cells[i].c)
				canvas_encode(out, cells[i].c);
		text_puts(out, "\n");
	}
}
