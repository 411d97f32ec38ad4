/* SPDX-License-Identifier: Apache-2.0 */
/* base/hash.h - a stable 128-bit hash (XXH3), the same on every machine and in every release.
 *
 * Integers are hashed as 8 little-endian bytes, strings with their length, so that no two
 * different sequences of calls give the same bytes. */
#ifndef HONE_BASE_HASH_H
#define HONE_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hash128 {
	uint64_t hi, lo;
};

/* As 32 lower-case hex digits and a NUL. */
#define HASH_TEXT 33

struct hasher;
struct hasher *hasher_new(void);
void hasher_int(struct hasher *h, int64_t v);
void hasher_str(struct hasher *h, const char *s);
void hasher_bytes(struct hasher *h, const void *data, size_t n);
/* Which file is at PATH, and when it was written; none, and one without content, are the same to it.
 * False there. */
bool hasher_file(struct hasher *h, const char *path);
/* The hash of all that came; frees the hasher. */
struct hash128 hasher_end(struct hasher *h);

struct hash128 hash_bytes(const void *data, size_t n);
/* hasher_file() alone. */
struct hash128 hash_file(const char *path);
bool hash_equal(struct hash128 a, struct hash128 b);
/* Writes the hex form; returns OUT. */
char *hash_text(struct hash128 h, char out[HASH_TEXT]);
bool hash_parse(const char *text, struct hash128 *out);

#endif
