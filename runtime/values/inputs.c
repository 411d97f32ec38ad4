/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/values/inputs.c - elements that models take without complaint. */
#include "runtime/values/inputs.h"

#include "base/err.h"
#include "base/rng.h"

/* Elements like those of a normalised image, whole numbers small enough for most tables. */
static void randomize(struct array *x, uint64_t seed)
{
	struct rng rng = rng_seed(seed);

	for (int64_t i = 0; i < x->count; i++)
		element_store(x->element, x->data, i,
			      element_is_float(x->element) ? 2 * rng_unit(&rng) - 1
							   : (double)rng_below(&rng, 2));
}

int input_random(struct arena *a, const struct binding *param, uint64_t seed, struct value *out)
{
	const struct type *t = param->type;
	int64_t dim[GRAPH_MAX_RANK];

	if (!type_is_static(t) || t->element == ELEMENT_STRING)
		return err_set("input '%s' is %s: give it a file, or its dims by --dim", param->name,
			       type_string(a, t));
	type_shape(t, dim);
	struct array *x = array_in(a, t->element, t->rank, dim);

	randomize(x, seed);
	*out = value_of_array(x);
	return 0;
}

struct value *inputs_random(struct arena *a, const struct function *main, uint64_t seed)
{
	struct value *inputs = arena_many(a, struct value, main->nparams);

	for (int i = 0; i < main->nparams; i++)
		if (input_random(a, function_at(main, i), seed + (uint64_t)i, &inputs[i]) < 0)
			return NULL;
	return inputs;
}
