/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/open.h - from a model's file to what sessions are made of.
 *
 * In:   a model, a database of records or none, the sizes of open dims, a number of threads.
 * Out:  the graph behind all passes, its tasks, the choice of a kernel for each of them. */
#ifndef HONE_RUNTIME_OPEN_H
#define HONE_RUNTIME_OPEN_H

#include "graph/layout/chosen.h"
#include "graph/onnx/onnx.h"
#include "runtime/offload/regions.h"
#include "runtime/session.h"

struct open_options {
	const char *model;	/* a file that model_is() knows, or a module (runtime/kept/module.h) */
	const struct graph *graph;	/* in the place of the file: a model as it was read, called `model` */
	const char *db;		/* file of records; NULL: none */
	const struct target *target;	/* of the kernels; NULL: the machine's own */
	int threads;		/* that kernels are chosen for; 0: as many as the device has */
	bool exact;		/* no kernels that derive another algorithm */
	const struct onnx_dim *dims;
	int ndims;
	struct offload_request offload;	/* to generators */
	bool offers_to_db;	/* what is measured of them goes there; else into the cache folder */
	struct listener listener;	/* told of records that are skipped */
	bool recall;		/* what an earlier start made of it will do: tasks without their DAGs, kernels
				 * without their C. It has to for a module */
	const char *module;	/* to write what it became to; NULL */
};

struct opened {
	struct graph *graph;
	const struct model_task_vec *tasks;
	const struct choice *choices;	/* of the tasks */
	struct layout_choice images;	/* as struct task_times has it */
	int built;			/* kernels that were compiled now */
	struct offloaded offloaded;	/* with generators alone */
	const struct model_code *code;	/* what session_new() takes */
};

/* The generators that O asks for, those of HONE_KERNELS with what is known of them in PLAN, measured where
 * nothing is: a part of open_plan(). */
int open_offers(struct arena *a, const struct open_options *o, struct choice_plan *plan);
/* The parts of open_model(): what kernels are chosen by, whose database is the caller's to close;
 * and all but the code, by such a plan. In A. -1 and a message. */
int open_plan(struct arena *a, const struct open_options *o, struct choice_plan *out);
int open_choices(struct arena *a, const struct open_options *o, const struct choice_plan *plan,
		 struct opened *out);
/* The tasks of G, which is behind all passes, and their kernels; in A. -1 and a message. */
int open_graph(struct arena *a, struct graph *g, const struct choice_plan *plan, struct opened *out);
/* Opens O's model, in A. -1 and a message. */
int open_model(struct arena *a, const struct open_options *o, struct opened *out);
/* 0 where V may be given for PARAM; -1 and a message that names it. */
int open_argument(const struct binding *param, struct value v);

#endif
