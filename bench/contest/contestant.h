/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/contestant.h - what takes part in `hone bench`: a program of its own, that talks
 * with the referee in lines (bench/contest/referee/conversation.h).
 *
 * A contestant in C is one file that ends in `const struct contestant contestant`, and a line in
 * bench/contest/contestants.def: main is in bench/contest/contestant_main.c. It links its own library and
 * nothing of another's. What it prepares is a folder with `task.te`, the DAG; `arg0.bin`, ...,
 * inputs and constants in the order of te/eval.h; and, where the DAG has one, `model.onnx`, else
 * `model.why`. It answers with the library's word for what it chose, which may be empty. Outputs
 * are dense, row-major, in the DAG's layouts and types, one after the other. */
#ifndef HONE_BENCH_CONTEST_CONTESTANT_H
#define HONE_BENCH_CONTEST_CONTESTANT_H

#include "bench/contest/referee/conversation.h"
#include "bench/work/recognize.h"

/* What is to be computed. All of it outlives the handle. */
struct contestant_task {
	const struct dag *dag;
	const struct work *work;	/* of the DAG; NULL where it is not recognized */
	const char *why;		/* then: why not */
	void *const *args;		/* as te/eval.h orders them, 64-byte aligned; inputs and
					 * constants are filled */
	int threads;
	const char *entry;		/* the name of one of the contestant's */
	const char *dir;
};

struct contestant {
	const char *name;
	const struct contestant_entry *entries;	/* ended by a NULL name */
	bool narrow;	/* it takes work that is not all f32 (bench/work/work.h), too */
	/* Before all else: has the library choose its kernels as it should, where that takes starting
	 * this program again with ARGV. NULL: it does so by itself. */
	void (*choose)(char **argv);
	/* The library and its version: "OpenBLAS 0.3.21, pthreads, SkylakeX". */
	const char *(*version)(struct arena *a);
	/* What takes place once, outside of the clock: packing of constants, choice of a kernel.
	 * NULL where it cannot do the task, and WHY, in A, says so. */
	void *(*prepare)(struct arena *a, const struct contestant_task *t, const char **why);
	/* One evaluation; 0, or -1 and a message. */
	int (*run)(void *handle);
	/* The kernel that was chosen, in the library's words; "" where it does not say. NULL: never. */
	const char *(*kernel)(void *handle);
	/* The result of the last run as `check` writes it. -1 and a message. NULL: the task's
	 * arguments have it. */
	int (*output)(void *handle, void *out);
	/* NULL: all that was prepared is in the arena. */
	void (*release)(void *handle);
};

/* The one of this program. */
extern const struct contestant contestant;

/* Bytes of all outputs of D together. */
size_t contestant_output_bytes(const struct dag *d);

#endif
