/* SPDX-License-Identifier: Apache-2.0 */
/* tools/report/html.c - text, numbers and moments in a page. */
#include "tools/report/html.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

static const char *entity(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

static void put(FILE *to, char c)
{
	const char *e = entity(c);

	if (e)
		fputs(e, to);
	else
		putc(c, to);
}

void html_text(FILE *to, const char *s)
{
	for (; *s; s++)
		put(to, *s);
}

size_t html_text_bytes(const char *s)
{
	size_t n = 0;

	for (; *s; s++) {
		const char *e = entity(*s);

		n += e ? strlen(e) : 1;
	}
	return n;
}

void html_name(FILE *to, const char *s)
{
	for (; *s; s++) {
		put(to, *s);
		if (*s == ',')
			fputs("<wbr>", to);
	}
}

void html_short(FILE *to, const char *hex)
{
	for (int i = 0; hex[i] && i < 8; i++)
		put(to, hex[i]);
}

void html_cell(FILE *to, const char *s)
{
	fputs("<td>", to);
	html_text(to, s);
	fputs("</td>", to);
}

void html_number(FILE *to, const char *format, double v)
{
	fputs("<td class=n>", to);
	if (isfinite(v))
		fprintf(to, format, v);
	else
		fputs("–", to);
	fputs("</td>", to);
}

void html_positive(FILE *to, const char *format, double v)
{
	html_number(to, format, v > 0 ? v : NAN);
}

void html_count(FILE *to, int64_t n)
{
	fprintf(to, "<td class=n>%jd</td>", (intmax_t)n);
}

void print_moment(FILE *to, int64_t seconds)
{
	const time_t at = seconds;
	struct tm utc;
	char text[64];

	if (seconds <= 0 || !gmtime_r(&at, &utc) ||
	    !strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &utc))
		fputs("–", to);
	else
		fputs(text, to);
}

void html_moment(FILE *to, int64_t seconds)
{
	fputs("<td class=n>", to);
	print_moment(to, seconds);
	fputs("</td>", to);
}

void html_heads(FILE *to, const char *heads)
{
	fputs("<thead><tr>", to);
	while (*heads) {
		int n = (int)strcspn(heads, "|");
		bool number = *heads == '#';

		fprintf(to, "<th scope=col%s>%.*s</th>", number ? " class=n" : "", n - number,
			heads + number);
		heads += n + (heads[n] == '|');
	}
	fputs("</tr></thead>", to);
}
