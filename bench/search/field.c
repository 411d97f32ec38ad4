/* SPDX-License-Identifier: Apache-2.0 */
/* bench/search/field.c - campaigns one after the other, then their bests against each other. */
#include "bench/search/field.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "search/best.h"
#include "search/campaign/tuner.h"
#include "search/measurers/ask.h"

enum { MAX_BESTS = FIELD_MAX_STRATEGIES * FIELD_MAX_SEEDS };

/* The bests of all campaigns of a task. */
struct finals {
	const char *steps[MAX_BESTS];
	double *us[MAX_BESTS];	/* where the time goes */
	int n;
};

static struct tuner *start(const struct field_plan *plan, struct db *db, struct task *t, int s,
			   int seed)
{
	struct task_vec tasks = { .at = &t, .n = 1 };
	struct tuner_options o = {
		.source = t->name,
		.own_strategy = plan->strategy[s],
		.strategy = plan->strategy[s]->name,
		.cc = plan->cc,
		.threads = plan->threads,
		.budget = { .trials = plan->trials[s] },
		.seed = (uint64_t)seed + 1,
		.no_transfer = true,
		.stop = plan->stop,
		.listener = plan->listener,
	};

	return tuner_new(db, plan->device, &tasks, &o);
}

/* To its end in the database UNFINISHED, which is then called PATH: so that a campaign that is over
 * is told from one that was stopped. 0, 1 where it was stopped, -1 and a message. */
static int run(const struct field_plan *plan, const char *unfinished, const char *path,
	       struct task *t, int s, int seed)
{
	struct db *db = db_open(unfinished, DB_WRITE);
	struct tuner *tuner = db ? start(plan, db, t, s, seed) : NULL;
	int rc = tuner ? tuner_run(tuner) : -1;

	if (tuner)
		tuner_free(tuner);
	db_close(db);
	if (rc == 0 && rename(unfinished, path) < 0)
		return err_set("%s: cannot be renamed: %s", unfinished, strerror(errno));
	return rc;
}

/* Takes the best of the campaign in the database PATH, where it has one. */
static int take_best(struct arena *a, const struct field_plan *plan, const char *path,
		     const struct task *t, double *us, struct finals *f)
{
	struct db *db = db_open(path, DB_READ);
	struct db_want want = { .measured = true };
	struct best best;
	int found = db ? task_best(a, db, t, want, plan->device->target, &best) : -1;

	if (found == 1) {
		f->steps[f->n] = best.record.steps;
		f->us[f->n++] = us;
	}
	db_close(db);
	return found < 0 ? -1 : 0;
}

static int campaign(struct arena *a, const struct field_plan *plan, struct task *t, int s, int seed,
		    double *us, struct finals *f)
{
	const char *name = arena_printf(a, "%s/%s-%s-%d-%d", plan->folder, t->key,
					plan->strategy[s]->name, plan->trials[s], seed + 1);
	const char *path = arena_printf(a, "%s.db", name);
	int rc = 0;

	if (access(path, F_OK) < 0)
		rc = run(plan, arena_printf(a, "%s-unfinished.db", name), path, t, s, seed);
	return rc == 0 ? take_best(a, plan, path, t, us, f) : rc;
}

/* --- the sitting */

static int recall(struct arena *a, const struct field_plan *plan, const struct task *t,
		  const struct finals *f, struct candidate *c)
{
	struct aim *aim = arena_one(a, struct aim);
	struct problem p = { .task = t, .aim = aim };

	*aim = aim_of(plan->device, plan->threads, CACHE_WARM);
	for (int i = 0; i < f->n; i++) {
		if (!candidate_recall(&p, a, f->steps[i], &c[i]))
			return -1;
		if (!candidate_emit(&p, a, &c[i]))
			return err_set("%s: the kernel cannot be written again", t->name);
	}
	return 0;
}

static int sit(const struct field_plan *plan, const struct task *t, const struct finals *f)
{
	struct hardware_options o = { .cc = plan->cc, .device = plan->device,
				      .threads = plan->threads, .seed = 1,
				      .listener = plan->listener };
	struct measurer *m = measurer_hardware(&o);
	struct arena *a = arena_new();
	struct candidate *c = arena_many(a, struct candidate, f->n + 1);
	int rc = m ? recall(a, plan, t, f, c) : -1;

	if (rc == 0)
		rc = ask_and_wait(m, a, t, 0, c, f->n, true) != 0 ? -1 : 0;
	for (int i = 0; rc == 0 && i < f->n; i++)
		*f->us[i] = c[i].trial.status == TRIAL_OK ? c[i].trial.time_us : 0;
	if (m)
		m->free(m);
	arena_free(a);
	return rc;
}

int field_play(struct arena *a, const struct field_plan *plan, const struct task *t,
	       struct field_task *out)
{
	struct finals *f = arena_one(a, struct finals);
	struct task *own = arena_memdup(a, t, sizeof(*t));
	int rc = 0;

	*out = (struct field_task){ .task = t };
	for (int seed = 0; seed < plan->seeds && rc == 0; seed++)
		for (int s = 0; s < plan->n && rc == 0; s++) {
			if (plan->progress)
				plan->progress(t, plan->strategy[s], seed);
			rc = campaign(a, plan, own, s, seed, &out->us[s][seed], f);
		}
	if (rc == 0 && f->n > 0)
		rc = sit(plan, t, f);
	if (rc == 0)
		field_rank(plan, out);
	return rc;
}
