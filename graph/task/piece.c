/* SPDX-License-Identifier: Apache-2.0 */
/* graph/task/piece.c - dims that stand outermost, in the order in which an image is stored. */
#include "graph/task/piece.h"

#include "graph/ir/op.h"
#include "graph/op/move/slice.h"
#include "graph/task/storage.h"

/* F's call where it is nothing but one of OP. */
static const struct binding *sole_call(const struct function *f, const struct core_op *op)
{
	const struct binding *call = NULL;

	for (int i = f->nparams; i < f->bindings.n; i++) {
		const struct binding *b = function_at(f, i);

		if (b->kind == BIND_CONST)
			continue;
		if (call || b->kind != BIND_CALL || b->op != op)
			return NULL;
		call = b;
	}
	return call;
}

/* How F stores all its tensors, parameters that are lists aside; false where in several ways. */
static bool stored_alike(const struct function *f, const int64_t *stored, int64_t *store)
{
	*store = stored ? stored[f->nparams] : STORE_NCHW;
	for (int i = 0; stored && i < f->nparams; i++)
		if (function_at(f, i)->type->element != ELEMENT_I64 && stored[i] != *store)
			return false;
	return true;
}

/* Have the dims that stand before dim AXIS of T in STORE one element together? A part of the channels
 * that are in blocks is whole blocks. */
static bool is_outermost(const struct type *t, int64_t store, int axis)
{
	struct arrangement order = storage_arrangement(t->rank, (int)store);
	int n = order.n ? order.n : t->rank;

	for (int i = 0; i < n; i++) {
		int dim = order.n ? order.at[i].dim : i;

		if (dim == axis)
			return true;
		if (t->dim[dim].n != 1)
			return false;
	}
	return true;
}

int concat_pieces(struct arena *a, const struct function *f, const int64_t *stored, int **out)
{
	const struct binding *call = sole_call(f, &core_concat);
	int64_t store;

	if (!call || !stored_alike(f, stored, &store))
		return 0;
	int axis = (int)call_int(call, "axis");

	axis += axis < 0 ? call->type->rank : 0;
	if (!is_outermost(call->type, store, axis))
		return 0;
	*out = arena_many(a, int, call->nargs);
	for (int i = 0; i < call->nargs; i++) {
		(*out)[i] = call_arg(call, i);
		if ((*out)[i] < 0 || (*out)[i] >= f->nparams)
			return 0;
	}
	return call->nargs;
}

/* Are the elements of a slice of FROM that makes RESULT, which begins at BEGIN when both are plain, at
 * the same places in blocks? So they are where the channels of one image are cut between blocks. */
static bool keeps_blocks(const struct type *from, const struct type *result, int64_t store,
			 int64_t begin)
{
	int64_t block = store;

	if (from->dim[0].n != 1)
		return false;
	for (int i = 2; i < from->rank; i++) {
		if (from->dim[i].n != result->dim[i].n)
			return false;
		block *= from->dim[i].n;
	}
	return begin % block == 0;
}

int64_t slice_piece(const struct function *f, const int64_t *stored, int *param)
{
	const struct binding *call = sole_call(f, &core_slice);
	int64_t store;

	*param = call ? call_arg(call, 0) : VALUE_NONE;
	if (*param < 0 || *param >= f->nparams || !stored_alike(f, stored, &store))
		return -1;
	int64_t begin = slice_begin(f, call);

	if (begin < 0 || store == STORE_NCHW)
		return begin;
	return store != STORE_NHWC && keeps_blocks(function_at(f, *param)->type, call->type, store, begin)
		       ? begin : -1;
}
