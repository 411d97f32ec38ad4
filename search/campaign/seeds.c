/* SPDX-License-Identifier: Apache-2.0 */
/* search/campaign/seeds.c - what others found; the fastest records of a task's parts, put together, for what is one kernel
 * should be no slower than several; what the task is fast with on more threads, or fewer; and what its kin is fast with. */
#include "search/campaign/seeds.h"

#include <math.h>

#include "base/hash.h"
#include "schedule/text/step_text.h"
#include "search/space/parts.h"
#include "search/space/sketch.h"
#include "search/strategies/history.h"
#include "search/strategies/pick.h"

/* Chosen, not measured. */
enum {
	IMPORTED_A_BATCH = 1,
	SHARED_ANEW = 8,	/* records with other numbers of threads, */
	DRAWS = 8,		/* and ways to share loops that are looked at of each */
	OF_KIN = 3,		/* the surest records of each task of the kin */
};

/* --- what parts are fast with */

struct seed_search {
	struct arena *a;	/* scratch */
	struct db *db;
	struct db_want want;	/* but for the task */
	struct state *whole;	/* whose dims parts are to have */
};

/* The fastest record of a part. */
struct part_search {
	struct arena *a;
	const struct dag_part *part;
	const struct state *whole;
	const struct state *found;
	double us;
};

static int take_first(void *ctx, const struct db_record *record)
{
	struct part_search *p = ctx;
	const struct state *s = state_parse(p->a, p->part->dag, "its steps", record->steps);

	if (!s || !part_has_dims(p->part, s, p->whole))
		return 0;
	p->found = s;
	p->us = record->time_us;
	return 1;
}

/* Found is NULL where the database has none that replays. */
static struct part_search search_fastest(const struct seed_search *x, const struct dag_part *part)
{
	struct part_search p = { x->a, part, x->whole, NULL, INFINITY };
	struct db_want want = x->want;
	char key[HASH_TEXT];

	hash_text(dag_key(part->dag), key);
	want.task_key = key;
	db_each_standing(x->db, &want, DB_SUREST, take_first, &p);
	return p;
}

static double price(void *ctx, const struct dag_part *part)
{
	return search_fastest(ctx, part).us;
}

/* Schedules the whole; false where there is nothing to compose it of. */
static bool compose(struct seed_search *x, const struct dag *dag)
{
	struct dag_part_vec parts = parts_of(x->a, dag, price, x);
	const struct state **steps = arena_many(x->a, const struct state *, parts.n + 1);

	for (int i = 0; i < parts.n; i++)
		steps[i] = search_fastest(x, &parts.at[i]).found;
	return parts.n > 0 && parts_compose(x->a, x->whole, &parts, steps);
}

/* With dims as sketches have them. */
static void add_composed(struct arena *a, struct db *db, const struct problem *p, struct db_want want, struct seed_vec *out)
{
	for (int i = 0; i < SKETCH_DIMS; i++) {
		struct seed_search x = { arena_new(), db, want, NULL };

		x.whole = sketch_dims(x.a, p->task->dag, p->aim->target, i);
		if (x.whole && compose(&x, p->task->dag))
			vec_push(a, out, (struct seed){ steps_text(a, &x.whole->steps), .composed = true });
		arena_free(x.a);
	}
}

/* --- what others found */

struct record_search {
	struct arena *a, *scratch;
	const struct problem *problem;
	int left;		/* records that may yet be looked at */
	struct seed_vec *out;
};

static void search_records(struct arena *a, struct db *db, const struct problem *p, const struct db_want *want, enum db_order order,
			   int (*take)(void *ctx, const struct db_record *r), int most, struct seed_vec *out)
{
	struct record_search s = { a, arena_new(), p, most, out };

	db_each_standing(db, want, order, take, &s);
	arena_free(s.scratch);
}

static int take_untried(void *ctx, const struct db_record *r)
{
	struct record_search *s = ctx;
	struct candidate c;

	arena_reset(s->scratch);
	if (history_has(s->problem->history, r->steps) ||
	    !candidate_recall(s->problem, s->scratch, arena_strdup(s->scratch, r->steps), &c))
		return 0;
	vec_push(s->a, s->out, (struct seed){ arena_strdup(s->a, r->steps), false });
	return --s->left == 0;
}

/* From any device: a time from elsewhere is believed by nobody, and orders them alone. */
static void add_imported(struct arena *a, struct db *db, const struct problem *p, struct db_want want, struct seed_vec *out)
{
	want.from = DB_ELSEWHERE;
	want.fingerprint = NULL;
	want.toolchain = NULL;
	search_records(a, db, p, &want, DB_FASTEST, take_untried, IMPORTED_A_BATCH, out);
}

/* --- what is fast with another number of threads */

