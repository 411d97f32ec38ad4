/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/emit.h - a program as C11 with GNU vector types: the functions of codegen/callable.h. */
#ifndef HONE_CODEGEN_EMIT_H
#define HONE_CODEGEN_EMIT_H

#include "base/text.h"
#include "schedule/nest.h"

/* Appends the C text of P, whose functions begin with SYMBOL ("hone_kernel"). False with a reason in WHY
 * (may be NULL) where it cannot be written: a normal answer for a search. */
bool emit_c(struct text *out, const struct program *p, const char *symbol, const char **why);

/* Appends behind it the function SYMBOL, which does a whole run:
 *
 *	int32_t SYMBOL(void *const *args, void *workspace, int32_t threads);
 *
 * with up to THREADS threads of OpenMP, or one where it is compiled without. It returns 0; or -1, and
 * has done nothing, where THREADS is less than 1 or a workspace is missing. */
void emit_entry(struct text *out, const struct program *p, const char *symbol);

/* Bytes that a kernel needs beside its arguments. */
struct emit_needs {
	size_t stack;			/* of each thread */
	size_t shared, thread;		/* of workspace: once, and for each thread */
};

/* Those of P, which emit_c takes. */
struct emit_needs emit_needs(const struct program *p);

/* Bytes that pack K of P fills: the constant, and behind it what is computed on the way to it. */
size_t emit_packed_bytes(const struct program *p, const struct pack *k);

/* True where P has a loop whose turns threads share: the others have nothing to do else. */
bool program_is_parallel(const struct program *p);

#endif
