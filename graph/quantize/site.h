/* SPDX-License-Identifier: Apache-2.0 */
/* graph/quantize/site.h - the sums of products of a model: which of them may be made of integers.
 *
 * In:   a graph behind the pass `scales`, where scales and shifts are in weights and biases.
 * Out:  a site for each convolution and product that a run needs. */
#ifndef HONE_GRAPH_QUANTIZE_SITE_H
#define HONE_GRAPH_QUANTIZE_SITE_H

#include "graph/quantize/grid.h"
#include "graph/ir/ir.h"

struct quant_site {
	int function, value;	/* the call; a site that is quantized is in main */
	double macs;		/* products summed up; 0 where shapes are not static */
	const char *why;	/* why it stays as it is; NULL: it is quantized */
	/* of one that may be: */
	int data, weight;	/* its operands; the weight is constant */
	int channel;		/* dim of the result that the output channels are */
	int channels;		/* its extent */
	int weight_channel;	/* the same of the weight */
	int bias;		/* constant of one number for each channel that is added and nothing else reads
				 * the sum; VALUE_NONE */
	int out;		/* the sum with the bias, else the call itself */
	int own;		/* integers of which the model itself made the data; VALUE_NONE */
	struct quant_grid grid;	/* of the data */
	int tensor;		/* of struct quant, that the data is; -1: OWN has it */
	const double *shift;	/* by channel, is added to the result; NULL: nothing */
};

struct quant_site_vec VEC(struct quant_site);

struct quant_site_list_options {
	const char *const *keep;	/* labels of nodes that stay as they are */
	int nkeep;
};

/* The sites of G, in A. -1 and a message where a label of KEEP is no site's. */
int quant_sites(struct arena *a, const struct graph *g, const struct quant_site_list_options *o,
		struct quant_site_vec *out);
const struct binding *quant_site_call(const struct graph *g, const struct quant_site *s);

/* The one number that VALUE is, constant; false where it is none. */
bool quant_number(const struct function *f, int value, double *out);
/* Is VALUE of F the numbers that integers of 8 bits stand for? These, and *GRID; else VALUE_NONE. */
int quant_own(const struct function *f, int value, struct quant_grid *grid);

#endif
