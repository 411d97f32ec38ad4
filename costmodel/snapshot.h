/* SPDX-License-Identifier: Apache-2.0 */
/* costmodel/snapshot.h - the boosters of a learned model as one piece of bytes.
 *
 * Holds: what is read is whole, and was learned from this table of features. */
#ifndef HONE_COSTMODEL_SNAPSHOT_H
#define HONE_COSTMODEL_SNAPSHOT_H

#include "costmodel/booster.h"

enum { SNAPSHOT_PARTS = 3 };

/* Appends the parts, those that are NULL as such, and LEARNED, the samples behind them, to OUT; -1
 * and a message where that fails. */
int snapshot_write(struct booster *const part[SNAPSHOT_PARTS], int64_t learned, struct text *out);
/* The parts, for THREADS threads; the caller's. -1 and a message where DATA is no such thing, is
 * damaged, holds nothing, or is of another table of features. */
int snapshot_read(const char *data, size_t size, int threads,
		  struct booster *part[SNAPSHOT_PARTS], int64_t *learned);

#endif
