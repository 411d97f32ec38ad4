/* SPDX-License-Identifier: Apache-2.0 */
/* graph/text/literal.c - elements and numbers, to text and back without a bit lost. */
#include "graph/text/literal.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* More digits than these tell no two doubles apart. */
enum { MAX_DIGITS = 17, WORD_MAX = 63 };
/* Whole numbers below are written with all their digits. */
#define MAX_WHOLE 1e9

static void print_bits(struct text *out, const unsigned char *at, size_t bytes)
{
	text_puts(out, "0x");
	while (bytes--)
		text_printf(out, "%02x", at[bytes]);
}

static void print_fraction(struct text *out, enum element e, const void *data, int64_t i)
{
	size_t bytes = element_bytes(e);
	const unsigned char *at = (const unsigned char *)data + (size_t)i * bytes;
	char s[40];

	double v = element_load(e, data, i);
	bool whole = fabs(v) < MAX_WHOLE && v == floor(v);

	for (int digits = whole ? 0 : 1; digits <= MAX_DIGITS; digits++) {
		unsigned char back[sizeof(double)] = { 0 };

		snprintf(s, sizeof(s), digits ? "%.*g" : "%.*f", digits, v);
		element_store(e, back, 0, strtod(s, NULL));
		if (memcmp(back, at, bytes) == 0) {
			text_puts(out, s);
			return;
		}
	}
	print_bits(out, at, bytes);
}

void literal_print(struct text *out, enum element e, const void *data, int64_t i)
{
	switch (element_class(e)) {
	case ELEMENT_CLASS_FLOAT:
		print_fraction(out, e, data, i);
		return;
	case ELEMENT_CLASS_SIGNED:
		text_printf(out, "%jd", (intmax_t)element_load_int(e, data, i));
		return;
	case ELEMENT_CLASS_UNSIGNED:
		text_printf(out, "%ju", (uintmax_t)(uint64_t)element_load_int(e, data, i));
		return;
	case ELEMENT_CLASS_BOOL:
		text_puts(out, element_load_int(e, data, i) ? "true" : "false");
		return;
	case ELEMENT_CLASS_STRING:
		text_quote(out, ((const char *const *)data)[i]);
		return;
	}
}

void literal_print_float(struct text *out, double v)
{
	size_t from = out->n;

	print_fraction(out, ELEMENT_F64, &v, 0);
	if (!strpbrk(out->s + from, ".einx"))	/* 1e9, inf, nan, 0x... are no integers */
		text_puts(out, ".0");
}

/* The characters of a number or a bool, in WORD; false where none come, or too many. */
static bool read_word(struct scan *s, char word[WORD_MAX + 1])
{
	size_t n = 0;

	scan_blanks(s);
	while (isalnum((unsigned char)s->at[n]) || (s->at[n] && strchr("+-.", s->at[n])))
		n++;
	if (n == 0 || n > WORD_MAX)
		return false;
	memcpy(word, s->at, n);
	word[n] = '\0';
	s->at += n;
	return true;
}

static bool bits_of(const char *word, enum element e, void *out)
{
	char *end;

	errno = 0;
	uint64_t bits = strtoull(word + 2, &end, 16);
	size_t bytes = element_bytes(e);

	if (end == word + 2 || *end || errno || !isxdigit((unsigned char)word[2]) ||
	    (bytes < sizeof(bits) && bits >> (8 * bytes)))
		return false;
	memcpy(out, &bits, bytes);	/* the first bytes are the lowest, as hone's machines have it */
	return true;
}

static bool fraction_of(const char *word, enum element e, void *out)
{
	char *end;

	if (strncmp(word, "0x", 2) == 0)
		return bits_of(word, e, out);
	element_store(e, out, 0, strtod(word, &end));
	return *end == '\0';
}

static bool integer_of(const char *word, enum element e, void *out)
{
	char *end;

	errno = 0;
	if (e == ELEMENT_U64) {
		uint64_t v = strtoull(word, &end, 10);

		memcpy(out, &v, sizeof(v));
		return *end == '\0' && !errno && isdigit((unsigned char)*word);
	}
	int64_t v = strtoll(word, &end, 10);

	element_store_int(e, out, 0, v);
	return *end == '\0' && !errno && v >= element_min(e) && v <= element_max(e);
}

static bool bool_of(const char *word, void *out)
{
	bool yes = strcmp(word, "true") == 0 || strcmp(word, "1") == 0;

	element_store_int(ELEMENT_BOOL, out, 0, yes);
	return yes || strcmp(word, "false") == 0 || strcmp(word, "0") == 0;
}

int literal_read(struct scan *s, struct arena *a, enum element e, void *out)
{
	char word[WORD_MAX + 1];

	scan_blanks(s);
	struct scan at = *s;

	if (element_class(e) == ELEMENT_CLASS_STRING) {
		const char *string = scan_quoted(s, a);

		memcpy(out, &string, sizeof(string));
		return string ? 0 : scan_error(&at, "expected a string in quotes, on one line");
	}
	bool fits = read_word(s, word);

	if (fits && element_is_float(e))
		fits = fraction_of(word, e, out);
	else if (fits && e == ELEMENT_BOOL)
		fits = bool_of(word, out);
	else if (fits)
		fits = integer_of(word, e, out);
	return fits ? 0 : scan_error(&at, "expected a number of type %s", element_name(e));
}

bool literal_fits(const struct array *x)
{
	int bits = element_bits(x->element);

	if (element_is_float(x->element) ? bits >= 8 : bits >= 8 && x->element != ELEMENT_BOOL)
		return true;
	for (int64_t i = 0; i < x->count; i++) {
		const unsigned char *at = (const unsigned char *)x->data + i;
		unsigned char back;

		element_store_int(x->element, &back, 0, element_load_int(x->element, at, 0));
		if (element_is_float(x->element) ? *at >> bits : back != *at)
			return false;
	}
	return true;
}
