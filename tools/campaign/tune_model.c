/* SPDX-License-Identifier: Apache-2.0 */
/* tools/campaign/tune_model.c - tasks of all storages, weighed by the choice among them. */
#include "tools/campaign/tune_model.h"

#include <math.h>

#include "base/err.h"
#include "graph/layout/choose.h"
#include "graph/model.h"
#include "runtime/kernel/expectations.h"
#include "search/expect.h"
#include "tools/source.h"

/* Of what is expected of a task without a kernel, the best that may come of it: expectations are of
 * half the peak (search/expect.c). */
#define HOPE 0.5

/* What an alternative to the rules of fusion may come down to beside what it is like, where it may gain in many
 * ways, and the part of the model's time that it has to promise before it gets a trial: finals tell half a
 * percent apart, and a model has many of them. */
#define LIKE_HOPE 0.95
#define LEAST_PROMISE 1e-3
/* A chain begins with what its parts came to, so it waits until these may come down to no less than this share of
 * their times: more than a tenth none gained in mobilenet_v2 (docs/performance.md). */
#define SETTLED 0.9

struct model_weights {
	const struct layout_space *space;
	int *place;	/* by task of the space, in the campaign's list */
	const struct model_task **of;	/* by place, of the space; NULL: nothing is expected of it */
	double *fixed;	/* by place: runs that no storage changes */
	const struct device *device;
	int threads;
	double *expected;	/* by place, us: of a kernel that is not there yet; 0: nobody asked */
	double *best, *us;	/* room, by task of the space */
	int n;		/* places */
};

/* Raises WEIGHT to what the model runs where m->us, by task of the space, is what the tasks take; that
 * time. */
static double add_choice(const struct model_weights *m, double *weight)
{
	struct arena *a = arena_new();
	struct layout_choice c = layout_choose(a, m->space, m->us);
	const int *runs = layout_weights(a, m->space, c.state);
	double us = c.us;

	for (int i = 0; i < m->space->tasks.n; i++)
		if (weight[m->place[i]] < m->fixed[m->place[i]] + runs[i])
			weight[m->place[i]] = m->fixed[m->place[i]] + runs[i];
	arena_free(a);
	return us;
}

/* What storages are compared by before they have kernels: otherwise a short campaign would spend its
 * trials on whichever came first. Asked only for those that have none by BEST_US. */
static void expect(const struct model_weights *m, const double *best_us)
{
	struct arena *a = arena_new();
	const struct model_task **open = arena_many(a, const struct model_task *, m->n);
	int *place = arena_many(a, int, m->n), n = 0;
	double *us = arena_many(a, double, m->n);

	for (int i = 0; i < m->n; i++)
		if (m->of[i] && best_us[i] <= 0 && m->expected[i] <= 0) {
			place[n] = i;
			open[n++] = m->of[i];
		}
	if (n)
		expectations_get(open, n, m->device, m->threads, us);
	for (int i = 0; i < n; i++)
		m->expected[place[i]] = us[i] > 0 ? us[i] : EXPECT_NOTHING_US;
	arena_free(a);
}

/* What the tasks take, by US, that TASK is like. */
static double like_us(const struct model_weights *m, int task, const double *us)
{
	const struct value_vec *like = &m->space->like.at[task].tasks;
	double sum = 0;

	for (int i = 0; i < like->n; i++)
		sum += us[like->at[i]];
	return sum;
}

/* Is there a kernel of all that TASK, an alternative, is like? The hopes of these are in m->us. */
static bool is_hoped_for(const struct model_weights *m, int task)
{
	const struct layout_likeness *like = &m->space->like.at[task];

	for (int i = 0; i < like->tasks.n; i++)
		if (m->best[like->tasks.at[i]] <= 0)
			return false;
	return !like->spared || like_us(m, task, m->us) >= SETTLED * like_us(m, task, m->best);
}

/* What alternative TASK may come down to beside what it is like, of which the hopes are in m->us. */
static double alternative_us(const struct model_weights *m, int task)
{
	int64_t spared = m->space->like.at[task].spared;
	double sum = like_us(m, task, m->us), peak = device_peak(m->device, m->threads);
	double least = peak > 0 ? m->space->tasks.at[task].flop * 1e-3 / peak : 0;

	return spared ? fmax(least, sum - expect_passing_us(spared, m->device, m->threads)) : LIKE_HOPE * sum;
}

/* Is chain TASK, which was tried, slower than its parts are by now? As these it was not tried yet. */
static bool is_behind(const struct model_weights *m, int task)
{
	return m->space->like.at[task].spared && is_hoped_for(m, task) &&
	       m->best[task] > like_us(m, task, m->best);
}

