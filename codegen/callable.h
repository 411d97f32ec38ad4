/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/callable.h - a kernel as whoever calls it sees it.
 *
 * The C text of codegen/emit.h defines, for the symbol NAME:
 *
 *	int32_t NAME(void *const *args, void *workspace, int32_t threads);
 *	size_t NAME_workspace_bytes(int32_t threads);
 *	size_t NAME_packed_bytes(int32_t input);
 *	void NAME_pack(int32_t input, const void *raw, void *packed);
 *
 * ARGS are the inputs and constants in the order of the DAG, then the outputs: dense, row-major,
 * aligned to CALLABLE_ALIGN. Where packed_bytes is not 0, args[input] is what pack made of the
 * tensor, once, in so many bytes.
 * WORKSPACE are workspace_bytes(threads) bytes, as aligned, of any content; NULL where they are 0.
 * At most THREADS threads work, whatever the environment says.
 * The result is 0; or -1, and nothing was done, where threads < 1 or the workspace is missing.
 *
 * Holds: all memory is the caller's, nothing is allocated, and nothing kept between calls; calls
 *        may overlap in time where each has outputs and a workspace of its own. */
#ifndef HONE_CODEGEN_CALLABLE_H
#define HONE_CODEGEN_CALLABLE_H

#include <stddef.h>
#include <stdint.h>

enum { CALLABLE_ALIGN = 64 };

typedef int32_t kernel_fn(void *const *args, void *workspace, int32_t threads);

struct callable {
	kernel_fn *run;
	size_t (*workspace_bytes)(int32_t threads);
	size_t (*packed_bytes)(int32_t input);
	void (*pack)(int32_t input, const void *raw, void *packed);
};

/* What follows NAME in the names of these functions; NULL behind the last. */
extern const char *const callable_suffix[];

/* Those of NAME in OBJECT, of dlopen(), while it is loaded. -1 and a message where it lacks one. */
int callable_find(struct callable *c, void *object, const char *name);

#endif
