/* SPDX-License-Identifier: Apache-2.0 */
/* bench/peer.h - libraries that `hone bench` compares with.
 *
 * A peer is one file that ends in one `const struct peer`, and a line in bench/peers.def. A peer
 * whose library was not there when hone was built exists and says so. */
#ifndef HONE_BENCH_PEER_H
#define HONE_BENCH_PEER_H

#include "bench/work/recognize.h"

/* What a peer is asked to do. All of it outlives the handle. */
struct peer_task {
	const struct dag *dag;
	const struct work *work;	/* of the DAG */
	void *const *args;		/* as te/eval.h orders them, only inputs and constants are
					 * read: in the DAG's layouts, 64-byte aligned */
	int threads;
};

struct peer {
	const char *name;
	const char *missing;	/* why it cannot be used; NULL, or all that follows is NULL */
	/* "OpenBLAS 0.3.21, pthreads, SkylakeX" */
	const char *(*version)(struct arena *a);
	/* What takes place once, outside of timing: packing of constants, choice of a kernel. NULL
	 * where the peer cannot do the task, and WHY, in A, says so. */
	void *(*prepare)(struct arena *a, const struct peer_task *t, const char **why);
	/* One evaluation; 0, or -1 and a message. */
	int (*run)(void *handle);
	/* The kernel that was chosen, in the library's words; "" where it does not say. */
	const char *(*kernel)(void *handle);
	/* The result of the last run, in the DAG's layout, dense. -1 and a message. */
	int (*output)(void *handle, float *out);
	void (*release)(void *handle);
};

#define X(name) extern const struct peer peer_##name;
#include "bench/peers.def"
#undef X

/* All of them, NULL at the end. */
const struct peer *const *peers(void);
/* NULL and a message with the names there are. */
const struct peer *peer_find(const char *name);

#endif
