/* SPDX-License-Identifier: Apache-2.0 */
/* tools/live/view/canvas.h - columns x rows of characters, as a terminal shows them.
 *
 * In:   UTF-8, which may be none (names out of a database), and where it is to stand.
 * Out:  cells; what is beyond an edge is not there.
 * Holds: no cell has a control character; what the terminal cannot show is a question mark; a character of
 *        two columns is there with both or not at all. */
#ifndef HONE_TOOLS_LIVE_VIEW_CANVAS_H
#define HONE_TOOLS_LIVE_VIEW_CANVAS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/text.h"

enum canvas_style {
	STYLE_PLAIN,
	STYLE_STRONG,
	STYLE_HEAD,	/* of a table, and the line of keys */
	STYLE_FAINT,
	STYLE_GOOD,
	STYLE_BAD,
	STYLE_PART,	/* and behind: a colour for each part of a bar */
	STYLE_COUNT = STYLE_PART + 8
};

struct canvas_cell {
	uint32_t c;	/* a code point; 0: the second column of the one before */
	uint8_t style;	/* enum canvas_style */
};

struct canvas {
	int columns, rows;
	bool utf8;	/* else ASCII alone; the locale is one of UTF-8 then, for the width of characters */
	struct canvas_cell *cells;	/* rows x columns */
};

/* All blank. Sizes below 1 are 1, above CANVAS_MOST that. */
enum { CANVAS_MOST = 2000 };
struct canvas canvas_new(struct arena *a, int columns, int rows, bool utf8);

/* Write from COLUMN on and return the column behind. */
int canvas_put(struct canvas *c, int row, int column, enum canvas_style style, const char *s);
int canvas_printf(struct canvas *c, int row, int column, enum canvas_style style, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
/* The same up to column END; what does not fit is cut, and a mark says so. */
int canvas_put_cut(struct canvas *c, int row, int column, int end, enum canvas_style style, const char *s);
/* One character of one column. */
void canvas_set(struct canvas *c, int row, int column, enum canvas_style style, uint32_t code);
/* The style of a whole row. */
void canvas_shade(struct canvas *c, int row, enum canvas_style style);

/* Its rows as lines of UTF-8, without blanks at their ends. */
void canvas_print(struct text *out, const struct canvas *c);
/* A code point as UTF-8. */
void canvas_encode(struct text *out, uint32_t code);

#endif
