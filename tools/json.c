/* SPDX-License-Identifier: Apache-2.0 */
/* tools/json.c - figures, names and nulls. */
#include "tools/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* What a time or a ratio is measured to, with room. */
enum { DIGITS = 10 };

json_t *json_label(const char *s)
{
	json_t *j = s ? json_string(s) : json_null();

	return j ? j : json_string("(not UTF-8)");
}

json_t *json_figure(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

json_t *json_positive(double v)
{
	return v > 0 ? json_figure(v) : json_null();
}

json_t *json_count(int64_t n)
{
	return n ? json_integer(n) : json_null();
}

char *json_line(json_t *json)
{
	char *text = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(DIGITS));

	json_decref(json);
	return text;
}

static int print(json_t *json, size_t how)
{
	char *text = json_dumps(json, how | JSON_REAL_PRECISION(DIGITS));

	puts(text ? text : "null");
	free(text);
	json_decref(json);
	return 0;
}

int json_print(json_t *json)
{
	return print(json, JSON_INDENT(2));
}

int json_print_line(json_t *json)
{
	return print(json, JSON_COMPACT);
}
