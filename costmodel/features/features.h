/* SPDX-License-Identifier: Apache-2.0 */
/* costmodel/features/features.h - numbers that say how fast a nest will be.
 *
 * In:   a program of lower() and what it is made for.
 * Out:  a row of FEATURE_COUNT floats for each store, in the order of the nest.
 * Holds: a pure function of its arguments; loops are never expanded, their extents multiply. */
#ifndef HONE_COSTMODEL_FEATURES_FEATURES_H
#define HONE_COSTMODEL_FEATURES_FEATURES_H

#include "base/hash.h"
#include "base/text.h"
#include "costmodel/aim.h"
#include "costmodel/features/feature.h"
#include "schedule/nest.h"

/* The features of P; rows and scratch live in A. False where the nest is deeper than 64 loops. */
bool features_of(struct arena *a, const struct program *p, const struct aim *d,
		 struct feature_matrix *out);

/* The number that a feature stands for: with a LOG scale undone. */
double feature_value(const float *row, int feature);

/* "turns", "a0.bytes"; the result is in A. */
const char *feature_name(struct arena *a, int feature);
const char *feature_unit(int feature);

/* Changes when the meaning of a row does: rows and models of another hash are of no use. */
struct hash128 features_hash(void);

/* A line for each store: its loops, then the features that are not 0, with their units. */
void features_print(struct text *t, const struct program *p, const struct feature_matrix *m);

#endif
