/* SPDX-License-Identifier: Apache-2.0 */
/* graph/diff/forms.c - which functions were made, and which can be asked for. */
#include "graph/diff/forms.h"

#include "base/err.h"

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
