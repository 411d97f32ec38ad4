/* SPDX-License-Identifier: Apache-2.0 */
/* costmodel/lesson.h - from measured samples to what a booster reads. */
#ifndef HONE_COSTMODEL_LESSON_H
#define HONE_COSTMODEL_LESSON_H

#include "base/rng.h"
#include "costmodel/booster.h"
#include "costmodel/model.h"

/* A lesson that owns its arrays. Of a program it has the stores that take time. */
struct notebook {
	struct lesson l;
	float *foreseen;	/* log of the throughput expected before learning, by program */
	float *rows, *share, *target, *weight;
	int *first;
};

/* Room for so many programs with so many rows in all. */
struct notebook notebook_new(int programs, int rows);
void notebook_add(struct notebook *b, const float *rows, int n, float foreseen, float target,
		  float weight);
const struct lesson *notebook_read(struct notebook *b);
void notebook_free(struct notebook *b);

/* A sample with its throughput over the best of its group, 0 where it failed; the logarithm of the
 * throughput that was foreseen, as far as it counts; and by how much its own exceeds the trend of its group. */
struct pupil {
	const struct cost_sample *sample;
	float relative;
	float foreseen;
	float surprise;
};

/* How what was measured of a group goes by what was foreseen, logarithms both: throughput ~ offset + slope * foreseen. The
 * slope says how much what was foreseen is worth: 1 where it is right but for a factor, 0 where its order means nothing. */
struct trend {
	float offset, slope;
};

/* Samples in random order, so that those held out may be the first ones. */
struct class {
	struct pupil *at;
	int n;
	int failed;
	struct trend *trends;	/* by group */
	int groups;
};

/* Of very many SAMPLES a part, the fast ones more likely than others. FORESEEN: of each of them. CALIBRATES: the slopes
 * of trends follow from the samples; else all are 1. */
struct class class_new(const struct cost_sample *samples, const float *foreseen, int n, bool calibrates,
		       struct rng *rng);
void class_free(struct class *c);

/* The surprise of those from number BEGIN to END among the programs that worked. */
struct notebook notes_of(const struct class *c, int begin, int end);
/* Whether each of them worked. */
struct notebook notes_of_all(const struct class *c);

#endif
