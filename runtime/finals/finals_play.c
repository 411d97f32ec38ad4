/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/finals/finals_play.c - lineups are sessions that are watched, in turn. */
#include "runtime/finals/finals_play.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/machine.h"
#include "base/quantile.h"
#include "measure/timing/timing.h"
#include "runtime/step_times.h"
#include "runtime/values/inputs.h"

/* Of the machine's memory for the weights of all lineups: a run is to see the caches and the memory
 * that it will see when it is alone. */
#define MEMORY_SHARE 0.5

/* Of the inputs: the same for each campaign of a model. */
enum { SEED = 0 };

static double left_s(const struct model_finals *f)
{
	return f->until_s - clock_s();
}

/* --- set-up */

static double weight_bytes(const struct graph *g)
{
	double bytes = 0;

	for (int i = 0; i < g->functions.n; i++) {
		const struct function *f = g->functions.at[i];

		for (int v = 0; v < f->bindings.n; v++)
			if (f->bindings.at[v].array)
				bytes += (double)array_bytes(f->bindings.at[v].array);
	}
	return bytes;
}

/* How many lineups the memory has room for: one at least, which `hone run` needs as well. */
static int most_lineups(const struct graph *g)
{
	double room = (double)machine_memory() * MEMORY_SHARE;
	double n = room / (weight_bytes(g) + 1);

	return n < 1 ? 1 : n > CONTENDERS ? CONTENDERS : (int)n;
}

static struct contender contender_of(struct arena *a, const struct best *b)
{
	return (struct contender){ .steps = b->state->steps.n,
				   .text_bytes = strlen(b->source),
				   .steps_hash = b->record.steps_hash,
				   .us = arena_many(a, double, FINALS_ROUNDS) };
}

/* Who won before competes whatever the number of lineups: nobody takes its place without having beaten
 * it. */
static int defend(struct arena *a, const struct choice_plan *plan, const struct task *task,
		  struct db_want want, struct final_task *t)
{
	struct best before;
	int found = task_best_in_model(a, plan->db, task, want, plan->device->target, &before);

	for (int c = 1; found > 0 && c < t->records.n; c++) {
		struct best first = t->records.at[0];

		if (strcmp(t->records.at[c].source, before.source) != 0 ||
		    t->records.at[c].record.toolchain != before.record.toolchain)
			continue;
		t->records.at[0] = t->records.at[c];
		t->records.at[c] = first;
		t->alone = c;
		break;
	}
	return found < 0 ? -1 : 0;
}

/* The contenders of task I; it stays out where it has none. */
static int gather(struct model_finals *f, const struct choice_plan *plan, int i)
{
	const struct model_task *m = &f->model.tasks->at[i];
	struct final_task t = { .index = i };
	struct db_want want = choice_want(plan, plan->threads);

	if (!m->dag)
		return 0;
	const struct task *task = task_new(f->arena, m->dag, m->op, m->weight);

	if (task_contenders(f->arena, plan->db, task, want, plan->device->target,
			    &t.records) < 0)
		return -1;
	if (t.records.n == 0)
		return 0;
	if (defend(f->arena, plan, task, want, &t) < 0)
		return -1;
	t.contenders = arena_many(f->arena, struct contender, t.records.n);
	for (int c = 0; c < t.records.n; c++)
		t.contenders[c] = contender_of(f->arena, &t.records.at[c]);
	f->work.run_us += m->weight * t.records.at[t.alone].record.time_us;
	vec_push(f->arena, &f->tasks, t);
	return 0;
}

/* Builds the C-th contender of each task that has so many; all at once, so that compilers work side by
 * side. */
static int build_next(struct model_finals *f, const struct choice_plan *plan, int c)
{
	struct best_vec all = { 0 };
	int built, at = 0;

	for (int i = 0; i < f->tasks.n; i++)
		if (f->tasks.at[i].records.n > c)
			vec_push(f->arena, &all, f->tasks.at[i].records.at[c]);
	struct choice *choices = choose_records(f->arena, all.at, all.n, plan, &built);

	for (int i = 0; choices && i < f->tasks.n; i++)
		if (f->tasks.at[i].records.n > c)
			f->tasks.at[i].choices[c] = choices[at++];
	return choices ? 0 : -1;
}

