/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/library/content.h - a model as its C library has it, before it is written.
 *
 * In:   the flat lists of a session.
 * Out:  kernels, constants and steps by number, as the files name them.
 * Holds: what a place says is where it is in the library too; nothing here depends on the names of
 *        files. */
#ifndef HONE_RUNTIME_LIBRARY_CONTENT_H
#define HONE_RUNTIME_LIBRARY_CONTENT_H

#include "graph/ir/ir.h"
#include "runtime/kernel/choice.h"

enum library_room {
	LIBRARY_MEMORY,		/* of an instance */
	LIBRARY_WEIGHT,		/* a constant */
	LIBRARY_ARGUMENT,	/* of the stretch */
	LIBRARY_RESULT,
};

struct library_place {
	enum library_room room;
	size_t at;		/* bytes from the beginning; which argument, which result */
	size_t offset;		/* of a part: bytes behind that */
};

enum library_doing {
	LIBRARY_KERNEL,
	LIBRARY_COPY,		/* from the first place to the second */
	LIBRARY_CALL,		/* of a function that the interpreter runs */
	LIBRARY_FOREIGN,	/* a generator's region: its inputs, then its outputs */
};

struct library_step {
	enum library_doing doing;
	int what;		/* which kernel, function of the graph, or region */
	int args, nargs;	/* places; the last is the result's */
	size_t bytes;		/* of a copy */
	size_t workspace;	/* of a kernel: bytes from the beginning of the memory */
};

struct library_stretch {
	int function;		/* of the graph, which it stands for */
	int steps, nsteps;
};

/* A constant at a multiple of LIBRARY_ALIGN. */
struct library_weight {
	const void *data;	/* somebody else's */
	size_t bytes, at;
};

enum { LIBRARY_ALIGN = 64 };

/* What a code generator computes. */
struct library_region {
	const struct foreign *foreign;
	int generator;		/* which of the library's */
	size_t artifact, artifact_bytes;	/* among the weights */
};

struct library_generator {
	const struct backend *backend;
	const char *file;	/* name of its shared object, without a folder */
};

struct library_region_vec VEC(struct library_region);
struct library_generator_vec VEC(struct library_generator);
struct library_kernel_vec VEC(const struct choice *);
struct library_place_vec VEC(struct library_place);
struct library_step_vec VEC(struct library_step);
struct library_stretch_vec VEC(struct library_stretch);
struct library_weight_vec VEC(struct library_weight);

struct library_content {
	struct arena *arena;
	const struct graph *graph;
	struct library_kernel_vec kernels;
	struct library_place_vec places;
	struct library_step_vec steps;
	struct library_stretch_vec stretches;
	struct library_weight_vec weights;
	struct library_region_vec regions;
	struct library_generator_vec generators;	/* of the regions */
	size_t weight_bytes;	/* of all, with the gaps */
	size_t memory_bytes;	/* of an instance */
	int threads;		/* that its kernels were chosen and its memory planned for */
	bool interpreted;	/* there is more to it than the first stretch */
};

/* Where BYTES of DATA lie among the weights: the same data once. */
size_t library_weight(struct library_content *c, const void *data, size_t bytes);
/* The same, where other data of equal bytes does. */
size_t library_weight_like(struct library_content *c, const void *data, size_t bytes);
/* Which of the kernels CHOICE is. */
int library_kernel(struct library_content *c, const struct choice *choice);
/* Adds FOREIGN, with its constants and its artifact; which of the regions it is. -1 and a message. */
int library_region(struct library_content *c, const struct foreign *foreign);

#endif
