/* SPDX-License-Identifier: Apache-2.0 */
/* base/arena.c - a list of chunks, each twice as large as the one before. */
#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/vec.h"

enum { FIRST_CHUNK = 4096, LARGEST_CHUNK = 1 << 20 };

struct chunk {
	struct chunk *next;
	size_t size;	/* a multiple of ARENA_ALIGN */
	_Alignas(ARENA_ALIGN) unsigned char data[];
};

struct arena *arena_new(void)
{
	struct arena *a = calloc(1, sizeof(*a));

	if (!a)
		die("out of memory");
	a->separate = getenv("HONE_DEBUG_ARENA") != NULL;
	return a;
}

struct deferred {
	struct deferred *next;
	void (*done)(void *data);
	void *data;
};

void arena_defer(struct arena *a, void (*done)(void *data), void *data)
{
	struct deferred *d = arena_one(a, struct deferred);

	*d = (struct deferred){ a->deferred, done, data };
	a->deferred = d;
}

static void run_deferred(struct arena *a)
{
	for (struct deferred *d = a->deferred; d; d = d->next)
		d->done(d->data);
	a->deferred = NULL;
}

static void free_chunks(struct chunk *c)
{
	while (c) {
		struct chunk *next = c->next;

		free(c);
		c = next;
	}
}

void arena_free(struct arena *a)
{
	if (!a)
		return;
	run_deferred(a);
	free_chunks(a->chunks);
	free(a);
}

void arena_reset(struct arena *a)
{
	struct chunk *keep = a->separate ? NULL : a->chunks;

	run_deferred(a);
	if (!keep) {
		free_chunks(a->chunks);
		a->chunks = NULL;
		a->at = a->end = NULL;
		return;
	}
	free_chunks(keep->next);
	keep->next = NULL;
	a->at = keep->data;
	a->end = keep->data + keep->size;
}

void *arena_grow(struct arena *a, size_t bytes)
{
	size_t size = (bytes + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
	size_t used = size;

	if (size < bytes)
		die("out of memory (%zu bytes)", bytes);
	if (a->separate) {
		size = bytes;
	} else {
		size_t last = a->chunks ? a->chunks->size : FIRST_CHUNK / 2;
		size_t next = last >= LARGEST_CHUNK ? LARGEST_CHUNK : 2 * last;

		size = size > next ? size : next;
	}
	struct chunk *c = malloc(sizeof(*c) + size);

	if (!c)
		die("out of memory (%zu bytes)", size);
	c->next = a->chunks;
	c->size = size;
	a->chunks = c;
	if (!a->separate) {
		a->at = c->data + used;
		a->end = c->data + size;
	}
	return c->data;
}

void *arena_aligned(struct arena *a, size_t bytes, size_t align)
{
	uintptr_t at = (uintptr_t)arena_alloc(a, bytes + align);

	return (void *)((at + align - 1) / align * align);
}

void *arena_memdup(struct arena *a, const void *data, size_t bytes)
{
	void *p = arena_raw(a, bytes);

	if (bytes)
		memcpy(p, data, bytes);
	return p;
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
	char *p = arena_raw(a, n + 1);

	memcpy(p, s, n);
	p[n] = '\0';
	return p;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return arena_strndup(a, s, strlen(s));
}

char *arena_vprintf(struct arena *a, const char *fmt, va_list ap)
{
	size_t room = (size_t)(a->end - a->at);
	va_list again;

	va_copy(again, ap);
	int n = vsnprintf((char *)a->at, room, fmt, again);

	va_end(again);
	if (n < 0)
		die("bad format '%s'", fmt);
	char *s = arena_raw(a, (size_t)n + 1);

	if ((size_t)n + 1 >= room)	/* it was only measured */
		vsnprintf(s, (size_t)n + 1, fmt, ap);
	return s;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	char *s = arena_vprintf(a, fmt, ap);

	va_end(ap);
	return s;
}

void *vec_grow(struct arena *a, const void *old, int n, int cap, size_t size)
{
	unsigned char *at = arena_raw(a, (size_t)cap * size);
	size_t used = (size_t)n * size;

	if (n)
		memcpy(at, old, used);
	memset(at + used, 0, (size_t)cap * size - used);
	return at;
}
