/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/expression/versions.c - axes whose values a body tells apart. */
#include "search/space/expression/versions.h"

/* Of more, the text would be long. */
enum { MOST_VERSIONS = 8 };

/* Comparisons of AXIS, or of its remainder by PERIOD, with numbers. */
struct versions {
	const struct axis *axis;
	int64_t period;		/* 0: of the axis itself */
	uint64_t numbers;	/* bit i: i, of those that tell versions apart */
};

static bool count_version(const struct expr *e, void *user)
{
	struct versions *v = user;
	int64_t period = 0, number;

	if (e->kind != EXPR_LT || !expr_is_int(e->arg[1], &number) || number < 0 || number > MOST_VERSIONS)
		return true;
	const struct expr *told = e->arg[0];

	if (told->kind == EXPR_MOD && expr_is_int(told->arg[1], &period))
		told = told->arg[0];
	if (told->kind == EXPR_AXIS && told->axis == v->axis) {
		if (v->numbers == 0 || v->period == period)
			v->numbers |= UINT64_C(1) << number;
		v->period = period;
	}
	return true;
}

/* The iter of G whose turns are the versions that are told apart along dim D; -1 where none are. A remainder is
 * first split off. */
static int version_iter(struct sketch *s, int stage, int d)
{
	const struct stage *g = s->state->stages.at[stage];
	struct versions v = { .axis = g->op.space[d] };
	int inner = g->iters.n + 1;

	expr_visit(g->op.body, count_version, &v);
	int64_t turns = v.period ? v.period : v.axis->hi;

	if (v.numbers == 0 || __builtin_popcountll(v.numbers) != turns - 1 || turns > MOST_VERSIONS)
		return -1;
	if (!v.period)
		return d;
	return sketch_add(s, step_split(stage, d, v.period), ROLE_FIXED) ? inner : -1;
}

static bool is_one_of(int iter, const int *list, int n)
{
	for (int i = 0; i < n; i++)
		if (list[i] == iter)
			return true;
	return false;
}

bool sketch_add_versions(struct sketch *s, int stage)
{
	int version[TENSOR_MAX_DIMS], n = 0;
	struct step order = step_reorder(stage, NULL, 0);

	for (int d = 0; d < s->state->stages.at[stage]->op.tensor.ndim; d++) {
		int iter = version_iter(s, stage, d);

		if (iter >= 0)
			version[n++] = iter;
	}
	if (n == 0)
		return true;
	const struct stage *g = s->state->stages.at[stage];
	int outside = g->leaves.n;

	while (outside > 0 && g->iters.at[g->leaves.at[outside - 1]].annotation != ANNOTATION_NONE)
		outside--;
	for (int i = 0; i < outside; i++)
		if (!is_one_of(g->leaves.at[i], version, n))
			step_push(&order, g->leaves.at[i]);
	for (int i = 0; i < n; i++)
		step_push(&order, version[i]);
	return sketch_add(s, order, ROLE_FIXED);
}
