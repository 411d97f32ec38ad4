/* SPDX-License-Identifier: Apache-2.0 */
/* graph/build/push.h - what the files of graph/build/ share. */
#ifndef HONE_GRAPH_BUILD_PUSH_H
#define HONE_GRAPH_BUILD_PUSH_H

#include "graph/build/build.h"

/* Appends BINDING, which is typed; its value. VALUE_FAILED and a message where its type has too many
 * parts. */
int push(struct builder *b, struct binding binding);
/* -1, with a message that is set now or was before, where one of ARGS is VALUE_FAILED or there are
 * too many of them. */
int check_args(const struct builder *b, const char *what, int nargs, const int *args);

#endif
