/* SPDX-License-Identifier: Apache-2.0 */
/* base/arena.c - a list of chunks, each twice as large as the one before. */
#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/vec.h"

enum { ALIGN = 16, FIRST_CHUNK = 4096, LARGEST_CHUNK = 1 << 20 };

struct chunk {
	struct chunk *next;
	size_t used, size;
	_Alignas(ALIGN) unsigned char data[];
};

struct arena {
	struct chunk *chunks;	/* the newest first; only it has room */
	bool separate;		/* every object a malloc of its own */
};

struct arena *arena_new(void)
{
	struct arena *a = calloc(1, sizeof(*a));

	if (!a)
		die("out of memory");
	a->separate = getenv("HONE_DEBUG_ARENA") != NULL;
	return a;
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
	free_chunks(a->chunks);
	free(a);
}

void arena_reset(struct arena *a)
{
	struct chunk *keep = a->separate ? NULL : a->chunks;

	if (!keep) {
		free_chunks(a->chunks);
		a->chunks = NULL;
		return;
	}
	free_chunks(keep->next);
	keep->next = NULL;
	keep->used = 0;
}

static struct chunk *new_chunk(struct arena *a, size_t need)
{
	size_t size = need;

	if (!a->separate) {
		size_t last = a->chunks ? a->chunks->size : FIRST_CHUNK / 2;

		size = last >= LARGEST_CHUNK ? LARGEST_CHUNK : 2 * last;
		if (size < need)
			size = need;
	}
	struct chunk *c = malloc(sizeof(*c) + size);

	if (!c)
		die("out of memory (%zu bytes)", size);
	c->next = a->chunks;
	c->used = 0;
	c->size = size;
	a->chunks = c;
	return c;
}

void *arena_alloc(struct arena *a, size_t bytes)
{
	size_t need = (bytes + ALIGN - 1) / ALIGN * ALIGN;
	struct chunk *c = a->chunks;

	if (need < bytes)
		die("out of memory (%zu bytes)", bytes);
	if (a->separate)
		c = new_chunk(a, bytes);
	else if (!c || c->size - c->used < need)
		c = new_chunk(a, need);
	void *p = c->data + c->used;

	c->used = a->separate ? c->size : c->used + need;
	return memset(p, 0, bytes);
}

void *arena_memdup(struct arena *a, const void *data, size_t bytes)
{
	void *p = arena_alloc(a, bytes);

	if (bytes)
		memcpy(p, data, bytes);
	return p;
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
	char *p = arena_alloc(a, n + 1);

	memcpy(p, s, n);
	return p;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return arena_strndup(a, s, strlen(s));
}

char *arena_vprintf(struct arena *a, const char *fmt, va_list ap)
{
	va_list again;

	va_copy(again, ap);
	int n = vsnprintf(NULL, 0, fmt, again);

	va_end(again);
	if (n < 0)
		die("bad format '%s'", fmt);
	char *s = arena_alloc(a, (size_t)n + 1);

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
	void *at = arena_alloc(a, (size_t)cap * size);

	if (n)
		memcpy(at, old, (size_t)n * size);
	return at;
}
