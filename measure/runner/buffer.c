/* SPDX-License-Identifier: Apache-2.0 */
/* measure/runner/buffer.c - memory whose borders are watched. */
#include "measure/runner/buffer.h"

#include "base/integer.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A huge number in every float type, and unlikely as a value stored by mistake. */
enum { CANARY = 0xfb };

/* Address space only: a row or a plane too far still faults, instead of hitting a neighbour. */
#define GUARD ((size_t)1 << 20)

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

size_t buffer_inner(size_t bytes)
{
	return bytes_up(bytes ? bytes : 1, page_size());
}

size_t buffer_offset(size_t bytes)
{
	return buffer_inner(bytes) - bytes_up(bytes, BUFFER_ALIGN);
}

static char *inner_begin(const struct guarded_buffer *b)
{
	return b->map + GUARD;
}

static void set_canaries(const struct guarded_buffer *b)
{
	const char *end = inner_begin(b) + b->inner;

	memset(inner_begin(b), CANARY, (size_t)(b->data - inner_begin(b)));
	memset(b->data + b->bytes, CANARY, (size_t)(end - (b->data + b->bytes)));
}

bool buffer_map(struct guarded_buffer *b, size_t bytes, int fd, int64_t offset, bool shared)
{
	*b = (struct guarded_buffer){ .bytes = bytes, .inner = buffer_inner(bytes) };
	if (b->inner < bytes || b->inner + 2 * GUARD < bytes)	/* a size that is no size */
		return false;
	char *map = mmap(NULL, b->inner + 2 * GUARD, PROT_NONE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (map == MAP_FAILED)
		return false;
	int flags = MAP_FIXED | (shared ? MAP_SHARED : MAP_PRIVATE) | (fd < 0 ? MAP_ANONYMOUS : 0);
	if (mmap(map + GUARD, b->inner, PROT_READ | PROT_WRITE, flags, fd, offset) == MAP_FAILED) {
		munmap(map, b->inner + 2 * GUARD);
		return false;
	}
	b->map = map;
	b->data = map + GUARD + buffer_offset(bytes);
	if (fd < 0 || shared)
		set_canaries(b);
	return true;
}

bool buffer_map_again(struct guarded_buffer *b, size_t bytes, struct guarded_buffer *spare)
{
	if (!spare->map || spare->inner != buffer_inner(bytes)) {
		buffer_unmap(spare);
		return buffer_map(b, bytes, -1, 0, false);
	}
	*b = *spare;
	*spare = (struct guarded_buffer){ 0 };
	b->bytes = bytes;
	b->data = inner_begin(b) + buffer_offset(bytes);
	buffer_writable(b, true);
	set_canaries(b);
	return true;
}

void buffer_unmap(struct guarded_buffer *b)
{
	if (b->map)
		munmap(b->map, b->inner + 2 * GUARD);
	*b = (struct guarded_buffer){ 0 };
}

void buffer_writable(const struct guarded_buffer *b, bool writable)
{
	mprotect(inner_begin(b), b->inner, writable ? PROT_READ | PROT_WRITE : PROT_READ);
}

void buffer_poison(const struct guarded_buffer *b)
{
	memset(b->data, 0xff, b->bytes);
	set_canaries(b);
}

bool buffer_intact(const struct guarded_buffer *b, int64_t *at)
{
	const char *end = inner_begin(b) + b->inner;

	/* The trailing bytes first: running over the end is the common mistake. */
	for (const char *p = b->data + b->bytes; p < end; p++)
		if (*p != (char)CANARY) {
			*at = p - b->data;
			return false;
		}
	for (const char *p = b->data; p > inner_begin(b);)
		if (*--p != (char)CANARY) {
			*at = p - b->data;
			return false;
		}
	return true;
}

bool buffer_holds(const struct guarded_buffer *b, const void *address)
{
	const char *p = address;

	return b->map && p >= b->map && p < inner_begin(b) + b->inner + GUARD;
}
