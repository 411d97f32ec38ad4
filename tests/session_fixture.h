/* SPDX-License-Identifier: Apache-2.0 */
/* tests/session_fixture.h - models in text, run by sessions on arguments at random. */
#ifndef HONE_TESTS_SESSION_FIXTURE_H
#define HONE_TESTS_SESSION_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "base/err.h"
#include "graph/text/text.h"
#include "measure/device/calibration.h"
#include "runtime/session.h"
#include "runtime/values/agree.h"

/* Kernels run here; what they are guessed for has fixed figures. */
#define DEVICE "synthetic:l2:2(size=1MiB) core:1 pu:1 isa=avx2"

static inline struct graph *parsed(struct arena *a, const char *functions)
{
	struct graph *g = graph_parse(a, "test", arena_printf(a, "graph \"t\" @main\n%s", functions));

	if (!g)
		fail_msg("%s", err_get());
	return g;
}

/* An argument for each parameter of main, OFFSET elements behind what is aligned for kernels. */
static inline struct value *arguments(struct arena *a, const struct function *main, size_t offset)
{
	struct value *args = arena_many(a, struct value, main->nparams);
	struct rng rng = rng_seed(1);

	for (int i = 0; i < main->nparams; i++) {
		const struct type *t = main->bindings.at[i].type;
		int64_t dim[GRAPH_MAX_RANK];

		type_shape(t, dim);
		size_t skipped = offset * element_bytes(t->element);
		unsigned char *data = arena_aligned(a, (size_t)type_bytes(t) + skipped,
						    CALLABLE_ALIGN);
		struct array *x = array_around(a, t->element, t->rank, dim, data + skipped);

		for (int64_t j = 0; j < x->count; j++)
			element_store(x->element, x->data, j,
				      element_is_float(x->element) ? 2 * rng_unit(&rng) - 1 : 1);
		args[i] = value_of_array(x);
	}
	return args;
}

static inline struct value *run(const struct model_code *code, const struct value *args)
{
	struct session *s = session_new(code, interp_usual_limits);
	struct value *results = values_new(graph_main(code->graph)->nresults);

	if (session_run(s, args, results) < 0)
		fail_msg("%s", err_get());
	session_free(s);
	return results;
}

static inline void assert_agree(struct arena *a, const struct value *got, const struct value *want, int n)
{
	const struct agreement *x = results_agree(a, got, want, n, AGREE_BOUND);

	for (int i = 0; i < n; i++)
		if (!x[i].agrees)
			fail_msg("result %d is off by %g: %s", i, x[i].error, x[i].why);
}

#endif
