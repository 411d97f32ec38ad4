/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/libraries/openblas_core.h - is the core that OpenBLAS took this CPU for as good as the CPU? */
#ifndef HONE_BENCH_CONTEST_LIBRARIES_OPENBLAS_CORE_H
#define HONE_BENCH_CONTEST_LIBRARIES_OPENBLAS_CORE_H

/* The widest vectors there are. */
enum vector_level { VECTORS_OTHER, VECTORS_AVX, VECTORS_AVX2, VECTORS_AVX512 };

/* Of the CPU that this runs on. */
enum vector_level cpu_level(void);

/* FOUND is what openblas_get_corename said. NULL where its kernels use all of LEVEL, else the core
 * type to ask for. */
const char *openblas_better_core(const char *found, enum vector_level level);

#endif
