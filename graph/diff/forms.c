/* SPDX-License-Identifier: Apache-2.0 */
/* graph/diff/forms.c - which functions were made, and which can be asked for. */
#include "graph/diff/forms.h"

#include "base/err.h"
#include "graph/ir/op.h"
#include "graph/ir/reach.h"

static const char *key(const struct diff *d, const char *purpose, int function, int n)
{
	return arena_printf(d->arena, "%s %d %d", purpose, function, n);
}

int diff_find(const struct diff *d, const char *purpose, int function, int n)
{
	return names_get(&d->made, key(d, purpose, function, n), FUNCTION_NONE);
}

int diff_declare(struct diff *d, const char *purpose, int function, int n,
		 const struct type_vec *params, const struct type *result)
{
	const char *of = function < 0 ? "" : d->graph->functions.at[function]->name;
	int index = graph_declare(d->graph, arena_printf(d->arena, "%s.%s", of, purpose),
				  type_function(d->arena, params->n, params->at, result));

	names_add(d->arena, &d->made, key(d, purpose, function, n), index);
	for (int i = d->origin.n; i < index; i++)
		vec_push(d->arena, &d->origin, i);
	vec_push(d->arena, &d->origin, function);
	return index;
}

int diff_origin(const struct diff *d, int f)
{
	return f < d->origin.n ? d->origin.at[f] : f;
}

int diff_check(const struct function *f)
{
	for (int i = 0; i < f->nparams + f->nresults; i++) {
		int value = i < f->nparams ? i : f->results[i - f->nparams];
		const struct type *t = f->bindings.at[value].type;
		const char *what = i < f->nparams ? "a parameter" : "a result";

		if (space_check(t, what) < 0)
			return err_prefix("%s", f->name);
		if (space_has_functions(t))
			return err_set("%s: %s is a function; it is differentiated only within",
				       f->name, what);
	}
	return 0;
}

/* Does F call what is impure, or one of those FUNCTIONS that are? */
static bool calls_impure(const struct function *f, const bool *functions)
{
	for (int i = 0; i < f->bindings.n; i++) {
		const struct binding *b = &f->bindings.at[i];

		if (b->kind == BIND_CALL ? b->op->impure
					 : (b->function >= 0 && functions[b->function]) ||
						   (b->otherwise >= 0 && functions[b->otherwise]))
			return true;
	}
	return false;
}

bool *diff_impure(struct arena *a, const struct graph *g)
{
	bool *impure = arena_many(a, bool, g->functions.n);
	const int *order = graph_callees_first(a, g);

	for (bool more = true; more;) {	/* once, and again for those that call each other */
		more = false;
		for (int i = 0; i < g->functions.n; i++) {
			if (impure[order[i]] || !calls_impure(g->functions.at[order[i]], impure))
				continue;
			impure[order[i]] = more = true;
		}
	}
	return impure;
}
