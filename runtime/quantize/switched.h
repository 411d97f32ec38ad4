/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/quantize/switched.h - runs of a model in which each site is told whether to round.
 *
 * It is compiled once, of kernels of f32, which compute what the integers would (graph/quantize/switch.h)
 * and are much faster than these. */
#ifndef HONE_RUNTIME_QUANTIZE_SWITCHED_H
#define HONE_RUNTIME_QUANTIZE_SWITCHED_H

#include "graph/quantize/switch.h"
#include "runtime/quantize/calibrate.h"

struct switched {
	const struct quant_switches *w;
	struct session *session;
	struct arena *scratch;
	struct value *args, *results;	/* of a run; results: as many as main has */
	int nparams, nresults, result;
	struct array *on;		/* the switches, bool[w->n] */
};

/* The switches of Q's sites, for runs that ask for main's result number RESULT; in Q's arena, to be ended
 * in any case. -1 and a message. */
int switched_begin(const struct quant *q, const struct open_options *o, int result, struct switched *out);
void switched_end(struct switched *s);

/* All switches ON but for those of LIST. */
void switched_set(struct switched *s, bool on, const int *list, int n);
/* The result for sample I, its holder the caller's; NULL and a message. */
const struct array *switched_run(struct switched *s, const struct sample_source *samples, int i);

#endif
