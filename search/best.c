/* SPDX-License-Identifier: Apache-2.0 */
/* search/best.c - from a record back to its nest. */
#include "search/best.h"

#include "base/err.h"
#include "schedule/text/step_text.h"
#include "search/kernel_text.h"

/* A look for a record that replays. */
struct look {
	struct arena *a;
	struct db *db;
	const struct task *task;
	const struct target *target;
	bool found;
	struct best *out;
};

bool best_replay(struct arena *a, const struct task *t, const struct db_record *r,
		 const struct target *target, struct best *b)
{
	const char *why = "";

	*b = (struct best){ .state = state_parse(a, t->dag, "its steps", r->steps) };
	if (!b->state)
		return false;
	b->program = lower(a, b->state, target, &why);
	if (b->program)
		b->source = program_source(a, b->program, &why);
	if (!b->program || !b->source) {
		err_set("its steps give no kernel: %s", why);
		return false;
	}
	b->evidence = evidence_of(r, b->source);
	b->record = db_record_copy(a, r);
	return true;
}

static bool replay(const struct look *l, const struct db_record *r, struct best *b)
{
	return best_replay(l->a, l->task, r, l->target, b);
}

static void keep(struct look *l, const struct best *b)
{
	*l->out = *b;
	l->found = true;
}

static int take_first(void *user, const struct db_record *r)
{
	struct look *l = user;
	struct best b;

	if (replay(l, r, &b))
		keep(l, &b);
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
		keep(l, &b);
	return sure;
}

/* What was found inside models, the latest first. */
struct finals_look {
	struct look look;
	const struct db_record *alone;	/* the best of the task by itself */
	bool competed;			/* that one did */
};

static int take_latest(void *user, const struct db_record *r)
{
	struct finals_look *f = user;
	struct look *l = &f->look;
	struct best b;

	f->competed |= hash_equal(r->steps_hash, f->alone->steps_hash) &&
		       r->toolchain == f->alone->toolchain;
	/* What does not replay was told of when it was looked at alone. */
	if (!l->found && replay(l, r, &b) && b.evidence == EVIDENCE_SAME)
		keep(l, &b);
	return l->found && f->competed;
}

static int look(struct look *l, struct db_want want, enum db_order order,
		int (*take)(void *user, const struct db_record *r))
{
	want.task_key = l->task->key;
	return db_each_standing(l->db, &want, order, take, l) < 0 ? -1 : l->found;
}

int task_fastest(struct arena *a, struct db *db, const struct task *t, struct db_want want,
		 const struct target *target, struct best *out)
{
	struct look l = { a, db, t, target, false, out };

	return look(&l, want, DB_FASTEST, take_first);
}

int task_best(struct arena *a, struct db *db, const struct task *t, struct db_want want,
	      const struct target *target, struct best *out)
{
	struct look l = { a, db, t, target, false, out };

	return look(&l, want, DB_SUREST, take_surest);
}

/* The others, until there are as many as were asked for. */
struct next_look {
	struct look look;
	const struct best *first;
	struct best *at;
	int n, most;
};

static bool is_taken(const struct next_look *x, const struct db_record *r)
{
	for (int i = 0; i < x->n; i++)
		if (hash_equal(x->at[i].record.steps_hash, r->steps_hash))
			return true;
	return hash_equal(x->first->record.steps_hash, r->steps_hash);
}

static int take_next(void *user, const struct db_record *r)
{
	struct next_look *x = user;

	if (x->n == x->most)
		return 1;
	if (r->estimate || r->threads != x->first->record.threads || is_taken(x, r))
		return 0;
	if (replay(&x->look, r, &x->at[x->n]))
		x->n++;
	else
		db_skip(x->look.db, r->id, err_get());
	return 0;
}

int task_next_best(struct arena *a, struct db *db, const struct task *t, struct db_want want,
		   const struct target *target, const struct best *first, int n, struct best *out)
{
	struct next_look x = { .look = { a, db, t, target, false, NULL }, .first = first, .at = out, .most = n };

	want.task_key = t->key;
	return db_each_standing(db, &want, DB_SUREST, take_next, &x) < 0 ? -1 : x.n;
}

/* With constants as a model has them, where such times are known: others promise too much. */
static int best_alone(struct arena *a, struct db *db, const struct task *t, struct db_want want, const struct target *target,
		      struct best *out)
{
	struct db_want like = want;
	int found = 0;

	if (!want.cache) {
		like.cache = cache_state_name(CACHE_COLD_WEIGHTS);
		found = task_best(a, db, t, like, target, out);
	}
	return found ? found : task_best(a, db, t, want, target, out);
}

int task_best_in_model(struct arena *a, struct db *db, const struct task *t, struct db_want want,
		       const struct target *target, struct best *out)
{
	int found = best_alone(a, db, t, want, target, out);
	struct best pick;
	struct finals_look f = { .look = { a, db, t, target, false, &pick },
				 .alone = &out->record };

	if (found <= 0 || want.cache)
		return found;
	want.task_key = t->key;
	want.cache = cache_state_name(CACHE_MODEL);
	want.threads = out->record.threads;
	if (db_each_standing(db, &want, DB_LATEST, take_latest, &f) < 0)
		return -1;
	if (!f.look.found)
		return 1;
	bool elsewhere = pick.record.imported, alone_elsewhere = out->record.imported;

	if (elsewhere == alone_elsewhere ? f.competed || pick.record.seq > out->record.seq : alone_elsewhere)
		*out = pick;
	return 1;
}
