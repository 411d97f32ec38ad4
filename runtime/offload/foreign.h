/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/offload/foreign.h - what code generators compute of a model, ready to run.
 *
 * In:   a graph that was cut (partition/offload.h), and the generators of its regions; or what hone would run
 *       as one kernel (partition/kernels.h).
 * Out:  for each region's function its results for its arguments.
 * Holds: every call across the border is checked against the types that the region was made for; a region
 *        is prepared once for all sessions, which take turns. */
#ifndef HONE_RUNTIME_OFFLOAD_FOREIGN_H
#define HONE_RUNTIME_OFFLOAD_FOREIGN_H

#include "base/text.h"
#include "graph/eval/interp.h"
#include "partition/kernels.h"

struct foreign;

/* What an earlier start had of a region. */
struct foreign_past {
	struct hash128 hash;	/* foreign_hash() */
	const void *artifact;	/* that its generator's compile wrote; lives as long as the call */
	size_t bytes;
};

/* Region FUNCTION of G by BACKEND, for THREADS threads, in A: compiled, unless it is that of PAST (NULL: it is
 * new). NULL and a message with the generator's reason, or where PAST was another region. */
struct foreign *foreign_new(struct arena *a, const struct graph *g, int function,
			    const struct backend *backend, int threads, const struct foreign_past *past);
/* The same of R. */
struct foreign *foreign_kernel(struct arena *a, const struct kernel_region *r, const struct backend *backend,
			       int threads, const struct foreign_past *past);
const struct backend *foreign_backend(const struct foreign *x);
/* From now on who calls X computes himself what X fails at; and does he? */
void foreign_fall_back(struct foreign *x);
bool foreign_falls_back(const struct foreign *x);
/* How often X failed so, and in *WHY the first reason, which lives as long as X. */
int foreign_failures(const struct foreign *x, const char **why);
/* What a run takes where its generator says so; zeros: that is for the clock to tell. */
struct hone_cost foreign_cost(const struct foreign *x);
/* All of it, us; 0. */
double foreign_told_us(const struct foreign *x);
/* What its generator was given, and the name of the function that this is; for its inputs and outputs, in
 * this order, which parameter and which result of the function they are. */
const struct hone_region *foreign_region(const struct foreign *x);
const char *foreign_name(const struct foreign *x);
int foreign_parameter(const struct foreign *x, int i);
int foreign_result(const struct foreign *x, int i);
/* What tells its region from others, but for the elements of constants. */
struct hash128 foreign_hash(const struct foreign *x);
/* What its generator's compile wrote: empty where that wrote nothing, where it is of a past, and behind
 * foreign_forget(), which is for who needs it no more: it may be as large as the region's constants. */
const struct text *foreign_artifact(const struct foreign *x);
void foreign_forget(struct foreign *x);
/* Of a kernel: how many inputs it has, and which argument of the application input I is. */
int foreign_ninputs(const struct foreign *x);
int foreign_argument(const struct foreign *x, int i);
/* Computes the region's OUTPUTS of its INPUTS, in its order. 0, or -1 and a message. */
int foreign_call(struct foreign *x, const void *const *inputs, void *const *outputs);
/* Computes RESULTS, arrays of the types that the function has, of ARGS. 0, or -1 and a message. */
int foreign_run(struct foreign *x, const struct value *args, struct value *results);

#endif
