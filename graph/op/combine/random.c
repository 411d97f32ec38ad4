/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/combine/random.c - tensors of random numbers. */
#include <math.h>

#include "graph/eval/eval.h"
#include "graph/ir/infer.h"

static int random_type(struct infer *x)
{
	enum element e = call_element(x->call, "to");
	int n;
	const struct dim *shape = infer_elements(x, 0, &n);

	if (infer_class(x, 0, CLASS_INTEGERS) < 0)
		return -1;
	if (!element_is_float(e))
		return infer_error(x, "random numbers of %s", element_name(e));
	return shape ? infer_tensor(x, e, n, shape) : infer_unranked(x, e);
}

/* Another source of chance where the call has a seed of its own. */
static struct rng *source(struct eval *x, struct rng *own)
{
	double seed = call_float(x->call, "seed");
	uint64_t bits;

	if (!call_has(x->call, "seed"))
		return eval_rng(x);
	memcpy(&bits, &seed, sizeof(bits));
	*own = rng_seed(bits);
	return own;
}

static double uniform(const struct binding *call, struct rng *r)
{
	double low = call_float(call, "low");

	return low + (call_float(call, "high") - low) * rng_unit(r);
}

/* Box and Muller, A note on the generation of random normal deviates, 1958. */
static double normal(const struct binding *call, struct rng *r)
{
	double radius = sqrt(-2 * log(1 - rng_unit(r)));

	return call_float(call, "mean") +
	       call_float(call, "scale") * radius * cos(2 * M_PI * rng_unit(r));
}

static int random_eval(struct eval *x)
{
	struct rng own, *r = source(x, &own);
	int rank;
	const int64_t *dim = eval_ints(x, 0, &rank);
	struct array *y = eval_result(x, 0, call_element(x->call, "to"), rank, dim);

	if (!y)
		return -1;
	for (int64_t i = 0; i < y->count; i++)
		element_store(y->element, y->data, i,
			      x->call->op == &core_random_normal ? normal(x->call, r)
								 : uniform(x->call, r));
	return 0;
}

#define OPERATOR(id, text, ...)                                                                    \
	const struct core_op core_##id = {                                                         \
		.name = #id,                                                                       \
		.summary = text " random numbers of the given shape",                              \
		.min_args = 1,                                                                     \
		.max_args = 1,                                                                     \
		.attrs = (const struct attr_spec[]){                                               \
			{ "to", ATTR_ELEMENT, ELEMENT_F32, NULL, "element type of the result" },   \
			{ "seed", ATTR_FLOAT, 0, NULL, "for the same numbers at each run" },       \
			__VA_ARGS__,                                                               \
			{ 0 } },                                                                   \
		.fusion = FUSION_OPAQUE,                                                           \
		.impure = true,                                                                    \
		.type = random_type,                                                               \
		.eval = random_eval,                                                               \
	};

OPERATOR(random_uniform, "evenly distributed",
	 { "low", ATTR_FLOAT, 0, NULL, "the least" },
	 { "high", ATTR_FLOAT, 1, NULL, "above all" })
OPERATOR(random_normal, "normally distributed",
	 { "mean", ATTR_FLOAT, 0, NULL, "of the distribution" },
	 { "scale", ATTR_FLOAT, 1, NULL, "its standard deviation" })
