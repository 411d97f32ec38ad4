/* SPDX-License-Identifier: Apache-2.0 */
/* search/best.c - from a record back to its nest. */
#include "search/best.h"

#include "base/err.h"

/* A look for the first record that replays. */
struct look {
	struct arena *a;
	struct db *db;
	const struct task *task;
	int vector_bytes;
	struct best *out;
};

/* False and a message where R does not replay. */
static bool replay(struct look *l, const struct db_record *r)
{
	struct best *b = l->out;
	const char *why = "";

	b->state = state_parse(l->a, l->task->dag, "its steps", r->steps);
	if (!b->state)
		return false;
	b->program = lower(l->a, b->state, &why);
	if (b->program)
		b->source = program_source(l->a, b->program, l->vector_bytes, &b->parallel, &why);
	if (!b->program || !b->source) {
		err_set("its steps give no kernel: %s", why);
		return false;
	}
	b->evidence = evidence_of(r, b->source);
	return true;
}

static int look_at(void *user, const struct db_record *r)
{
	struct look *l = user;

	if (replay(l, r)) {
		l->out->record = db_record_copy(l->a, r);
		return 1;
	}
	db_skip(l->db, r->id, err_get());
	return 0;
}

int task_first(struct arena *a, struct db *db, const struct task *t, struct db_want want,
	       enum db_order order, int vector_bytes, struct best *out)
{
	struct look l = { a, db, t, vector_bytes, out };

	want.task_key = t->key;
	return db_each_standing(db, &want, order, look_at, &l);
}

int task_best(struct arena *a, struct db *db, const struct task *t, struct db_want want,
	      int vector_bytes, struct best *out)
{
	return task_first(a, db, t, want, DB_SUREST, vector_bytes, out);
}
