/* SPDX-License-Identifier: Apache-2.0 */
/* costmodel/lesson.c - which samples are learned from, and their rows in one piece. */
#include "costmodel/lesson.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_SAMPLES = 4000 };	/* bounds time and memory; more change little */

/* Slow programs still count for something, lest the model thinks well of them. */
static const float least_weight = 0.05f;
static const float even_part = 0.25f;	/* that all stores of a program have of its sum */
static const float least_part = 0.02f;	/* of the time of the program's greatest store */
/* The slope of a trend is 1 give or take 1 before anything was measured, and programs miss the trend by a factor of 1.35 (0.3
 * squared). With 1 in its place a prior that misleads is followed for twice the trials, with a third as much what is learned
 * of others is the same (docs/performance.md). */
static const double belief = 0.1;

struct notebook notebook_new(int programs, int rows)
{
	struct notebook b = { .l = { .columns = FEATURE_COUNT } };

	b.rows = cost_allocate((size_t)rows * FEATURE_COUNT, sizeof(float));
	b.foreseen = cost_allocate((size_t)programs, sizeof(float));
	b.share = cost_allocate((size_t)rows, sizeof(float));
	b.target = cost_allocate((size_t)programs, sizeof(float));
	b.weight = cost_allocate((size_t)programs, sizeof(float));
	b.first = cost_allocate((size_t)programs + 1, sizeof(int));
	return b;
}

static float part_of(const float *rows, int i)
{
	return rows[(ptrdiff_t)i * FEATURE_COUNT + FEATURE_PROGRAM_SHARE];
}

/* A store counts by its part of the time that the prior expects, and a little in any case: the
 * prior may be wrong. Those that hardly take time are left out: tails and starts of sums are most
 * of the stores. */
static int add_rows(struct notebook *b, int at, const float *rows, int n)
{
	float sum = 0, most = 0;
	int kept = 0;

	for (int i = 0; i < n; i++) {
		sum += part_of(rows, i);
		most = fmaxf(most, part_of(rows, i));
	}
	for (int i = 0; i < n; i++) {
		if (part_of(rows, i) < least_part * most)
			continue;
		memcpy(b->rows + (ptrdiff_t)(at + kept) * FEATURE_COUNT,
		       rows + (ptrdiff_t)i * FEATURE_COUNT, FEATURE_COUNT * sizeof(float));
		b->share[at + kept++] = sum > 0 ? part_of(rows, i) / sum : 0;
	}
	sum = 0;
	for (int i = 0; i < kept; i++)
		sum += b->share[at + i] + even_part / (float)kept;
	for (int i = 0; i < kept; i++)
		b->share[at + i] = (b->share[at + i] + even_part / (float)kept) / sum;
	return kept;
}

void notebook_add(struct notebook *b, const float *rows, int n, float foreseen, float target,
		  float weight)
{
	int i = b->l.n++;

	b->foreseen[i] = foreseen;
	b->target[i] = target;
	b->weight[i] = weight;
	b->first[i + 1] = b->first[i] + add_rows(b, b->first[i], rows, n);
}

const struct lesson *notebook_read(struct notebook *b)
{
	b->l.rows = b->rows;
	b->l.first = b->first;
	b->l.share = b->share;
	b->l.target = b->target;
	b->l.weight = b->weight;
	return &b->l;
}

void notebook_free(struct notebook *b)
{
	free(b->rows);
	free(b->foreseen);
	free(b->share);
	free(b->target);
	free(b->weight);
	free(b->first);
}

/* --- samples */

/* Of a group, weighted: of both logarithms the means, then sums of squares and products about these. */
struct moments {
	double weight, foreseen, heard;
	double square, product;	/* with what was foreseen */
};

static float weight_of(const struct pupil *p)
{
	return fmaxf(p->relative, least_weight);
}

static double heard(const struct pupil *p)
{
	return log((double)p->sample->throughput);
}

/* Updates means and sums as West (1979) does. */
static void add_pupil(struct moments *m, const struct pupil *p)
{
	double w = (double)weight_of(p), x = (double)p->foreseen - m->foreseen, y = heard(p) - m->heard;

	m->weight += w;
	m->foreseen += w / m->weight * x;
	m->heard += w / m->weight * y;
	m->square += w * x * ((double)p->foreseen - m->foreseen);
	m->product += w * x * (heard(p) - m->heard);
}

