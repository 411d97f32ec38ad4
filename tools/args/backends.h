/* SPDX-License-Identifier: Apache-2.0 */
/* tools/args/backends.h - --backend BACKEND and --keep LABEL, for the commands that share a model with generators. */
#ifndef HONE_TOOLS_ARGS_BACKENDS_H
#define HONE_TOOLS_ARGS_BACKENDS_H

#include <argp.h>

#include "runtime/offload/generators.h"

enum { BACKENDS_MAX = 8, KEEP_MAX = 64 };

/* The input of backends_argp. */
struct backend_args {
	const char *backends[BACKENDS_MAX], *keep[KEEP_MAX], *offload[KEEP_MAX];
	int nbackends, nkeep, noffload;
};

extern const struct argp backends_argp;

/* "json csource onednn ...": those that hone was built with. */
const char *backend_names(void);

struct offload_request backends_request(const struct backend_args *b);

#endif
