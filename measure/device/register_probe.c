/* SPDX-License-Identifier: Apache-2.0 */
/* measure/device/register_probe.c - register tiles as hone makes them, timed with their operands in the first cache.
 *
 * Rounds go over all tiles in turn, so that what disturbs the machine for a while disturbs none of them alone; of each
 * the least counts, for what disturbs only slows, and how far the median is from it says how busy the machine was. */
#include "measure/device/register_probe.h"

#include <dlfcn.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/integer.h"
#include "base/quantile.h"
#include "codegen/callable.h"
#include "measure/build/builder.h"
#include "measure/device/register_text.h"

enum {
	ROUNDS = 15,
	ROUND_NS = 50000,	/* long against the clock, short against a time slice */
	WARM_RUNS = 4,
};

/* A tile with its kernel, once that is compiled. */
struct timed_tile {
	struct register_tile tile;
	bool there;
	struct callable kernel;
	void *object;		/* of dlopen(): NULL: none */
	int64_t repeat;		/* runs in a round */
	double ns[ROUNDS];	/* of a run */
};

struct timed_tile_vec VEC(struct timed_tile);

static void list_tiles(struct arena *a, const struct target *target, double l1, struct timed_tile_vec *out)
{
	int rows[REGISTER_TILES], vectors[REGISTER_TILES];

	for (int k = 0; k < REGISTER_KIND_COUNT; k++) {
		int n = register_tiles(target, k, rows, vectors);

		for (int i = 0; i < n; i++)
			vec_push(a, out, ((struct timed_tile){
				.tile = register_tile_of(target, k, rows[i], vectors[i], l1),
			}));
	}
}

static int build(struct arena *a, struct build_pool *pool, const struct target *target, struct timed_tile_vec *tiles)
{
	struct trial *trials = arena_many(a, struct trial, tiles->n);
	int there = 0;

	for (int i = 0; i < tiles->n; i++)
		trials[i].source = register_tile_source(a, &tiles->at[i].tile, target);
	if (build_together(a, pool, trials, tiles->n) < 0)
		return -1;
	for (int i = 0; i < tiles->n; i++) {
		struct timed_tile *t = &tiles->at[i];

		t->object = trials[i].object ? dlopen(trials[i].object, RTLD_NOW | RTLD_LOCAL) : NULL;
		t->there = t->object && callable_find(&t->kernel, t->object, trial_symbol(&trials[i])) == 0;
		there += t->there;
	}
	if (there == 0)
		return err_set("register kernels: none of %d compiles: %s", tiles->n,
			       trials[0].text ? trials[0].text : "it cannot be loaded");
	return 0;
}

/* Nanoseconds of a run, of so many. */
static double time_runs(const struct timed_tile *t, void *const *args, int64_t runs)
{
	int64_t began = clock_ns();

	for (int64_t i = 0; i < runs; i++)
		for (int32_t p = 0; p < t->kernel.phases(); p++)
			t->kernel.part(p, args, NULL, 0, 1);
	return (double)(clock_ns() - began) / (double)runs;
}

static void time_all(struct timed_tile_vec *tiles, void *const *args)
{
	for (int i = 0; i < tiles->n; i++) {
		struct timed_tile *t = &tiles->at[i];

		if (!t->there)
			continue;
		time_runs(t, args, WARM_RUNS);
		t->repeat = 1 + (int64_t)(ROUND_NS / time_runs(t, args, WARM_RUNS));
	}
	for (int r = 0; r < ROUNDS; r++)
		for (int i = 0; i < tiles->n; i++)
			if (tiles->at[i].there)
				tiles->at[i].ns[r] = time_runs(&tiles->at[i], args, tiles->at[i].repeat);
}

/* Operands of any tile: all zeros, for no rate depends on values that are not denormal. */
static void **make_args(struct arena *a, const struct timed_tile_vec *tiles)
{
	void **args = arena_many(a, void *, 3);
	size_t most = 0;

	for (int i = 0; i < tiles->n; i++) {
		size_t bytes = register_tile_bytes(&tiles->at[i].tile);

		most = bytes > most ? bytes : most;
	}
	for (int i = 0; i < 3; i++) {
		args[i] = arena_aligned(a, most, CALLABLE_ALIGN);
		memset(args[i], 0, most);
	}
	return args;
}

static struct register_kernels table_of(struct arena *a, struct timed_tile_vec *tiles)
{
	double *spread = arena_many(a, double, tiles->n);
	struct register_kernels table = { 0 };
	int n = 0;

	for (int i = 0; i < tiles->n; i++) {
		struct timed_tile *t = &tiles->at[i];

		if (!t->there)
			continue;
		sort_figures(t->ns, ROUNDS);
		spread[n++] = quantile(t->ns, ROUNDS, 0.5) / t->ns[0];
		table.gops[t->tile.kind][t->tile.rows - 1][t->tile.vectors - 1] =
			(float)(register_tile_operations(&t->tile) / t->ns[0]);
	}
	sort_figures(spread, n);
	table.spread = quantile(spread, n, 0.5);
	return table;
}

int register_probe(const struct target *target, double l1, struct register_kernels *out)
{
	struct arena *a = arena_new();
	struct build_pool *pool = build_pool_new(&(struct build_pool_options){
		.target = target_is_own(target) ? NULL : target,
	});
	struct timed_tile_vec tiles = { 0 };
	int rc = pool ? 0 : -1;

	list_tiles(a, target, l1, &tiles);
	if (rc == 0)
		rc = build(a, pool, target, &tiles);
	if (rc == 0) {
		time_all(&tiles, make_args(a, &tiles));
		*out = table_of(a, &tiles);
	}
	for (int i = 0; i < tiles.n; i++)
		if (tiles.at[i].object)
			dlclose(tiles.at[i].object);
	build_pool_free(pool);
	arena_free(a);
	return rc;
}
