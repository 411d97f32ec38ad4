/* SPDX-License-Identifier: Apache-2.0 */
/* bench/vdla/entry.c - two campaigns, and their bests simulated again. */
#include "bench/vdla/entry.h"

#include <math.h>

#include "base/err.h"
#include "codegen/vdla/generate.h"
#include "search/best.h"
#include "search/campaign/tuner.h"
#include "search/measurers/simulated.h"

static struct db_want want_of(const struct vdla_plan *plan, const struct task *t, int threads)
{
	return (struct db_want){ .task_key = t->key, .fingerprint = plan->device->fingerprint,
				 .target = device_mark(plan->device), .threads = threads, .measured = true };
}

static int count(const struct vdla_plan *plan, const struct task *t, struct vdla_found *f)
{
	struct db_want want = want_of(plan, t, f->threads);
	int64_t counts[TRIAL_STATUS_COUNT];

	if (db_counts(plan->db, &want, counts) < 0)
		return -1;
	f->trials = f->failed = 0;
	for (int i = TRIAL_STORED_FIRST; i < TRIAL_STATUS_COUNT; i++) {
		f->trials += counts[i];
		f->failed += i != TRIAL_OK && i != TRIAL_LOST_RACE ? counts[i] : 0;
	}
	return 0;
}

/* Nothing is learned from campaigns before, so that neither way is ahead. */
static int tune(const struct vdla_plan *plan, const struct task *t, int threads)
{
	struct tuner_options o = {
		.source = t->name,
		.strategy = plan->strategy,
		.measurer = measurer_simulated(plan->device, plan->seed),
		.threads = threads,
		.budget = { .trials = plan->trials },
		.seed = plan->seed,
		.no_transfer = true,
		.stop = plan->stop,
		.listener = plan->listener,
	};

	return o.measurer ? tuner_run_task(plan->db, plan->device, t, &o) : -1;
}

/* --- unit by unit */

static int64_t vector_cycles(const struct vdla_binary *b, const struct vdla_span *spans)
{
	int64_t sum = 0;

	for (int i = 0; i < b->code.n; i++)
		sum += b->code.at[i].op == VDLA_ALU ? spans[i].end - spans[i].start : 0;
	return sum;
}

static int simulate(struct arena *a, const struct vdla_plan *plan, const struct best *best, struct vdla_found *f)
{
	const char *why = NULL;
	const struct vdla_binary *b = vdla_generate(a, best->program, &plan->machine, &why);

	if (!b)
		return err_set("the best kernel cannot be written again: %s", why);
	struct vdla_span *spans = arena_many(a, struct vdla_span, b->code.n);

	if (vdla_simulate(b, NULL, &f->cycles, spans) < 0)
		return -1;
	f->vector = vector_cycles(b, spans);
	f->found = true;
	return 0;
}

static int look(struct arena *a, const struct vdla_plan *plan, const struct task *t, struct vdla_found *f)
{
	struct best best;
	int found = task_best(a, plan->db, t, want_of(plan, t, f->threads), plan->device->target, &best);

	return found < 0 || (found && simulate(a, plan, &best, f) < 0) ? -1 : 0;
}

static int play_one(const struct vdla_plan *plan, const struct task *t, struct vdla_found *f)
{
	struct arena *a = arena_new();	/* instructions are many */
	int rc = count(plan, t, f);

	if (rc == 0 && f->trials < plan->trials)
		rc = tune(plan, t, f->threads);
	if (rc == 0)
		rc = count(plan, t, f) < 0 || look(a, plan, t, f) < 0 ? -1 : 0;
	arena_free(a);
	return rc;
}

int vdla_play(const struct vdla_plan *plan, const struct task *t, struct vdla_entry *out)
{
	int rc = 0;

	*out = (struct vdla_entry){ .task = t, .roof = vdla_roof_of(t->dag, &plan->machine) };
	for (int i = 0; i < VDLA_TURNS && rc == 0; i++) {
		out->by[i].threads = i == VDLA_VIRTUAL ? plan->threads : 1;
		rc = play_one(plan, t, &out->by[i]);
	}
	return rc < 0 ? err_prefix("%s", t->name) : rc;
}

/* --- figures */

static double part(int64_t part, const struct vdla_found *f)
{
	return f->found ? (double)part / (double)f->cycles.total : NAN;
}

double vdla_share(const struct vdla_roof *r, const struct vdla_found *f)
{
	return part(vdla_roof_cycles(r), f);
}

double vdla_utilisation(const struct vdla_found *f)
{
	return part(f->cycles.products, f);
}

double vdla_vector_share(const struct vdla_found *f)
{
	return part(f->vector, f);
}

double vdla_ratio(const struct vdla_entry *e)
{
	const struct vdla_found *with = &e->by[VDLA_VIRTUAL], *without = &e->by[VDLA_ALONE];

	return with->found && without->found ? (double)without->cycles.total / (double)with->cycles.total : NAN;
}
