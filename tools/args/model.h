/* SPDX-License-Identifier: Apache-2.0 */
/* tools/args/model.h - what commands that compile a MODEL have in common. */
#ifndef HONE_TOOLS_ARGS_MODEL_H
#define HONE_TOOLS_ARGS_MODEL_H

#include <argp.h>

#include "runtime/open.h"
#include "tools/args/dims.h"

/* The input of model_argp. */
struct model_args {
	const char *model;
	const char *db;		/* NULL: no records */
	int threads;		/* 0: all cores */
	bool exact;		/* no kernels that derive another algorithm */
	struct dim_options dims;
};

/* A child of a command's argp: MODEL, --db, --threads, --exact, --dim. A command that takes several models takes
 * them itself, and sets the model to one of them. */
extern const struct argp model_argp;

/* To open the model with; what is skipped is told on stderr. */
struct open_options model_options(const struct model_args *m);

#endif
