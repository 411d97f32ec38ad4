/* SPDX-License-Identifier: Apache-2.0 */
/* graph/quantize/build.h - the calls that graphs of integers are made of. */
#ifndef HONE_GRAPH_QUANTIZE_BUILD_H
#define HONE_GRAPH_QUANTIZE_BUILD_H

#include "graph/build/build.h"
#include "graph/quantize/weight.h"

int quant_build_cast(struct builder *b, int x, enum element to);
/* X, of f32, as integers of GRID. */
int quant_build_round(struct builder *b, int x, struct quant_grid grid);
/* A constant of a number for each channel of S, as it stands beside a result of RANK dims. */
int quant_build_by_channel(struct builder *b, enum element e, const struct quant_site *s, int rank,
			   const void *data);
/* Image Q with BEFORE and AFTER elements of ZERO around each of its ND spatial dims; itself where there are none. */
int quant_build_pad(struct builder *b, int q, int nd, const int64_t *before, const int64_t *after, double zero);
/* What S's call is of the integers Q and of W: sums of i32 without a bias. */
int quant_build_sums(struct builder *b, const struct binding *call, const struct quant_site *s, int q,
		     const struct quant_weight *w);
/* The same with the bias, as numbers of f32. */
int quant_build_numbers(struct builder *b, const struct binding *call, const struct quant_site *s, int q,
			const struct quant_weight *w);

#endif
