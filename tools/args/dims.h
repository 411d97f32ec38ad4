/* SPDX-License-Identifier: Apache-2.0 */
/* tools/args/dims.h - --dim NAME=SIZE, for the commands that read models. */
#ifndef HONE_TOOLS_ARGS_DIMS_H
#define HONE_TOOLS_ARGS_DIMS_H

#include <argp.h>

#include "graph/onnx/onnx.h"

enum { DIMS_MAX = 16 };

/* The input of dims_argp. */
struct dim_options {
	struct onnx_dim at[DIMS_MAX];
	int n;
};

extern const struct argp dims_argp;

#endif
