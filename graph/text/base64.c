/* SPDX-License-Identifier: Apache-2.0 */
/* graph/text/base64.c - bytes as printable characters [RFC 4648, section 4]. */
#include "graph/text/literal.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_print(struct text *out, const void *data, size_t n)
{
	const unsigned char *from = data;

	for (size_t i = 0; i < n; i += 3) {
		size_t left = n - i < 3 ? n - i : 3;
		unsigned bits = 0;
		char four[4];

		for (size_t j = 0; j < 3; j++)
			bits = bits << 8 | (j < left ? from[i + j] : 0);
		for (size_t j = 0; j < 4; j++)
			four[j] = j <= left ? digits[bits >> (18 - 6 * j) & 63] : '=';
		text_putn(out, four, sizeof(four));
	}
}

/* The value of each digit; -1 for other characters. */
static void digit_values(signed char value[256])
{
	memset(value, -1, 256);
	for (int i = 0; i < 64; i++)
		value[(unsigned char)digits[i]] = (signed char)i;
}

bool base64_read(const char *text, size_t n, void *data, size_t size)
{
	signed char value[256];
	unsigned char *to = data;

	if (n % 4 || n / 4 != size / 3 + (size % 3 > 0))
		return false;
	digit_values(value);
	for (size_t i = 0; i < size; i += 3) {
		const char *four = text + i / 3 * 4;
		size_t left = size - i < 3 ? size - i : 3;
		unsigned bits = 0;

		for (size_t j = 0; j < 4; j++) {
			int digit = value[(unsigned char)four[j]];

			if (j <= left ? digit < 0 : four[j] != '=')
				return false;
			bits = bits << 6 | (j <= left ? (unsigned)digit : 0);
		}
		for (size_t j = 0; j < left; j++)
			to[i + j] = (unsigned char)(bits >> (16 - 8 * j));
		if (bits & ((1u << (24 - 8 * left)) - 1))	/* bits that no byte has */
			return false;
	}
	return true;
}