/* A regression that is drawn to 1 by BELIEF. A prior that orders backwards is worth nothing, not the opposite. */
static struct trend trend_of(const struct moments *m, bool calibrates)
{
	double slope = calibrates ? (m->product + belief) / (m->square + belief) : 1;

	slope = fmin(fmax(slope, 0), 1);
	return (struct trend){ (float)(m->heard - slope * m->foreseen), (float)slope };
}

static void find_trends(struct class *c, bool calibrates)
{
	struct moments *m = cost_allocate((size_t)c->groups, sizeof(*m));

	for (int i = 0; i < c->n; i++)
		if (c->at[i].relative > 0)
			add_pupil(&m[c->at[i].sample->group], &c->at[i]);
	for (int i = 0; i < c->groups; i++)
		c->trends[i] = trend_of(&m[i], calibrates);
	for (int i = 0; i < c->n; i++) {
		struct pupil *p = &c->at[i];
		const struct trend *t = &c->trends[p->sample->group];

		p->foreseen *= t->slope;
		if (p->relative > 0)
			p->surprise = (float)heard(p) - t->offset - p->foreseen;
	}
	free(m);
}

static void set_pupils(struct class *c, const struct cost_sample *samples, const float *foreseen)
{
	for (int i = 0; i < c->n; i++)
		c->groups = samples[i].group >= c->groups ? samples[i].group + 1 : c->groups;
	float *best = cost_allocate((size_t)c->groups, sizeof(*best));

	for (int i = 0; i < c->n; i++)
		best[samples[i].group] = fmaxf(best[samples[i].group], samples[i].throughput);
	for (int i = 0; i < c->n; i++) {
		const struct cost_sample *s = &samples[i];

		c->at[i] = (struct pupil){ .sample = s, .foreseen = foreseen[i] };
		if (s->throughput > 0)
			c->at[i].relative = s->throughput / best[s->group];
	}
	free(best);
}

static void shuffle(struct class *c, struct rng *rng)
{
	for (int i = c->n - 1; i > 0; i--) {
		int j = (int)rng_below(rng, i + 1);
		struct pupil swapped = c->at[i];

		c->at[i] = c->at[j];
		c->at[j] = swapped;
	}
}

/* Of more than MAX_SAMPLES the fast ones first, up to half, then as they come. */
static void thin_out(struct class *c)
{
	int kept = 0;

	for (int i = 0; c->n > MAX_SAMPLES && i < c->n && kept < MAX_SAMPLES / 2; i++)
		if (c->at[i].relative >= 0.5f) {
			struct pupil p = c->at[i];

			c->at[i] = c->at[kept];
			c->at[kept++] = p;
		}
	c->n = c->n < MAX_SAMPLES ? c->n : MAX_SAMPLES;
}

struct class class_new(const struct cost_sample *samples, const float *foreseen, int n, bool calibrates,
		       struct rng *rng)
{
	struct class c = { .n = n };

	c.at = cost_allocate((size_t)n, sizeof(*c.at));
	set_pupils(&c, samples, foreseen);
	c.trends = cost_allocate((size_t)c.groups, sizeof(*c.trends));
	find_trends(&c, calibrates);
	shuffle(&c, rng);
	thin_out(&c);
	shuffle(&c, rng);	/* what is held out comes first: it has to be any of them */
	for (int i = 0; i < c.n; i++)
		c.failed += c.at[i].relative == 0;
	return c;
}

void class_free(struct class *c)
{
	free(c->trends);
	free(c->at);
}

/* --- what is written down of a class */

static int count_rows(const struct class *c)
{
	int rows = 0;

	for (int i = 0; i < c->n; i++)
		rows += c->at[i].sample->n_rows;
	return rows;
}

struct notebook notes_of(const struct class *c, int begin, int end)
{
	struct notebook b = notebook_new(c->n, count_rows(c));
	int k = 0;

	for (int i = 0; i < c->n; i++) {
		const struct pupil *p = &c->at[i];

		if (p->relative == 0)
			continue;
		if (k >= begin && k < end)
			notebook_add(&b, p->sample->rows, p->sample->n_rows, p->foreseen,
				     p->surprise, weight_of(p));
		k++;
	}
	return b;
}

struct notebook notes_of_all(const struct class *c)
{
	struct notebook b = notebook_new(c->n, count_rows(c));

	for (int i = 0; i < c->n; i++) {
		const struct pupil *p = &c->at[i];

		notebook_add(&b, p->sample->rows, p->sample->n_rows, p->foreseen, p->relative > 0,
			     1);
	}
	return b;
}
