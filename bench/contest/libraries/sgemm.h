/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/libraries/sgemm.h - what contestants have in common that are a BLAS: one entry, and a library
 * that chooses its kernels when it is loaded or first called. */
#ifndef HONE_BENCH_CONTEST_LIBRARIES_SGEMM_H
#define HONE_BENCH_CONTEST_LIBRARIES_SGEMM_H

#include "bench/contest/libraries/product.h"

extern const struct contestant_entry sgemm_entries[];

/* Of a handle that begins with its struct product. */
const char *sgemm_kernel(void *handle);

/* Starts this program again with VARIABLE=VALUE, by which the library chooses; who has set it means it,
 * and then, as where it cannot be started, this returns. */
void sgemm_choose(const char *variable, const char *value, char **argv);

#endif
