/* SPDX-License-Identifier: Apache-2.0 */
/* base/text.h - a growing string to print into, and a scanner that knows its line and column. */
#ifndef HONE_BASE_TEXT_H
#define HONE_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* A growing heap string: start from {0}; `s` is NUL-terminated (NULL while empty). */
struct text {
	char *s;
	size_t n, cap;
};

void text_puts(struct text *t, const char *s);
void text_putn(struct text *t, const char *s, size_t n);
void text_printf(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void text_vprintf(struct text *t, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));
/* As text_printf(t, "%jd", V), which reads a format first: texts of steps are numbers, and searches write thousands. */
void text_int(struct text *t, int64_t v);
/* SECONDS for people: "3 s", "12 min", "5.0 h". */
void text_duration(struct text *t, double seconds);
/* N tabs. */
void text_indent(struct text *t, int n);
/* May C stand in the middle of an identifier of C? In any locale. */
bool text_in_identifier(char c);
/* S in double quotes: what is not printable ASCII as \xHH, quotes and backslashes behind one. */
void text_quote(struct text *t, const char *s);
/* S as it is where scan_name reads it back, else quoted. */
void text_name(struct text *t, const char *s);
bool text_is_name(const char *s);
/* The string, never NULL. */
const char *text_str(const struct text *t);
void text_free(struct text *t);

bool text_ends_with(const char *s, const char *end);

/* A scanner over a NUL-terminated text. Blanks are skipped before each token; `#` starts a comment
 * to the end of the line. Line ends are tokens only to scan_line_end. */
struct scan {
	const char *file;	/* for messages; not owned */
	const char *begin, *at;
};

struct scan scan_text(const char *file, const char *text);
/* Skips blanks and comments, not line ends. */
void scan_blanks(struct scan *s);
/* Consumes line ends (with blanks and comments between); true where there was one, or the end. */
bool scan_line_end(struct scan *s);
bool scan_at_end(struct scan *s);
/* Consumes exactly TOKEN (punctuation or a whole word) where it comes next. */
bool scan_token(struct scan *s, const char *token);
/* An identifier [A-Za-z_][A-Za-z0-9_.]*, in A; NULL where none comes. */
char *scan_name(struct scan *s, struct arena *a);
/* A string as text_quote writes it, in A; NULL where none comes or an escape is none. */
char *scan_quoted(struct scan *s, struct arena *a);
/* An optionally signed decimal integer; false where none comes or it overflows. */
bool scan_int(struct scan *s, int64_t *out);
/* A number as strtod reads it. */
bool scan_double(struct scan *s, double *out);
/* err_set("FILE:LINE:COL: ..."), returns -1. */
int scan_error(const struct scan *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
