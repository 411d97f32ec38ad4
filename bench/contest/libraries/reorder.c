/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/libraries/reorder.c - the loops of a copy: those of the dimensions' parts, and the two that
 * are contiguous on one of the sides in tiles. */
#include "bench/contest/libraries/reorder.h"

#include "base/integer.h"

#include <assert.h>

/* A tile's rows on both sides, 16 times a cache line of 64 bytes, stay in the first cache. */
enum { TILE = 16 };

void view_add_strided(struct view *v, int64_t extent, int64_t stride)
{
	view_add_dim(v);
	view_add_inner(v, extent, stride);
}

void view_add_inner(struct view *v, int64_t extent, int64_t stride)
{
	struct view_dim *d = &v->dim[v->ndim - 1];

	assert(d->n < VIEW_MAX_PARTS);
	d->part[d->n++] = (struct view_part){ .extent = extent, .stride = stride };
	d->extent *= extent;
}

/* Whole parts of D as they are left while another dimension is walked along beside it. */
struct part_cursor {
	const struct view_dim *d;
	int part;		/* the innermost that is left */
	int64_t extent;		/* that is left of it */
	int64_t stride;
};

static void take_part(struct part_cursor *c)
{
	while (c->part >= 0 && c->extent == 1) {
		c->part--;
		if (c->part >= 0) {
			c->extent = c->d->part[c->part].extent;
			c->stride = c->d->part[c->part].stride;
		}
	}
}

static struct part_cursor cursor_of(const struct view_dim *d)
{
	struct part_cursor c = { .d = d, .part = d->n, .extent = 1 };

	take_part(&c);
	return c;
}

static void advance(struct part_cursor *c, int64_t extent)
{
	c->extent /= extent;
	c->stride *= extent;
	take_part(c);
}

static bool add_loops(struct reorder *r, const struct view_dim *from, const struct view_dim *to)
{
	struct part_cursor f = cursor_of(from), t = cursor_of(to);

	if (from->extent != to->extent)
		return false;
	while (f.part >= 0 && t.part >= 0) {
		int64_t extent = f.extent < t.extent ? f.extent : t.extent;

		if (f.extent % extent || t.extent % extent || r->n == REORDER_MAX_LOOPS)
			return false;
		r->loop[r->n++] = (struct reorder_loop){ extent, f.stride, t.stride };
		advance(&f, extent);
		advance(&t, extent);
	}
	return f.part < 0 && t.part < 0;
}

/* Moves the loop with the least stride of one side to place AT, from places up to it. */
static void choose(struct reorder *r, int at, bool of_target)
{
	int best = 0;

	for (int i = 1; i <= at; i++) {
		const struct reorder_loop *x = &r->loop[i], *y = &r->loop[best];

		if (of_target ? x->to < y->to : x->from < y->from)
			best = i;
	}
	struct reorder_loop swap = r->loop[best];

	r->loop[best] = r->loop[at];
	r->loop[at] = swap;
}

static int64_t tiles_of(const struct reorder_loop *l)
{
	return ceil_div(l->extent, TILE);
}

bool reorder_plan(struct reorder *r, const struct view *from, const struct view *to)
{
	r->n = 0;
	if (from->ndim != to->ndim)
		return false;
	for (int i = 0; i < from->ndim; i++)
		if (!add_loops(r, &from->dim[i], &to->dim[i]))
			return false;
	while (r->n < 2)
		r->loop[r->n++] = (struct reorder_loop){ .extent = 1 };
	choose(r, r->n - 1, true);
	choose(r, r->n - 2, false);
	r->tiles = tiles_of(&r->loop[r->n - 2]) * tiles_of(&r->loop[r->n - 1]);
	for (int i = 0; i < r->n - 2; i++)
		r->tiles *= r->loop[i].extent;
	return true;
}

bool reorder_is_copy(const struct reorder *r)
{
	for (int i = 0; i < r->n; i++)
		if (r->loop[i].from != r->loop[i].to)
			return false;
	return true;
}

static int64_t left(const struct reorder_loop *l, int64_t tile)
{
	int64_t rest = l->extent - tile * TILE;

	return rest < TILE ? rest : TILE;
}

static void copy_tile(const struct reorder *r, const float *from, float *to, int64_t i)
{
	const struct reorder_loop *inner = &r->loop[r->n - 1], *outer = inner - 1;
	int64_t in = i % tiles_of(inner), out = i / tiles_of(inner) % tiles_of(outer);
	int64_t columns = left(inner, in), rows = left(outer, out);

	from += in * TILE * inner->from + out * TILE * outer->from;
	to += in * TILE * inner->to + out * TILE * outer->to;
	i /= tiles_of(inner) * tiles_of(outer);
	for (int l = r->n - 3; l >= 0; l--) {
		from += i % r->loop[l].extent * r->loop[l].from;
		to += i % r->loop[l].extent * r->loop[l].to;
		i /= r->loop[l].extent;
	}
	for (int64_t y = 0; y < rows; y++)
		for (int64_t x = 0; x < columns; x++)
			to[y * outer->to + x * inner->to] = from[y * outer->from + x * inner->from];
}

void reorder_run(const struct reorder *r, const float *from, float *to, int part, int parts)
{
	int64_t end = r->tiles * (part + 1) / parts;

	for (int64_t i = r->tiles * part / parts; i < end; i++)
		copy_tile(r, from, to, i);
}
