/* SPDX-License-Identifier: Apache-2.0 */
/* base/text.c - the string that printers write and the scanner that readers read. */
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"

static void grow(struct text *t, size_t need)
{
	size_t cap = t->cap ? t->cap : 256;

	while (cap < need)
		cap *= 2;
	t->s = realloc(t->s, cap);
	if (!t->s)
		die("out of memory (%zu bytes)", cap);
	t->cap = cap;
}

static inline void reserve(struct text *t, size_t more)
{
	if (t->n + more + 1 > t->cap)
		grow(t, t->n + more + 1);
}

void text_putn(struct text *t, const char *s, size_t n)
{
	reserve(t, n);
	memcpy(t->s + t->n, s, n);
	t->n += n;
	t->s[t->n] = '\0';
}

void text_puts(struct text *t, const char *s)
{
	text_putn(t, s, strlen(s));
}

void text_vprintf(struct text *t, const char *fmt, va_list ap)
{
	va_list again;

	reserve(t, 0);
	size_t room = t->cap - t->n;

	va_copy(again, ap);
	int n = vsnprintf(t->s + t->n, room, fmt, again);

	va_end(again);
	if (n < 0)
		die("bad format '%s'", fmt);
	if ((size_t)n >= room) {
		reserve(t, (size_t)n);
		vsnprintf(t->s + t->n, (size_t)n + 1, fmt, ap);
	}
	t->n += (size_t)n;
}

void text_int(struct text *t, int64_t v)
{
	char digits[20], *at = digits + sizeof(digits);
	uint64_t left = v < 0 ? -(uint64_t)v : (uint64_t)v;

	do {
		*--at = (char)('0' + left % 10);
		left /= 10;
	} while (left);
	if (v < 0)
		*--at = '-';
	text_putn(t, at, (size_t)(digits + sizeof(digits) - at));
}

void text_printf(struct text *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	text_vprintf(t, fmt, ap);
	va_end(ap);
}

void text_duration(struct text *t, double seconds)
{
	if (seconds < 120)
		text_printf(t, "%.0f s", seconds);
	else if (seconds < 7200)
		text_printf(t, "%.0f min", seconds / 60);
	else
		text_printf(t, "%.1f h", seconds / 3600);
}

void text_indent(struct text *t, int n)
{
	for (int i = 0; i < n; i++)
		text_putn(t, "\t", 1);
}

void text_quote(struct text *t, const char *s)
{
	text_puts(t, "\"");
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			text_printf(t, "\\%c", *s);
		else if (*s < ' ' || *s > '~')
			text_printf(t, "\\x%02x", (unsigned char)*s);
		else
			text_putn(t, s, 1);
	}
	text_puts(t, "\"");
}

void text_name(struct text *t, const char *s)
{
	if (text_is_name(s))
		text_puts(t, s);
	else
		text_quote(t, s);
}

const char *text_str(const struct text *t)
{
	return t->s ? t->s : "";
}

void text_free(struct text *t)
{
	free(t->s);
	*t = (struct text){ 0 };
}

struct scan scan_text(const char *file, const char *text)
{
	return (struct scan){ .file = file, .begin = text, .at = text };
}

void scan_blanks(struct scan *s)
{
	while (*s->at == ' ' || *s->at == '\t' || *s->at == '\r')
		s->at++;
	if (*s->at == '#')
		s->at += strcspn(s->at, "\n");
}

bool scan_line_end(struct scan *s)
{
	scan_blanks(s);
	if (*s->at != '\n' && *s->at != '\0')
		return false;
	while (*s->at == '\n') {
		s->at++;
		scan_blanks(s);
	}
	return true;
}

bool scan_at_end(struct scan *s)
{
	scan_blanks(s);
	return *s->at == '\0';
}

bool text_in_identifier(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.';
}

bool scan_token(struct scan *s, const char *token)
{
	scan_blanks(s);
	if (*s->at != *token)	/* most often, and most of what reading a graph asks */
		return false;
	size_t n = strlen(token);

	if (strncmp(s->at, token, n) != 0)
		return false;
	if (in_name(token[n - 1]) && in_name(s->at[n]))
		return false;	/* a longer word */
	s->at += n;
	return true;
}

char *scan_name(struct scan *s, struct arena *a)
{
	scan_blanks(s);
	if (!isalpha((unsigned char)*s->at) && *s->at != '_')
		return NULL;
	const char *from = s->at;

	while (in_name(*s->at))
		s->at++;
	return arena_strndup(a, from, (size_t)(s->at - from));
}

bool text_ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && strcmp(s + n - m, end) == 0;
}

bool text_is_name(const char *s)
{
	if (!isalpha((unsigned char)*s) && *s != '_')
		return false;
	while (in_name(*s))
		s++;
	return *s == '\0';
}

/* The character at *AT, or what the escape there means, in *OUT; false, and *AT where it was, where it
 * is no such. */
static bool unquote(const char **at, char *out)
{
	const char *c = *at;
	bool escape = c[0] == '\\';
	int length = escape ? 2 : 1;

	*out = escape ? c[1] : c[0];
	if (escape && *out == 'x') {
		if (!isxdigit((unsigned char)c[2]) || !isxdigit((unsigned char)c[3]))
			return false;
		*out = (char)strtol((const char[]){ c[2], c[3], '\0' }, NULL, 16);
		length = 4;
	} else if (escape ? *out != '"' && *out != '\\' : *out == '\n') {
		return false;
	}
	if (*out == '\0')
		return false;
	*at += length;
	return true;
}

char *scan_quoted(struct scan *s, struct arena *a)
{
	scan_blanks(s);
	if (*s->at != '"')
		return NULL;
	const char *at = s->at + 1;
	struct text out = { 0 };
	char *copy = NULL;
	char c;

	while (*at != '"' && unquote(&at, &c))
		text_putn(&out, &c, 1);
	if (*at == '"') {
		copy = arena_strndup(a, text_str(&out), out.n);
		s->at = at + 1;
	}
	text_free(&out);
	return copy;
}

bool scan_int(struct scan *s, int64_t *out)
{
	char *end;

	scan_blanks(s);
	const char *digits = s->at + (*s->at == '-' || *s->at == '+');

	if (!isdigit((unsigned char)*digits))
		return false;
	errno = 0;
	long long v = strtoll(s->at, &end, 10);

	if (errno == ERANGE)
		return false;
	s->at = end;
	*out = v;
	return true;
}

bool scan_double(struct scan *s, double *out)
{
	char *end;

	scan_blanks(s);
	double v = strtod(s->at, &end);

	if (end == s->at)
		return false;
	s->at = end;
	*out = v;
	return true;
}

int scan_error(const struct scan *s, const char *fmt, ...)
{
	int line = 1;
	int column = 1;
	char *message = NULL;
	va_list ap;

	for (const char *p = s->begin; p < s->at; p++) {
		column = *p == '\n' ? 1 : column + 1;
		line += *p == '\n';
	}
	va_start(ap, fmt);
	if (vasprintf(&message, fmt, ap) < 0)
		die("out of memory");
	va_end(ap);
	err_set("%s:%d:%d: %s", s->file, line, column, message);
	free(message);
	return -1;
}
