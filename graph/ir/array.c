/* SPDX-License-Identifier: Apache-2.0 */
/* graph/ir/array.c - allocation and holders of arrays. */
#include "graph/ir/array.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"

enum { ALIGN = 64 };	/* of the widest vectors, and a cache line */

int64_t shape_count(int rank, const int64_t *dim)
{
	int64_t count = 1;
	bool empty = false;

	for (int i = 0; i < rank; i++) {
		if (dim[i] < 0)
			return -1;
		if (dim[i] == 0)
			empty = true;
		else if (__builtin_mul_overflow(count, dim[i], &count) || count > GRAPH_MAX_ELEMENTS)
			return -1;
	}
	return empty ? 0 : count;
}

static void set_shape(struct array *x, enum element e, int rank, const int64_t *dim)
{
	assert(rank >= 0 && rank <= GRAPH_MAX_RANK);
	x->element = e;
	x->rank = rank;
	for (int i = 0; i < rank; i++)
		x->dim[i] = dim[i];
	x->count = shape_count(rank, dim);
}

static void clear(struct array *x)
{
	if (x->element == ELEMENT_STRING)
		for (int64_t i = 0; i < x->count; i++)
			((const char **)x->data)[i] = "";
}

struct array *array_new(enum element e, int rank, const int64_t *dim)
{
	struct array *x = calloc(1, sizeof(*x));

	if (!x)
		die("out of memory");
	set_shape(x, e, rank, dim);
	x->holders = 1;
	size_t bytes = x->count < 0 ? 0 : array_bytes(x);

	if (x->count >= 0)
		x->data = aligned_alloc(ALIGN, (bytes / ALIGN + 1) * ALIGN);
	if (!x->data) {
		free(x);
		err_set("a tensor too large for this machine's memory");
		return NULL;
	}
	clear(x);
	return x;
}

struct array *array_in(struct arena *a, enum element e, int rank, const int64_t *dim)
{
	struct array *x = arena_one(a, struct array);

	set_shape(x, e, rank, dim);
	assert(x->count >= 0);
	unsigned char *p = arena_alloc(a, array_bytes(x) + ALIGN);

	x->data = p + (ALIGN - (uintptr_t)p % ALIGN) % ALIGN;
	clear(x);
	return x;
}

struct array *array_around(struct arena *a, enum element e, int rank, const int64_t *dim,
			   const void *data)
{
	struct array *x = arena_one(a, struct array);

	set_shape(x, e, rank, dim);
	x->data = (void *)(uintptr_t)data;
	return x;
}

/* --- in files */

struct array_file {
	_Atomic(struct array *) aligned;	/* NULL: not asked for yet, or the array itself is */
};

static void forget(void *data)
{
	struct array_file *f = data;

	array_release(atomic_load(&f->aligned));
}

struct array *array_mapped(struct arena *a, enum element e, int rank, const int64_t *dim,
			   const void *data)
{
	struct array *x = array_around(a, e, rank, dim, data);

	x->file = arena_one(a, struct array_file);
	arena_defer(a, forget, x->file);
	return x;
}

static bool is_aligned(const struct array *x)
{
	return (uintptr_t)x->data % element_bytes(x->element) == 0;
}

const struct array *array_lift(const struct array *x)
{
	if (is_aligned(x))
		return array_hold(x);
	struct array *y = array_new(x->element, x->rank, x->dim);

	if (y)
		memcpy(y->data, x->data, array_bytes(x));
	return y;
}

const struct array *array_aligned(const struct array *x)
{
	if (is_aligned(x))
		return x;
	struct array *known = atomic_load(&x->file->aligned);

	if (known)
		return known;
	struct array *mine = (struct array *)(uintptr_t)array_lift(x);

	array_unload(x);
	if (mine && !atomic_compare_exchange_strong(&x->file->aligned, &known, mine)) {
		array_release(mine);
		mine = known;
	}
	return mine;
}

void array_unload(const struct array *x)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t from = ((uintptr_t)x->data + page - 1) / page * page;
	uintptr_t to = ((uintptr_t)x->data + array_bytes(x)) / page * page;

	if (x->file && from < to)
		madvise((void *)from, to - from, MADV_DONTNEED);
}

struct array *array_view(const struct array *x, int rank, const int64_t *dim)
{
	struct array *y = calloc(1, sizeof(*y));

	if (!y)
		die("out of memory");
	set_shape(y, x->element, rank, dim);
	assert(y->count == x->count);
	y->holders = 1;
	y->of = array_hold(x);
	y->data = x->data;
	return y;
}

const struct array *array_keep(struct arena *a, const struct array *x)
{
	struct array *y = array_in(a, x->element, x->rank, x->dim);

	memcpy(y->data, x->data, array_bytes(x));
	if (x->element == ELEMENT_STRING)
		for (int64_t i = 0; i < x->count; i++)
			((const char **)y->data)[i] = arena_strdup(a, array_string(x, i));
	return y;
}

struct array *array_hold(const struct array *x)
{
	struct array *held = (struct array *)(uintptr_t)x;

	if (held && held->holders)
		held->holders++;
	return held;
}

void array_release(const struct array *x)
{
	struct array *held = (struct array *)(uintptr_t)x;

	if (!held || !held->holders || --held->holders)
		return;
	if (held->of)
		array_release(held->of);
	else
		free(held->data);
	free(held);
}

size_t array_bytes(const struct array *x)
{
	return (size_t)x->count * element_bytes(x->element);
}

bool array_same_shape(const struct array *x, const struct array *y)
{
	return x->rank == y->rank &&
	       memcmp(x->dim, y->dim, (size_t)x->rank * sizeof(x->dim[0])) == 0;
}

int64_t array_int(const struct array *x, int64_t i)
{
	return element_load_int(x->element, x->data, i);
}

double array_float(const struct array *x, int64_t i)
{
	return element_load(x->element, x->data, i);
}

const char *array_string(const struct array *x, int64_t i)
{
	assert(x->element == ELEMENT_STRING);
	return ((const char *const *)x->data)[i];
}

bool array_equal(const struct array *x, const struct array *y)
{
	if (x->element != y->element || !array_same_shape(x, y))
		return false;
	if (x->element != ELEMENT_STRING)
		return memcmp(x->data, y->data, array_bytes(x)) == 0;
	for (int64_t i = 0; i < x->count; i++)
		if (strcmp(array_string(x, i), array_string(y, i)) != 0)
			return false;
	return true;
}
