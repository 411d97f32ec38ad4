/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op.h - what is known of each operator; the table is graph/op.def. */
#ifndef HONE_GRAPH_OP_H
#define HONE_GRAPH_OP_H

#include "graph/ir.h"

enum oper_role {
	ROLE_HEAVY,	/* worth a kernel of its own; pointwise consumers may join it */
	ROLE_POINTWISE,	/* element by element, broadcasting: joins its producer if it may */
	ROLE_NORM,	/* batch norm: pointwise with one scale and shift a channel */
	ROLE_FREE,	/* moves or computes no data at run time */
	ROLE_MOVE,	/* only moves data */
};

enum oper oper_find(const char *name);
/* As ONNX spells it; NULL for OPER_UNKNOWN. */
const char *oper_name(enum oper op);
enum oper_role oper_role(enum oper op);
/* Bounds on the number of operands. */
int oper_min_args(enum oper op);
int oper_max_args(enum oper op);

#endif
