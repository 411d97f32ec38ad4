/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/session.c - the interpreter, with lists of steps in the place of compiled functions and
 * generators in that of regions. */
#include "runtime/session.h"

#include <stdlib.h>

#include "base/clock.h"

struct session {
	struct arena *arena;
	struct arena *run;	/* strings of the latest run */
	const struct model_code *code;
	struct interp interp;
	struct flat_instance **instances;	/* by function; made when it first runs */
	struct costs *costs;	/* NULL: nobody wants to know */
	double seconds;		/* of runs that were watched */
};

/* --- compiled functions */

/* Are ARGS what the parameters of F say? One may have been left out by who called. */
static bool args_fit(const struct function *f, const struct value *args)
{
	for (int i = 0; i < f->nparams; i++)
		if (args[i].kind != VALUE_ARRAY)
			return false;	/* their types were checked, but for that */
	return true;
}

/* Arrays for what F gives; false where memory does not suffice. */
static bool make_results(const struct function *f, struct value *out)
{
	int64_t dim[GRAPH_MAX_RANK];

	for (int i = 0; i < f->nresults; i++) {
		const struct type *t = function_at(f, f->results[i])->type;

		type_shape(t, dim);
		struct array *x = array_new(t->element, t->rank, dim);

		if (!x)
			return false;
		out[i] = value_of_array(x);
	}
	return true;
}

static int run_list(struct session *s, struct interp *x, int function, const struct value *args,
		    struct value *results)
{
	const struct function *f = s->code->graph->functions.at[function];
	struct flat_instance **instance = &s->instances[function];
	const void **in = arena_many(x->arena, const void *, f->nparams);
	void **out = arena_many(x->arena, void *, f->nresults);

	if (!*instance)
		*instance = flat_instance_new(s->code->flats[function]);
	if (!*instance)
		return -1;
	if (s->costs)
		flat_watch(*instance);
	for (int i = 0; i < f->nparams; i++)
		in[i] = args[i].array->data;
	for (int i = 0; i < f->nresults; i++)
		out[i] = results[i].array->data;
	if (flat_run(*instance, x, in, out) < 0)
		return -1;
	if (s->costs)
		costs_of_steps(s->costs, *instance);
	return 0;
}

static int apply(void *user, struct interp *x, int function, const struct value *args, int nargs,
		 struct value *result)
{
	struct session *s = user;
	const struct function *f = s->code->graph->functions.at[function];
	struct foreign *foreign = code_foreign(s->code, function);

	(void)nargs;
	if (!foreign && (!s->code->flats[function] || !args_fit(f, args)))
		return 0;
	struct value *results = values_new(f->nresults);
	int rc = !make_results(f, results) ? -1
		 : foreign ? foreign_run(foreign, args, results)
			   : run_list(s, x, function, args, results);
	bool falls_back = rc < 0 && foreign && foreign_falls_back(foreign);

	if (rc < 0)
		values_release(results, f->nresults);
	else
		*result = f->nresults == 1 ? results[0]
					   : value_of_items(VALUE_TUPLE, f->nresults, results);
	free(results);
	return falls_back ? 0 : rc < 0 ? -1 : 1;	/* 0: the interpreter does it */
}

/* --- sessions */

struct session *session_new(const struct model_code *code, struct interp_limits limits)
{
	struct arena *a = arena_new();
	struct session *s = arena_one(a, struct session);

	*s = (struct session){
		.arena = a,
		.run = arena_new(),
		.code = code,
		.interp = interp_begin(a, code->graph, limits),
		.instances = arena_many(a, struct flat_instance *, code->graph->functions.n),
	};
	s->interp.arena = s->run;
	s->interp.kernels = (struct interp_kernels){ apply, s };
	return s;
}

void session_free(struct session *s)
{
	if (!s)
		return;
	for (int i = 0; i < s->code->graph->functions.n; i++)
		flat_instance_free(s->instances[i]);
	interp_end(&s->interp);
	arena_free(s->run);
	arena_free(s->arena);
}

int session_run(struct session *s, const struct value *args, struct value *results)
{
	const struct function *main = graph_main(s->code->graph);
	struct value *held = values_held(args, main->nparams);
	struct value out;

	int64_t begin = s->costs ? clock_ns() : 0;

	arena_reset(s->run);
	interp_again(&s->interp);
	int rc = interp_run(&s->interp, s->code->graph->main, held, main->nparams, &out);

	free(held);
	if (rc < 0)
		return -1;
	if (s->costs) {
		int64_t end = clock_ns();

		costs_of_run(s->costs, begin, end);
		s->seconds += (double)(end - begin) * 1e-9;
	}
	if (main->nresults == 1) {
		results[0] = out;
		return 0;
	}
	for (int i = 0; i < main->nresults; i++)
		results[i] = value_hold(out.items->at[i]);
	value_release(out);
	return 0;
}

int session_exercise(struct session *s, const struct value *args)
{
	int n = graph_main(s->code->graph)->nresults;
	struct value *results = values_new(n);
	int rc = session_run(s, args, results);

	values_release(results, n);
	free(results);
	return rc;
}

static void note(void *user, int function, const struct binding *b, double seconds)
{
	costs_of_binding(user, function, b, seconds);
}

void session_watch(struct session *s, bool events)
{
	s->costs = costs_new(s->arena, s->code, events);
	s->interp.watch = (struct interp_watch){ note, s->costs };
}

const struct session_cost_vec *session_costs(const struct session *s)
{
	return costs_all(s->costs);
}

const struct session_event_vec *session_events(const struct session *s)
{
	return costs_events(s->costs);
}

double session_seconds(const struct session *s)
{
	return s->seconds;
}
