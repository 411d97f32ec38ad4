/* SPDX-License-Identifier: Apache-2.0 */
/* search/campaign/contenders.c - the first of the confirmed ones. */
#include "search/campaign/contenders.h"

#include "base/err.h"

struct gathering {
	struct arena *a;
	struct db *db;
	const struct task *task;
	const struct target *target;
	struct best_vec *out;
};

/* Different steps may give the same text. */
static bool is_there(const struct best_vec *v, const struct best *b)
{
	for (int i = 0; i < v->n; i++)
		if (strcmp(v->at[i].source, b->source) == 0 &&
		    v->at[i].record.toolchain == b->record.toolchain)
			return true;
	return false;
}

/* 1 where no more are wanted. */
static int gather(void *user, const struct db_record *r)
{
	struct gathering *g = user;
	struct best b;

	if (!r->final || r->estimate || r->imported || g->out->n == CONTENDERS)
		return 1;
	if (g->out->n && r->time_us > CONTENDERS_WITHIN * g->out->at[0].record.time_us)
		return 1;
	if (!best_replay(g->a, g->task, r, g->target, &b))
		db_skip(g->db, r->id, err_get());
	else if (b.evidence == EVIDENCE_SAME && !is_there(g->out, &b))
		vec_push(g->a, g->out, b);
	return 0;
}

int task_contenders(struct arena *a, struct db *db, const struct task *t, struct db_want want,
		    const struct target *target, struct best_vec *out)
{
	struct gathering g = { a, db, t, target, out };

	*out = (struct best_vec){ 0 };
	want.task_key = t->key;
	return db_each_standing(db, &want, DB_SUREST, gather, &g) < 0 ? -1 : 0;
}
