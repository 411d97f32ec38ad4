/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/quantize/calibrate.h - runs of a model for its quantization: what it sees, and how right it is then. */
#ifndef HONE_RUNTIME_QUANTIZE_CALIBRATE_H
#define HONE_RUNTIME_QUANTIZE_CALIBRATE_H

#include "graph/quantize/accuracy.h"
#include "graph/quantize/quantize.h"
#include "runtime/open.h"

/* Inputs of a model, one set after the other. */
struct sample_source {
	int n;
	/* The I-th set, in A, which is forgotten behind its run. NULL and a message. */
	struct value *(*get)(const struct sample_source *s, struct arena *a, int i);
	const struct function *main;
	uint64_t seed;
	struct value *const *given;	/* samples_given()'s */
};

/* N sets at random: of SEED, SEED + the number of parameters, ... as inputs_random() has them. */
struct sample_source samples_random(const struct function *main, uint64_t seed, int n);
/* Sets that are there; FROM outlives the source. */
struct sample_source samples_given(struct value *const *from, int n);

/* Runs of the graph of Q on SAMPLES: grids, and where CORRECT biases that make up for the mean of
 * rounding. -1 and a message. */
int calibrate(struct quant *q, const struct open_options *o, const struct sample_source *samples,
	      bool correct);

struct quant_report {
	int nresults;
	struct quant_error *results;	/* by result of main; none of what is no tensor of floats */
	struct quant_error *sites;	/* by site */
};

/* What Z, made of Q, does on SAMPLES, in Q's arena. -1 and a message. */
int calibrate_report(const struct quant *q, const struct quantized *z, const struct open_options *o,
		     const struct sample_source *samples, struct quant_report *out);

#endif
