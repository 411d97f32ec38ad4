/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/random_plan.c - the families of instances. */
#include "tests/property/random_plan.h"

static const struct plan_buffer alone = { .in_place = -1, .part_of = -1 };

static int add(struct arena *a, struct plan_buffer_vec *out, size_t bytes, int first, int last)
{
	struct plan_buffer b = alone;

	b.bytes = bytes;
	b.first = first;
	b.last = last;
	vec_push(a, out, b);
	return out->n - 1;
}

/* The size of a feature map: what is no multiple of the alignment, too. */
static size_t map_bytes(struct rng *rng)
{
	return (size_t)(1 + rng_below(rng, 60)) * (rng_chance(rng, 0.8) ? 64 : 57);
}

/* Any lives, any sizes; some may take over. */
static void make_random(struct arena *a, struct rng *rng, int size, struct plan_buffer_vec *out)
{
	for (int i = 0; i < size; i++) {
		int first = (int)rng_below(rng, size);
		int life = rng_chance(rng, 0.1) ? size : 1 + size / 4;
		int from = out->n ? (int)rng_below(rng, out->n) : -1;

		add(a, out, map_bytes(rng), first, first + (int)rng_below(rng, life));
		if (from >= 0 && out->at[from].last >= first && rng_chance(rng, 0.5)) {
			struct plan_buffer *b = &out->at[out->n - 1];

			b->last += out->at[from].last - b->first;
			b->first = out->at[from].last;
			b->bytes = out->at[from].bytes;
			b->in_place = from;
		}
	}
}

/* One layer after the other, some of them element by element. */
static void make_chain(struct arena *a, struct rng *rng, int size, struct plan_buffer_vec *out)
{
	for (int i = 0; i < size; i++) {
		bool takes = i && rng_chance(rng, 0.3);

		add(a, out, takes ? out->at[i - 1].bytes : map_bytes(rng), i, i + 1);
		if (takes)
			out->at[i].in_place = i - 1;
	}
}

/* Blocks of two layers and a sum with what came in, in the place of one of the two; workspaces. */
static void make_residual(struct arena *a, struct rng *rng, int size, struct plan_buffer_vec *out)
{
	size_t bytes = map_bytes(rng);
	int step = 0;
	int x = add(a, out, bytes, step, step);

	while (out->n < size) {
		int hidden = add(a, out, map_bytes(rng), step + 1, step + 2);

		add(a, out, map_bytes(rng), step + 2, step + 2);
		int branch = add(a, out, bytes, step + 2, step + 3);
		int sum = add(a, out, bytes, step + 3, step + 3);

		(void)hidden;
		out->at[x].last = step + 3;
		out->at[sum].in_place = rng_chance(rng, 0.5) ? x : branch;
		x = sum;
		step += 3;
	}
	out->at[x].last = step + 1;
}

/* Layers that read all before them, each put at its place in what the block gives. */
static void make_dense(struct arena *a, struct rng *rng, int size, struct plan_buffer_vec *out)
{
	int step = 0;

	while (out->n < size) {
		int layers = 2 + (int)rng_below(rng, 6);
		int end = step + 2 * layers + 1;
		int whole = add(a, out, 0, end, end + 1);

		for (int i = 0; i < layers; i++) {
			size_t bytes = (size_t)(1 + rng_below(rng, 20)) * 64;

			add(a, out, map_bytes(rng), step + 2 * i, step + 2 * i + 1);
			add(a, out, bytes, step + 2 * i + 1, end - 1);
			out->at[out->n - 1].part_of = whole;
			out->at[out->n - 1].offset = out->at[whole].bytes;
			out->at[whole].bytes += bytes;
		}
		step = end + 1;
	}
}

