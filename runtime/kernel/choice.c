/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/kernel/choice.c - records first, guesses for the rest, and one compilation for all. */
#include "runtime/kernel/choice.h"

#include "base/err.h"
#include "runtime/kernel/expectations.h"
#include "runtime/kernel/guesses.h"
#include "runtime/kernel/kernel_build.h"
#include "runtime/kernel/objects.h"
#include "runtime/offload/assign.h"
#include "search/expect.h"

const char *choice_origin_name(enum choice_origin o)
{
	static const char *const names[] = { "record", "changed", "guess", "generator", "interpreter" };

	return names[o];
}

bool choice_origin_parse(const char *name, enum choice_origin *out)
{
	for (int i = 0; i <= CHOICE_NONE; i++)
		if (strcmp(choice_origin_name(i), name) == 0) {
			*out = i;
			return true;
		}
	return false;
}

/* A task on its way to a kernel. */
struct chooser {
	struct arena *arena;
	const struct choice_plan *plan;
	struct aim aim;
	struct choice *choices;
	struct trial *trials;
	const char **toolchains;	/* of the records; NULL for guesses */
	int n;
};

struct db_want choice_want(const struct choice_plan *p, int threads)
{
	return (struct db_want){ .fingerprint = p->device->fingerprint,
				 .target = device_mark(p->device), .threads = threads,
				 .exact = p->exact, .now = &p->now };
}

/* The best record with the plan's threads, else with one. 1, 0 or -1. */
static int find_record(const struct chooser *c, const struct task *t, struct best *out)
{
	const struct choice_plan *p = c->plan;

	if (!p->db)
		return 0;
	int found = task_best_in_model(c->arena, p->db, t, choice_want(p, p->threads),
				       p->device->target, out);

	if (found || p->threads == 1)
		return found;
	return task_best_in_model(c->arena, p->db, t, choice_want(p, 1), p->device->target, out);
}

/* Choice I is the kernel of BEST. */
static void take_record(struct chooser *c, int i, const struct best *best)
{
	struct choice *choice = &c->choices[i];
	bool changed = best->evidence == EVIDENCE_CHANGED;

	choice->origin = changed ? CHOICE_CHANGED : CHOICE_RECORD;
	choice->why = changed ? "the steps of its record give another C text today" : NULL;
	choice->time_us = best->record.time_us;
	choice->in_model = strcmp(best->record.cache, cache_state_name(CACHE_MODEL)) == 0;
	choice->replaces = program_replaces(best->program);
	c->trials[i].source = best->source;
	c->toolchains[i] = best->record.toolchain_text;
}

static int choose_one(struct chooser *c, int i, const struct model_task *m)
{
	struct choice *choice = &c->choices[i];
	struct trial *trial = &c->trials[i];
	struct best best;
	struct guess guess;

	choice->why = m->reason;
	if (!m->dag)
		return 0;
	const struct task *t = task_new(c->arena, m->dag, m->op, m->weight);
	int found = find_record(c, t, &best);

	if (found < 0)
		return -1;
	if (found) {
		take_record(c, i, &best);
	} else if (guesses_get(c->arena, t, &c->aim, &guess)) {
		choice->origin = CHOICE_GUESS;
		choice->why = c->plan->db ? "no record of this device and so many threads"
					  : "no database";
		choice->replaces = guess.replaces;
		trial->source = guess.source;
	} else {
		choice->why = "no sampled schedule makes a kernel";
	}
	return 0;
}

/* What the kernel of C's choice I for M took beside those of generators. */
static void take_place(struct chooser *c, int i, const struct model_task *m)
{
	const char *source = c->trials[i].source;
	struct offer x;

	if (source && offers_get(c->plan->offers, m->key, OFFER_HOST, &x) &&
	    hash_equal(x.source, hash_bytes(source, strlen(source)))) {
		c->choices[i].time_us = x.us;
		c->choices[i].in_model = x.in_model;
	}
}

