/* SPDX-License-Identifier: Apache-2.0 */
/* base/bytes.h - a file's bytes, written and read by one description: numbers little-endian, a hash at the end.
 *
 * In:   values, or bytes and an arena.
 * Out:  the same function of the caller's writes them, or reads them back: each call takes the value to write, and returns it or what
 *       is read in its place.
 * Holds: nothing behind the end is read. */
#ifndef HONE_BASE_BYTES_H
#define HONE_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/text.h"

/* Of a hash at the end (XXH3), the low half first. */
enum { BYTES_SEAL = 16 };

struct bytes {
	struct text *out;	/* what is written goes behind that; NULL: reads */
	const uint8_t *begin, *at;	/* of what is read */
	size_t left;
	bool ended;		/* more was asked for than there is: zeros came, and NULL */
	struct arena *arena;	/* where strings go that are read */
};

/* N bytes of DATA; where they lie when they are read. */
const void *bytes_data(struct bytes *s, uint64_t n, const void *data);
/* A number of N bytes, up to 8; of 4 it has a sign when it is read. */
int64_t bytes_number(struct bytes *s, int n, int64_t value);
/* A string behind its length, 4 bytes; "" where it is cut off. */
const char *bytes_string(struct bytes *s, const char *value);
/* The hash of OUT's bytes from FROM on, behind them. */
void bytes_seal(struct text *out, size_t from);
/* Is there such a hash, of all that is before it? Then it is left out from then on. */
bool bytes_unseal(struct bytes *s);

#endif
