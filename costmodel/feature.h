/* SPDX-License-Identifier: Apache-2.0 */
/* costmodel/feature.h - what features there are, and what they are told of a device. */
#ifndef HONE_COSTMODEL_FEATURE_H
#define HONE_COSTMODEL_FEATURE_H

/* What features and models know of a device. All positive but l3_bytes. */
struct cost_device {
	int vector_bytes;	/* of a register */
	int registers;		/* vector registers */
	int threads;		/* that the kernel runs on */
	double l1_bytes, l2_bytes;	/* that one core can use */
	double l3_bytes;	/* 0: none */
	double peak;		/* GFLOP/s of one thread, f32 multiply-add */
	double l2_gbs;		/* reading, of one thread */
	double mem_gbs;		/* reading, of all `threads` */
};

/* Accesses of a store that have features of their own. */
enum { FEATURE_ACCESSES = 5 };

enum feature {
#define X(id, name, scale, unit, meaning) FEATURE_##id,
#include "costmodel/feature.def"
	FEATURE_SCALARS
};

enum access_feature {
#define ACCESS(id, name, scale, unit, meaning) ACCESS_##id,
#include "costmodel/feature.def"
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
