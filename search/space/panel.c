/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/panel.c - who reads an operand so that panels pay, which dim of it is cut into them, and how wide
 * they are. */
#include "search/space/panel.h"

#include "base/integer.h"
#include "search/space/expression/group.h"
#include "search/space/expression/reads.h"
#include "te/index/index.h"

/* --- the reader */

int panel_reader(const struct state *s, int stage)
{
	enum { MAX_READERS = 16 };
	int readers[MAX_READERS];
	int n = state_consumers(s, stage, readers, MAX_READERS);

	for (int i = 0; i < n && i < MAX_READERS; i++) {
		const struct stage *reader = s->stages.at[readers[i]];

		if (reader->place == PLACE_AT	/* tiled */
		    && !group_has_as_rows(reader, s->stages.at[stage]->tensor)
		    && reads_suit_panels(&reader->op, s->stages.at[stage]->tensor))
			return readers[i];
	}
	return -1;
}

bool panel_is_own(const struct state *s, int stage)
{
	const struct stage *g = s->stages.at[stage];

	return stage_computes(g) && !g->op.output && state_consumers(s, stage, NULL, 0) == 1;
}

/* --- the layout */

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

/* What an intrinsic of the reader sums up at a time lies side by side. */
static void add_group(const struct axes_search *x, struct arrangement *how)
{
	const struct iter *loop = stage_group(x->reader);

	for (int d = 0; loop && d < x->tensor->ndim && how->n < TENSOR_MAX_DIMS; d++)
		if (x->axis[d] == stage_root_of(x->reader, (int)(loop - x->reader->iters.at)))
			how->at[how->n++] = (struct stored_dim){ d, loop->intrinsic->group };
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
	how.at[how.n++] = (struct stored_dim){ panel, 1 };
	add_group(&x, &how);
	*out = step_order(stage, &how);
	return true;
}

/* The place within panels in HOW, behind which a group may be. */
static struct stored_dim *within_panel(const struct axes_search *x, struct arrangement *how)
{
	struct stored_dim *last = &how->at[how->n - 1];

	return x->axis[last->dim] < x->reader->op.tensor.ndim ? last : last - 1;
}

bool panel_is_whole(const struct state *s, const struct step *layout)
{
	struct axes_search x = axes_of(s, layout->stage);
	struct arrangement how = step_arrangement(layout);
	int d = x.axis[within_panel(&x, &how)->dim];
	struct linear base;

	if (!linear_from(s->arena, x.reader->base[d], &base))
		return false;
	for (int i = 0; i < base.n; i++)
		if (base.term[i].coef % x.reader->part[d] != 0)
			return false;
	return true;
}

void panel_fit(const struct state *s, struct step *layout)
{
	struct axes_search x = axes_of(s, layout->stage);
	struct arrangement how = step_arrangement(layout);
	struct stored_dim *inside = within_panel(&x, &how);

	inside->block = least(x.reader->part[x.axis[inside->dim]], ARRANGEMENT_MAX_BLOCK);
	*layout = step_order(layout->stage, &how);
}
