/* SPDX-License-Identifier: Apache-2.0 */
/* tests/quantize_fixture.h - graphs quantized by runs of the interpreter. */
#ifndef HONE_TESTS_QUANTIZE_FIXTURE_H
#define HONE_TESTS_QUANTIZE_FIXTURE_H

#include "tests/graph_fixture.h"

#include <stdlib.h>

#include "graph/eval/interp.h"
#include "graph/quantize/quantize.h"

/* What main of G gives for ARGS, which keep their holders, in RESULTS, the caller's to release. */
static inline void run_main(struct arena *a, const struct graph *g, const struct value *args,
			    struct value *results)
{
	struct interp x = interp_begin(a, g, interp_usual_limits);
	const struct function *main = graph_main(g);
	struct value *held = values_held(args, main->nparams), v;

	if (interp_run(&x, g->main, held, main->nparams, &v) < 0)
		fail_msg("%s", err_get());
	for (int i = 0; i < main->nresults; i++)
		results[i] = main->nresults == 1 ? v : value_hold(v.items->at[i]);
	if (main->nresults != 1)
		value_release(v);
	free(held);
	interp_end(&x);
}

/* Runs of Q's graph on N samples of one input: grids, and where CORRECT the biases. */
static inline void calibrate_by(struct quant *q, int n, const struct value *samples, bool correct)
{
	struct quant_watch *w = quant_watch_tensors(q);

	assert_non_null(w);
	int nresults = graph_main(w->graph)->nresults;
	struct value *results = arena_many(q->arena, struct value, nresults);

	for (int pass = 0; pass < (correct ? 2 : 1); pass++) {
		for (int i = 0; i < n; i++) {
			run_main(q->arena, w->graph, &samples[i], results);
			(pass ? quant_mean : quant_see)(q, w, &samples[i], results);
			values_release(results, nresults);
		}
		if (pass == 0)
			quant_settle(q);
	}
	if (correct && quant_correct(q) < 0)
		fail_msg("%s", err_get());
}

#endif
