/* SPDX-License-Identifier: Apache-2.0 */
/* measure/build/join.h - the C texts of several kernels as one, for one run of the compiler.
 *
 * In:   texts that each define TRIAL_SYMBOL, as codegen/callable.h describes it.
 * Out:  one text in which each has a symbol of its own; and so have the types and static functions
 *       that it defines in lines of their own, whatever its neighbours call theirs.
 * Holds: the tokens inside each kernel's functions are what they were, but for these names; a compiler
 *        that aligns functions as toolchain.c asks makes the same machine code of them (seen in 64
 *        kernels of two operators, clang 14 and gcc 12). What is no such text, one with an enum at
 *        file scope, say, need not compile beside others: who joins must be ready to go back. */
#ifndef HONE_MEASURE_BUILD_JOIN_H
#define HONE_MEASURE_BUILD_JOIN_H

#include "base/text.h"

/* The symbol of the kernel at place I of a joined text, in A. */
const char *join_symbol(struct arena *a, int i);
/* Appends SOURCE to OUT as the kernel at place I. */
void join_kernel(struct text *out, const char *source, int i);

#endif
