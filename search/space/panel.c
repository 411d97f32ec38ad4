/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/panel.c - which dim of an operand is cut into panels, and how wide they are. */
#include "search/space/panel.h"

#include "base/integer.h"

struct axes_search {
	const struct tensor *tensor;
	const struct stage *reader;
	int axis[TENSOR_MAX_DIMS];	/* of the reader, space then reduce, by dim; -1: of none */
};

static int axis_of(const struct op *op, const struct expr *index)
{
	for (int i = 0; i < op->tensor.ndim && index->kind == EXPR_AXIS; i++)
		if (index->axis == op->space[i])
			return i;
	for (int i = 0; i < op->nreduce && index->kind == EXPR_AXIS; i++)
		if (index->axis == op->reduce[i])
			return op->tensor.ndim + i;
	return -1;
}

static bool note_axes(const struct expr *e, void *user)
{
	struct axes_search *x = user;

	if (e->kind == EXPR_LOAD && e->tensor == x->tensor)
		for (int d = 0; d < e->tensor->ndim; d++)
			x->axis[d] = axis_of(&x->reader->op, e->index[d]);
	return true;
}

static struct axes_search axes_of(const struct state *s, int stage)
{
	struct axes_search x = { .tensor = s->stages.at[stage]->tensor };
	int reader;

	state_consumers(s, stage, &reader, 1);
	x.reader = s->stages.at[reader];
	expr_visit(x.reader->op.body, note_axes, &x);
	return x;
}

bool panel_layout(const struct state *s, int stage, struct step *out)
{
	struct axes_search x = axes_of(s, stage);
	int ndim = x.tensor->ndim, space = x.reader->op.tensor.ndim;
	struct arrangement how = { .n = 0 };
	int panel = -1;		/* the dim along the last of the reader's: the one with the lanes, where it is read */

	for (int d = 0; d < ndim; d++)
		if (x.axis[d] >= 0 && x.axis[d] < space &&
		    (panel < 0 || x.axis[d] > x.axis[panel]))
			panel = d;
	if (panel < 0 || ndim == TENSOR_MAX_DIMS)
		return false;
	for (int reduced = 0; reduced < 2; reduced++)
		for (int d = 0; d < ndim; d++)
			if ((x.axis[d] >= space) == (reduced == 1))
				how.at[how.n++].dim = d;
	if (x.axis[how.at[how.n - 1].dim] < space)
		return false;
	how.at[how.n++] = (struct stored_dim){ panel, 1 };
	*out = step_order(stage, &how);
	return true;
}

void panel_fit(const struct state *s, struct step *layout)
{
	struct axes_search x = axes_of(s, layout->stage);
	struct arrangement how = step_arrangement(layout);
	struct stored_dim *inside = &how.at[how.n - 1];

	inside->block = least(x.reader->part[x.axis[inside->dim]], ARRANGEMENT_MAX_BLOCK);
	*layout = step_order(layout->stage, &how);
}