static bool has_time(const struct model_finals *f, int lineups, double build_s)
{
	return build_s + finals_cost_s(&f->work, lineups, FINALS_PLANNED_ROUNDS) < left_s(f);
}

/* Leaves T no more than N contenders. */
static void cut(struct final_task *t, int n)
{
	if (t->records.n > n)
		t->records.n = n;
	if (t->alone >= n)
		t->alone = -1;
}

/* As many contenders of each task as there is time for, with what their rounds then take. */
static int build(struct model_finals *f, const struct choice_plan *plan, int most)
{
	double took_s = 0;

	for (int l = 0; l < most && (l == 0 || has_time(f, l + 1, took_s)); l++) {
		double began_s = clock_s();

		if (build_next(f, plan, l) < 0)
			return -1;
		took_s = clock_s() - began_s;
		f->lineups = l + 1;
	}
	f->lineups = finals_lineups(&f->work, left_s(f), f->lineups);
	for (int i = 0; i < f->tasks.n; i++)
		cut(&f->tasks.at[i], f->lineups);
	return f->lineups ? 0 : err_set("no time was left when %d kernels were built", f->tasks.n);
}

/* The model with the kernels of LINEUP. */
static struct session *session_of(struct model_finals *f, int lineup)
{
	const struct opened *m = &f->model;
	struct choice *choices = arena_memdup(f->arena, m->choices,
					      (size_t)m->tasks->n * sizeof(*choices));

	for (int i = 0; i < f->tasks.n; i++) {
		const struct final_task *t = &f->tasks.at[i];

		choices[t->index] = t->choices[lineup_place(lineup, i, t->records.n)];
	}
	struct session *s = session_new(model_code_new(f->arena, m->graph, m->tasks, choices, NULL),
					interp_usual_limits);

	session_watch(s, false);
	return s;
}

static int prepare(struct model_finals *f, const struct open_options *o, const struct choice_plan *plan)
{
	if (open_choices(f->arena, o, plan, &f->model) < 0)
		return -1;
	f->inputs = inputs_random(f->arena, graph_main(f->model.graph), SEED);
	if (!f->inputs)
		return -1;
	for (int i = 0; i < f->model.tasks->n; i++)
		if (gather(f, plan, i) < 0)
			return -1;
	if (f->tasks.n == 0)
		return err_set("no task of the model has a confirmed record");
	int most = most_lineups(f->model.graph), widest = 0;

	for (int i = 0; i < f->tasks.n; i++)
		if (f->tasks.at[i].records.n > widest)
			widest = f->tasks.at[i].records.n;
	return build(f, plan, widest < most ? widest : most);
}

int finals_open(struct model_finals *f, const struct open_options *o, double seconds)
{
	struct choice_plan plan;

	*f = (struct model_finals){ .arena = arena_new(), .until_s = clock_s() + seconds,
				    .work = { .built = true } };
	if (open_plan(f->arena, o, &plan) < 0)
		return -1;
	int rc = prepare(f, o, &plan);

	db_close(plan.db);
	if (rc < 0)
		return -1;
	f->model_us = arena_many(f->arena, double, FINALS_ROUNDS);
	f->sessions = arena_many(f->arena, struct session *, f->lineups);
	for (int l = 0; l < f->lineups; l++)
		f->sessions[l] = session_of(f, l);
	return 0;
}

void finals_close(struct model_finals *f)
{
	for (int l = 0; f->sessions && l < f->lineups; l++)
		session_free(f->sessions[l]);
	arena_free(f->arena);
}

/* --- rounds */

struct figure_vec VEC(double);

/* Adds SIGN times what S has noted so far of records' kernels to SUMS, by task of the model. */
static void count(const struct model_finals *f, const struct task_uses *uses, const struct session *s,
		  int sign, struct step_sum *sums)
{
	step_times_add(f->model.graph, uses, s, sign, choice_origin_name(CHOICE_RECORD), sums);
}

