/* SPDX-License-Identifier: Apache-2.0 */
/* tools/report/html.h - markup, and what is no markup.
 *
 * Holds: what comes out of a database gets into a page by these alone. A cell of what is not known is a
 *        dash. */
#ifndef HONE_TOOLS_REPORT_HTML_H
#define HONE_TOOLS_REPORT_HTML_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* S as text: in an element, or between the quotes of an attribute. */
void html_text(FILE *to, const char *s);

/* Bytes that it takes. */
size_t html_text_bytes(const char *s);
/* The same; a line may break behind each comma of it. */
void html_name(FILE *to, const char *s);

/* The beginning of a key or fingerprint, as much of it as people compare. */
void html_short(FILE *to, const char *hex);

/* Cells of a table. */
void html_cell(FILE *to, const char *s);
/* V as FORMAT ("%.4g") has it where it is above 0; the next one also where it is not. */
void html_positive(FILE *to, const char *format, double v) __attribute__((format(printf, 2, 0)));
void html_number(FILE *to, const char *format, double v) __attribute__((format(printf, 2, 0)));
void html_count(FILE *to, int64_t n);
/* SECONDS since 1970 as UTC; 0: not known. */
void html_moment(FILE *to, int64_t seconds);
/* The row of headings, separated by |; one that begins with # heads numbers. Opens thead and closes it. */
void html_heads(FILE *to, const char *heads);

/* SECONDS since 1970, UTC, as people write it. */
void print_moment(FILE *to, int64_t seconds);

#endif
