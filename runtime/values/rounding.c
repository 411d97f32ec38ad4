/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/values/rounding.c - runs on inputs that are each a few roundings beside the given ones. */
#include "runtime/values/rounding.h"

#include <math.h>

#include "base/rng.h"
#include "runtime/values/agree.h"

/* Moves are uniform within 8 units of f32's last place, about what a sum of some hundred terms is off by in
 * another order. A few runs see a small part of the ways in which values may fall, hence the factor: of resnet18,
 * mobilenet_v2 and squeezenet1_1 in int8 and bf16, other kernels' results were at most 1.0 times as far apart as
 * the farthest of these runs. 0.05 is where a kernel that is wrong in one channel of twenty would begin to pass. */
#define MOVE 0x1p-20
#define FACTOR 4
#define MOST 0.05
enum { RUNS = 3, SEED = 17 };

static bool is_narrow(const struct graph *g)
{
	for (int i = 0; i < g->functions.n; i++) {
		const struct function *f = g->functions.at[i];

		for (int v = f->nparams; v < f->bindings.n; v++) {
			const struct binding *b = function_at(f, v);

			if (b->kind == BIND_CALL && type_is_tensor(b->type) && element_bytes(b->type->element) <= 2 &&
			    b->type->element != ELEMENT_BOOL && b->type->element != ELEMENT_STRING)
				return true;
		}
	}
	return false;
}

static struct value moved(struct arena *a, struct value v, struct rng *rng)
{
	if (v.kind != VALUE_ARRAY || !element_is_float(v.array->element))
		return v;
	struct array *x = array_in(a, v.array->element, v.array->rank, v.array->dim);

	for (int64_t i = 0; i < x->count; i++)
		element_store(x->element, x->data, i,
			      array_float(v.array, i) * (1 + MOVE * (2 * rng_unit(rng) - 1)));
	return value_of_array(x);
}

/* The largest distance of results of S on ARGS, moved by RNG, from WANT. */
static int run_moved(struct arena *a, const struct function *main, struct session *s, const struct value *args,
		     const struct value *want, struct rng *rng, double *most)
{
	struct value *inputs = arena_many(a, struct value, main->nparams);
	struct value *got = values_new(main->nresults);

	for (int i = 0; i < main->nparams; i++)
		inputs[i] = moved(a, args[i], rng);
	int rc = session_run(s, inputs, got);
	const struct agreement *x = rc == 0 ? results_agree(a, got, want, main->nresults, MOST) : NULL;

	for (int i = 0; x && i < main->nresults; i++)
		*most = fmax(*most, x[i].error);
	values_release(got, main->nresults);
	free(got);
	return rc;
}

double rounding_bound(struct arena *a, const struct model_code *code, struct interp_limits limits,
		      const struct value *args)
{
	const struct function *main = graph_main(code->graph);
	struct rng rng = rng_seed(SEED);
	double most = 0;

	if (!is_narrow(code->graph))
		return AGREE_BOUND;
	struct session *s = session_new(code, limits);
	struct value *want = values_new(main->nresults);
	int rc = session_run(s, args, want);

	for (int i = 0; i < RUNS && rc == 0; i++)
		rc = run_moved(a, main, s, args, want, &rng, &most);
	values_release(want, main->nresults);
	free(want);
	session_free(s);
	return rc < 0 ? -1 : fmax(AGREE_BOUND, fmin(FACTOR * most, MOST));
}
