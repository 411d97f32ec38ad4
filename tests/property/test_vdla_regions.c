/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/test_vdla_regions.c - random regions of integers: what the generator vdla makes of them, in one program with
 * memory that values share, is the interpreter's, to the bit, for the machine of the defaults and for a small one. HONE_SEED=N
 * runs one, HONE_CASES=N so many. */
#include "tests/vdla_regions.h"

enum { CASES = 10, MOST_STEPS = 7, MOST_VALUES = 16 };

/* A region that grows. */
struct growing {
	struct graph_maker m;
	int bytes[MOST_VALUES], nbytes;		/* images */
	int other[MOST_VALUES], nothers;	/* results that nobody reads */
};

static int64_t draw(struct growing *g, int64_t from, int64_t to)
{
	return from + rng_below(&g->m.rng, to - from + 1);
}

static int some_image(struct growing *g)
{
	return g->bytes[draw(g, 0, g->nbytes - 1)];
}

/* Another image of X's shape, or X. */
static int like(struct growing *g, int x)
{
	int y = some_image(g);

	return type_equal(build_type(&g->m.b, x), build_type(&g->m.b, y)) ? y : x;
}

static int64_t some_channels(struct growing *g)
{
	static const int64_t channels[] = { 16, 32, 16, 8, 24, 5 };

	return channels[draw(g, 0, 5)];
}

/* Padded by up to half of the kernel, so that no window is empty. */
static struct windows some_windows(struct growing *g, int x, int64_t most)
{
	int64_t side = least(extent(&g->m, x, 2), extent(&g->m, x, 3)), k = draw(g, 1, least(most, side)), p = draw(g, 0, k / 2);
	struct windows w = { .kernel = { k, k }, .pads = { p, p, p, p }, .strides = { draw(g, 1, 2), draw(g, 1, 2) } };

	if (draw(g, 0, 4) == 0 && 2 * (k - 1) < side)
		w.dilations[0] = w.dilations[1] = 2;
	return w;
}

static int grow_conv(struct growing *g)
{
	int x = some_image(g);

	return conv_bytes(&g->m, x, some_channels(g), some_windows(g, x, 3));
}

/* One channel a group, or several. */
static int grow_groups(struct growing *g)
{
	int x = some_image(g);
	struct windows w = some_windows(g, x, 3);
	int64_t c = extent(&g->m, x, 1);

	w.groups = c % 8 == 0 && draw(g, 0, 1) ? c / 8 : c;
	return conv_bytes(&g->m, x, w.groups * draw(g, 1, 2), w);
}

static int grow_residual(struct growing *g)
{
	int x = some_image(g), y = like(g, x);
	int z = scaled(&g->m, conv_sums(&g->m, x, extent(&g->m, x, 1), (struct windows){ .kernel = { 3, 3 }, .pads = { 1, 1, 1, 1 } }));

	return to_bytes(&g->m, add_of(&g->m, z, widened(&g->m, y, draw(g, 1, 30000))), 14, draw(g, -128, 0), draw(g, 1, 127));
}

static int grow_sum(struct growing *g)
{
	int x = some_image(g), y = like(g, x);

	x = add_of(&g->m, widened(&g->m, x, draw(g, 1, 300)), widened(&g->m, y, draw(g, 1, 300)));
	return to_bytes(&g->m, add_of(&g->m, x, number(&g->m, 256)), 9, -100, 127);
}

static int grow_pool(struct growing *g)
{
	int x = some_image(g);
	struct windows w = some_windows(g, x, 3);
	int64_t around = w.pads[0];

	memset(w.pads, 0, sizeof(w.pads));
	memset(w.dilations, 0, sizeof(w.dilations));
	return max_pool_of(&g->m, around ? padded(&g->m, x, around, VALUE_NONE) : x, w);
}

/* Where there are several images of whole blocks and of one size; else a convolution. */
static int grow_join(struct growing *g)
{
	int first = some_image(g), part[3] = { first }, n = 1;

	for (int i = 0; i < 8 && n < 3; i++) {
		int y = some_image(g);

		if (extent(&g->m, y, 2) == extent(&g->m, first, 2) && extent(&g->m, y, 3) == extent(&g->m, first, 3))
			part[n++] = y;
	}
	for (int i = 0; i < n; i++)
		if (n < 2 || extent(&g->m, part[i], 0) > 1 || extent(&g->m, part[i], 1) % 16 != 0)
			return grow_conv(g);
	return joined_along(&g->m, 1, n, part);
}

/* Sums that are results as they are, and rows. */
static void grow_other(struct growing *g)
{
	int x = some_image(g), y = pixel_sums(&g->m, x);

	if (draw(g, 0, 1)) {
		y = to_bytes(&g->m, scaled(&g->m, y), 10, -128, 127);
		y = dense_sums(&g->m, flattened(&g->m, y), draw(g, 1, 20));
	}
	g->other[g->nothers++] = y;
}

static void grow(struct growing *g)
{
	static int (*const ways[])(struct growing *g) = { grow_conv, grow_groups, grow_residual, grow_sum, grow_pool, grow_join, grow_join };
	int64_t way = draw(g, 0, (int64_t)(sizeof(ways) / sizeof(ways[0])));

	if (way < (int64_t)(sizeof(ways) / sizeof(ways[0])))
		g->bytes[g->nbytes++] = ways[way](g);
	else
		grow_other(g);
}

static struct growing grown(uint64_t seed)
{
	struct growing g = { .m = graph_maker_new() };
	int results[2 * MOST_VALUES], n = 0;

	g.m.rng = rng_seed(seed);
	int64_t inputs = draw(&g, 1, 2), images = draw(&g, 0, 3) ? 1 : 2, h = draw(&g, 3, 8), steps = draw(&g, 2, MOST_STEPS);

	for (int i = 0; i < inputs; i++)
		g.bytes[g.nbytes++] = image(&g.m, images, i ? 16 : draw(&g, 0, 1) ? 3 : 16, h, h);
	for (int64_t i = 0; i < steps; i++)
		grow(&g);
	for (int i = (int)inputs; i < g.nbytes; i++)
		if (i == g.nbytes - 1 || draw(&g, 0, 4) == 0)
			results[n++] = g.bytes[i];
	for (int i = 0; i < g.nothers; i++)
		results[n++] = g.other[i];
	finish_with(&g.m, n, results);
	g.m.g = passed(&g.m, "scales");	/* what models are behind when they are shared */
	return g;
}

static uint64_t asked(const char *name, uint64_t usual)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 10) : usual;
}

static void test_random(void **state)
{
	uint64_t first = asked("HONE_SEED", 1), cases = asked("HONE_CASES", getenv("HONE_SEED") ? 1 : CASES);
	struct arena *a = arena_new();
	struct backend b[2];

	(void)state;
	if (backend_load(a, "./hone-vdla.so", &b[0]) < 0 ||
	    backend_load(a, "./hone-vdla.so=" TOP_SRCDIR "/examples/vdla/edge.machine", &b[1]) < 0)
		fail_msg("%s", err_get());
	for (uint64_t seed = first; seed < first + cases; seed++) {
		struct growing g = grown(seed);

		check_vdla_region(&g.m, &b[seed % 2], arena_printf(a, "HONE_SEED=%llu", (unsigned long long)seed));
		arena_free(g.m.a);
	}
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
