/* SPDX-License-Identifier: Apache-2.0 */
/* costmodel/lesson.c - which samples are learned from, and their rows in one piece. */
#include "costmodel/lesson.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_SAMPLES = 4000 };	/* bounds time and memory; more change little */

/* Slow programs still count for something, lest the model thinks well of them. */
static const float least_weight = 0.05f;
static const float even_part = 0.2f;	/* of a store's share */

struct notebook notebook_new(int programs, int rows)
{
	struct notebook b = { .l = { .columns = FEATURE_COUNT } };

	b.rows = cost_allocate((size_t)rows * FEATURE_COUNT, sizeof(float));
	b.share = cost_allocate((size_t)rows, sizeof(float));
	b.target = cost_allocate((size_t)programs, sizeof(float));
	b.weight = cost_allocate((size_t)programs, sizeof(float));
	b.first = cost_allocate((size_t)programs + 1, sizeof(int));
	return b;
}

/* A store counts by its part of the time that the prior expects, and a little in any case: the
 * prior may be wrong. */
static void set_shares(const float *rows, int n, float *share)
{
	float sum = 0;

	for (int i = 0; i < n; i++)
		sum += rows[i * FEATURE_COUNT + FEATURE_PROGRAM_SHARE];
	for (int i = 0; i < n; i++) {
		float even = 1 / (float)n;
		float part = rows[i * FEATURE_COUNT + FEATURE_PROGRAM_SHARE];

		part = sum > 0 ? part / sum : even;
		share[i] = even_part * even + (1 - even_part) * part;
	}
}

void notebook_add(struct notebook *b, const float *rows, int n, float target, float weight)
{
	int i = b->l.n++;

	b->target[i] = target;
	b->weight[i] = weight;
	b->first[i + 1] = b->first[i] + n;
	set_shares(rows, n, b->share + b->first[i]);
	if (n > 0)
		memcpy(b->rows + (ptrdiff_t)b->first[i] * FEATURE_COUNT, rows,
		       (size_t)n * FEATURE_COUNT * sizeof(float));
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
	free(b->share);
	free(b->target);
	free(b->weight);
	free(b->first);
}

/* --- samples */

static void set_relative(struct class *c, const struct cost_sample *samples, int n)
{
	int groups = 0;

	for (int i = 0; i < n; i++)
		groups = samples[i].group >= groups ? samples[i].group + 1 : groups;
	float *best = cost_allocate((size_t)groups, sizeof(*best));

	for (int i = 0; i < n; i++)
		best[samples[i].group] = fmaxf(best[samples[i].group], samples[i].throughput);
	for (int i = 0; i < n; i++) {
		float t = samples[i].throughput;

		c->at[i].sample = &samples[i];
		c->at[i].relative = t > 0 ? t / best[samples[i].group] : 0;
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

struct class class_new(const struct cost_sample *samples, int n, struct rng *rng)
{
	struct class c = { .n = n };

	c.at = cost_allocate((size_t)n, sizeof(*c.at));
	set_relative(&c, samples, n);
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
			notebook_add(&b, p->sample->rows, p->sample->n_rows, p->relative,
				     fmaxf(p->relative, least_weight));
		k++;
	}
	return b;
}

struct notebook notes_of_all(const struct class *c)
{
	struct notebook b = notebook_new(c->n, count_rows(c));

	for (int i = 0; i < c->n; i++)
		notebook_add(&b, c->at[i].sample->rows, c->at[i].sample->n_rows,
			     c->at[i].relative > 0, 1);
	return b;
}
