/* SPDX-License-Identifier: Apache-2.0 */
/* graph/task/storage.h - the orders in which an image may be stored.
 *
 * An image is a tensor [n, c, spatial...] of rank 3 to 5. Its storage is a number: how many of its
 * channels stand together.
 *
 *	STORE_NCHW	none: [n, c, h, w]
 *	STORE_NHWC	all: [n, h, w, c]
 *	B > 1		a block of B: [n, c / B, h, w, B], nchw16c */
#ifndef HONE_GRAPH_TASK_STORAGE_H
#define HONE_GRAPH_TASK_STORAGE_H

#include "graph/build/build.h"
#include "te/arrange/arrange.h"

enum { STORE_NCHW = 0, STORE_NHWC = 1 };

/* nchw, nhwc, nchw16c; with one or three spatial dims ncw, ncdhwc ... In A. */
const char *storage_name(struct arena *a, int rank, int store);
/* A static image of numbers whose blocks STORE divides? Any tensor fits STORE_NCHW. */
bool storage_fits(const struct type *t, int store);
/* The order of the dims of an image of RANK. */
struct arrangement storage_arrangement(int rank, int store);
/* The type of an image of plain type T in STORE, in A. */
const struct type *storage_type(struct arena *a, const struct type *t, int store);
/* Do the elements of T lie in the same order in both? Then one is a view of the other. */
bool storage_same(const struct type *t, int from, int to);
/* VALUE, an image of plain type T that is in FROM, as one in TO: reshapes and a transpose. */
int build_stored(struct builder *b, int value, const struct type *t, int from, int to);

#endif