/* Down and up again; each map of the way down is a part of what the way up reads at its height. */
static void make_unet(struct arena *a, struct rng *rng, int size, struct plan_buffer_vec *out)
{
	int depth = 2 + size / 6;
	size_t bytes = (size_t)(16 + rng_below(rng, 64)) * 64 << (depth < 6 ? depth : 6);
	int *whole = arena_many(a, int, depth);

	for (int i = 0; i < depth; i++) {
		size_t skip = bytes >> (i < 8 ? i : 8) & ~(size_t)63;
		int up = 2 * depth + 2 * (depth - i);

		whole[i] = add(a, out, 2 * skip, up, up + 1);
		add(a, out, skip, 2 * i, 2 * i);
		add(a, out, skip, 2 * i + 1, up);
		out->at[out->n - 1].part_of = whole[i];
		add(a, out, skip, up - 1, up);
		out->at[out->n - 1].part_of = whole[i];
		out->at[out->n - 1].offset = skip;
		out->at[out->n - 3].last = 2 * i + 1;
	}
	add(a, out, map_bytes(rng), 2 * depth, 2 * depth + 1);
}

/* Branches from one map, put together behind. */
static void make_inception(struct arena *a, struct rng *rng, int size, struct plan_buffer_vec *out)
{
	int step = 0;
	int from = add(a, out, map_bytes(rng), step, step);

	while (out->n < size) {
		int branches = 2 + (int)rng_below(rng, 4);
		int begin = out->n;

		for (int i = 0; i < branches; i++)
			for (int j = (int)rng_below(rng, 3); j >= 0; j--, step++)
				add(a, out, map_bytes(rng), step + 1, step + 2);
		out->at[from].last = step;
		size_t sum = 0;

		for (int i = begin; i < out->n; i++)
			if (i + 1 == out->n || rng_chance(rng, 0.5)) {
				out->at[i].last = step + 1;
				sum += out->at[i].bytes;
			}
		from = add(a, out, sum, step + 1, step + 1);
		step++;
	}
	out->at[from].last = step + 1;
}

struct plan_piece {
	int first, last;
	size_t bytes;
};

/* Cuts a piece in two, across the steps or across the bytes, until there are SIZE pieces. */
static void cut_pieces(struct arena *a, struct rng *rng, struct plan_piece p, int size,
		       struct plan_buffer_vec *out)
{
	bool in_time = rng_chance(rng, 0.5) ? p.last > p.first : p.bytes < 2 * PLAN_ALIGN;
	struct plan_piece q = p;

	if (size <= 1 || (p.last == p.first && p.bytes < 2 * PLAN_ALIGN)) {
		add(a, out, p.bytes, p.first, p.last);
		return;
	}
	if (in_time) {
		q.first = p.first + 1 + (int)rng_below(rng, p.last - p.first);
		p.last = q.first - 1;
	} else {
		p.bytes = PLAN_ALIGN * (size_t)(1 + rng_below(rng, (int64_t)p.bytes / PLAN_ALIGN - 1));
		q.bytes -= p.bytes;
	}
	cut_pieces(a, rng, p, size / 2, out);
	cut_pieces(a, rng, q, size - size / 2, out);
}

/* Pieces that fill a rectangle without a gap, if one finds how. */
static void make_puzzle(struct arena *a, struct rng *rng, int size, struct plan_buffer_vec *out)
{
	cut_pieces(a, rng, (struct plan_piece){ 0, 2 * size, PLAN_ALIGN * 1000 }, size, out);
	for (int i = out->n - 1; i > 0; i--) {
		int j = (int)rng_below(rng, i + 1);
		struct plan_buffer b = out->at[i];

		out->at[i] = out->at[j];
		out->at[j] = b;
	}
}

const struct plan_family plan_families[] = {
	{ "random", make_random, false },
	{ "chain", make_chain, true },
	{ "residual", make_residual, true },
	{ "dense block", make_dense, false },
	{ "u-net", make_unet, false },
	{ "inception", make_inception, false },
	{ "puzzle", make_puzzle, false },
};

const int plan_family_count = sizeof(plan_families) / sizeof(*plan_families);
