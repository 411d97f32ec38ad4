/* SPDX-License-Identifier: Apache-2.0 */
/* graph/task/variant.h - a fused function whose images are stored otherwise.
 *
 * A variant is a fused function with the attribute "stored", a storage for each parameter and for the
 * result: it brings its parameters into the plain storage, applies the plain function and stores
 * what that gives. So it means what it says, to whoever interprets it; its kernel does the same
 * without any of the detours, for its DAG is the plain function's with other indices. */
#ifndef HONE_GRAPH_TASK_VARIANT_H
#define HONE_GRAPH_TASK_VARIANT_H

#include "graph/task/storage.h"
#include "graph/task/cut.h"

/* The function of G that F is a variant of, with the storages in *STORED; F itself and NULL where it
 * is none. */
const struct function *variant_plain(const struct graph *g, const struct function *f,
				     const int64_t **stored);
/* What the application VALUE of F, a function of G, of a fused function applies; in A. */
struct cut_from cut_from_apply(struct arena *a, const struct graph *g, const struct function *f, int value);
/* The application VALUE of F, a function of G, of a fused function: its DAG, whose inputs are
 * parameters of that; in A. */
struct cut_dag cut_apply(struct arena *a, const struct graph *g, const struct function *f, int value);
/* The DAG of the plain fused function F, whose inputs are its parameters, where GIVEN is, for each of
 * them, the constant that it is, or NULL; in A. */
struct cut_dag cut_fused(struct arena *a, const struct function *f, const struct array *const *given);
/* C, the DAG of the plain fused function F, with parameter i in STORED[i] and the result in
 * STORED[F->nparams]; in A. Its dag is NULL, with a reason, where there is none. */
struct cut_dag variant_cut(struct arena *a, const struct cut_dag *c, const struct function *f,
			   const int64_t *stored);
/* A variant of function PLAIN of G. Its index; FUNCTION_NONE and a message. */
int variant_make(struct graph *g, int plain, const int64_t *stored);
/* The function that gives what it takes, an image of plain type T; variants of it are transforms
 * from one storage to another. FUNCTION_NONE and a message. */
int variant_identity(struct graph *g, const struct type *t);

#endif
