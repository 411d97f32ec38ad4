/* SPDX-License-Identifier: Apache-2.0 */
/* graph/eval/control.h - branches and loops of the interpreter, for graph/eval/interp.c only. */
#ifndef HONE_GRAPH_EVAL_CONTROL_H
#define HONE_GRAPH_EVAL_CONTROL_H

#include "graph/eval/interp.h"

/* A BIND_IF and a BIND_LOOP of ARGS, which keep their holders. 0, or -1 and a message. */
int control_if(struct interp *x, const struct binding *b, const struct value *args,
	       struct value *result);
int control_loop(struct interp *x, const struct binding *b, const struct value *args,
		 struct value *result);

#endif
