/* SPDX-License-Identifier: Apache-2.0 */
/* costmodel/features/prior.c - an estimate of a store's time without having measured anything: what its
 * instructions take together, no less than the chain of a reduction, and the traffic between the caches.
 *
 * What steps take is the target's to know (struct unit_costs); the device's peak rate gives the cycle.
 * It has to order candidates, not to be right. */
#include <math.h>

#include "costmodel/features/site.h"

/* The share of the lesser of two costs, memory's and the rest, that hides behind the greater. Chosen, not measured. */
#define MEMORY_OVERLAP 0.97
/* Of what traffic between caches takes at the probed rates as much is waited for; the rest is asked for in time. Fitted with the
 * costs of target/cpu.c (docs/performance.md). */
#define CACHE_WAITS 0.15
/* Of a sum's waits for itself: the next one begins before it ends. Chosen between 0.3 and 1, which fit alike. */
#define CHAIN_WAITS 0.5

/* Of 50 recorded tasks ranks agree best with 2; with 0 those of products agree less, whose tiles just fit (docs/performance.md). */
#define OPERANDS_IN_MEMORY 2.0

/* Values of a body beyond the registers. */
static double excess_of(const float *row, const struct aim *d)
{
	return (double)row[FEATURE_ACC_REGISTERS] + (double)row[FEATURE_OPERAND_REGISTERS] - d->target->vector_registers;
}

/* Cycles of each body for these. */
static double spill_cycles(const float *row, const struct aim *d)
{
	double excess = excess_of(row, d);

	if (row[FEATURE_COMBINES] == 0 || excess <= 0)
		return 0;
	return d->target->costs->spill * excess + d->target->costs->spill_share * (double)row[FEATURE_BODY_OPS];
}

/* Cycles that a sum waits for itself. */
static double chain_cycles(const float *row, const struct unit_costs *c)
{
	if (row[FEATURE_COMBINES] == 0 || row[FEATURE_REDUCE_INNER] == 0)
		return 0;
	double links = (double)row[FEATURE_BODY_OPS] / (double)row[FEATURE_BODY_CHAINS];

	return CHAIN_WAITS * links * (row[FEATURE_ALLOC_REGISTERS] != 0 ? c->latency : c->memory_latency);
}

/* The cycle of D, and how many of them a vector takes its units for: of Zen 4, whose units are half as wide as its
 * vectors, two for a whole one and one for a half. */
struct beat {
	double ghz, whole, half;
};

static struct beat beat_of(const struct aim *d)
{
	double flop = 2 * d->target->costs->pipes * target_lanes(d->target, sizeof(float));
	double whole = d->peak / flop, half = 2 * d->half_peak / flop, ghz = half > whole ? half : whole;

	return (struct beat){ ghz, ghz / whole, half > 0 ? ghz / half : ghz / whole };
}

/* Loads of a body, and the shuffles that take as long. */
static double loads(const float *row)
{
	return (double)row[FEATURE_BODY_LOADS] + (double)row[FEATURE_BODY_SCATTERED];
}

static double store_cycles(const float *row, const struct unit_costs *c)
{
	return c->store * (double)row[FEATURE_BODY_STORES] + c->askew * (double)row[FEATURE_BODY_ASKEW];
}

/* Cycles of one execution of the body, with all it touches in L1. What its instructions take adds up: each unit waits for the others'
 * results, and costs that hide behind each other leave half as much again of the measured times unexplained (docs/performance.md). */
static double sum_cycles(const float *row, const struct aim *d, const struct beat *p)
{
	const struct unit_costs *c = d->target->costs;
	double width = row[FEATURE_WIDTH_USED] > 0.5F ? p->whole : p->half;
	double sum = width * (c->operation * (double)row[FEATURE_BODY_OPS] + c->load * loads(row) + store_cycles(row, c) +
			      spill_cycles(row, d));

	return fmax(sum, chain_cycles(row, c));
}

/* The same of a body that is the tile T: it and what is loaded and stored beside it. What was measured took its operands in the order that keeps
 * fewest; the few that one in another order lacks registers for are operands in memory. */
