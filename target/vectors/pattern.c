/* SPDX-License-Identifier: Apache-2.0 */
/* target/vectors/pattern.c - fills the fields of a pattern. */
#include "target/vectors/pattern.h"

#include <string.h>

/* Where in the repeated parts of a pattern. */
struct spot {
	const struct vector_form *v;
	int lane, distance, vector, row;
};

/* The first element of vector K, the last of which ends with the last lane where there is no phase. */
static int start_of(const struct vector_form *v, int k)
{
	bool back = v->phase < 0 && k == v->stride - 1;

	return back ? (v->lanes - 1) * (v->stride - 1) : k * v->lanes;
}

/* Of two vectors, lanes picked from those before vector K and vector K itself, the number of what LANE is:
 * itself, where it was picked already or is behind. */
static int picked(const struct vector_form *v, int k, int lane)
{
	int at = lane * v->stride + (v->phase > 0 ? v->phase : 0);
	int from = at - start_of(v, k);
	bool before = at < k * v->lanes || from >= v->lanes;

	return !before ? v->lanes + from : k == 1 && at < v->lanes ? at : lane;
}

static void put_number(struct text *out, int n)
{
	char digits[12];
	char *p = digits + sizeof(digits);

	*--p = '\0';
	do
		*--p = (char)('0' + n % 10);
	while (n /= 10);
	text_puts(out, p);
}

static void put_field(struct text *out, const struct spot *s, char field)
{
	const struct vector_form *v = s->v;
	int each = (int)dtype_bytes(v->t), bytes = each * v->lanes;

	switch (field) {
	case 'V':
		text_puts(out, v->type);
		break;
	case 'L':
		put_number(out, v->lanes);
		break;
	case 'Z':
		put_number(out, bytes);
		break;
	case 'T':
		text_puts(out, dtype_c(v->t));
		break;
	case 'B':
		put_number(out, 8 * each);
		break;
	case 'E':
		put_number(out, each);
		break;
	case 'W':
		text_puts(out, each == 4 ? "float" : "double");
		break;
	case 'f':
		text_puts(out, each == 4 ? "f" : "");
		break;
	case 'K':
		text_printf(out, "%s%d", each == 4 ? "ps" : "pd", 8 * bytes);
		break;
	case 'A':
		text_printf(out, "%s%s", each == 4 ? "ps" : "pd", bytes == 32 ? "256" : "");
		break;
	case 'M':
		text_puts(out, v->lanes > 8 ? "16" : "8");
		break;
	case 'i':
		put_number(out, s->lane);
		break;
	case 'x':
		put_number(out, s->lane ^ s->distance);
		break;
	case 'a':
		put_number(out, s->row);
		break;
	case 'b':
		put_number(out, s->row + s->distance);
		break;
	case 'u':
		put_number(out, s->lane & s->distance ? v->lanes + (s->lane ^ s->distance) : s->lane);
		break;
	case 'v':
		put_number(out, s->lane & s->distance ? v->lanes + s->lane : s->lane ^ s->distance);
		break;
	case 'k':
		put_number(out, s->vector);
		break;
	case 's':
		put_number(out, start_of(v, s->vector));
		break;
	case 'p':
		put_number(out, picked(v, s->vector, s->lane));
		break;
	}
}

static void put_part(struct text *out, struct spot s, const char *p, const char *end);

/* What is repeated from the bracket AT on; where it ends. */
static const char *put_repeated(struct text *out, struct spot s, const char *at)
{
	const char closing[] = { '$', *at == '[' ? ']' : *at == '<' ? '>' : *at == '{' ? '}' : ')', '\0' };
	const char *end = strstr(at, closing), *begin = at + 1;

	if (*at == '[') {
		for (s.lane = 0; s.lane < s.v->lanes; s.lane++) {
			text_puts(out, s.lane ? ", " : "");
			put_part(out, s, begin, end);
		}
	} else if (*at == '<') {
		for (s.distance = s.v->lanes / 2; s.distance > 0; s.distance /= 2)
			put_part(out, s, begin, end);
	} else if (*at == '{') {
		for (s.row = 0; s.row < s.v->lanes; s.row++)
			if (!(s.row & s.distance))
				put_part(out, s, begin, end);
	} else {
		for (s.vector = *begin - '0'; s.vector < s.v->stride; s.vector++)
			put_part(out, s, begin + 1, end);
	}
	return end + 2;
}

static void put_part(struct text *out, struct spot s, const char *p, const char *end)
{
	for (const char *at; (at = memchr(p, '$', (size_t)(end - p)));) {
		text_putn(out, p, (size_t)(at - p));
		if (strchr("[<({", at[1])) {
			p = put_repeated(out, s, at + 1);
		} else {
			put_field(out, &s, at[1]);
			p = at + 2;
		}
	}
	text_putn(out, p, (size_t)(end - p));
}

void pattern_print(struct text *out, const struct vector_form *v, const char *pattern)
{
	put_part(out, (struct spot){ .v = v }, pattern, pattern + strlen(pattern));
}
