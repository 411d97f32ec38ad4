/* SPDX-License-Identifier: Apache-2.0 */
/* base/bytes.c - numbers, strings and hashes in files. */
#include "base/bytes.h"

#include <string.h>

#include "base/hash.h"

const void *bytes_data(struct bytes *s, uint64_t n, const void *data)
{
	const uint8_t *at = s->at;

	if (s->out) {
		text_putn(s->out, data, (size_t)n);
		return data;
	}
	s->ended |= n > s->left;
	if (s->ended)
		return NULL;
	s->at += n;
	s->left -= n;
	return at;
}

int64_t bytes_number(struct bytes *s, int n, int64_t value)
{
	uint8_t little[8] = { 0 };
	uint64_t v = 0;

	for (int i = 0; i < n; i++)
		little[i] = (uint8_t)((uint64_t)value >> 8 * i);
	const uint8_t *p = bytes_data(s, (uint64_t)n, little);

	for (int i = 0; p && i < n; i++)
		v |= (uint64_t)p[i] << 8 * i;
	return n == 4 ? (int64_t)(int32_t)v : (int64_t)v;
}

const char *bytes_string(struct bytes *s, const char *value)
{
	uint64_t length = (uint32_t)bytes_number(s, 4, value ? (int64_t)strlen(value) : 0);
	const char *at = bytes_data(s, length, value);

	if (s->out)
		return value;
	return at ? arena_strndup(s->arena, at, length) : "";
}

void bytes_seal(struct text *out, size_t from)
{
	struct bytes s = { .out = out };
	const struct hash128 hash = hash_bytes(out->s + from, out->n - from);

	bytes_number(&s, 8, (int64_t)hash.lo);
	bytes_number(&s, 8, (int64_t)hash.hi);
}

bool bytes_unseal(struct bytes *s)
{
	if (s->ended || s->left < BYTES_SEAL)
		return false;
	s->left -= BYTES_SEAL;
	struct bytes end = { .at = s->at + s->left, .left = BYTES_SEAL };
	const struct hash128 hash = hash_bytes(s->begin, (size_t)(end.at - s->begin));

	return (uint64_t)bytes_number(&end, 8, 0) == hash.lo && (uint64_t)bytes_number(&end, 8, 0) == hash.hi;
}
