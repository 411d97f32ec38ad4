/* SPDX-License-Identifier: Apache-2.0 */
/* tools/describe/roff.h - texts of option tables as man(7) has them: lines that are filled, options in bold, words that
 * stand for values in italics, examples as they are. */
#ifndef HONE_TOOLS_DESCRIBE_ROFF_H
#define HONE_TOOLS_DESCRIBE_ROFF_H

#include "tools/describe/describe.h"

/* S as it is, whatever roff would read into it. */
void roff_escape(struct text *out, const char *s, size_t n);
/* A word of a usage line or an option table: capitals in italics, what is given as it stands in bold. */
void roff_word(struct text *out, const char *s, size_t n);
/* A text of C: a line break begins a paragraph. INDENTED: below a tag. */
void roff_prose(struct text *out, const struct command *c, const struct command *part, const char *s, size_t n,
		bool indented);
/* Lines to be typed; those too long for a terminal go on after a backslash. */
void roff_examples(struct text *out, const char *s);

#endif