/* Compiles and loads those whose records have TOOLCHAIN (NULL: the guesses). */
static int build_group(struct chooser *c, const char *toolchain, int *built)
{
	struct trial *trials = arena_many(c->arena, struct trial, c->n);
	int *of = arena_many(c->arena, int, c->n);
	int n = 0, made;
	bool same;

	for (int i = 0; i < c->n; i++)
		if (c->trials[i].source && !c->trials[i].object &&
		    (toolchain ? c->toolchains[i] && strcmp(c->toolchains[i], toolchain) == 0
			       : !c->toolchains[i])) {
			of[n] = i;
			trials[n++] = c->trials[i];
		}
	if (n == 0)
		return 0;
	struct build_pool *b = kernel_builder(c->plan->device, NULL, toolchain, &same);
	const char *flags = b ? build_pool_flags(c->arena, b) : NULL;
	int rc = b ? objects_get(c->arena, b, trials, n, &made) : -1;

	for (int i = 0; i < n && rc == 0; i++) {
		struct choice *choice = &c->choices[of[i]];

		c->trials[of[i]] = trials[i];
		if (!trials[i].object) {
			choice->origin = CHOICE_NONE;
			choice->why = trials[i].text ? trials[i].text : "it does not compile";
		} else {
			choice->object = trials[i].object;
			choice->source = trials[i].source;
			choice->cc = arena_strdup(c->arena, build_pool_cc(b));
			choice->flags = flags;
			rc = kernel_load(&choice->kernel, choice->object, c->plan->threads);
		}
	}
	if (rc == 0)
		*built += made;
	build_pool_free(b);
	return rc;
}

/* Compiles and loads all that was found. */
static int build(struct chooser *c, int *built)
{
	for (int i = 0; i < c->n; i++)
		if (c->toolchains[i] && c->trials[i].source && !c->trials[i].object &&
		    c->choices[i].origin != CHOICE_NONE &&
		    build_group(c, c->toolchains[i], built) < 0)
			return -1;
	return build_group(c, NULL, built);
}

static struct choice *choices_empty(struct arena *a, int n)
{
	struct choice *c = arena_many(a, struct choice, n);

	for (int i = 0; i < n; i++)
		c[i].origin = CHOICE_NONE;
	return c;
}

static struct chooser chooser_of(struct arena *a, const struct choice_plan *plan, int n)
{
	struct aim aim = aim_of(plan->device, plan->threads, CACHE_WARM);

	aim.exact = plan->exact;
	return (struct chooser){
		.arena = a,
		.plan = plan,
		.aim = aim,
		.choices = choices_empty(a, n),
		.trials = arena_many(a, struct trial, n),
		.toolchains = arena_many(a, const char *, n),
		.n = n,
	};
}

struct choice *choose_records(struct arena *a, const struct best *records, int n,
			      const struct choice_plan *plan, int *built)
{
	struct chooser c = chooser_of(a, plan, n);

	*built = 0;
	for (int i = 0; i < n; i++)
		take_record(&c, i, &records[i]);
	return build(&c, built) < 0 ? NULL : c.choices;
}

/* What is expected of the guesses. */
static void expect(const struct chooser *c, const struct model_task_vec *tasks)
{
	struct arena *a = arena_new();
	const struct model_task **guessed = arena_many(a, const struct model_task *, c->n);
	double *us = arena_many(a, double, c->n);
	int n = 0;

	for (int i = 0; i < c->n; i++)
		if (c->choices[i].origin == CHOICE_GUESS)
			guessed[n++] = &tasks->at[i];
	if (n)
		expectations_get(guessed, n, c->plan->device, c->plan->threads, us);
	for (int i = c->n - 1; i >= 0; i--)
		if (c->choices[i].origin == CHOICE_GUESS)
			c->choices[i].expected_us = us[--n] < EXPECT_NOTHING_US ? us[n] : 0;
	arena_free(a);
}

struct choice *choose(struct arena *a, const struct graph *g, const struct model_task_vec *tasks,
		      const struct choice_plan *plan, int *built)
{
	struct chooser c = chooser_of(a, plan, tasks->n);

	*built = 0;
	if (offers_in_use(plan->offers) && offload_assign(a, g, tasks, plan, c.choices) < 0)
		return NULL;
	for (int i = 0; i < c.n; i++)
		if (c.choices[i].origin != CHOICE_GENERATOR) {
			if (choose_one(&c, i, &tasks->at[i]) < 0)
				return NULL;
			if (offers_in_use(plan->offers))
				take_place(&c, i, &tasks->at[i]);
		}
	expect(&c, tasks);
	return build(&c, built) < 0 ? NULL : c.choices;
}
