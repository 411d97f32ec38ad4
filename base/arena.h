/* SPDX-License-Identifier: Apache-2.0 */
/* base/arena.h - memory that is freed all at once.
 *
 * An arena as first parameter of a function means: the result lives there. Lifetimes in hone are
 * those of a task, a generation, a candidate's scratch. With HONE_DEBUG_ARENA in the environment
 * every object is a malloc of its own, so that valgrind and ASan see each bound. */
#ifndef HONE_BASE_ARENA_H
#define HONE_BASE_ARENA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Its fields are for the allocation below alone. */
struct arena {
	unsigned char *at, *end;	/* what is left of the newest chunk */
	struct chunk *chunks;		/* the newest first; only it has room */
	struct deferred *deferred;	/* what is still to be done, the newest first */
	bool separate;			/* every object a malloc of its own: nothing is left, ever */
};

struct arena *arena_new(void);
/* Frees the arena and all that lives in it. NULL is allowed. */
void arena_free(struct arena *a);
/* Forgets all objects but keeps the memory for the next round. */
void arena_reset(struct arena *a);

/* Has DONE(DATA) called once, when A is freed or forgets its objects: for what is no memory. */
void arena_defer(struct arena *a, void (*done)(void *data), void *data);

enum { ARENA_ALIGN = 16 };

/* BYTES bytes from a new chunk. */
void *arena_grow(struct arena *a, size_t bytes);

/* BYTES bytes of any content, aligned for any type. Never NULL: out of memory is die(). */
static inline void *arena_raw(struct arena *a, size_t bytes)
{
	void *p = a->at;

	if (bytes >= (size_t)(a->end - a->at))	/* also where there is no chunk yet */
		return arena_grow(a, bytes);
	a->at += (bytes + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
	return p;
}

/* The same, zeroed. Inline, because most objects are small and of a size that is known. */
static inline void *arena_alloc(struct arena *a, size_t bytes)
{
	return memset(arena_raw(a, bytes), 0, bytes);
}

/* BYTES zeroed bytes at a multiple of ALIGN, a power of two. */
void *arena_aligned(struct arena *a, size_t bytes, size_t align);
void *arena_memdup(struct arena *a, const void *data, size_t bytes);
char *arena_strdup(struct arena *a, const char *s);
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *a, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

/* One zeroed object, or N of them. */
#define arena_one(a, type)	((type *)arena_alloc((a), sizeof(type)))
#define arena_many(a, type, n)	((type *)arena_alloc((a), sizeof(type) * (size_t)(n)))

#endif
