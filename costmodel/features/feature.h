/* SPDX-License-Identifier: Apache-2.0 */
/* costmodel/features/feature.h - what features there are. */
#ifndef HONE_COSTMODEL_FEATURES_FEATURE_H
#define HONE_COSTMODEL_FEATURES_FEATURE_H

/* Accesses of a store that have features of their own. */
enum { FEATURE_ACCESSES = 5 };

enum feature {
#define X(id, name, scale, unit, meaning) FEATURE_##id,
#include "costmodel/features/feature.def"
	FEATURE_SCALARS
};

enum access_feature {
#define ACCESS(id, name, scale, unit, meaning) ACCESS_##id,
#include "costmodel/features/feature.def"
	ACCESS_FEATURES
};

enum { FEATURE_COUNT = (int)FEATURE_SCALARS + FEATURE_ACCESSES * (int)ACCESS_FEATURES };

/* The column of feature ID (READ, BYTES, ...) of access SLOT. */
#define FEATURE_OF_ACCESS(slot, id) \
	((int)FEATURE_SCALARS + (slot) * (int)ACCESS_FEATURES + (int)ACCESS_##id)

/* The rows of one program. */
struct feature_matrix {
	float *rows;		/* n_rows * FEATURE_COUNT */
	int n_rows;
};

#endif
