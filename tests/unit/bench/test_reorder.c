/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/bench/test_reorder.c - copies between layouts, against the places that the views name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/arena.h"
#include "bench/contest/libraries/reorder.h"

enum { PARTS_MAX = 5 };

/* Images of EXTENT[] with channels in blocks of BLOCK (1: none), rows of W that are PAD longer. */
static struct view image(const int64_t *extent, int64_t block, int64_t pad, bool channels_last)
{
	int64_t n = extent[0], c = extent[1], h = extent[2], w = extent[3];
	int64_t pixel = channels_last ? c : block, row = (w + pad) * pixel;
	int64_t group = channels_last ? block : h * row;	/* from block to block */
	struct view v = { 0 };

	view_add_strided(&v, n, channels_last ? h * row : c / block * group);
	view_add_strided(&v, c / block, group);
	view_add_inner(&v, block, 1);
	view_add_strided(&v, h, row);
	view_add_strided(&v, w, pixel);
	return v;
}

static int64_t place(const struct view *v, const int64_t *at)
{
	int64_t offset = 0;

	for (int i = 0; i < v->ndim; i++)
		offset += view_dim_offset(&v->dim[i], at[i]);
	return offset;
}

static void check_copy(const struct view *from, const struct view *to, int parts)
{
	struct arena *a = arena_new();
	int64_t room = 4 * view_count(from), at[4];
	float *x = arena_many(a, float, room), *y = arena_many(a, float, room);
	struct reorder r;

	for (int64_t i = 0; i < room; i++)
		x[i] = (float)(i + 1);
	assert_true(reorder_plan(&r, from, to));
	for (int i = 0; i < parts; i++)
		reorder_run(&r, x, y, i, parts);
	int64_t written = 0;

	for (at[0] = 0; at[0] < from->dim[0].extent; at[0]++)
		for (at[1] = 0; at[1] < from->dim[1].extent; at[1]++)
			for (at[2] = 0; at[2] < from->dim[2].extent; at[2]++)
				for (at[3] = 0; at[3] < from->dim[3].extent; at[3]++)
					assert_true(y[place(to, at)] == x[place(from, at)]);
	for (int64_t i = 0; i < room; i++)
		written += y[i] != 0;
	assert_int_equal(written, view_count(from));
	arena_free(a);
}

/* Between all pairs of layouts, by one share and by several, also more than there are tiles. */
static void all_pairs(void **state)
{
	(void)state;
	static const int64_t shapes[][4] = {
		{ 2, 48, 5, 19 }, { 1, 48, 1, 1 }, { 1, 48, 17, 33 }, { 3, 48, 2, 1 },
	};

	for (size_t s = 0; s < sizeof(shapes) / sizeof(*shapes); s++) {
		const struct view views[] = {
			image(shapes[s], 1, 0, false), image(shapes[s], 1, 0, true),
			image(shapes[s], 16, 0, false), image(shapes[s], 48, 2, false),
			image(shapes[s], 8, 3, false),
		};
		int n = sizeof(views) / sizeof(*views);

		for (int i = 0; i < n * n; i++)
			for (int parts = 1; parts <= PARTS_MAX; parts += 2)
				check_copy(&views[i / n], &views[i % n], parts);
	}
}

static void copies(void **state)
{
	(void)state;
	static const int64_t shape[] = { 2, 48, 5, 7 }, pixel[] = { 1, 48, 1, 1 };
	struct view nchw = image(shape, 1, 0, false), nhwc = image(shape, 1, 0, true);
	struct view one = image(pixel, 1, 0, false), other = image(pixel, 1, 0, true);
	struct reorder r;

	assert_true(reorder_plan(&r, &nchw, &nchw) && reorder_is_copy(&r));
	assert_true(reorder_plan(&r, &nchw, &nhwc) && !reorder_is_copy(&r));
	assert_true(reorder_plan(&r, &one, &other) && reorder_is_copy(&r));
}

/* Blocks of which neither is whole in the other. */
static void refused(void **state)
{
	(void)state;
	static const int64_t shape[] = { 1, 48, 5, 7 };
	struct view twelve = image(shape, 12, 0, false), sixteen = image(shape, 16, 0, false);
	struct view fewer = { 0 };
	struct reorder r;

	assert_false(reorder_plan(&r, &twelve, &sixteen));
	view_add_strided(&fewer, 48, 1);
	assert_false(reorder_plan(&r, &twelve, &fewer));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_pairs),
		cmocka_unit_test(copies),
		cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
