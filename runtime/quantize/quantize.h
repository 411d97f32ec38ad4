/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/quantize/quantize.h - a model of floats as one of narrow types, by what it does on samples.
 *
 * In:   a model, and how: the defaults are quantize_usual.
 * Out:  its graph with sums of integers of 8 bits or floats of 16, and what became of each site. */
#ifndef HONE_RUNTIME_QUANTIZE_QUANTIZE_H
#define HONE_RUNTIME_QUANTIZE_QUANTIZE_H

#include "runtime/quantize/keep_float.h"

struct quantize_how {
	enum element to;		/* i8, or the float of 16 bits that sites take */
	struct quant_options sites;
	int samples;			/* random ones, to calibrate on */
	uint64_t seed;
	const struct sample_source *given;	/* to calibrate and check on instead; NULL */
	double agreement;	/* of classes, that sites stay float for; 0: none does */
	bool uncorrected;
};

extern const struct quantize_how quantize_usual;

struct quantize_made {
	struct quantized z;
	int samples;			/* that were calibrated on; 0: none was needed */
	struct keep_float floats;	/* result -1: nothing was decided */
};

/* The graph of O's model, with what scales it in its weights, as Q, in A. -1 and a message. */
int quantize_begin(struct arena *a, const struct open_options *o, const struct quantize_how *how, struct quant *q);
/* Q in narrow types, in its arena. -1 and a message. */
int quantize_make(struct quant *q, const struct open_options *o, const struct quantize_how *how,
		  struct quantize_made *out);
/* N random samples that nothing of MADE was decided on. */
struct sample_source quantize_unseen(const struct quant *q, const struct quantize_how *how,
				     const struct quantize_made *made, int n);

/* Writes G as a model, PATH, that all commands read. -1 and a message. */
int quantize_write(const char *path, const struct graph *g);

#endif
