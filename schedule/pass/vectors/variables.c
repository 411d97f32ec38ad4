/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/vectors/variables.c - buffers in registers, a dim for each loop around. */
#include "schedule/pass/vectors/variables.h"

struct nest *variables_new(struct arena *a, const char *name, const struct nest *const *around, int n, struct buffer **b)
{
	struct nest *alloc = nest_new(a, NEST_ALLOC, NULL);
	struct lane_layout *layout = arena_one(a, struct lane_layout);
	struct buffer *made = arena_one(a, struct buffer);

	made->tensor = (struct tensor){ .name = name, .dtype = DTYPE_F32, .ndim = n };
	for (int i = 0; i < n; i++)
		made->tensor.shape[i] = i < n - 1 ? around[i]->axis->hi - around[i]->axis->lo : around[i]->lanes;
	made->kind = BUFFER_LOCAL;
	made->registers = true;
	*layout = (struct lane_layout){ .lanes = around[n - 1]->lanes, .dim = n - 1, .stride = 1 };
	alloc->buffer = *b = made;
	alloc->layout = layout;
	return alloc;
}

static const struct expr **index_of(struct arena *a, const struct nest *const *around, int n)
{
	const struct expr **index = arena_many(a, const struct expr *, n);

	for (int i = 0; i < n; i++)
		index[i] = expr_add(a, expr_axis(a, around[i]->axis), expr_int(a, -around[i]->axis->lo));
	return index;
}

const struct expr *variables_load(struct arena *a, const struct buffer *b, const struct nest *const *around, int n)
{
	return expr_load(a, &b->tensor, index_of(a, around, n));
}

struct nest *variables_fill(struct arena *a, struct buffer *b, const struct nest *const *around, int n, const struct expr *value)
{
	struct nest *filling = nest_new(a, NEST_STORE, NULL);

	filling->buffer = b;
	filling->index = index_of(a, around, n);
	filling->value = value;
	for (int i = n - 1; i >= 0; i--) {
		struct nest *loop = arena_memdup(a, around[i], sizeof(*loop));

		loop->body = filling;
		loop->next = NULL;
		filling = loop;
	}
	return filling;
}
