/* SPDX-License-Identifier: Apache-2.0 */
/* search/measurers/stand_in.h - times for programs that were not measured, from those that were.
 *
 * In:   features and times of programs of one task, and a kind of cost model.
 * Out:  a time for any program of it: what the model predicts, with a deviation as large as the
 *       model's error on programs that it has not seen, drawn from the program's own steps; so the
 *       landscape is as rugged as the real one, and the same at each visit.
 * Holds: a pure function of what it was fitted to. It is a guess: no figure of it is a measurement,
 *        and a search whose model is of the same kind finds its own likeness in it. */
#ifndef HONE_SEARCH_MEASURERS_STAND_IN_H
#define HONE_SEARCH_MEASURERS_STAND_IN_H

#include "costmodel/model.h"

struct stand_in_sample {
	struct feature_matrix features;
	double us;
};

struct stand_in {
	const struct cost_model *kind;
	struct model *model;	/* NULL: not fitted */
	double floor_us;	/* no program is faster */
	double scale;		/* microseconds times score */
	double deviation;	/* of the logarithm of the time above the floor */
};

/* Fits S, which was zeroed or fitted before, to N samples. PEAK_US is what the arithmetic takes at
 * the device's peak. -1 and a message where learning fails. */
int stand_in_fit(struct stand_in *s, const struct cost_model *kind,
		 const struct stand_in_sample *samples, int n, double peak_us);
void stand_in_drop(struct stand_in *s);

/* Microseconds of the program with features M and steps STEPS. */
double stand_in_guess(const struct stand_in *s, const struct feature_matrix *m, const char *steps);
/* What it answers at least: of what is faster it knows nothing. */
double stand_in_least(const struct stand_in *s);

#endif
