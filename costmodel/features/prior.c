/* SPDX-License-Identifier: Apache-2.0 */
/* costmodel/features/prior.c - an estimate of a store's time without having measured anything: a roofline
 * over instructions, the chain of a reduction, and the traffic between the caches.
 *
 * What steps take is the target's to know (struct unit_costs); the device's peak rate gives the cycle.
 * It has to order candidates, not to be right. */
#include "costmodel/features/site.h"

/* What part of the lesser costs hides behind the greatest, within the body and between caches: fitted to
 * 1003 kernels of 18 operators (docs/performance.md). */
static const double body_overlap = 0.9, cache_overlap = 0.97;

/* Costs that proceed at the same time, as far as OVERLAP says. */
static double together(const double *cost, int n, double overlap)
{
	double most = 0, sum = 0;

	for (int i = 0; i < n; i++) {
		most = cost[i] > most ? cost[i] : most;
		sum += cost[i];
	}
	return most + (1 - overlap) * (sum - most);
}

/* Loads, and as many stores, of each body for values beyond the registers. */
static double spills(const float *row, const struct aim *d)
{
	double excess = (double)row[FEATURE_ACC_REGISTERS] +
			(double)row[FEATURE_OPERAND_REGISTERS] - d->target->vector_registers;

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

	return links * (row[FEATURE_ALLOC_REGISTERS] != 0 ? c->latency : c->memory_latency);
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

/* Instructions that a turn decodes; half of the loads are operands. */
static double code(const float *row, const struct unit_costs *c, double loads, double stores)
{
	return (double)row[FEATURE_BODY_OPS] + loads / 2 + 2 * stores + c->loop_instructions;
}

/* Nanoseconds of one execution of the body that is the tile T: it and what is loaded and stored beside it. */
static double tile_ns(const float *row, const struct aim *d, const struct beat *p, const struct measured_tile *t)
{
	const struct unit_costs *c = d->target->costs;
	double loads = (double)row[FEATURE_BODY_LOADS] + (double)row[FEATURE_BODY_SCATTERED];
	double more = loads > t->loads ? loads - t->loads : 0, stores = (double)row[FEATURE_BODY_STORES];
	double others = (double)row[FEATURE_BODY_OPS] - t->ops;
	double all = code(row, c, loads, stores);
	double cost[] = {
		t->ns + (others > 0 ? p->whole * others / c->pipes / p->ghz : 0),
		p->whole * (more / c->loads + stores) / p->ghz,
		all > c->cached_code ? 2 * all / c->decode / p->ghz : 0,
	};

	return together(cost, 3, body_overlap);
}

/* Cycles of one execution of the body, with all it touches in L1. */
static double body_cycles(const float *row, const struct aim *d, const struct beat *p)
{
	const struct unit_costs *c = d->target->costs;
	double ops = (double)row[FEATURE_BODY_OPS];
	double spill = spills(row, d);
	double loads = (double)row[FEATURE_BODY_LOADS] + (double)row[FEATURE_BODY_SCATTERED] + spill;
	double stores = (double)row[FEATURE_BODY_STORES] + spill;
	double width = row[FEATURE_WIDTH_USED] > 0.5F ? p->whole : p->half;
	double all = code(row, c, loads, stores);
	double cost[] = {
		width * ops / c->pipes,
		width * (loads / c->loads + stores),
		chain_cycles(row, c),
		(all > c->cached_code ? 2 : 1) * all / c->decode,
	};

	return together(cost, 4, body_overlap);
}

/* A prefetch takes the place of a load. What it saves is no traffic: caches are taken to hide the way to memory anyway. */
static double prefetch_cycles(const float *row, const struct aim *d)
{
	return (double)row[FEATURE_PREFETCHED] / d->target->costs->loads;
}

/* The estimate for all turns of a store whose row has plain values; ns. CACHED: all that the program is given fits into
 * the last cache, and is there from the run before, or from who made it. */
static double store_ns(const struct site *s, const float *row, const struct aim *d, bool cached)
{
	const struct beat p = beat_of(d);
	const struct measured_tile tile = features_tile(s, d);
	double body = tile.ns > 0 ? tile_ns(row, d, &p, &tile) : body_cycles(row, d, &p) / p.ghz;
	double bodies = (double)row[FEATURE_OUTER_PRODUCT] * (double)row[FEATURE_TAKEN];
	double threads = (double)row[FEATURE_PARALLEL_BALANCE] * d->threads;
	double l3_gbs = d->l3_bytes > d->l2_bytes ? 2 * d->mem_gbs : d->mem_gbs;
	double missed = cached ? 0 : (double)row[FEATURE_L3_MISS] + (double)row[FEATURE_L3_BACK];
	double cost[] = {
		(bodies * body + prefetch_cycles(row, d) / p.ghz) / threads,
		(double)row[FEATURE_L1_MISS] / d->l2_gbs / threads,
		(double)row[FEATURE_L2_MISS] / l3_gbs,
		(missed + (double)row[FEATURE_STREAMED]) / d->mem_gbs,
	};
	double start = d->threads > 1 ? d->target->costs->start_ns * (double)row[FEATURE_PARALLEL_STARTS] : 0;

	return together(cost, 4, cache_overlap) + start;
}

void features_prior(const struct site_vec *sites, const struct aim *d, double given, const struct feature_matrix *m)
{
	double flop = 0, ns = 0;

	for (int i = 0; i < m->n_rows; i++) {
		float *row = m->rows + (ptrdiff_t)i * FEATURE_COUNT;
		double t = store_ns(sites->at[i], row, d, given <= d->l3_bytes);

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
