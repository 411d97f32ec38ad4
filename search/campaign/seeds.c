/* SPDX-License-Identifier: Apache-2.0 */
/* search/campaign/seeds.c - the fastest records of a task's parts, put together, for what is one kernel should be no
 * slower than several; and what others found. */
#include "search/campaign/seeds.h"

#include <math.h>

#include "schedule/text/step_text.h"
#include "search/space/parts.h"
#include "search/strategies/history.h"

struct seed_search {
	struct arena *a;	/* scratch */
	struct db *db;
	struct db_want want;	/* but for the task */
};

/* The fastest record of a part. */
struct part_search {
	struct arena *a;
	const struct dag *dag;
	const struct state *found;
	double us;
};

/* Dims that the part alone walks together the whole may not. */
static int take_first(void *ctx, const struct db_record *record)
{
	struct part_search *p = ctx;
	const struct state *s = state_parse(p->a, p->dag, "its steps", record->steps);

	if (!s || (s->steps.n > 0 && s->steps.at[0].kind == STEP_COLLAPSE))
		return 0;
	p->found = s;
	p->us = record->time_us;
	return 1;
}

/* Found is NULL where the database has none that replays. */
static struct part_search search_fastest(const struct seed_search *x, const struct dag *dag)
{
	struct part_search p = { x->a, dag, NULL, INFINITY };
	struct db_want want = x->want;
	char key[HASH_TEXT];

	hash_text(dag_key(dag), key);
	want.task_key = key;
	db_each_standing(x->db, &want, DB_SUREST, take_first, &p);
	return p;
}

static double price(void *ctx, const struct dag_part *part)
{
	return search_fastest(ctx, part->dag).us;
}

static const struct state *compose(struct seed_search *x, const struct dag *dag)
{
	struct dag_part_vec parts = parts_of(x->a, dag, price, x);
	const struct state **steps = arena_many(x->a, const struct state *, parts.n + 1);

	for (int i = 0; i < parts.n; i++)
		steps[i] = search_fastest(x, parts.at[i].dag).found;
	return parts.n > 0 ? parts_compose(x->a, dag, &parts, steps) : NULL;
}

const char *seed_of(struct arena *a, struct db *db, const struct dag *dag, struct db_want want)
{
	struct seed_search x = { arena_new(), db, want };
	const struct state *s = compose(&x, dag);
	const char *steps = s ? steps_text(a, &s->steps) : NULL;

	arena_free(x.a);
	return steps;
}

/* --- what others found */

struct import_search {
	struct arena *a, *scratch;
	const struct problem *problem;
	const char *steps;
};

static int take_untried(void *ctx, const struct db_record *r)
{
	struct import_search *s = ctx;
	struct candidate c;

	arena_reset(s->scratch);
	if (history_has(s->problem->history, r->steps) ||
	    !candidate_recall(s->problem, s->scratch, arena_strdup(s->scratch, r->steps), &c))
		return 0;
	s->steps = arena_strdup(s->a, r->steps);
	return 1;
}

const char *seed_imported(struct arena *a, struct db *db, const struct problem *p, struct db_want want)
{
	struct import_search s = { a, arena_new(), p, NULL };

	want.from = DB_ELSEWHERE;
	want.fingerprint = NULL;
	want.toolchain = NULL;
	db_each_standing(db, &want, DB_FASTEST, take_untried, &s);
	arena_free(s.scratch);
	return s.steps;
}
