/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/genes/exchange.c - runs of splits, two of which swap their sizes. */
#include "search/space/genes/exchange.h"

/* Axes with splits, of all stages; more are not looked at. */
enum { RUNS = 64 };

/* The splits of one axis, which come one after the other. */
struct axis_splits {
	int at, n;
};

static bool is_split(const struct sketch *sketch, int i)
{
	return sketch->steps.at[i].step.kind == STEP_SPLIT;
}

static int find_runs(const struct sketch *sketch, struct axis_splits out[RUNS])
{
	int n = 0;

	for (int i = 0; i < sketch->steps.n; i++) {
		if (!is_split(sketch, i))
			continue;
		if (splits_axis(sketch, i) && n < RUNS)
			out[n++] = (struct axis_splits){ i, 0 };
		if (n > 0 && out[n - 1].at + out[n - 1].n == i)
			out[n - 1].n++;
	}
	return n;
}

static bool is_reduced(const struct sketch *sketch, const struct step *step)
{
	return step->iter >= sketch->state->stages.at[step->stage]->op.tensor.ndim;
}

static bool are_alike(const struct sketch *sketch, struct axis_splits x, struct axis_splits y)
{
	const struct open_step *a = &sketch->steps.at[x.at], *b = &sketch->steps.at[y.at];
	bool alike = x.n == y.n && a->step.stage == b->step.stage &&
		     is_reduced(sketch, &a->step) == is_reduced(sketch, &b->step);

	for (int i = 0; i < x.n && alike; i++)
		alike = a[i].role == b[i].role && a[i].role != ROLE_FIXED;
	return alike;
}

static void swap_sizes(struct gene *x, struct gene *y)
{
	struct gene old = *x;

	x->set = y->set;
	x->left_out = y->left_out;
	x->step.size = y->step.size;
	y->set = old.set;
	y->left_out = old.left_out;
	y->step.size = old.step.size;
}

/* What names loops of STAGE is decided anew. */
static void take_back_names(struct genes *g, const struct sketch *sketch, int stage)
{
	for (int i = 0; i < g->n; i++)
		if (is_about(&sketch->steps.at[i], stage) && !is_split(sketch, i))
			g->at[i] = (struct gene){ 0 };
}

bool exchange_axes(struct genes *g, const struct sketch *sketch, struct rng *rng)
{
	struct axis_splits run[RUNS];
	int n = find_runs(sketch, run), x = -1, y = -1, pairs = 0;

	for (int i = 0; i < n; i++)
		for (int j = i + 1; j < n; j++)
			if (are_alike(sketch, run[i], run[j]) && rng_below(rng, ++pairs) == 0) {
				x = i;
				y = j;
			}
	if (pairs == 0)
		return false;
	for (int i = 0; i < run[x].n; i++)
		swap_sizes(&g->at[run[x].at + i], &g->at[run[y].at + i]);
	take_back_names(g, sketch, sketch->steps.at[run[x].at].step.stage);
	return true;
}
