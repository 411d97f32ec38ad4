/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/offload/generators.h - the code generators of a model, by what they are given at once. */
#ifndef HONE_RUNTIME_OFFLOAD_GENERATORS_H
#define HONE_RUNTIME_OFFLOAD_GENERATORS_H

#include <stdbool.h>

#include "partition/generators.h"

/* What the user says of it. */
struct offload_request {
	const char *const *backends;	/* names, or paths of shared objects */
	int nbackends;
	const char *const *keep;	/* labels of nodes that hone is to compute */
	int nkeep;
	const char *const *offload;	/* labels of nodes that a generator is to compute, whatever it costs */
	int noffload;
	bool fall_back;			/* where one fails while the model runs, hone computes what it was to */
};

struct offload_generators {
	struct backend_vec kernels, regions;	/* by grain, in the order of the request */
};

/* All of G, those of kernels first; in A. */
struct backend_vec offload_generators_all(struct arena *a, const struct offload_generators *g);
/* In A. -1 and a message. */
int offload_generators_load(struct arena *a, const struct offload_request *r, struct offload_generators *out);

#endif
