/* SPDX-License-Identifier: Apache-2.0 */
/* te/limits.c - the check of shapes that come from outside. */
#include "te/limits.h"

#include "base/err.h"
#include "te/expr.h"

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
