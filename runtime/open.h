/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/open.h - from a model's file to a session.
 *
 * In:   a model, a database of records or none, the sizes of open dims, a number of threads.
 * Out:  the graph behind all passes, the choice of a kernel for each of its tasks, a session. */
#ifndef HONE_RUNTIME_OPEN_H
#define HONE_RUNTIME_OPEN_H

#include "graph/onnx/onnx.h"
#include "runtime/session.h"

struct open_options {
	const char *model;	/* a file that model_is() knows */
	const char *db;		/* file of records; NULL: none */
	int threads;		/* that kernels are chosen for; 0: as many as the device has */
	const struct onnx_dim *dims;
	int ndims;
	struct interp_limits limits;	/* of what the interpreter runs */
	struct listener listener;	/* told of records that are skipped */
};

struct opened {
	struct graph *graph;
	const struct model_task_vec *tasks;
	const struct choice *choices;	/* of the tasks */
	int built;			/* kernels that were compiled now */
	struct session *session;
};

/* Opens O's model in A, which outlives it. -1 and a message. */
int open_model(struct arena *a, const struct open_options *o, struct opened *out);
/* Frees what is not in the arena. */
void open_end(struct opened *m);

#endif
