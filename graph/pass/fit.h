/* SPDX-License-Identifier: Apache-2.0 */
/* graph/pass/fit.h - which calls can be in a kernel. */
#ifndef HONE_GRAPH_PASS_FIT_H
#define HONE_GRAPH_PASS_FIT_H

#include "graph/ir/known.h"

/* What was found out of calls so far: a model repeats a few. Zeroed it is empty. */
struct fit_calls {
	struct known_calls known;
};

/* Is VALUE of F a call, not of constants alone, that has a tensor expression? What is found out is
 * kept in A. */
bool value_is_fit(struct arena *a, struct fit_calls *s, const struct function *f, int value);

#endif
