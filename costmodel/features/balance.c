/* SPDX-License-Identifier: Apache-2.0 */
/* costmodel/features/balance.c - how evenly the turns of a parallel loop load the threads.
 *
 * A thread takes a run of turns that follow each other (codegen/phase.c). Where tiles do not divide
 * an axis some turns of a fused loop are empty, and they lie together: so the work of turns is looked
 * at, not their number. */
#include "costmodel/features/site.h"
#include "te/scalar.h"

/* Of a thread's turns so many are looked at; with more the ones between are like their neighbours. */
enum { MOST_TURNS = 128, MOST_BOUND = 64 };

struct known_axis {
	const struct axis *axis;
	int64_t value;
};

struct turn_walk {
	struct known_axis known[MOST_BOUND];
	int n;
};

static bool find_known(const struct turn_walk *w, const struct axis *axis, union scalar *out)
{
	for (int i = w->n - 1; i >= 0; i--)
		if (w->known[i].axis == axis) {
			out->i = w->known[i].value;
			return true;
		}
	return false;
}

/* The value of the integer or bool expression E in this turn; false where it varies inside. */
static bool evaluate(const struct turn_walk *w, const struct expr *e, union scalar *out)
{
	union scalar x, y;

	switch (e->kind) {
	case EXPR_INT:
		*out = scalar_const(e);
		return true;
	case EXPR_AXIS:
		return find_known(w, e->axis, out);
	case EXPR_NOT:
		if (!evaluate(w, e->arg[0], &x))
			return false;
		out->i = !x.i;
		return true;
	default:
		if (e->loads || expr_kind_arity(e->kind) != 2 || !evaluate(w, e->arg[0], &x) ||
		    !evaluate(w, e->arg[1], &y))
			return false;
		*out = scalar_binary(e->kind, e->arg[0]->dtype, x, y);
		return true;
	}
}

static double list_work(struct turn_walk *w, const struct nest *n);

/* A condition that is not known in this turn counts as half taken. */
static double branch_work(struct turn_walk *w, const struct nest *n)
{
	union scalar holds;

	if (evaluate(w, n->value, &holds))
		return list_work(w, holds.i ? n->body : n->other);
	return (list_work(w, n->body) + list_work(w, n->other)) / 2;
}

static double let_work(struct turn_walk *w, const struct nest *n)
{
	union scalar value;
	int before = w->n;

	if (w->n < MOST_BOUND && evaluate(w, n->value, &value))
		w->known[w->n++] = (struct known_axis){ n->axis, value.i };
	double work = list_work(w, n->body);

	w->n = before;
	return work;
}

/* Stores that one turn does. */
static double list_work(struct turn_walk *w, const struct nest *n)
{
	double work = 0;

	for (; n; n = n->next)
		switch (n->kind) {
		case NEST_LOOP:
			work += (double)(n->axis->hi - n->axis->lo) * list_work(w, n->body);
			break;
		case NEST_LET:
			work += let_work(w, n);
			break;
		case NEST_IF:
			work += branch_work(w, n);
			break;
		case NEST_STORE:
			work++;
			break;
		case NEST_ALLOC:
		case NEST_PREFETCH:
			break;
		}
	return work;
}

static double range_work(const struct nest *loop, int64_t lo, int64_t hi)
{
	int64_t step = (hi - lo + MOST_TURNS - 1) / MOST_TURNS;
	double work = 0;

	for (int64_t i = lo; i < hi; i += step) {
		struct turn_walk w = { { { loop->axis, i } }, 1 };

		work += list_work(&w, loop->body) * (double)(hi - i < step ? hi - i : step);
	}
	return work;
}

double loop_balance(const struct nest *loop, int threads)
{
	int64_t turns = loop->axis->hi - loop->axis->lo;
	double most = 0, sum = 0;

	for (int t = 0; t < threads; t++) {
		double work = range_work(loop, loop->axis->lo + turns * t / threads,
					 loop->axis->lo + turns * (t + 1) / threads);

		most = work > most ? work : most;
		sum += work;
	}
	return most > 0 ? sum / (most * threads) : 1;
}