/* The text of STEPS without those that share loops, in A; NULL where they do not replay. */
static const char *unshared(struct arena *a, const struct dag *dag, const char *steps)
{
	const struct state *s = state_parse(a, dag, "its steps", steps);
	struct step_vec kept = { 0 };

	for (int i = 0; s && i < s->steps.n; i++)
		if (s->steps.at[i].kind != STEP_FUSE && s->steps.at[i].kind != STEP_PARALLEL)
			vec_push(a, &kept, s->steps.at[i]);
	return s ? steps_text(a, &kept) : NULL;
}

/* The best by the model of some ways in which the loops of THEIRS may be shared; NULL where one of these was tried. */
static const char *share_anew(struct record_search *s, const struct candidate *theirs)
{
	const struct problem *p = s->problem;
	const struct sketch *sketch = p->sketches.at[theirs->genes.sketch];
	struct genes open = genes_copy(s->scratch, &theirs->genes);
	struct rng rng = rng_seed(hash_bytes(theirs->steps, strlen(theirs->steps)).lo);
	struct candidate best = { 0 }, c;

	for (int i = 0; i < open.n; i++)
		if (sketch->steps.at[i].role == ROLE_PARALLEL)
			open.at[i].set = false;
	for (int i = 0; i < DRAWS; i++) {
		if (!candidate_grow(p, s->scratch, &rng, open.sketch, &open, &c))
			continue;
		if (history_has(p->history, c.steps))
			return NULL;
		pick_score(p, s->scratch, &c, 1);
		if (!best.steps || c.score > best.score)
			best = c;
	}
	return best.steps;
}

static int take_shared_anew(void *ctx, const struct db_record *r)
{
	struct record_search *s = ctx;
	const struct problem *p = s->problem;
	struct candidate theirs = { 0 };

	if (r->threads == p->aim->threads)
		return 0;
	arena_reset(s->scratch);
	theirs.steps = unshared(s->scratch, p->task->dag, r->steps);
	if (theirs.steps)
		candidate_tell_genes(p, s->scratch, &theirs);
	const char *steps = theirs.genes.n > 0 ? share_anew(s, &theirs) : NULL;

	if (steps)
		vec_push(s->a, s->out, (struct seed){ arena_strdup(s->a, steps), false });
	return --s->left == 0;
}

static void add_shared_anew(struct arena *a, struct db *db, const struct problem *p, struct db_want want, struct seed_vec *out)
{
	want.threads = 0;
	search_records(a, db, p, &want, DB_SUREST, take_shared_anew, SHARED_ANEW, out);
}

/* --- what kin is fast with */

struct kin_search {
	struct record_search records;
	const struct kin *own, *theirs;
};

/* The text of STEPS of kin as P's, in A; NULL where that is none of its schedules. */
static const char *as_own(struct arena *a, const struct kin_search *s, const char *steps)
{
	const struct state *state = state_parse(a, s->theirs->dag, "its steps", steps);
	const struct step_vec *own = state ? kin_steps(a, s->theirs, s->own, state) : NULL;
	struct candidate c = { .steps = own ? steps_text(a, own) : NULL };

	if (!own || history_has(s->records.problem->history, c.steps))
		return NULL;
	candidate_tell_genes(s->records.problem, a, &c);
	return c.genes.n > 0 ? c.steps : NULL;
}

static int take_of_kin(void *ctx, const struct db_record *r)
{
	struct kin_search *s = ctx;
	struct record_search *records = &s->records;

	arena_reset(records->scratch);
	const char *steps = as_own(records->scratch, s, r->steps);

	if (steps)
		vec_push(records->a, records->out, (struct seed){ arena_strdup(records->a, steps), false });
	return --records->left == 0;
}

static void add_of_kin(struct arena *a, struct db *db, const struct problem *p, struct db_want want, const struct kin_vec *all,
		       struct seed_vec *out)
{
	const struct kin *own = kin_find(all, p->task->key);

	for (int i = 0; own && i < all->n; i++) {
		if (!is_kin(own, &all->at[i]))
			continue;
		struct kin_search s = { { a, arena_new(), p, OF_KIN, out }, own, &all->at[i] };

		want.task_key = s.theirs->key;
		db_each_standing(db, &want, DB_SUREST, take_of_kin, &s);
		arena_free(s.records.scratch);
	}
}

/* --- all of these */

struct seed_vec seeds_of(struct arena *a, struct db *db, const struct problem *p, struct db_want want, const struct kin_vec *all)
{
	struct seed_vec seeds = { 0 };

	add_imported(a, db, p, want, &seeds);
	add_composed(a, db, p, want, &seeds);
	add_shared_anew(a, db, p, want, &seeds);
	add_of_kin(a, db, p, want, all, &seeds);
	return seeds;
}
