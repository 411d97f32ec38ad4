/* SPDX-License-Identifier: Apache-2.0 */
/* search/campaign/kin.c - tasks by what is computed before their last functions. */
#include "search/campaign/kin.h"

#include "search/space/parts.h"
#include "search/space/sketch.h"
#include "te/text/text.h"

/* False where TASK, which is of a DAG, has no reduction. */
static bool look_at(struct arena *a, const struct db_task *task, struct kin *out)
{
	const struct dag *dag = task->text[0] ? dag_parse(a, task->name, task->text) : NULL;
	struct dag_part core;

	if (!dag || !part_core(a, dag, &core))
		return false;
	int n = core.dag->ops.n;

	*out = (struct kin){ task->key, dag, dag_key(core.dag), n, core.op,
			     fusible_end(state_new(a, dag), core.op[n - 1]) };
	return true;
}

int kin_list(struct arena *a, struct db *db, struct kin_vec *out)
{
	struct db_task_vec tasks = { 0 };
	struct kin k;

	if (db_tasks(db, a, &tasks) < 0)
		return -1;
	for (int i = 0; i < tasks.n; i++)
		if (look_at(a, &tasks.at[i], &k))
			vec_push(a, out, k);
	return 0;
}

const struct kin *kin_find(const struct kin_vec *list, const char *key)
{
	for (int i = 0; i < list->n; i++)
		if (strcmp(list->at[i].key, key) == 0)
			return &list->at[i];
	return NULL;
}

static int last_of_core(const struct kin *k)
{
	return k->op[k->n_core - 1];
}

/* Without functions tiles are the reduction's own, with them the last function's. */
static bool is_alike(const struct kin *x, const struct kin *y)
{
	return hash_equal(x->core, y->core) && (x->end == last_of_core(x)) == (y->end == last_of_core(y));
}

int kin_number(const struct kin_vec *list, const char *key)
{
	const struct kin *own = kin_find(list, key);
	int i = 0;

	while (own && !is_alike(&list->at[i], own))
		i++;
	return own ? i + 1 : 0;
}

bool is_kin(const struct kin *x, const struct kin *y)
{
	return strcmp(x->key, y->key) != 0 && is_alike(x, y);
}

/* OWN's number of each stage of S, a state of THEIRS; -1 for those that OWN has not. */
static int *numbers_of(struct arena *a, const struct kin *theirs, const struct kin *own, const struct state *s)
{
	int ops = theirs->dag->ops.n;
	int *number = arena_many(a, int, s->stages.n);

	for (int i = 0; i < s->stages.n; i++)
		number[i] = i < ops ? -1 : i - ops + own->dag->ops.n;
	for (int i = 0; i < theirs->n_core; i++)
		number[theirs->op[i]] = own->op[i];
	number[theirs->end] = own->end;
	return number;
}

/* The functions between the last reduction and the last one, from there on, as sketches have it. */
static void fold_functions(struct arena *a, const struct kin *own, struct step_vec *out)
{
	for (int i = own->end - 1; i > last_of_core(own); i--)
		if (own->dag->ops.at[i]->kind == OP_COMPUTE)
			vec_push(a, out, step_inline(i));
}

const struct step_vec *kin_steps(struct arena *a, const struct kin *theirs, const struct kin *own, const struct state *s)
{
	struct step_vec *out = arena_one(a, struct step_vec);
	const int *number = numbers_of(a, theirs, own, s);
	int first = 0;

	while (first < s->steps.n && step_is_of_dag(s->steps.at[first].kind))
		first++;
	for (int i = 0; i < s->steps.n; i++) {
		const struct step *step = &s->steps.at[i];
		struct step renamed = step_renamed(step, number);

		if (i == first)
			fold_functions(a, own, out);
		if (renamed.stage >= 0 && renamed.target >= 0)
			vec_push(a, out, renamed);
		else if (step->kind != STEP_INLINE && step->kind != STEP_PREFETCH)
			return NULL;
	}
	return out;
}
