/* SPDX-License-Identifier: Apache-2.0 */
/* tests/planted/fault.h - what a wrong kernel does wrong: one fault at a time.
 *
 * A fault either changes an op of the DAG, which is then evaluated as if it were the kernel, or what
 * a right kernel left in an output. Both are one line of faults.def and a function. */
#ifndef HONE_TESTS_PLANTED_FAULT_H
#define HONE_TESTS_PLANTED_FAULT_H

#include "base/rng.h"
#include "te/dag.h"

struct fault {
	const char *name, *meaning;
	/* Changes OP, whose body and reducer may be set; false where the fault has no place in it. */
	bool (*in_op)(struct arena *a, struct rng *r, struct op *op);
	/* Changes the COUNT elements of an output; STALE is what lay there before the kernel ran.
	 * False where it has no place. */
	bool (*in_output)(struct rng *r, const struct tensor *t, void *data, const void *stale);
};

extern const struct fault faults[];
extern const int fault_count;

#define IN_OP	  (struct arena * a, struct rng * r, struct op * op)
#define IN_OUTPUT (struct rng * r, const struct tensor *t, void *data, const void *stale)
#define X(name, where, meaning) bool fault_##name where;
#include "tests/planted/faults.def"
#undef X
#undef IN_OP
#undef IN_OUTPUT

#endif
