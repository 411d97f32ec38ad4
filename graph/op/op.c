/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/op.c - the table of core operators. */
#include "graph/ir/op.h"

#include <string.h>

static const struct core_op *const ops[] = {
#define X(name) &core_##name,
#include "graph/op/ops.def"
#undef X
};

enum { OPS = (int)(sizeof(ops) / sizeof(ops[0])) };

const struct core_op *core_op_at(int i)
{
	return i < OPS ? ops[i] : NULL;
}

const struct core_op *core_op_find(const char *name)
{
	for (int i = 0; i < OPS; i++)
		if (strcmp(ops[i]->name, name) == 0)
			return ops[i];
	return NULL;
}

bool core_op_takes(const struct core_op *op, int i, const struct type *t)
{
	bool may_be_tensor = t->kind == TYPE_TENSOR || t->kind == TYPE_UNKNOWN ||
			     (t->kind == TYPE_OPTIONAL && core_op_takes(op, i, t->field[0]));

	return may_be_tensor || (i < 32 && op->any >> i & 1);
}

const struct attr_spec *core_op_attr(const struct core_op *op, const char *name)
{
	for (const struct attr_spec *at = op->attrs; at && at->name; at++)
		if (strcmp(at->name, name) == 0)
			return at;
	return NULL;
}
