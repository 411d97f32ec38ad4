/* SPDX-License-Identifier: Apache-2.0 */
/* search/trust/reference.h - what a task's outputs are, and how far a right kernel may be off.
 *
 * The runner verifies candidates by itself, in its own process (search/task.h gives it what it
 * needs). This is the same for whoever has outputs at hand: of a library, of an exported kernel, of
 * a test. To verify a kernel in this process:
 *
 *	struct reference *r = reference_new(a, dag, seed, builder);	NULL: a message
 *	for (int set = 0; set < INPUT_SETS; set++) {
 *		void **args = reference_args(a, r, set);	inputs, then poisoned outputs
 *		kernel(args, workspace, threads);
 *		const char *wrong = reference_check(a, r, set, args);	NULL: it is right
 *	}
 *
 * One output alone is compared by verify_worst(dtype, got, want, bound, count) of measure/runner/verify.h,
 * with want and bound from reference_want() and reference_bound().
 *
 * Holds: inputs and references are the runner's, for the same seed. */
#ifndef HONE_SEARCH_TRUST_REFERENCE_H
#define HONE_SEARCH_TRUST_REFERENCE_H

#include "measure/build/builder.h"
#include "measure/runner/verify.h"
#include "te/inputs.h"

struct reference;

/* Draws the inputs of D's two sets and computes what belongs to them. BUILDER compiles the
 * reference, which takes a fraction of a second; where it is NULL, te/eval.h computes it, which is
 * sooner done for some hundred thousand operations. All of it in A. NULL and a message where the
 * reference cannot be made, or says too little: most of an output is NaN or infinite. */
struct reference *reference_new(struct arena *a, const struct dag *d, uint64_t seed,
				struct build_pool *builder);

/* Arguments for a kernel, 64-byte aligned: the inputs and constants of SET in the order of the DAG,
 * which are shared and not to be written, then new outputs, poisoned. In A. */
void **reference_args(struct arena *a, const struct reference *r, enum input_set set);

/* What is wrong with the outputs among ARGS, which a kernel has left: in A; NULL where nothing is. */
const char *reference_check(struct arena *a, const struct reference *r, enum input_set set,
			    void *const *args);

/* By the place of the output among the arguments (dag_arg): what it should be, and how far it may
 * be off, element by element. */
const void *reference_want(const struct reference *r, enum input_set set, int arg);
const void *reference_bound(const struct reference *r, enum input_set set, int arg);

/* The DAG that computes want and bound of D's outputs, in A; OF is given the domains of D's ops.
 * NULL and a message where there is none. */
struct dag *reference_dag(struct arena *a, const struct dag *d, enum input_set set,
			  struct domain *of);
/* Its C text (hone_kernel: the inputs, then each output's want, then each one's bound), in A. NULL
 * and a message where it cannot be written. */
const char *reference_source(struct arena *a, const struct dag *reference);

#endif