/* Alternatives to the rules of fusion count as far as they were measured, and otherwise a little less
 * than what they are like in the hope for what is to come. */
static void weigh(void *user, const double *best_us, const double *hope_us, double *runs,
		  double *weight)
{
	const struct model_weights *m = user;
	const struct layout_space *x = m->space;

	expect(m, best_us);
	memcpy(runs, m->fixed, sizeof(*runs) * (size_t)m->n);
	for (int i = 0; i < x->tasks.n; i++) {
		m->best[i] = best_us[m->place[i]];
		m->us[i] = m->best[i] > 0 ? m->best[i]
			   : i < x->usual ? EXPECT_DOUBT * m->expected[m->place[i]] : EXPECT_NOTHING_US;
	}
	double now = add_choice(m, runs);

	memcpy(weight, runs, sizeof(*weight) * (size_t)m->n);

	for (int i = 0; i < x->tasks.n; i++) {
		double hope = hope_us[m->place[i]], expected = HOPE * m->expected[m->place[i]];

		if (is_behind(m, i))
			m->us[i] = fmin(hope, alternative_us(m, i) + LEAST_PROMISE * now);
		else if (m->best[i] > 0)
			m->us[i] = hope;
		else if (x->like.at[i].tasks.n == 0)
			m->us[i] = fmax(hope, expected);
		else if (is_hoped_for(m, i))
			m->us[i] = alternative_us(m, i) + LEAST_PROMISE * now;
	}
	add_choice(m, weight);
}

static int find(const struct task_vec *tasks, struct hash128 key)
{
	char hex[HASH_TEXT];

	hash_text(key, hex);
	for (int i = 0; i < tasks->n; i++)
		if (strcmp(tasks->at[i]->key, hex) == 0)
			return i;
	return -1;
}

static bool is_node(const struct layout_space *x, const struct model_use *use)
{
	return use->function == x->graph->main && x->node_of[use->value] >= 0;
}

/* The tasks that G has as it is, and those of X; the plain ones of X are among the former. */
static void list_tasks_of(struct arena *a, const struct graph *g, struct model_weights *m,
			  struct task_vec *out)
{
	const struct layout_space *x = m->space;
	struct model_task_vec plain = graph_tasks(a, g);

	for (int i = 0; i < plain.n; i++)
		if (plain.at[i].dag)
			vec_push(a, out, source_model_task(a, &plain.at[i]));
	m->place = arena_many(a, int, x->tasks.n);
	for (int i = 0; i < x->tasks.n; i++) {
		m->place[i] = find(out, x->tasks.at[i].key);
		if (m->place[i] >= 0)
			continue;
		m->place[i] = out->n;
		vec_push(a, out, source_model_task(a, &x->tasks.at[i]));
	}
	m->n = out->n;
	m->of = arena_many(a, const struct model_task *, m->n);
	for (int i = 0; i < x->tasks.n; i++)
		m->of[m->place[i]] = x->like.at[i].tasks.n ? NULL : &x->tasks.at[i];
	m->expected = arena_many(a, double, m->n);
	m->fixed = arena_many(a, double, m->n);
	for (int i = 0, place = 0; i < plain.n; i++) {
		if (!plain.at[i].dag)
			continue;
		for (int j = 0; j < plain.at[i].uses.n; j++)
			m->fixed[place] += !is_node(x, &plain.at[i].uses.at[j]);
		place++;
	}
}

/* Bytes that a run of G reads. */
static double constants_of(struct arena *a, const struct graph *g)
{
	struct model_task_vec tasks = graph_tasks(a, g);
	double bytes = 0;

	for (int i = 0; i < tasks.n; i++)
		if (tasks.at[i].dag)
			bytes += tasks.at[i].uses.n * dag_constant_bytes(tasks.at[i].dag);
	return bytes;
}

int tune_model(struct arena *a, const char *path, const struct device *d, int threads,
	       struct task_vec *tasks, struct weigher *weigher, double *constants)
{
	const struct graph *g = model_open(a, path, NULL, NULL, "fuse");
	struct model_weights *m = arena_one(a, struct model_weights);

	if (!g)
		return -1;
	m->device = d;
	m->threads = threads;
	m->space = layout_space_new(a, g, target_lanes(d->target, sizeof(float)));
	list_tasks_of(a, g, m, tasks);
	m->us = arena_many(a, double, m->space->tasks.n);
	m->best = arena_many(a, double, m->space->tasks.n);
	if (tasks->n == 0)
		return err_set("%s: has no operator that can be tuned; hone tasks lists why", path);
	*weigher = (struct weigher){ weigh, m };
	*constants = constants_of(a, g);
	return 0;
}
