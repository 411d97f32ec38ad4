/* SPDX-License-Identifier: Apache-2.0 */
/* graph/quantize/grid.h - the numbers that integers of 8 bits stand for: x = (q - zero) * scale. */
#ifndef HONE_GRAPH_QUANTIZE_GRID_H
#define HONE_GRAPH_QUANTIZE_GRID_H

#include <stdbool.h>

#include "graph/ir/element.h"
#include "graph/quantize/histogram.h"

struct quant_grid {
	enum element element;	/* u8, i8 */
	float scale;		/* 0: not known yet */
	int zero;		/* the integer that stands for 0 */
};

/* X(ENUM, name, meaning): how the range of a tensor is found. */
#define QUANT_METHODS                                                                              \
	X(MINMAX, "minmax", "all that was seen")                                                   \
	X(PERCENTILE, "percentile", "all but a few on either side")                                \
	X(ENTROPY, "entropy", "where as much as possible stays of what was seen")

enum quant_method {
#define X(name, text, meaning) QUANT_##name,
	QUANT_METHODS
#undef X
	QUANT_METHOD_COUNT
};

const char *quant_method_name(enum quant_method m);
/* False where NAME is none. */
bool quant_method_parse(const char *name, enum quant_method *out);

/* The range of what H saw: of QUANT_PERCENTILE so that at most 100 - PERCENTILE percent of the elements
 * are below and as many above. H has a finite element at least. */
void quant_range(const struct histogram *h, enum quant_method m, double percentile, double *low,
		 double *high);
/* The grid of E whose ends are about LOW and HIGH, which has 0: that of [0, 0] where there is no more. */
struct quant_grid quant_grid_of(enum element e, double low, double high);
/* The integer next to X, half to even, within the type; and what it stands for. */
int quant_round(struct quant_grid grid, float x);
float quant_value(struct quant_grid grid, int q);

#endif
