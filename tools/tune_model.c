/* SPDX-License-Identifier: Apache-2.0 */
/* tools/tune_model.c - tasks of all storages, weighed by the choice among them. */
#include "tools/tune_model.h"

#include <math.h>

#include "base/err.h"
#include "graph/layout/choose.h"
#include "graph/model.h"
#include "runtime/expectations.h"
#include "search/expect.h"
#include "tools/source.h"

/* Of what is expected of a task without a kernel, the best that may come of it: expectations are of
 * half the peak (search/expect.c). */
#define HOPE 0.5

struct model_weights {
	const struct layout_space *space;
	int *place;	/* by task of the space, in the campaign's list */
	const struct model_task **of;	/* by place, of the space; NULL: no storage has it */
	double *fixed;	/* by place: runs that no storage changes */
	const struct device *device;
	int threads;
	double *expected;	/* by place, us: of a kernel that is not there yet; 0: nobody asked */
	double *us;	/* room, by task of the space */
	int n;		/* places */
};

/* Raises WEIGHT to what the model runs where US, by place, is what the tasks take. */
static void add_choice(const struct model_weights *m, const double *us, double *weight)
{
	struct arena *a = arena_new();

	for (int i = 0; i < m->space->tasks.n; i++)
		m->us[i] = us[m->place[i]];
	struct layout_choice c = layout_choose(a, m->space, m->us);
	const int *runs = layout_weights(a, m->space, c.state);

	for (int i = 0; i < m->space->tasks.n; i++)
		if (weight[m->place[i]] < m->fixed[m->place[i]] + runs[i])
			weight[m->place[i]] = m->fixed[m->place[i]] + runs[i];
	arena_free(a);
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

static void weigh(void *user, const double *best_us, const double *hope_us, double *weight)
{
	const struct model_weights *m = user;
	struct arena *a = arena_new();
	double *now = arena_many(a, double, m->n), *later = arena_many(a, double, m->n);

	expect(m, best_us);
	for (int i = 0; i < m->n; i++) {
		now[i] = best_us[i] > 0 ? best_us[i] : EXPECT_DOUBT * m->expected[i];
		later[i] = best_us[i] > 0 ? hope_us[i] : fmax(hope_us[i], HOPE * m->expected[i]);
	}
	memcpy(weight, m->fixed, sizeof(*weight) * (size_t)m->n);
	add_choice(m, now, weight);
	add_choice(m, later, weight);
	arena_free(a);
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
		m->of[m->place[i]] = &x->tasks.at[i];
	m->expected = arena_many(a, double, m->n);
	m->fixed = arena_many(a, double, m->n);
	for (int i = 0; i < m->n; i++)
		m->fixed[i] = out->at[i]->weight;
	for (int i = 0; i < x->nodes.n; i++)
		m->fixed[m->place[x->nodes.at[i].state[0].task]]--;
}

int tune_model(struct arena *a, const char *path, const struct device *d, int threads,
	       struct task_vec *tasks, struct weigher *weigher)
{
	const struct graph *g = model_open(a, path, NULL, NULL, "fuse");
	struct model_weights *m = arena_one(a, struct model_weights);

	if (!g)
		return -1;
	m->device = d;
	m->threads = threads;
	m->space = layout_space_new(a, g, d->vector_bytes / 4);
	list_tasks_of(a, g, m, tasks);
	m->us = arena_many(a, double, m->space->tasks.n);
	if (tasks->n == 0)
		return err_set("%s: has no operator that can be tuned; hone tasks lists why", path);
	*weigher = (struct weigher){ weigh, m };
	return 0;
}
