/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/indices/sweep.c - strides of loops as runs of lines: what is nearer than a line, or lies within what lesser strides
 * go over, is one run. */
#include "schedule/pass/indices/sweep.h"

#include <stdlib.h>

static void insert(struct line_run *list, int n, struct line_run x)
{
	for (; n > 0 && list[n - 1].stride > x.stride; n--)
		list[n] = list[n - 1];
	list[n] = x;
}

/* LIST, N strides from the least on, as lines. */
static void cover(struct lines *l, const struct line_run *list, int n, int64_t line)
{
	int64_t span = 1;
	int i = 0;

	for (; i < n && list[i].stride <= (span > line ? span : line); i++)
		span += list[i].stride * (list[i].count - 1);
	l->n = 0;
	l->run[l->n++] = (struct line_run){ line, (span + line - 1) / line };
	for (; i < n; i++) {
		struct line_run *last = &l->run[l->n - 1];
		int64_t apart = list[i].stride / last->stride;

		if (l->n > 1 && list[i].stride % last->stride == 0 && apart <= last->count)
			last->count += apart * (list[i].count - 1);
		else
			l->run[l->n++] = list[i];
	}
}

static bool is_of(const struct expr *atom, const struct axis *const *axes, int n)
{
	for (int i = 0; i < n; i++)
		if (atom->kind == EXPR_AXIS && atom->axis == axes[i])
			return true;
	return false;
}

void lines_sweep(struct lines *l, const struct axis *const *axes, int n, int64_t line)
{
	struct linear first = { .constant = l->at.constant };
	struct line_run list[SWEEP_MAX];
	int moved = 0;

	for (int i = 0; i < n; i++) {
		int64_t coef = linear_coef(&l->at, axes[i]);

		/* the turn that is first in memory */
		first.constant += coef * (coef > 0 ? axes[i]->lo : axes[i]->hi - 1);
		if (coef != 0)
			insert(list, moved++, (struct line_run){ llabs(coef), axes[i]->hi - axes[i]->lo });
	}
	for (int i = 0; i < l->at.n; i++)
		if (!is_of(l->at.term[i].atom, axes, n))
			first.term[first.n++] = l->at.term[i];
	l->at = first;
	cover(l, list, moved, line);
}

void lines_leave(struct lines *l, int64_t move)
{
	for (int i = l->n - 1; i >= 0; i--) {
		struct line_run *r = &l->run[i];
		int64_t new = llabs(move) / r->stride;

		if (llabs(move) % r->stride != 0 || new >= r->count)
			continue;
		l->at.constant += move > 0 ? r->stride * (r->count - new) : 0;
		r->count = new;
		return;
	}
}

int64_t lines_count(const struct lines *l)
{
	int64_t all = 1;

	for (int i = 0; i < l->n; i++)
		all *= l->run[i].count;
	return all;
}

bool lines_equal(const struct lines *x, const struct lines *y, int64_t line)
{
	struct linear apart = x->at;

	if (x->n != y->n || !linear_add(&apart, &y->at, -1) || apart.n > 0 || llabs(apart.constant) >= line)
		return false;
	for (int i = 0; i < x->n; i++)
		if (x->run[i].stride != y->run[i].stride || x->run[i].count != y->run[i].count)
			return false;
	return true;
}
