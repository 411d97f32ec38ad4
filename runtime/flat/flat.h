/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/flat/flat.h - a compiled function as a list of steps on memory that was planned.
 *
 * In:   a compiled function (graph/pass/stretch.c) and the sites of its kernels.
 * Out:  its results for its arguments, as often as one likes.
 * Holds: what a list is made of is shared and never written to; each of its instances has memory of
 *        its own, so that several may run at once. A run of kernels looks at no shape and
 *        allocates nothing. */
#ifndef HONE_RUNTIME_FLAT_FLAT_H
#define HONE_RUNTIME_FLAT_FLAT_H

#include "graph/eval/interp.h"
#include "runtime/plan/live.h"
#include "runtime/site.h"

/* Where a tensor is while the list runs. */
struct flat_place {
	struct live_place at;
	const void *constant;	/* LIVE_CONST: the address; it may be packed */
};

enum flat_kind {
	FLAT_KERNEL,	/* arguments as the kernel has them */
	FLAT_FOREIGN,	/* a generator's kernel: its region's inputs, then its result */
	FLAT_COPY,	/* of a value that is no result of a kernel, or twice a result */
	FLAT_INTERPRET,	/* a function without a kernel: its arguments, then its result */
};

struct flat_step {
	enum flat_kind kind;
	int value;			/* of the function, that it gives */
	const struct kernel_site *site;	/* FLAT_KERNEL, FLAT_FOREIGN */
	struct foreign *foreign;	/* FLAT_FOREIGN */
	int first, nargs;		/* its places among the list's; the last is what it gives */
	size_t workspace;		/* FLAT_KERNEL: its offset in the instance's memory */
	size_t bytes;			/* FLAT_COPY */
};

struct flat_step_vec VEC(struct flat_step);
struct flat_place_vec VEC(struct flat_place);

struct flat {
	const struct graph *graph;
	int function;			/* of it */
	struct flat_step_vec steps;
	struct flat_place_vec places;	/* of all steps */
	struct value_vec open;		/* those that are an argument or a result */
	struct memory_plan memory;	/* of an instance */
	int threads;			/* that its kernels are made for */
};

/* The list of FUNCTION of G, with SITES by function, in A; weights are packed as the kernels want
 * them. NULL where the function is not what a compiled one is, or its memory beyond all bounds. */
struct flat *flat_new(struct arena *a, const struct graph *g, int function,
		      struct kernel_site *sites);

/* What one caller at a time runs. */
struct flat_instance;

/* NULL and a message where memory does not suffice. */
struct flat_instance *flat_instance_new(const struct flat *f);
void flat_instance_free(struct flat_instance *x);	/* NULL is allowed */

/* Computes RESULTS of ARGS, of the types that the function has for them. What has no kernel runs in
 * INTERP. 0, or -1 and a message where that failed. */
int flat_run(struct flat_instance *x, struct interp *interp, const void *const *args,
	     void *const *results);

const struct flat *flat_of(const struct flat_instance *x);

/* From now on runs note the time. */
void flat_watch(struct flat_instance *x);
/* Of a step in a thread, in clock_ns(). */
struct flat_time {
	int64_t begin;
	int64_t done;	/* its part was */
	int64_t end;	/* the other threads' parts were, too */
};
/* Step I of the latest run in THREAD; zeros where there were fewer. */
struct flat_time flat_time(const struct flat_instance *x, int thread, int i);

#endif