/* A turn of LINEUP: its figures are added to SUMS, by task of the model; what its runs took, us, to
 * RUNS. */
static int play_turn(struct model_finals *f, const struct task_uses *uses, int lineup,
		     struct step_sum *sums, struct arena *a, struct figure_vec *runs)
{
	struct session *s = f->sessions[lineup];

	if (session_exercise(s, f->inputs) < 0)
		return -1;
	count(f, uses, s, -1, sums);
	int64_t begin = clock_ns(), before = begin, now;

	do {
		if (session_exercise(s, f->inputs) < 0)
			return -1;
		now = clock_ns();
		vec_push(a, runs, (double)(now - before) * 1e-3);
		before = now;
	} while ((double)(now - begin) * 1e-6 < FINALS_TURN_MS);
	count(f, uses, s, 1, sums);
	return 0;
}

static void note(struct model_finals *f, int round, struct step_sum *const *sums)
{
	for (int i = 0; i < f->tasks.n; i++) {
		struct final_task *t = &f->tasks.at[i];

		for (int c = 0; c < t->records.n; c++) {
			struct step_sum all = { 0 };

			for (int l = 0; l < f->lineups; l++) {
				if (lineup_place(l, i, t->records.n) != c)
					continue;
				all.seconds += sums[l][t->index].seconds;
				all.runs += sums[l][t->index].runs;
			}
			t->contenders[c].us[round] =
				all.runs ? all.seconds * 1e6 / (double)all.runs : 0;
		}
	}
}

static int play_round(struct model_finals *f, const struct task_uses *uses, int round)
{
	struct arena *a = arena_new();
	struct step_sum **sums = arena_many(a, struct step_sum *, f->lineups);
	struct figure_vec runs = { 0 };
	int rc = 0;

	/* Who begins changes, for what a machine does over time is not the lineups' doing. */
	for (int i = 0; i < f->lineups && rc == 0; i++) {
		int l = (round + i) % f->lineups;

		sums[l] = arena_many(a, struct step_sum, f->model.tasks->n);
		rc = play_turn(f, uses, l, sums[l], a, &runs);
	}
	if (rc == 0) {
		note(f, round, sums);
		f->model_us[round] = median(runs.at, runs.n);
	}
	arena_free(a);
	return rc;
}

/* What never ran, as in a branch that was not taken, or did not in some round, is not decided on. */
static void drop_idle(struct model_finals *f)
{
	int n = 0;

	for (int i = 0; i < f->tasks.n; i++) {
		struct final_task *t = &f->tasks.at[i];
		bool ran = true;

		for (int c = 0; c < t->records.n; c++)
			for (int r = 0; r < f->rounds; r++)
				ran &= t->contenders[c].us[r] > 0;
		if (ran)
			f->tasks.at[n++] = *t;
	}
	f->tasks.n = n;
}

int finals_play(struct model_finals *f, void (*played)(const struct model_finals *f))
{
	const struct task_uses *uses = task_uses_new(f->arena, f->model.graph, f->model.tasks);

	/* The first run brings pages and threads to life. */
	for (int l = 0; l < f->lineups; l++)
		if (session_exercise(f->sessions[l], f->inputs) < 0)
			return -1;
	while (f->rounds < FINALS_ROUNDS && left_s(f) > 0) {
		if (play_round(f, uses, f->rounds) < 0)
			return -1;
		f->rounds++;
		played(f);
	}
	if (f->rounds < FINALS_LEAST_ROUNDS)
		return err_set("the model is too slow: when the time was over, %d rounds of %d were "
			       "played", f->rounds, FINALS_LEAST_ROUNDS);
	drop_idle(f);
	for (int i = 0; i < f->tasks.n; i++) {
		struct final_task *t = &f->tasks.at[i];

		t->winner = lineup_winner(t->contenders, t->records.n, f->rounds);
	}
	return 0;
}
