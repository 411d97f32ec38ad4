/* SPDX-License-Identifier: Apache-2.0 */
/* tests/integers_fixture.h - weights for models of integers. */
#ifndef HONE_TESTS_INTEGERS_FIXTURE_H
#define HONE_TESTS_INTEGERS_FIXTURE_H

#include "tests/quantize_fixture.h"

#include <math.h>

#include "graph/quantize/integer/plan.h"

static inline double symmetric(struct rng *rng)
{
	return 2 * rng_unit(rng) - 1;
}

/* Elements in [-1, 1) times SIZE, channels (dim 0) of several sizes. */
static inline int uneven(struct graph_maker *m, int rank, const int64_t *dim, double size)
{
	struct array *x = array_in(m->a, ELEMENT_F32, rank, dim);

	for (int64_t i = 0; i < x->count; i++)
		((float *)x->data)[i] = (float)(symmetric(&m->rng) * size / (double)(1 + i * dim[0] / x->count % 3));
	return build_const(&m->b, x);
}

#endif