static double tile_cycles(const float *row, const struct aim *d, const struct beat *p, const struct measured_tile *t)
{
	const struct unit_costs *c = d->target->costs;
	double more = fmax(0, loads(row) - t->loads), others = fmax(0, (double)row[FEATURE_BODY_OPS] - t->ops);
	double spilled = excess_of(row, d) > OPERANDS_IN_MEMORY ? spill_cycles(row, d) : 0;

	return t->ns * p->ghz + p->whole * (c->operation * others + c->load * more + store_cycles(row, c) + spilled);
}

/* A tile that was measured tells what hides in it; one whose few sums wait for themselves does so less than was measured, for the
 * next tile begins before it ends. */
static double body_cycles(const struct site *s, const float *row, const struct aim *d, const struct beat *p)
{
	const struct measured_tile tile = features_tile(s, d);
	double sum = sum_cycles(row, d, p);

	return tile.ns > 0 ? fmin(sum, tile_cycles(row, d, p, &tile)) : sum;
}

/* A prefetch takes the place of a load. What it saves is no traffic: caches are taken to hide the way to memory anyway. */
static double prefetch_cycles(const float *row, const struct aim *d)
{
	return d->target->costs->load * (double)row[FEATURE_PREFETCHED];
}

/* The share of the work beside which memory is asked for what comes from there. Constants that come from it each time are asked for by those
 * prefetches alone that name lines for the first time; the others, of the same lines for more rows, leave memory at rest: a product of 49 rows
 * with 512x2048 takes 737 us where the first rows fetch for all, and 617 where each fetches its share (docs/performance.md). */
static double asking_share(const float *row, const struct aim *d)
{
	double fetches = (double)row[FEATURE_PREFETCHED];

	if (!d->cold_weights)
		return 1;
	return fetches > 0 ? fmin(1, (double)row[FEATURE_L3_MISS] / d->target->line_bytes / fetches) : 0;
}

/* The estimate for all turns of a store whose row has plain values; ns. CACHED: all that the program is given fits into
 * the last cache, and is there from the run before, or from who made it. */
static double store_ns(const struct site *s, const float *row, const struct aim *d, bool cached)
{
	const struct beat p = beat_of(d);
	double bodies = s->left > 0 ? (double)row[FEATURE_OUTER_PRODUCT] * s->taken / s->left : 0;
	double threads = (double)row[FEATURE_PARALLEL_BALANCE] * d->threads;
	double l3_gbs = d->l3_bytes > d->l2_bytes ? d->l3_gbs : d->mem_gbs;
	double near = (bodies * body_cycles(s, row, d, &p) + prefetch_cycles(row, d)) / p.ghz / threads +
		      CACHE_WAITS * ((double)row[FEATURE_L1_MISS] / d->l2_gbs / threads + (double)row[FEATURE_L2_MISS] / l3_gbs);
	double missed = cached ? 0 : (double)row[FEATURE_L3_MISS] + (double)row[FEATURE_L3_BACK];
	double far = (missed + (double)row[FEATURE_STREAMED]) / d->mem_gbs;
	double start = d->threads > 1 ? d->target->costs->start_ns * (double)row[FEATURE_PARALLEL_STARTS] : 0;

	return near + far - MEMORY_OVERLAP * fmin(near * asking_share(row, d), far) + start;
}

void features_prior(const struct site_vec *sites, const struct aim *d, double given, const struct feature_matrix *m)
{
	double flop = 0, ns = 0;

	for (int i = 0; i < m->n_rows; i++) {
		float *row = m->rows + (ptrdiff_t)i * FEATURE_COUNT;
		double t = store_ns(sites->at[i], row, d, !d->cold_weights && given <= d->l3_bytes);

		row[FEATURE_PRIOR_TIME] = (float)t;
		row[FEATURE_PRIOR_EFFICIENCY] =
			(float)((double)row[FEATURE_FLOP] / (t * d->peak * d->threads));
		flop += (double)row[FEATURE_FLOP];
		ns += t;
	}
	for (int i = 0; i < m->n_rows; i++) {
		float *row = m->rows + (ptrdiff_t)i * FEATURE_COUNT;

		row[FEATURE_PROGRAM_STORES] = (float)m->n_rows;
		row[FEATURE_PROGRAM_SHARE] = (float)((double)row[FEATURE_PRIOR_TIME] / ns);
		row[FEATURE_PROGRAM_EFFICIENCY] = (float)(flop / (ns * d->peak * d->threads));
	}
}
