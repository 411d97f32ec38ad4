/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/callable.h - a kernel as whoever calls it sees it.
 *
 * The C text of codegen/emit.h defines, for the symbol NAME:
 *
 *	int32_t NAME_phases(void);
 *	void NAME_part(int32_t phase, void *const *args, void *workspace, int32_t thread,
 *		       int32_t threads);
 *	size_t NAME_workspace_bytes(int32_t threads);
 *	size_t NAME_packed_bytes(int32_t input);
 *	void NAME_pack(int32_t input, const void *raw, void *packed);
 *
 * A run is NAME_phases() phases in turn, and in each of them the parts of all threads of
 * [0, threads), threads >= 1, in any order or at the same time: no phase begins before all parts of
 * the one before have ended. codegen/team.h does that.
 * ARGS are the inputs and constants in the order of the DAG, then the outputs: dense, row-major,
 * aligned to CALLABLE_ALIGN. The output may be in the place of an input of which program_replaces()
 * says so (schedule/nest.h), else of none. Where packed_bytes is not 0, args[input] is what pack made of the
 * tensor, once, in so many bytes.
 * WORKSPACE are workspace_bytes(threads) bytes, as aligned, of any content; NULL where they are 0.
 *
 * Holds: all memory is the caller's, nothing is allocated, no thread is made, and nothing kept
 *        between runs; runs may overlap in time where each has outputs and a workspace of its own. */
#ifndef HONE_CODEGEN_CALLABLE_H
#define HONE_CODEGEN_CALLABLE_H

#include <stddef.h>
#include <stdint.h>

enum { CALLABLE_ALIGN = 64 };

struct callable {
	int32_t (*phases)(void);
	void (*part)(int32_t phase, void *const *args, void *workspace, int32_t thread,
		     int32_t threads);
	size_t (*workspace_bytes)(int32_t threads);
	size_t (*packed_bytes)(int32_t input);
	void (*pack)(int32_t input, const void *raw, void *packed);
};

/* What follows NAME in the names of these functions; NULL behind the last. */
extern const char *const callable_suffix[];

/* Those of NAME in OBJECT, of dlopen(), while it is loaded. -1 and a message where it lacks one. */
int callable_find(struct callable *c, void *object, const char *name);

#endif
