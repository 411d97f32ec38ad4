/* SPDX-License-Identifier: Apache-2.0 */
/* search/best.c - from a record back to its nest. */
#include "search/best.h"

#include "base/err.h"

/* A look for a record that replays. */
struct look {
	struct arena *a;
	struct db *db;
	const struct task *task;
	int vector_bytes;
	bool found;
	struct best *out;
};

/* False and a message where R does not replay. */
static bool replay(const struct look *l, const struct db_record *r, struct best *b)
{
	const char *why = "";

	b->state = state_parse(l->a, l->task->dag, "its steps", r->steps);
	if (!b->state)
		return false;
	b->program = lower(l->a, b->state, &why);
	if (b->program)
		b->source = program_source(l->a, b->program, l->vector_bytes, &why);
	if (!b->program || !b->source) {
		err_set("its steps give no kernel: %s", why);
		return false;
	}
	b->evidence = evidence_of(r, b->source);
	return true;
}

static void keep(struct look *l, const struct db_record *r, const struct best *b)
{
	*l->out = *b;
	l->out->record = db_record_copy(l->a, r);
	l->found = true;
}

static int take_first(void *user, const struct db_record *r)
{
	struct look *l = user;
	struct best b;

	if (replay(l, r, &b))
		keep(l, r, &b);
	else
		db_skip(l->db, r->id, err_get());
	return l->found;
}

/* The first is kept until one of the other confirmed ones, which come next, is surer. */
static int take_surest(void *user, const struct db_record *r)
{
	struct look *l = user;
	struct best b;

	if (l->found && !r->final)
		return 1;
	if (!replay(l, r, &b)) {
		db_skip(l->db, r->id, err_get());
		return 0;
	}
	bool sure = evidence_confirmed(r, b.evidence);

	if (sure || !l->found)
		keep(l, r, &b);
	return sure;
}

static int look(struct look *l, struct db_want want, enum db_order order,
		int (*take)(void *user, const struct db_record *r))
{
	want.task_key = l->task->key;
	return db_each_standing(l->db, &want, order, take, l) < 0 ? -1 : l->found;
}

int task_fastest(struct arena *a, struct db *db, const struct task *t, struct db_want want,
		 int vector_bytes, struct best *out)
{
	struct look l = { a, db, t, vector_bytes, false, out };

	return look(&l, want, DB_FASTEST, take_first);
}

int task_best(struct arena *a, struct db *db, const struct task *t, struct db_want want,
	      int vector_bytes, struct best *out)
{
	struct look l = { a, db, t, vector_bytes, false, out };

	return look(&l, want, DB_SUREST, take_surest);
}
