/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/pointwise/number_text.c - elements as strings. */
#include "graph/op/pointwise/number_text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where numpy changes from decimals to powers of ten. */
#define DECIMAL_LEAST 1e-4
#define DECIMAL_END   1e16

/* Digits of V as d.ddde+xx, as few as E needs. */
static int fewest_digits(enum element e, double v, char out[NUMBER_TEXT])
{
	int digits = 0;
	double back;
	union {
		double f64;
		char room[8];
	} stored;

	do {
		snprintf(out, NUMBER_TEXT, "%.*e", digits, v);
		element_store(e, &stored, 0, strtod(out, NULL));
		back = element_load(e, &stored, 0);
	} while ((back < v || back > v) && ++digits < 17);
	return digits;
}

static void print_float(enum element e, double v, char out[NUMBER_TEXT])
{
	if (isnan(v) || isinf(v)) {
		snprintf(out, NUMBER_TEXT, "%s", isnan(v) ? "nan" : v < 0 ? "-inf" : "inf");
		return;
	}
	int digits = fewest_digits(e, v, out);
	double size = fabs(v);
	int exponent = atoi(strchr(out, 'e') + 1);

	if (size > 0 && (size < DECIMAL_LEAST || size >= DECIMAL_END))
		return;	/* as it is */
	int behind = digits - exponent;	/* the point */

	/* "%.*f" of what the digits say, for it would print all digits that V has */
	snprintf(out, NUMBER_TEXT, "%.*f", behind > 1 ? behind : 1, strtod(out, NULL));
}

void number_print(enum element e, const void *data, int64_t i, char out[NUMBER_TEXT])
{
	if (element_is_float(e))
		print_float(e, element_load(e, data, i), out);
	else if (e == ELEMENT_BOOL)
		snprintf(out, NUMBER_TEXT, "%s", element_load_int(e, data, i) ? "True" : "False");
	else if (e == ELEMENT_U64)
		snprintf(out, NUMBER_TEXT, "%" PRIu64, (uint64_t)element_load_int(e, data, i));
	else
		snprintf(out, NUMBER_TEXT, "%" PRId64, element_load_int(e, data, i));
}

/* Did all of S count? */
static bool ended(const char *s, const char *end)
{
	return end != s && end[strspn(end, " \t\n\r")] == '\0';
}

static bool parse_integer(const char *s, enum element e, int64_t *v)
{
	char *end;

	errno = 0;
	*v = e == ELEMENT_U64 ? (int64_t)strtoull(s, &end, 10) : strtoll(s, &end, 10);
	return ended(s, end) && errno == 0;
}

bool number_parse(const char *s, enum element e, void *data, int64_t i)
{
	int64_t whole;
	char *end;

	if (e == ELEMENT_BOOL && (strcmp(s, "True") == 0 || strcmp(s, "False") == 0)) {
		element_store_int(e, data, i, *s == 'T');
		return true;
	}
	if (!element_is_float(e) && parse_integer(s, e, &whole)) {
		element_store_int(e, data, i, whole);
		return true;
	}
	double v = strtod(s, &end);

	if (ended(s, end))
		element_store(e, data, i, v);
	return ended(s, end);
}
