/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/test_plan.c - memory plans: no two buffers are in each other's way, none is below
 * its bound, and of few buffers each is as small as any. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/integer.h"
#include "tests/property/random_plan.h"

enum { INSTANCES = 200, SMALL_INSTANCES = 1000, MOST_SMALL = 8 };

static const double SECONDS = 0.05;

/* --- the oracle: two buffers, byte for byte and step for step */

static bool is_inside(const struct plan_buffer *b, int part, int whole)
{
	for (; part >= 0; part = b[part].part_of)
		if (part == whole)
			return true;
	return false;
}

static int end_of(const struct plan_buffer *b, int i)
{
	int last = b[i].last;

	while ((i = b[i].part_of) >= 0)
		if (b[i].last > last)
			last = b[i].last;
	return last;
}

/* Does X stand where Y was, or a part of Y, and that in one step alone? */
static bool takes_over(const struct plan_buffer *b, int x, size_t at_x, int y, size_t at_y)
{
	int from = b[x].in_place;

	return from >= 0 && b[from].first < b[x].first && is_inside(b, y, from) &&
	       end_of(b, y) == b[x].first && (y != from || at_x == at_y);
}

/* Are buffers X and Y of B in each other's way at these offsets? */
static bool collide(const struct plan_buffer *b, int x, size_t at_x, int y, size_t at_y)
{
	if (at_x >= at_y + b[y].bytes || at_y >= at_x + b[x].bytes)
		return false;
	if (b[x].first > end_of(b, y) || b[y].first > end_of(b, x))
		return false;
	return !is_inside(b, x, y) && !is_inside(b, y, x) && !takes_over(b, x, at_x, y, at_y) &&
	       !takes_over(b, y, at_y, x, at_x);
}

static void check_plan(const struct plan_buffer_vec *v, const struct memory_plan *p)
{
	const struct plan_buffer *b = v->at;

	assert_true(p->bytes >= p->bound);
	assert_true(p->optimal || p->bytes > p->bound);
	for (int i = 0; i < v->n; i++) {
		assert_int_equal(p->offset[i] % PLAN_ALIGN, 0);
		assert_true(p->offset[i] + b[i].bytes <= p->bytes);
		if (b[i].part_of >= 0)
			assert_int_equal(p->offset[i], p->offset[b[i].part_of] + b[i].offset);
		for (int j = 0; j < i; j++)
			assert_false(collide(b, i, p->offset[i], j, p->offset[j]));
	}
}

static void test_families(void **state)
{
	(void)state;
	for (int f = 0; f < plan_family_count; f++) {
		const struct plan_family *family = &plan_families[f];
		int met = 0, optimal = 0;
		double gap = 0, seconds = 0;

		for (int i = 0; i < INSTANCES; i++) {
			struct arena *a = arena_new();
			struct rng rng = rng_seed((uint64_t)i);
			struct plan_buffer_vec v = { 0 };
			struct memory_plan p;

			family->make(a, &rng, 4 + i / 3, &v);
			assert_int_equal(plan_memory(a, v.at, v.n, SECONDS, &p), 0);
			check_plan(&v, &p);
			met += p.bytes == p.bound;
			optimal += p.optimal;
			double over = (double)(p.bytes - p.bound) / (double)p.bound;

			gap = over > gap ? over : gap;
			seconds += p.seconds;
			arena_free(a);
		}
		print_message("%s: of %d the bound was met by %d, the least proved for %d; gap "
			      "at most %.1f%%; %.4f s each\n", family->name, INSTANCES, met,
			      optimal, 100 * gap, seconds / INSTANCES);
		if (family->tight)
			assert_int_equal(met, INSTANCES);
	}
}

/* --- few buffers: all offsets */

struct brute {
	const struct plan_buffer *b;
	int n;
	size_t offset[MOST_SMALL];
	size_t best;
};

/* Places buffers I and up, where those before it reach TOP; a whole stands before its parts. */
static void try_offsets(struct brute *x, int i, size_t top)
{
	if (i == x->n) {
		x->best = top;
		return;
	}
	const struct plan_buffer *b = &x->b[i];
	size_t bytes = bytes_up(b->bytes, PLAN_ALIGN);
	size_t at = b->part_of < 0 ? 0 : x->offset[b->part_of] + b->offset;

	for (; at + bytes < x->best && top < x->best; at += PLAN_ALIGN) {
		bool ok = true;

		for (int j = 0; j < i && ok; j++)
			ok = !collide(x->b, i, at, j, x->offset[j]);
		x->offset[i] = at;
		if (ok)
			try_offsets(x, i + 1, at + bytes > top ? at + bytes : top);
		if (b->part_of >= 0)
			break;
	}
}

static size_t least_bytes(const struct plan_buffer_vec *v)
{
	struct brute x = { .b = v->at, .n = v->n, .best = 1 };

	for (int i = 0; i < v->n; i++)
		x.best += bytes_up(v->at[i].bytes, PLAN_ALIGN);
	try_offsets(&x, 0, 0);
	return x.best;
}

/* Up to MOST_SMALL buffers; with PARTS some are parts of the first. */
static void make_small(struct arena *a, struct rng *rng, bool parts, struct plan_buffer_vec *out)
{
	int n = 2 + (int)rng_below(rng, MOST_SMALL - 1);
	int nparts = parts ? 2 + (int)rng_below(rng, 2) : 0;
	struct plan_buffer whole = { 0, 5, 5 + (int)rng_below(rng, 2), -1, -1, 0 };

	if (parts)
		vec_push(a, out, whole);
	for (int i = out->n; i < n; i++) {
		int first = (int)rng_below(rng, nparts > 0 ? 5 : 8);
		struct plan_buffer b = { 64 * (size_t)(1 + rng_below(rng, 5)), first,
					 first + (int)rng_below(rng, 4), -1, -1, 0 };

		if (nparts-- > 0) {
			b.part_of = 0;
			b.offset = out->at[0].bytes;
			out->at[0].bytes += b.bytes;
		} else if (i && out->at[i - 1].part_of < 0 && out->at[i - 1].bytes) {
			b.last += out->at[i - 1].last - b.first;
			b.first = out->at[i - 1].last;
			b.bytes = out->at[i - 1].bytes;
			b.in_place = i - 1;
		}
		vec_push(a, out, b);
	}
}

static void test_least(void **state)
{
	(void)state;
	for (int parts = 0; parts < 2; parts++) {
		int least = 0, met = 0;

		for (int i = 0; i < SMALL_INSTANCES; i++) {
			struct arena *a = arena_new();
			struct rng rng = rng_seed((uint64_t)i);
			struct plan_buffer_vec v = { 0 };
			struct memory_plan p;

			make_small(a, &rng, parts, &v);
			assert_int_equal(plan_memory(a, v.at, v.n, SECONDS, &p), 0);
			check_plan(&v, &p);
			size_t best = least_bytes(&v);

			assert_true(p.bytes >= best && p.bound <= best);
			assert_true(!p.optimal || p.bytes == best);
			least += p.bytes == best;
			met += p.bytes == p.bound;
			arena_free(a);
		}
		print_message("%s parts: of %d as small as any %d, at the bound %d\n",
			      parts ? "with" : "without", SMALL_INSTANCES, least, met);
		assert_int_equal(least, SMALL_INSTANCES);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_families),
		cmocka_unit_test(test_least),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
