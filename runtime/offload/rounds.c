/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/offload/rounds.c - one turn for each plan in each round. */
#include "runtime/offload/rounds.h"

#include "base/clock.h"
#include "base/quantile.h"
#include "measure/timing/timing.h"
#include "runtime/step_times.h"

/* A turn is a run that brings the plan's data back to the caches, and then runs for so long, one at least:
 * a barrier's or a clock's grain is nothing beside it. Beside a run of LONG_MS caches are nothing either: any is
 * filled in a few milliseconds. */
#define TURN_MS 10.0
#define LONG_MS 500.0
/* More rounds tell nothing more. */
enum { MOST_ROUNDS = 200 };

double series_median(struct arena *a, const struct figure_series *x)
{
	return median(arena_memdup(a, x->at, (size_t)x->n * sizeof(*x->at)), x->n);
}

struct plan_series plan_series_new(struct arena *a, const struct opened *m, struct session *session)
{
	return (struct plan_series){ .model = m, .session = session,
				     .uses = task_uses_new(a, m->graph, m->tasks),
				     .spending = spending_new(a, m->code, session),
				     .tasks = arena_many(a, struct figure_series, m->tasks->n) };
}

static int turn(const struct rounds *r, struct plan_series *x)
{
	const struct opened *m = x->model;
	struct arena *a = arena_new();
	struct step_sum *sums = arena_many(a, struct step_sum, m->tasks->n);
	struct figure_series runs = { 0 };
	struct run_spent_vec spent = { 0 };
	bool is_long = x->clock_us > LONG_MS * 1e3;
	int rc = is_long ? 0 : session_exercise(x->session, r->inputs);
	int64_t begin = clock_ns(), before = begin, now = begin;

	step_times_add(m->graph, x->uses, x->session, -1, NULL, sums);
	spending_next(x->spending, 0);
	while (rc == 0 && (runs.n == 0 || (double)(now - begin) * 1e-6 < TURN_MS)) {
		before = clock_ns();
		rc = session_exercise(x->session, r->inputs);
		now = clock_ns();
		x->clock_us = (double)(now - before) * 1e-3;
		vec_push(a, &spent, spending_next(x->spending, x->clock_us));
		vec_push(a, &runs, spent.at[spent.n - 1].run);
	}
	step_times_add(m->graph, x->uses, x->session, 1, NULL, sums);
	if (rc == 0) {
		vec_push(r->arena, &x->runs, median(runs.at, runs.n));
		vec_push(r->arena, &x->spent, run_spent_middle(spent.at, spent.n));
	}
	for (int i = 0; i < m->tasks->n && rc == 0; i++)
		if (sums[i].runs > 0)
			vec_push(r->arena, &x->tasks[i], sums[i].seconds * 1e6 / (double)sums[i].runs);
	arena_free(a);
	return rc;
}

/* A round in which a plan took so many times its least is somebody else's: the machine's other guests, or a
 * clock that went down. */
#define DISTURBED 1.15
/* Beyond so many times what was asked for nobody waits for quiet. */
#define MOST_WAIT 4

static bool is_disturbed(const struct plan_series *x, int n, int round)
{
	for (int i = 0; i < n; i++) {
		double least = x[i].runs.at[0];

		for (int k = 0; k < x[i].runs.n; k++)
			least = x[i].runs.at[k] < least ? x[i].runs.at[k] : least;
		if (x[i].runs.at[round] > DISTURBED * least)
			return true;
	}
	return false;
}

static int quiet_rounds(const struct plan_series *x, int n)
{
	int quiet = 0;

	for (int k = 0; k < x[0].runs.n; k++)
		quiet += !is_disturbed(x, n, k);
	return quiet;
}

/* Leaves out of V what is not KEEP; V has as many as there were rounds, or none. */
static void keep_rounds(struct figure_series *v, const bool *keep)
{
	int n = 0;

	for (int k = 0; k < v->n; k++)
		if (keep[k])
			v->at[n++] = v->at[k];
	v->n = n;
}

static void keep_spent(struct run_spent_vec *v, const bool *keep)
{
	int n = 0;

	for (int k = 0; k < v->n; k++)
		if (keep[k])
			v->at[n++] = v->at[k];
	v->n = n;
}

/* Leaves out disturbed rounds, where enough others remain. */
static void leave_out_disturbed(const struct rounds *r, struct plan_series *x, int n)
{
	int rounds = x[0].runs.n;
	bool *keep = arena_many(r->arena, bool, rounds);

	if (quiet_rounds(x, n) < r->least)
		return;
	for (int k = 0; k < rounds; k++)
		keep[k] = !is_disturbed(x, n, k);
	for (int i = 0; i < n; i++) {
		keep_rounds(&x[i].runs, keep);
		keep_spent(&x[i].spent, keep);
		for (int k = 0; k < x[i].model->tasks->n; k++)
			if (x[i].tasks[k].n == rounds)
				keep_rounds(&x[i].tasks[k], keep);
	}
}

/* N plans in turns, who begins changes. */
int rounds_play(const struct rounds *r, struct plan_series *x, int n, double seconds)
{
	double begin = clock_s();

	for (int round = 0; round < MOST_ROUNDS; round++) {
		double spent = clock_s() - begin;

		if (round >= r->least && spent > seconds &&
		    (spent > MOST_WAIT * seconds || quiet_rounds(x, n) >= r->least))
			break;
		for (int i = 0; i < n; i++)
			if (turn(r, &x[(round + i) % n]) < 0)
				return -1;
	}
	leave_out_disturbed(r, x, n);
	return 0;
}
