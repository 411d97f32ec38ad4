/* SPDX-License-Identifier: Apache-2.0 */
/* graph/quantize/quantize.h - a model of floats as one of integers of 8 bits.
 *
 * In:   a graph behind the pass `scales`, in which nothing is fused yet, and what its main sees in runs on
 *       samples.
 * Out:  a graph in which convolutions and products of constant weights are sums of integers: data u8 or i8
 *       with a scale and a zero for the tensor, weights i8 with a scale for each output channel, sums and
 *       biases i32, results f32. All of it is core operators: the interpreter computes it to the bit, and
 *       it has kernels as any graph has.
 * Holds: a tensor that the model itself quantized keeps its grid; what is integers stays as it is.
 *
 * The order of calls: quant_new(); runs of quant_watched() graphs, quant_see() for each; quant_settle();
 * the same runs once more, quant_mean() for each, and quant_correct(), unless biases are to stay;
 * quant_apply(). */
#ifndef HONE_GRAPH_QUANTIZE_QUANTIZE_H
#define HONE_GRAPH_QUANTIZE_QUANTIZE_H

#include "graph/quantize/observe.h"
#include "graph/quantize/site.h"

struct quant_scheme;
/* Sums of integers, with floats between them. */
extern const struct quant_scheme quant_sums;
/* Integers from the first sum to the last: data i8, whose zero is 0 (graph/quantize/integer/plan.h). */
extern const struct quant_scheme quant_integers;

struct quant_options {
	enum quant_method method;
	double percentile;	/* of QUANT_PERCENTILE */
	enum element element;	/* of data: u8, i8 */
	struct quant_site_list_options sites;
	const struct quant_table *table;	/* NULL: none */
	const struct quant_scheme *scheme;	/* NULL: quant_sums */
};

/* A tensor of which sites make integers. */
struct quant_tensor {
	int value;			/* of main */
	struct quant_grid grid;
	struct histogram *seen;		/* NULL: its grid was given */
	/* Sums over samples, by element: of the tensor, and of what its integers stand for; NULL: none yet. */
	float *sum, *sum_rounded;
	int samples;
};

struct quant_tensor_vec VEC(struct quant_tensor);

struct quant {
	struct arena *arena;
	const struct graph *graph;
	struct quant_options options;
	const struct quant_scheme *scheme;
	struct quant_site_vec sites;
	struct quant_tensor_vec tensors;
	struct integer_plan *integers;	/* quant_integers'; else NULL */
};

/* -1 and a message where an option names what is not there. */
int quant_new(struct arena *a, const struct graph *g, const struct quant_options *o, struct quant *out);
/* G giving the tensors of Q; NULL and a message. */
struct quant_watch *quant_watch_tensors(struct quant *q);
/* What a run of W saw goes into the histograms; into the means. */
void quant_see(struct quant *q, const struct quant_watch *w, const struct value *args,
	       const struct value *results);
void quant_mean(struct quant *q, const struct quant_watch *w, const struct value *args,
		const struct value *results);
/* Grids of what was seen. Sites whose data were never finite numbers, or whose sums might not fit, are
 * quantized no more. */
void quant_settle(struct quant *q);
/* Each site gets a shift by which its result is right in the mean, channel by channel: what rounding of
 * data and weights adds to all elements alike is known before the model runs [Nagel et al. 2019, Data-free
 * quantization through weight equalization and bias correction]. -1 and a message. */
int quant_correct(struct quant *q);

/* A graph whose sites were made of something else. */
struct quantized {
	struct graph *graph;
	/* By site, the value of the original's main that its result was, and that of RAW, which is GRAPH with
	 * what is needed no more; VALUE_NONE where it stays as it is. */
	const struct graph *raw;
	const int *before, *after;
};

/* The graph of integers, in Q's arena. -1 and a message. */
int quant_apply(const struct quant *q, struct quantized *out);
/* Instead: the graph whose sites take data and weights of E, a float of 16 bits, sum in f32 and round the
 * sum to E once. It asks for no grids. */
int quant_narrow(const struct quant *q, enum element e, struct quantized *out);

#endif
