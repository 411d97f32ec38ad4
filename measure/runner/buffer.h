/* SPDX-License-Identifier: Apache-2.0 */
/* measure/runner/buffer.h - a kernel's argument between guards, pages without access.
 *
 * Holds: the data is aligned to 64 bytes and ends as close to the trailing guard as that
 * allows; the bytes before and behind it, within its own pages, are canaries. */
#ifndef HONE_MEASURE_RUNNER_BUFFER_H
#define HONE_MEASURE_RUNNER_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BUFFER_ALIGN = 64 };

struct guarded_buffer {
	char *map;		/* guard, inner pages, guard; NULL: not mapped */
	size_t inner;		/* bytes between the guards */
	char *data;
	size_t bytes;
};

/* Bytes between the guards for BYTES of data, and where in them the data begins. */
size_t buffer_inner(size_t bytes);
size_t buffer_offset(size_t bytes);

/* Maps fresh zeroed memory, canaries set; or, with FD >= 0, buffer_inner() bytes of that file from
 * OFFSET on, shared where SHARED. False where memory is lacking. */
bool buffer_map(struct guarded_buffer *b, size_t bytes, int fd, int64_t offset, bool shared);
/* Maps memory for BYTES, taking that of SPARE where it is of as many pages, with what it holds; it is
 * unmapped otherwise. As buffer_map. */
bool buffer_map_again(struct guarded_buffer *b, size_t bytes, struct guarded_buffer *spare);
void buffer_unmap(struct guarded_buffer *b);
void buffer_writable(const struct guarded_buffer *b, bool writable);
/* All bytes of the data 0xff: NaN in every float type, -1 or the largest in integers; the canaries
 * as they shall be. */
void buffer_poison(const struct guarded_buffer *b);
/* False where a byte outside the data was changed; *AT is its offset from the data's begin. */
bool buffer_intact(const struct guarded_buffer *b, int64_t *at);
/* Whether ADDRESS is within the mapping, guards included. */
bool buffer_holds(const struct guarded_buffer *b, const void *address);

#endif
