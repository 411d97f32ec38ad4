/* SPDX-License-Identifier: Apache-2.0 */
/* te/limits.c - the check of shapes and indices that come from outside. */
#include "te/limits.h"

#include <math.h>

#include "base/err.h"
#include "te/expr.h"

/* Quotients, min, max and select nested in an index are simplified anew at each level: that doubles
 * the work. */
enum { INDEX_NESTING_MAX = 12 };
/* Of an index in a nest, whose loops may go over all elements of a tensor: far below where reasoning about it
 * overflows (te/index/index.h). */
#define NEST_INDEX_MAX (1024 * ELEMENTS_MAX)

int shape_check(const char *name, int ndim, const int64_t *shape)
{
	int64_t n = 1;

	if (ndim > TENSOR_MAX_DIMS)
		return err_set("%s: %d dimensions, at most %d are supported", name, ndim,
			       TENSOR_MAX_DIMS);
	for (int i = 0; i < ndim; i++) {
		if (shape[i] < 1 || shape[i] > EXTENT_MAX)
			return err_set("%s: extent %jd of dimension %d is not in 1..%jd", name,
				       (intmax_t)shape[i], i, (intmax_t)EXTENT_MAX);
		if (n > ELEMENTS_MAX / shape[i])
			return err_set("%s: more than 2^40 elements; make it smaller", name);
		n *= shape[i];
	}
	return 0;
}

/* An upper bound of the absolute value of all parts of the i64 expression E. */
static double magnitude(const struct expr *e)
{
	bool product = e->kind == EXPR_MUL;
	double sum = product ? 1 : 0;

	if (e->kind == EXPR_INT)
		return fabs((double)e->i);
	if (e->kind == EXPR_AXIS)
		return fmax(fabs((double)e->axis->lo), fabs((double)e->axis->hi));
	if (e->kind == EXPR_LOAD || e->kind == EXPR_CAST)
		return 1;
	for (int i = e->kind == EXPR_SELECT; i < expr_kind_arity(e->kind); i++) {
		double m = fmax(magnitude(e->arg[i]), 1);

		if (e->kind == EXPR_SELECT && e->arg[i]->kind == EXPR_INT)
			m = 1;	/* stays as it is: the least value that pads a maximum */
		sum = product ? sum * m : sum + m;
	}
	return sum;
}

static int nesting(const struct expr *e)
{
	const struct expr *const *arg = e->kind == EXPR_LOAD ? e->index : e->arg;
	int n = e->kind == EXPR_LOAD ? e->tensor->ndim : expr_kind_arity(e->kind);
	bool sum = n == 0 || e->kind == EXPR_ADD || e->kind == EXPR_SUB || e->kind == EXPR_AND;
	int most = 0;

	for (int i = 0; i < n; i++) {
		int below = nesting(arg[i]);

		most = below > most ? below : most;
	}
	return most + !sum;
}

struct index_check {
	double most;
	bool fits;
};

static void check_one(struct index_check *c, const struct expr *e)
{
	c->fits &= magnitude(e) <= c->most && nesting(e) <= INDEX_NESTING_MAX;
}

/* False once i64 arithmetic could overflow the reasoning about it, or make it slow. */
static bool check_index(const struct expr *e, void *user)
{
	struct index_check *c = user;

	if (e->dtype == DTYPE_I64 && e->kind != EXPR_INT)
		check_one(c, e);
	if (e->kind == EXPR_LOAD)
		for (int i = 0; i < e->tensor->ndim; i++)
			check_one(c, e->index[i]);
	if (e->kind >= EXPR_LT && e->kind <= EXPR_NE && e->arg[0]->dtype == DTYPE_I64)
		for (int i = 0; i < 2; i++)
			check_one(c, e->arg[i]);
	return c->fits;
}

static bool all_fit(const struct expr *e, double most)
{
	struct index_check c = { most, true };

	expr_visit(e, check_index, &c);
	return c.fits;
}

bool indices_fit(const struct expr *body)
{
	return all_fit(body, (double)EXTENT_MAX);
}

bool nest_indices_fit(const struct expr *e)
{
	return all_fit(e, (double)NEST_INDEX_MAX);
}
