/* SPDX-License-Identifier: Apache-2.0 */
/* search/campaign/seeds.c - the fastest records of a task's parts, put together: what is one kernel should be no
 * slower than several. */
#include "search/campaign/seeds.h"

#include "schedule/step_text.h"
#include "search/space/parts.h"

/* In A; NULL where the database has none that replays. */
static const struct state *fastest(struct arena *a, struct db *db, const struct dag *dag, struct db_want want)
{
	char key[HASH_TEXT];
	struct db_record record;

	hash_text(dag_key(dag), key);
	want.task_key = key;
	return db_best(db, a, &want, &record) == 1 ? state_parse(a, dag, "its steps", record.steps) : NULL;
}

/* SEED_OF, in scratch A. */
static const struct state *compose(struct arena *a, struct db *db, const struct dag *dag, struct db_want want)
{
	struct dag_part_vec parts = parts_of(a, dag);
	const struct state **steps = arena_many(a, const struct state *, parts.n + 1);

	for (int i = 0; i < parts.n; i++) {
		steps[i] = fastest(a, db, parts.at[i].dag, want);
		if (!steps[i])
			return NULL;
	}
	return parts.n > 0 ? parts_compose(a, dag, &parts, steps) : NULL;
}

const char *seed_of(struct arena *a, struct db *db, const struct dag *dag, struct db_want want)
{
	struct arena *scratch = arena_new();
	const struct state *s = compose(scratch, db, dag, want);
	const char *steps = s ? steps_text(a, &s->steps) : NULL;

	arena_free(scratch);
	return steps;
}
