/* SPDX-License-Identifier: Apache-2.0 */
/* tools/partition_measure.c - two sessions, their results and their times. */
#include "tools/partition_measure.h"

#include <stdlib.h>

#include "runtime/inputs.h"

/* The inputs of both are the same at each call of the command. */
enum { SEED = 1 };

/* Both models and what they run on. */
struct contest_of_two {
	struct session *session[2];	/* the cut model, hone alone */
	const struct value *inputs;
	int nresults;
};

static int check(struct arena *a, const struct contest_of_two *c, struct partition_measured *out)
{
	struct value *results[2];
	int rc = 0;

	for (int i = 0; i < 2; i++)
		results[i] = values_new(c->nresults);
	for (int i = 0; i < 2 && rc == 0; i++)
		rc = session_run(c->session[i], c->inputs, results[i]);
	out->agrees = rc == 0;
	if (rc == 0) {
		const struct agreement *all = results_agree(a, results[0], results[1], c->nresults);

		for (int i = 0; i < c->nresults; i++) {
			out->agrees &= all[i].agrees;
			out->error = all[i].error > out->error ? all[i].error : out->error;
		}
	}
	for (int i = 0; i < 2; i++) {
		values_release(results[i], c->nresults);
		free(results[i]);
	}
	return rc;
}

int partition_measure(struct arena *a, const struct open_options *options, double seconds,
		      struct opened *cut, struct partition_measured *out)
{
	struct open_options alone = *options;
	struct opened host;
	struct contest_of_two c = { .nresults = 0 };

	*out = (struct partition_measured){ 0 };
	alone.offload = (struct offload_request){ 0 };
	alone.recall = true;
	if (open_model(a, options, cut) < 0 || open_model(a, &alone, &host) < 0)
		return -1;
	const struct function *main = graph_main(host.graph);

	c.inputs = inputs_random(a, main, SEED);
	if (!c.inputs)
		return -1;
	c.nresults = main->nresults;
	c.session[0] = session_new(cut->code, interp_usual_limits);
	c.session[1] = session_new(host.code, interp_usual_limits);
	int rc = check(a, &c, out);

	if (rc == 0)
		rc = versus_run(c.session[0], c.session[1], c.inputs, seconds, &out->times);
	for (int i = 0; i < 2; i++)
		session_free(c.session[i]);
	return rc;
}
