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

/* What is known of a group. */
struct group {
	float best;		/* throughput */
	double sum, weight;	/* of log(throughput) - foreseen, by relative throughput */
};

static float weight_of(const struct pupil *p)
{
	return fmaxf(p->relative, least_weight);
}

static void compare_to_group(struct class *c, struct group *groups)
{
	for (int i = 0; i < c->n; i++) {
		struct pupil *p = &c->at[i];
		struct group *g = &groups[p->sample->group];

		p->relative = p->sample->throughput > 0 ? p->sample->throughput / g->best : 0;
		if (p->relative == 0)
			continue;
		p->surprise = logf(p->sample->throughput) - p->foreseen;
		g->sum += (double)(weight_of(p) * p->surprise);
		g->weight += (double)weight_of(p);
	}
	for (int i = 0; i < c->n; i++) {
		const struct group *g = &groups[c->at[i].sample->group];

		if (c->at[i].relative > 0)
			c->at[i].surprise -= (float)(g->sum / g->weight);
	}
}

static void set_pupils(struct class *c, const struct cost_sample *samples, const float *foreseen)
{
	int n = 0;

	for (int i = 0; i < c->n; i++)
		n = samples[i].group >= n ? samples[i].group + 1 : n;
	struct group *groups = cost_allocate((size_t)n, sizeof(*groups));

	for (int i = 0; i < c->n; i++) {
		struct group *g = &groups[samples[i].group];

		g->best = fmaxf(g->best, samples[i].throughput);
		c->at[i].sample = &samples[i];
		c->at[i].foreseen = foreseen[i];
	}
	compare_to_group(c, groups);
	free(groups);
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

struct class class_new(const struct cost_sample *samples, const float *foreseen, int n,
		       struct rng *rng)
{
	struct class c = { .n = n };

	c.at = cost_allocate((size_t)n, sizeof(*c.at));
	set_pupils(&c, samples, foreseen);
	shuffle(&c, rng);
	thin_out(&c);
	shuffle(&c, rng);	/* what is held out comes first: it has to be any of them */
	for (int i = 0; i < c.n; i++)
		c.failed += c.at[i].relative == 0;
	return c;
}

void class_free(struct class *c)
{
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
