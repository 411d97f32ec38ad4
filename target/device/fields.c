/* SPDX-License-Identifier: Apache-2.0 */
/* target/device/fields.c - one field, in all ways. */
#include "target/device/fields.h"

#include <string.h>

static int64_t bits(struct fields *v, int width, int64_t value)
{
	uint64_t x = v->way == FIELDS_ENCODE ? (uint64_t)value : 0;

	for (int i = 0; i < width; i++, v->at++) {
		uint8_t *byte = &v->bytes[v->at / 8];

		if (v->way == FIELDS_ENCODE)
			*byte |= (uint8_t)((x >> i & 1) << v->at % 8);
		else
			x |= (uint64_t)(*byte >> v->at % 8 & 1) << i;
	}
	return (int64_t)x;
}

int64_t field_number(struct fields *v, const char *word, int width, int64_t least, int64_t value)
{
	int64_t last = least + (1LL << width) - 1;

	if (v->why)
		return value;
	if (v->way <= FIELDS_DECODE)
		return bits(v, width, value - least) + least;
	if (v->way == FIELDS_PRINT) {
		bool spaced = strlen(word) != 1;

		text_printf(v->out, "%s%s%s%lld", spaced ? " " : "", word, spaced && *word ? " " : "", (long long)value);
		return value;
	}
	if (v->way == FIELDS_PARSE) {
		scan_blanks(v->scan);
		if (strncmp(v->scan->at, word, strlen(word)) != 0)	/* no whole word: 14x14 */
			v->why = word;
		else
			v->scan->at += strlen(word);
		if (v->why || !scan_int(v->scan, &value) || value < least || value > last) {
			v->why = word;
			scan_error(v->scan, "expected %s%sa number from %lld to %lld", word, *word ? " " : "",
				   (long long)least, (long long)last);
		}
	}
	if (value < least || value > last)
		v->why = "a number that has no bits";
	return value;
}

bool field_flag(struct fields *v, const char *word, bool value)
{
	if (v->why)
		return value;
	if (v->way <= FIELDS_DECODE)
		return bits(v, 1, value) != 0;
	if (v->way == FIELDS_PARSE)
		return scan_token(v->scan, word);
	if (v->way == FIELDS_PRINT && value)
		text_printf(v->out, " %s", word);
	return value;
}

int field_name(struct fields *v, int width, int n, const char *const *names, int value)
{
	if (v->why)
		return value;
	if (v->way <= FIELDS_DECODE)
		value = (int)bits(v, width, value);
	else if (v->way == FIELDS_PRINT)
		text_printf(v->out, "%s%s", v->at++ ? " " : "", names[value]);
	for (value = v->way == FIELDS_PARSE ? 0 : value; v->way == FIELDS_PARSE && value < n && !scan_token(v->scan, names[value]);)
		value++;
	if (value >= 0 && value < n)
		return value;
	v->why = "a number that means nothing";
	if (v->way == FIELDS_PARSE)
		scan_error(v->scan, "expected one of %s, ..., %s", names[0], names[n - 1]);
	return 0;
}

bool fields_end(struct fields *v, int n)
{
	while (v->at < n)
		if (bits(v, 1, 0))
			return false;
	return true;
}
