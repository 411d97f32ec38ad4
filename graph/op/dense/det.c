/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/dense/det.c - det(x): the determinants of matrices [..., m, m]. */
#include <math.h>

#include "graph/eval/eval.h"
#include "graph/ir/infer.h"

static int det_type(struct infer *x)
{
	const struct type *in = infer_type(x, 0);
	struct dim m;

	if (infer_class(x, 0, CLASS_BIT(FLOAT)) < 0)
		return -1;
	if (!type_is_ranked(in))
		return infer_unranked(x, in->element);
	if (in->rank < 2)
		return infer_error(x, "an operand of rank %d", in->rank);
	if (infer_agree(x, in->dim[in->rank - 2], in->dim[in->rank - 1], false, &m) < 0)
		return -1;
	return infer_tensor(x, in->element, in->rank - 2, in->dim);
}

static void swap_rows(double *a, int64_t m, int64_t i, int64_t j)
{
	for (int64_t k = 0; k < m; k++) {
		double v = a[i * m + k];

		a[i * m + k] = a[j * m + k];
		a[j * m + k] = v;
	}
}

/* By elimination with row pivots; A is overwritten. */
static double determinant(double *a, int64_t m)
{
	double det = 1;

	for (int64_t c = 0; c < m; c++) {
		int64_t pivot = c;

		for (int64_t i = c + 1; i < m; i++)
			pivot = fabs(a[i * m + c]) > fabs(a[pivot * m + c]) ? i : pivot;
		if (a[pivot * m + c] == 0)
			return 0;
		if (pivot != c) {
			swap_rows(a, m, pivot, c);
			det = -det;
		}
		det *= a[c * m + c];
		for (int64_t i = c + 1; i < m; i++) {
			double f = a[i * m + c] / a[c * m + c];

			for (int64_t k = c; k < m; k++)
				a[i * m + k] -= f * a[c * m + k];
		}
	}
	return det;
}

static int det_eval(struct eval *x)
{
	const struct array *in = eval_array(x, 0);
	int64_t m = in->rank < 2 ? 0 : in->dim[in->rank - 1];

	if (in->rank < 2 || in->dim[in->rank - 2] != m || !element_is_float(in->element))
		return eval_error(x, "%s of rank %d, no square matrices", element_name(in->element),
				  in->rank);
	struct array *y = eval_result(x, 0, in->element, in->rank - 2, in->dim);

	if (!y)
		return -1;
	double *a = eval_scratch(x, sizeof(*a) * (size_t)(m * m));

	for (int64_t i = 0; i < y->count; i++) {
		if (eval_clock(x) < 0)
			return -1;
		element_get_f64(in->element, in->data, i * m * m, m * m, a);
		element_store(y->element, y->data, i, determinant(a, m));
	}
	return 0;
}

const struct core_op core_det = {
	.name = "det",
	.summary = "the determinants of x [..., m, m]",
	.min_args = 1,
	.max_args = 1,
	.fusion = FUSION_OPAQUE,
	.type = det_type,
	.eval = det_eval,
};
