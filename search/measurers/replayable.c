/* SPDX-License-Identifier: Apache-2.0 */
/* search/measurers/replayable.c - parses every task, and the steps of every ok record. */
#include "search/measurers/replayable.h"

#include <stdlib.h>

#include "base/err.h"
#include "schedule/text/step_text.h"
#include "te/text/text.h"

/* Tasks come sorted by id; one whose text is no DAG has none. */
struct replayable {
	struct arena *a, *scratch;
	struct db_problem_vec *out;
	struct db_task_vec tasks;
	const struct dag **dags;
	int found;
};

static void problem(struct replayable *p, const char *kind, int64_t id)
{
	if (p->found++ < REPLAYABLE_MOST)
		vec_push(p->a, p->out, arena_printf(p->a, "%s %jd: %s", kind, (intmax_t)id,
						    err_get()));
}

static int by_id(const void *key, const void *item)
{
	int64_t id = *(const int64_t *)key, other = ((const struct db_task *)item)->id;

	return (id > other) - (id < other);
}

static const struct dag *dag_of(const struct replayable *p, int64_t task)
{
	const struct db_task *t = bsearch(&task, p->tasks.at, (size_t)p->tasks.n,
					  sizeof(*p->tasks.at), by_id);

	return t ? p->dags[t - p->tasks.at] : NULL;
}

static int look_at(void *user, const struct db_record *r)
{
	struct replayable *p = user;
	const struct dag *dag = r->status == TRIAL_OK ? dag_of(p, r->task) : NULL;

	arena_reset(p->scratch);
	if (dag && !state_parse(p->scratch, dag, "its steps", r->steps))
		problem(p, "record", r->id);
	return 0;
}

static int check(struct replayable *p, struct db *db)
{
	if (db_tasks(db, p->a, &p->tasks) < 0)
		return -1;
	p->dags = arena_many(p->a, const struct dag *, p->tasks.n);
	for (int i = 0; i < p->tasks.n; i++) {
		/* A region or a model that was timed has none, and no steps (runtime/offload). */
		if (!*p->tasks.at[i].text)
			continue;
		p->dags[i] = dag_parse(p->a, "its text", p->tasks.at[i].text);
		if (!p->dags[i])
			problem(p, "task", p->tasks.at[i].id);
	}
	for (int c = 0; c < CACHE_STATE_COUNT; c++) {
		struct db_want want = { .cache = cache_state_name((enum cache_state)c) };

		if (db_each(db, &want, look_at, p) < 0)
			return -1;
	}
	return 0;
}

int replayable_check(struct db *db, struct arena *a, struct db_problem_vec *out)
{
	struct replayable p = { .a = a, .scratch = arena_new(), .out = out };
	int rc = check(&p, db);

	arena_free(p.scratch);
	return rc;
}
