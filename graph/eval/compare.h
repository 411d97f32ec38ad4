/* SPDX-License-Identifier: Apache-2.0 */
/* graph/eval/compare.h - is a value what was expected, element by element? */
#ifndef HONE_GRAPH_EVAL_COMPARE_H
#define HONE_GRAPH_EVAL_COMPARE_H

#include "base/text.h"
#include "graph/eval/value.h"

struct tolerance {
	double relative;	/* of the expected element's magnitude */
	double absolute;
	double bf16;		/* relative, where elements are bf16 and it is larger */
};

/* What ONNX's own runner of its tests allows. */
extern const struct tolerance tolerance_of_onnx;

/* Is GOT a value like WANT: of the same kinds, types and shapes, floats within the tolerance (NaN is
 * NaN), all else the same? Where it is not, WHY says the first difference. */
bool value_agrees(struct value got, struct value want, const struct tolerance *t,
		  struct text *why);

#endif
