/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/libraries/libxsmm.h - what the files of the libxsmm contestant share: what it can do comes
 * in kinds, each with its own handle. */
#ifndef HONE_BENCH_CONTEST_LIBRARIES_LIBXSMM_H
#define HONE_BENCH_CONTEST_LIBRARIES_LIBXSMM_H

#include "bench/contest/contestant.h"

/* PREPARE and the others are those of struct contestant; its handle is one more of them. */
struct xsmm_kind {
	void *(*prepare)(struct arena *a, const struct contestant_task *t, bool plain,
			 const char **why);
	void (*run)(void *handle);
	const char *(*kernel)(void *handle);
	void (*output)(void *handle, void *out);
	void (*release)(void *handle);
};

extern const struct xsmm_kind xsmm_convolution, xsmm_product;

#endif
