/* SPDX-License-Identifier: Apache-2.0 */
/* partition/region_source.h - regions as C source, for what computes them without hone.
 *
 * In:   a region, and where the elements of its constants will be.
 * Out:  an initializer of a struct hone_region; the file that it is for has hone_generator.h before it and
 *       needs nothing else for it.
 * Holds: the region that a compiler makes of it is equal to the one that was written, doubles bit by bit but
 *        for NaN, which is some NaN. */
#ifndef HONE_PARTITION_REGION_SOURCE_H
#define HONE_PARTITION_REGION_SOURCE_H

#include "base/text.h"
#include "include/hone_generator.h"

/* The text of hone_generator.h, for a source that is to compile alone. */
extern const char region_source_header[];

/* Appends a constant expression: the address of the elements of tensor T of R, which is a constant. */
typedef void region_source_data(void *user, struct text *out, const struct hone_region *r, int t);

/* Appends R in braces, its first line where OUT ends and its others behind DEPTH tabs. DATA with USER says
 * where constants are; NULL: nowhere, `data` is NULL in all tensors. */
void region_source(struct text *out, const struct hone_region *r, int depth, region_source_data *data,
		   void *user);

/* Appends S as a string literal, whatever its bytes. */
void region_source_string(struct text *out, const char *s);

#endif
