/* SPDX-License-Identifier: Apache-2.0 */
/* tools/text_table.h - rows of text in as many columns as a terminal has.
 *
 * Holds: no line is longer than the width as long as the columns at their least fit into it; what has room is whole. */
#ifndef HONE_TOOLS_TEXT_TABLE_H
#define HONE_TOOLS_TEXT_TABLE_H

#include <stdbool.h>

#include "base/text.h"
#include "base/vec.h"

enum text_table_cut {
	CUT_NEVER,
	CUT_PLAIN,	/* what is beyond says more of the same: a date and its time */
	CUT_DOTS,	/* "..." says that there was more; of a path, before it */
};

struct text_table_column {
	const char *head;
	bool right;		/* as numbers are set */
	enum text_table_cut cut;
	int least;		/* characters that it keeps where it is cut */
	int gives;		/* those of 1 are cut before those of 2, and so on */
	bool may_go;		/* where cutting all does not do; those of 1 go first */
};

struct text_table_rows VEC(const char *const *);

/* A table of N columns. One whose cells are all "" is not printed. */
struct text_table {
	const struct text_table_column *columns;
	int n;
	struct text_table_rows rows;	/* of N cells each; control characters are printed as ? */
};

/* Adds it, with heads, to OUT. */
void text_table_print(struct text *out, const struct text_table *t, int width);
/* Characters of a line on standard output: of its terminal, else those that $COLUMNS has; 200 where nobody says. */
int text_table_width(void);

#endif
