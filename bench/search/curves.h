/* SPDX-License-Identifier: Apache-2.0 */
/* bench/search/curves.h - curves with their spread as an SVG, to be read on light and dark pages. */
#ifndef HONE_BENCH_SEARCH_CURVES_H
#define HONE_BENCH_SEARCH_CURVES_H

#include "base/text.h"

/* A value of 1 is as good as any; 0: none. Values do not fall. */
struct curve {
	const double *low, *median, *high;	/* after trial i + 1 */
	int n;
};

struct panel {
	const char *title;
	const struct curve *curve;	/* one for each name of the legend */
};

/* Appends the panels; NAMES is the legend, N_NAMES of them. */
void curves_svg(struct text *out, const struct panel *panel, int n_panels,
		const char *const *names, int n_names);

#endif
