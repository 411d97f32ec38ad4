/* SPDX-License-Identifier: Apache-2.0 */
/* costmodel/features/units.c - an estimate of the time of a program for a target with scratchpads, whose units load,
 * compute and store side by side: who has most to do, and what nobody hides.
 *
 * A unit waits for another where there is one buffer alone between them; with slices of virtual threads, or copies, one
 * is filled while another is read. */
#include "base/integer.h"
#include "costmodel/features/site.h"

enum unit { UNIT_LOAD, UNIT_COMPUTE, UNIT_STORE, UNITS };

/* What a store of the nest has to do, in cycles. */
struct unit_work {
	double all[UNITS];	/* over all turns */
	double once;		/* one filling, or emptying, of its buffer */
	double exposed;		/* what no other slice or copy hides */
};

/* Cycles of D in a nanosecond, and bytes of memory in a cycle. */
struct clock {
	double ghz, bytes;
};

static struct clock clock_of(const struct aim *d)
{
	double ghz = d->peak / (2 * d->target->costs->pipes * target_lanes(d->target, sizeof(float)));

	return (struct clock){ ghz, d->mem_gbs / ghz };
}

static double slots(const struct buffer *b)
{
	return (double)(most(b->slices, 1) * most(b->copies, 1));
}

static const struct intrinsic *intrinsic_of(const struct site *s)
{
	for (int l = 0; l < s->n_loops; l++)
		if (s->loops[l].nest->intrinsic)
			return s->loops[l].nest->intrinsic;
	return NULL;
}

/* The innermost loops of S that have ELEMENTS turns together. */
static int loops_inside(const struct site *s, double elements)
{
	int n = 0;

	for (double turns = 1; n < s->n_loops && turns < elements; n++)
		turns *= s->loops[s->n_loops - 1 - n].extent;
	return n;
}

/* Instructions for S, whose entry is its INSIDE innermost loops: two loops are their own, after those are one that go
 * through all accesses alike. */
static double instructions_of(const struct site *s, int inside)
{
	enum { OWN = 2 };
	int last = s->n_loops - 1 - inside, own = 0;
	double n = 1;

	for (int l = last; l >= 0; l--) {
		bool joins = l < last;

		for (int i = 0; i < s->n_accesses && joins; i++)
			joins = (double)access_stride(s->access[i], l) ==
				(double)access_stride(s->access[i], l + 1) * s->loops[l + 1].extent;
		own += !joins;
		if (own > OWN)
			n *= s->loops[l].extent;
	}
	return n;
}

/* A transfer of S between memory and scratchpads, in entries of ELEMENTS. */
static double transfer_cycles(const struct site *s, const struct aim *d, const struct clock *c, double elements)
{
	const struct buffer *b = s->store->buffer;
	double bytes = 0;

	for (int i = 0; i < s->n_accesses; i++)
		if (!s->access[i]->buffer->scratchpad)
			bytes = s->turns * (double)dtype_bytes(s->access[i]->buffer->tensor.dtype);
	/* What was packed as it is read is one run. */
	double runs = b->scratchpad == d->target->operands->b ? s->alloc_times * (double)most(b->slices, 1)
							       : instructions_of(s, loops_inside(s, elements));

	return bytes / c->bytes + runs * d->target->costs->memory_latency;
}

/* Vector operations on each element of what S stores: a sum before a quotient is part of a shift, limits are of the store. */
static double vector_ops(const struct site *s)
{
	double limits = s->store->buffer->tensor.dtype == DTYPE_I8 ? 2 : 0;
	double n = s->ops[FEATURE_I_ADD] + s->ops[FEATURE_I_MUL] + s->ops[FEATURE_I_SIMPLE] - limits;

	return n > 0 ? n : 0;
}

static struct unit_work work_of(const struct site *s, const struct aim *d, const struct clock *c)
{
	const struct unit_costs *costs = d->target->costs;
	const struct buffer *b = s->store->buffer;
	const struct intrinsic *x = intrinsic_of(s);
	double lanes = target_lanes(d->target, sizeof(int32_t)), visits = s->alloc_times * (double)most(b->slices, 1);
	struct unit_work w = { .once = 0 };

	if (x) {
		double elements = x->lanes * x->group;

		w.all[UNIT_COMPUTE] = s->turns / elements +
				      costs->latency * instructions_of(s, loops_inside(s, elements));
	} else if (!b->scratchpad) {
		double ops = vector_ops(s), runs = instructions_of(s, loops_inside(s, lanes));

		w.all[UNIT_STORE] = transfer_cycles(s, d, c, lanes);
		w.all[UNIT_COMPUTE] = ops * (s->turns / lanes + costs->latency * runs);
		for (int i = 0; i < s->n_accesses; i++)
			if (s->access[i]->buffer->scratchpad && !s->access[i]->writes)
				b = s->access[i]->buffer;
		visits = runs > 1 ? runs : 1;
		w.once = (w.all[UNIT_STORE] + w.all[UNIT_COMPUTE]) / visits;
		w.exposed = slots(b) > 1 ? 0 : w.all[UNIT_STORE];
	} else if (s->n_accesses > 1) {	/* not zeros, which sums begin with */
		w.all[UNIT_LOAD] = transfer_cycles(s, d, c, b->scratchpad == d->target->operands->b ? lanes * lanes : lanes);
		w.once = w.all[UNIT_LOAD] / visits;
		w.exposed = slots(b) > 1 ? 0 : w.all[UNIT_LOAD] - w.once;
	}
	return w;
}

void features_units(const struct site_vec *sites, const struct aim *d, const struct feature_matrix *m)
{
	const struct clock c = clock_of(d);
	double all[UNITS] = { 0 }, ends = 0, exposed = 0, sum = 0, flop = 0;

	for (int i = 0; i < sites->n; i++) {
		const struct unit_work w = work_of(sites->at[i], d, &c);
		double own = 0;

		for (int u = 0; u < UNITS; u++) {
			all[u] += w.all[u];
			own += w.all[u];
		}
		ends += w.once;
		exposed += w.exposed;
		sum += own;
		m->rows[(ptrdiff_t)i * FEATURE_COUNT + FEATURE_PRIOR_TIME] = (float)own;
	}
	double busy = all[UNIT_COMPUTE] + exposed;

	for (int u = 0; u < UNITS; u++)
		busy = all[u] > busy ? all[u] : busy;
	double ns = (busy + ends) / c.ghz + d->target->costs->start_ns;

	for (int i = 0; i < sites->n; i++)
		flop += (double)m->rows[(ptrdiff_t)i * FEATURE_COUNT + FEATURE_FLOP];
	for (int i = 0; i < sites->n; i++) {
		float *row = m->rows + (ptrdiff_t)i * FEATURE_COUNT;
		double share = (double)row[FEATURE_PRIOR_TIME] / sum;

		row[FEATURE_PRIOR_TIME] = (float)(ns * share);
		row[FEATURE_PRIOR_EFFICIENCY] = (float)((double)row[FEATURE_FLOP] / (ns * share * d->peak + 1));
		row[FEATURE_PROGRAM_STORES] = (float)m->n_rows;
		row[FEATURE_PROGRAM_SHARE] = (float)share;
		row[FEATURE_PROGRAM_EFFICIENCY] = (float)(flop / (ns * d->peak));
	}
}
