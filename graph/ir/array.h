/* SPDX-License-Identifier: Apache-2.0 */
/* graph/ir/array.h - a tensor with its elements: constants of a graph, values of the interpreter.
 *
 * Holds: an array that has more than one holder is not written to. */
#ifndef HONE_GRAPH_IR_ARRAY_H
#define HONE_GRAPH_IR_ARRAY_H

#include "base/arena.h"
#include "graph/ir/element.h"

enum { GRAPH_MAX_RANK = 8 };

/* Bounds on what a model may ask for, so that sizes computed from shapes do not overflow. */
#define GRAPH_MAX_DIM	   ((int64_t)1 << 40)
#define GRAPH_MAX_ELEMENTS ((int64_t)1 << 46)

struct array {
	enum element element;
	int rank;
	int64_t dim[GRAPH_MAX_RANK];
	int64_t count;	/* of elements */
	/* Row-major, dense; 64-byte aligned where hone allocated it, aligned to its elements but for
	 * array_mapped(), which has array_lift() and array_aligned() for who reads elements. */
	void *data;
	int holders;	/* 0: it lives in an arena */
	const struct array *of;	/* whose data it is, held; NULL: its own */
	struct array_file *file;	/* array_mapped()'s; else NULL */
};

/* Number of elements; -1 where a dim is negative or the product is above GRAPH_MAX_ELEMENTS. */
int64_t shape_count(int rank, const int64_t *dim);

/* An array of its own with one holder, its elements of any value (strings: ""); NULL and a message
 * where memory does not suffice. */
struct array *array_new(enum element e, int rank, const int64_t *dim);
/* One that lives in A, zeroed (strings: ""). */
struct array *array_in(struct arena *a, enum element e, int rank, const int64_t *dim);
/* DATA, which A's owner keeps, as an array. */
struct array *array_around(struct arena *a, enum element e, int rank, const int64_t *dim,
			   const void *data);
/* DATA, which lies in a file that is mapped for reading alone, as an array; aligned or not. */
struct array *array_mapped(struct arena *a, enum element e, int rank, const int64_t *dim,
			   const void *data);
/* X with its elements aligned, for a time: itself, held, or a copy with one holder. Where memory does
 * not suffice, NULL and a message. */
const struct array *array_lift(const struct array *x);
/* The same, for as long as X; any thread may ask. */
const struct array *array_aligned(const struct array *x);
/* Gives the memory back in which X was read from its file, if it is in one. It is read again
 * when it is needed. */
void array_unload(const struct array *x);
/* The elements of X, which is held, in another shape of as many. */
struct array *array_view(const struct array *x, int rank, const int64_t *dim);
/* A copy of X with its strings that lives in A. */
const struct array *array_keep(struct arena *a, const struct array *x);

/* One more holder, one less; the last frees it. NULL is allowed. */
struct array *array_hold(const struct array *x);
void array_release(const struct array *x);

size_t array_bytes(const struct array *x);
bool array_same_shape(const struct array *x, const struct array *y);
/* Elements of integers and of floats, converted. */
int64_t array_int(const struct array *x, int64_t i);
double array_float(const struct array *x, int64_t i);
const char *array_string(const struct array *x, int64_t i);
/* Same type, shape and bits of elements. */
bool array_equal(const struct array *x, const struct array *y);

#endif
