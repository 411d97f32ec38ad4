/* SPDX-License-Identifier: Apache-2.0 */
/* te/key.c - what a DAG is called in databases. */
#include "base/err.h"
#include "te/dag.h"

/* Axes and tensors enter the key by their position, never by name or address. */
struct keying {
	struct hasher *h;
	const struct dag *dag;
	const struct op *op;
};

static int64_t axis_position(const struct op *op, const struct axis *axis)
{
	for (int i = 0; i < op->tensor.ndim; i++)
		if (op->space[i] == axis)
			return i;
	for (int i = 0; i < op->nreduce; i++)
		if (op->reduce[i] == axis)
			return TENSOR_MAX_DIMS + i;
	die("axis %s is not of op %s", axis->name, op->tensor.name);
}

static bool hash_node(const struct expr *e, void *user)
{
	struct keying *k = user;

	hasher_str(k->h, expr_kind_text(e->kind));
	hasher_int(k->h, e->kind == EXPR_AXIS ? 'a' : e->kind == EXPR_LOAD ? 'l' : 'e');
	hasher_str(k->h, dtype_name(e->dtype));
	if (e->kind == EXPR_INT)
		hasher_int(k->h, e->i);
	if (e->kind == EXPR_FLOAT)
		hasher_bytes(k->h, &e->f, sizeof(e->f));
	if (e->kind == EXPR_AXIS)
		hasher_int(k->h, axis_position(k->op, e->axis));
	if (e->kind == EXPR_LOAD)
		hasher_int(k->h, dag_position(k->dag, e->tensor));
	return true;
}

struct hash128 dag_key(const struct dag *d)
{
	struct keying k = { .h = hasher_new(), .dag = d };

	for (int i = 0; i < d->ops.n; i++) {
		const struct op *op = d->ops.at[i];

		k.op = op;
		hasher_int(k.h, op->kind);
		hasher_int(k.h, op->output);
		hasher_str(k.h, dtype_name(op->tensor.dtype));
		hasher_int(k.h, op->tensor.ndim);
		for (int j = 0; j < op->tensor.ndim; j++)
			hasher_int(k.h, op->tensor.shape[j]);
		if (op->kind != OP_COMPUTE)
			continue;
		hasher_str(k.h, reducer_name(op->reducer));
		hasher_int(k.h, op->nreduce);
		for (int j = 0; j < op->nreduce; j++)
			hasher_int(k.h, op->reduce[j]->hi);
		expr_visit(op->body, hash_node, &k);
	}
	return hasher_end(k.h);
}
