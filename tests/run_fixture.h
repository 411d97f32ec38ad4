/* SPDX-License-Identifier: Apache-2.0 */
/* tests/run_fixture.h - graphs interpreted, on inputs at random. */
#ifndef HONE_TESTS_RUN_FIXTURE_H
#define HONE_TESTS_RUN_FIXTURE_H

#include "tests/graph_fixture.h"

#include "graph/eval/interp.h"

static inline struct array *random_input(const struct type *t, struct rng *rng)
{
	int64_t dim[GRAPH_MAX_RANK];

	type_shape(t, dim);
	struct array *x = array_new(ELEMENT_F32, t->rank, dim);

	for (int64_t i = 0; i < x->count; i++)
		element_store(ELEMENT_F32, x->data, i, rng_unit(rng) - 0.5);
	return x;
}

/* What G's main gives, one tensor of f32, for inputs that depend on its parameters alone, KERNELS running in
 * the interpreter's place. The caller releases it. */
static inline const struct array *graph_result_by(struct arena *a, const struct graph *g,
						  struct interp_kernels kernels)
{
	struct interp interp = interp_begin(a, g, interp_usual_limits);
	const struct function *main = graph_main(g);
	struct value *args = arena_many(a, struct value, main->nparams), out;
	struct rng rng = rng_seed(4);

	interp.kernels = kernels;
	for (int i = 0; i < main->nparams; i++)
		args[i] = value_of_array(random_input(main->bindings.at[i].type, &rng));
	if (interp_run(&interp, g->main, args, main->nparams, &out) < 0)
		fail_msg("%s", err_get());
	interp_end(&interp);
	return out.array;
}

static inline const struct array *graph_result(struct arena *a, const struct graph *g)
{
	return graph_result_by(a, g, (struct interp_kernels){ 0 });
}

static inline void assert_same_bits(const struct array *x, const struct array *y)
{
	assert_int_equal(x->count, y->count);
	assert_memory_equal(x->data, y->data, (size_t)x->count * sizeof(float));
}

#endif
