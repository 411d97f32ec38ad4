/* SPDX-License-Identifier: Apache-2.0 */
/* base/hash.c - XXH3's 128-bit form with a fixed encoding of what is hashed. */
#include "base/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

#include "base/err.h"

struct hasher {
	XXH3_state_t *xxh;
};

struct hasher *hasher_new(void)
{
	struct hasher *h = malloc(sizeof(*h));

	if (!h)
		die("out of memory");
	h->xxh = XXH3_createState();
	if (!h->xxh || XXH3_128bits_reset(h->xxh) != XXH_OK)
		die("out of memory");
	return h;
}

void hasher_bytes(struct hasher *h, const void *data, size_t n)
{
	XXH3_128bits_update(h->xxh, data, n);
}

void hasher_int(struct hasher *h, int64_t v)
{
	unsigned char bytes[8];

	for (int i = 0; i < 8; i++)
		bytes[i] = (unsigned char)((uint64_t)v >> (8 * i));
	hasher_bytes(h, bytes, sizeof(bytes));
}

void hasher_str(struct hasher *h, const char *s)
{
	hasher_int(h, (int64_t)strlen(s));
	hasher_bytes(h, s, strlen(s));
}

bool hasher_file(struct hasher *h, const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0 || st.st_size == 0) {
		hasher_int(h, 0);
		return false;
	}
	hasher_int(h, st.st_size);
	hasher_int(h, (int64_t)st.st_dev);
	hasher_int(h, (int64_t)st.st_ino);
	hasher_int(h, st.st_mtim.tv_sec);
	hasher_int(h, st.st_mtim.tv_nsec);
	return true;
}

static struct hash128 from_xxh(XXH128_hash_t x)
{
	return (struct hash128){ .hi = x.high64, .lo = x.low64 };
}

struct hash128 hasher_end(struct hasher *h)
{
	struct hash128 out = from_xxh(XXH3_128bits_digest(h->xxh));

	XXH3_freeState(h->xxh);
	free(h);
	return out;
}

struct hash128 hash_bytes(const void *data, size_t n)
{
	return from_xxh(XXH3_128bits(data, n));
}

struct hash128 hash_file(const char *path)
{
	struct hasher *h = hasher_new();

	hasher_file(h, path);
	return hasher_end(h);
}

bool hash_equal(struct hash128 a, struct hash128 b)
{
	return a.hi == b.hi && a.lo == b.lo;
}

char *hash_text(struct hash128 h, char out[HASH_TEXT])
{
	snprintf(out, HASH_TEXT, "%016" PRIx64 "%016" PRIx64, h.hi, h.lo);
	return out;
}

bool hash_parse(const char *text, struct hash128 *out)
{
	if (strlen(text) != HASH_TEXT - 1 || strspn(text, "0123456789abcdef") != HASH_TEXT - 1)
		return false;
	return sscanf(text, "%16" SCNx64 "%16" SCNx64, &out->hi, &out->lo) == 2;
}
