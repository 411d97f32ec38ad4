/* SPDX-License-Identifier: Apache-2.0 */
/* target/vectors/pattern.c - fills the fields of a pattern. */
#include "target/vectors/pattern.h"

#include <string.h>

/* Where in the repeated parts of a pattern. */
struct spot {
	const struct vector_form *v;
	int lane, distance, vector, row;
};

int64_t row_loads(const struct picked_row *row)
{
	return (row->elements + row->lanes - 1) / row->lanes;
}

int64_t row_start(const struct picked_row *row, int64_t k)
{
	return k && k == row_loads(row) - 1 ? row->elements - row->lanes : k * row->lanes;
}

int64_t row_pick(const struct picked_row *row, int64_t k, int64_t lane)
{
	int64_t element = (lane - row->from) * row->stride + row->phase, at = element - row_start(row, k);

	if (lane < row->from || lane >= row->to)
		return k ? lane : row->lanes;
	if (k == 0)
		return element;
	if (element < k * row->lanes)
		return k == 1 ? element : lane;
	return at < row->lanes ? row->lanes + at : lane;
}

/* What lanes of V are picked from: they are all of a vector. */
static struct picked_row row_of(const struct vector_form *v)
{
	bool ends = v->phase < 0;

	return (struct picked_row){ .to = v->lanes, .stride = v->stride, .phase = ends ? 0 : v->phase, .lanes = v->lanes,
				    .elements = ends ? (v->lanes - 1) * v->stride + 1 : v->lanes * v->stride };
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

/* Are blocks of DISTANCE lanes and of twice as many, a step each, transposed as four by four? The second step has two of each row side by side
 * then, for which x86 has instructions of one operation, if elements are of 4 bytes. */
static bool is_half_of_four(const struct vector_form *v, int distance)
{
	return dtype_bytes(v->t) == 4 && 2 * distance < v->lanes && (distance == 1 || distance == 4);
}

/* Of both rows, the number of what LANE of the first is; of the second, with what is ODD. */
static int lane_of_pair(const struct spot *s, int odd)
{
	int d = s->distance, block = s->lane / d % 4;

	if (is_half_of_four(s->v, d))
		return (block < 2 ? 0 : s->v->lanes) + s->lane - block * d + (block % 2 * 2 + odd) * d;
	if ((s->lane & d) == 0)
		return s->lane + odd * d;
	return s->v->lanes + s->lane - (odd ? 0 : d);
}

/* The row that comes to be number ROW when all steps are done. */
static int row_before(const struct vector_form *v, int row)
{
	for (int d = 1; d < v->lanes; d *= 2)
		if (is_half_of_four(v, d) && !(row & d) != !(row & 2 * d))
			row ^= 3 * d;
	return row;
}

static void put_field(struct text *out, const struct spot *s, char field)
{
	const struct vector_form *v = s->v;
	int each = (int)dtype_bytes(v->t), bytes = each * v->lanes;
	const struct picked_row row = row_of(v);

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
		put_number(out, lane_of_pair(s, 0));
		break;
	case 'v':
		put_number(out, lane_of_pair(s, 1));
		break;
	case 'j':
		put_number(out, row_before(s->v, s->lane));
		break;
	case 'k':
		put_number(out, s->vector);
		break;
	case 's':
		put_number(out, (int)row_start(&row, s->vector));
		break;
	case 'p':
		put_number(out, (int)row_pick(&row, s->vector, s->lane));
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
		const struct picked_row row = row_of(s.v);

		for (s.vector = *begin - '0'; s.vector < row_loads(&row); s.vector++)
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
