/* SPDX-License-Identifier: Apache-2.0 */
/* graph/task/storage.c - dims taken apart at the channels, and put into another order. */
#include "graph/task/storage.h"

enum { MIN_RANK = 3, MAX_RANK = 5, CHANNEL = 1 };

const char *storage_name(struct arena *a, int rank, int store)
{
	static const char *const spatial[] = { "w", "hw", "dhw" };
	const char *s = spatial[rank - MIN_RANK];

	if (store == STORE_NCHW)
		return arena_printf(a, "nc%s", s);
	if (store == STORE_NHWC)
		return arena_printf(a, "n%sc", s);
	return arena_printf(a, "nc%s%dc", s, store);
}

/* Numbers that images consist of, quantized ones and their sums too; those of 64 bits are indices. */
static bool is_pixel(enum element e)
{
	return element_is_float(e) || (element_is_integer(e) && element_bytes(e) <= 4);
}

bool storage_fits(const struct type *t, int store)
{
	if (store == STORE_NCHW)
		return true;
	return type_is_static(t) && is_pixel(t->element) && t->rank >= MIN_RANK &&
	       t->rank <= MAX_RANK && type_count(t) > 0 && t->dim[CHANNEL].n % store == 0;
}

struct arrangement storage_arrangement(int rank, int store)
{
	struct arrangement a = { 0 };

	if (store == STORE_NCHW)
		return a;
	for (int i = 0; i < rank; i++)
		if (i != CHANNEL || store != STORE_NHWC)
			a.at[a.n++] = (struct stored_dim){ .dim = i };
	a.at[a.n++] = (struct stored_dim){ .dim = CHANNEL, .block = store == STORE_NHWC ? 0 : store };
	return a;
}

/* The dims of T in STORE, in OUT; their number. */
static int stored_dims(const struct type *t, int store, int64_t *out)
{
	struct arrangement how = storage_arrangement(t->rank, store);
	struct tensor x = { .ndim = t->rank };
	int n = how.n ? how.n : t->rank;

	for (int i = 0; i < t->rank; i++)
		x.shape[i] = t->dim[i].n;
	for (int i = 0; i < n; i++)
		out[i] = arrangement_extent(&how, &x, i);
	return n;
}

const struct type *storage_type(struct arena *a, const struct type *t, int store)
{
	int64_t dim[GRAPH_MAX_RANK];

	return store == STORE_NCHW ? t : type_shaped(a, t->element, stored_dims(t, store, dim), dim);
}

/* An image with its channels in blocks, as one dim where there are none: all storages are orders of
 * these. */
struct parts {
	int n;
	int64_t extent[GRAPH_MAX_RANK];	/* n, blocks, block, spatial... */
};

enum { BLOCKS = 1, INNER = 2 };

static struct parts parts_of(const struct type *t, int block)
{
	struct parts p = { .n = t->rank + 1 };

	for (int i = 0; i < t->rank; i++)
		p.extent[i > CHANNEL ? i + 1 : i] = t->dim[i].n;
	p.extent[BLOCKS] = t->dim[CHANNEL].n / block;
	p.extent[INNER] = block;
	return p;
}

/* The parts in the order of STORE. */
static void order_parts(const struct parts *p, int store, int *order)
{
	int n = 0;

	for (int i = 0; i < p->n; i++)
		if (store == STORE_NCHW || (i != INNER && (i != BLOCKS || store != STORE_NHWC)))
			order[n++] = i;
	if (store == STORE_NHWC)
		order[n++] = BLOCKS;
	if (store != STORE_NCHW)
		order[n++] = INNER;
}

static int block_of(int from, int to)
{
	return from > STORE_NHWC ? from : to > STORE_NHWC ? to : 1;
}

bool storage_same(const struct type *t, int from, int to)
{
	struct parts p = parts_of(t, block_of(from, to));
	int before[GRAPH_MAX_RANK], after[GRAPH_MAX_RANK];
	int i = 0, j = 0;

	order_parts(&p, from, before);
	order_parts(&p, to, after);
	for (;; i++, j++) {	/* what has one element is nowhere */
		while (i < p.n && p.extent[before[i]] == 1)
			i++;
		while (j < p.n && p.extent[after[j]] == 1)
			j++;
		if (i == p.n || j == p.n)
			return i == j;
		if (before[i] != after[j])
			return false;
	}
}

static int reshape(struct builder *b, int value, int n, const int64_t *dim)
{
	return build(b, &core_reshape, value, build_ints(b, n, dim));
}

int build_stored(struct builder *b, int value, const struct type *t, int from, int to)
{
	struct parts p = parts_of(t, block_of(from, to));
	int before[GRAPH_MAX_RANK], after[GRAPH_MAX_RANK];
	int64_t dim[GRAPH_MAX_RANK], perm[GRAPH_MAX_RANK];
	struct attr_vec attrs = { 0 };

	if (from == to)
		return value;
	if (!storage_same(t, from, to)) {
		order_parts(&p, from, before);
		order_parts(&p, to, after);
		for (int i = 0; i < p.n; i++) {
			dim[i] = p.extent[before[i]];
			for (int j = 0; j < p.n; j++)
				if (before[j] == after[i])
					perm[i] = j;
		}
		value = reshape(b, value, p.n, dim);
		attrs_ints(b->arena, &attrs, "perm", p.n, perm);
		value = build_with(b, &core_transpose, &attrs, value);
	}
	return reshape(b, value, stored_dims(t, to, dim), dim);
}
