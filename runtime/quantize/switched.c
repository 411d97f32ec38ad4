/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/quantize/switched.c - a session of the graph with switches. */
#include "runtime/quantize/switched.h"

#include <stdlib.h>

#include "runtime/made.h"

int switched_begin(const struct quant *q, const struct open_options *o, int result, struct switched *out)
{
	const struct function *f = graph_main(q->graph);
	const struct quant_switches *w = quant_switches_new(q);
	const struct model_code *code = w && w->n ? made_code(q->arena, w->graph, o) : NULL;

	*out = (struct switched){ .w = w, .nparams = f->nparams, .nresults = f->nresults, .result = result };
	if (!code)
		return w && !w->n ? 0 : -1;
	out->scratch = arena_new();
	out->session = session_new(code, interp_usual_limits);
	out->results = values_new(f->nresults);
	out->args = arena_many(q->arena, struct value, f->nparams + 1);
	out->on = array_in(q->arena, ELEMENT_BOOL, 1, (int64_t[]){ w->n });
	return 0;
}

void switched_end(struct switched *s)
{
	free(s->results);
	session_free(s->session);
	arena_free(s->scratch);
}

void switched_set(struct switched *s, bool on, const int *list, int n)
{
	memset(s->on->data, on, (size_t)s->w->n);
	for (int i = 0; i < n; i++)
		((uint8_t *)s->on->data)[list[i]] = !on;
}

const struct array *switched_run(struct switched *s, const struct sample_source *samples, int i)
{
	struct value *given = samples->get(samples, s->scratch, i);
	const struct array *y = NULL;

	if (given) {
		memcpy(s->args, given, sizeof(*given) * (size_t)s->nparams);
		s->args[s->nparams] = value_of_array(s->on);
		if (session_run(s->session, s->args, s->results) == 0)
			y = array_hold((struct array *)s->results[s->result].array);
	}
	values_release(s->results, s->nresults);
	for (int r = 0; r < s->nresults; r++)
		s->results[r] = value_empty();
	arena_reset(s->scratch);
	return y;
}
