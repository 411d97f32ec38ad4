/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/emit.h - a program as C11 with GNU vector types and OpenMP.
 *
 * The text exports, for the symbol hone_NAME:
 *	int32_t hone_NAME(void *const *args);
 *		inputs in order, then outputs, 64-byte aligned; 0, or -1 where memory ran out
 *	size_t hone_NAME_packed_bytes(int32_t input);
 *		0 where the input is read as it is
 *	void hone_NAME_pack(int32_t input, const void *raw, void *packed);
 */
#ifndef HONE_CODEGEN_EMIT_H
#define HONE_CODEGEN_EMIT_H

#include "base/text.h"
#include "schedule/nest.h"

struct emit_options {
	const char *symbol;	/* "hone_kernel" */
	int vector_bytes;	/* of the device's registers: 16, 32 or 64 */
};

/* A kernel needs at most 64 KiB of stack in each thread. So much of it are local arrays, what is
 * beyond lies in memory; the rest is for what compilers keep there, libm and libgomp. */
enum { STACK_ARRAYS = 48 * 1024, STACK_FRAMES = 16 * 1024 };

/* Appends the C text of P. False with a reason in WHY (may be NULL) where the program would be too
 * large when unrolled, or needs too much local memory: a normal answer for a search. */
bool emit_c(struct text *out, const struct program *p, const struct emit_options *options,
	    const char **why);

/* Bytes of stack that each thread needs for P, which emit_c takes. */
size_t emit_stack(const struct program *p, const struct emit_options *options);

/* True where P has a parallel loop: it then needs OpenMP. */
bool program_is_parallel(const struct program *p);

#endif
