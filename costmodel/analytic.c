/* SPDX-License-Identifier: Apache-2.0 */
/* costmodel/analytic.c - the prior as a cost model: serves before there is data, and is what a
 * learned model has to beat. It learns nothing. */
#include "costmodel/model.h"

#include <stdlib.h>

#include "costmodel/booster.h"

struct model {
	char unused;		/* all it knows is in the rows */
};

static struct model *create(const struct cost_options *o)
{
	(void)o;
	return cost_allocate(1, sizeof(struct model));
}

float prior_score(const struct feature_matrix *program)
{
	double ns = 1;		/* no program takes less than calling it */

	for (int i = 0; i < program->n_rows; i++)
		ns += feature_value(program->rows + (ptrdiff_t)i * FEATURE_COUNT,
				    FEATURE_PRIOR_TIME);
	return (float)(1e9 / ns);
}

static void score(const struct model *m, int group, const struct feature_matrix *programs, int n,
		  float *scores)
{
	(void)m;
	(void)group;
	for (int i = 0; i < n; i++)
		scores[i] = prior_score(&programs[i]);
}

static void release(struct model *m)
{
	free(m);
}

const struct cost_model cost_model_analytic = {
	.name = "analytic",
	.summary = "estimates from instructions and cache traffic; learns nothing",
	.create = create,
	.score = score,
	.free = release,
};
