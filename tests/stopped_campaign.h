/* SPDX-License-Identifier: Apache-2.0 */
/* tests/stopped_campaign.h - a campaign that runs through, and the same stopped after each batch: its strategy writes
 * down what each of its proposals knows. */
#ifndef HONE_TESTS_STOPPED_CAMPAIGN_H
#define HONE_TESTS_STOPPED_CAMPAIGN_H

#include "tests/fixture/db_fixture.h"

#include "search/campaign/tuner.h"
#include "tests/fake/made_up_measurer.h"

struct stopped_campaign {
	const char *source;
	const struct strategy *strategy;
	int trials, batch;
	void (*add_tasks)(struct arena *a, struct task_vec *tasks);
};

/* One of them at work. */
struct stopped_play {
	struct made_up_measurer made_up;	/* first */
	const struct stopped_campaign *campaign;
	struct fixture *f;
	bool stops;		/* after each batch */
	volatile sig_atomic_t stop;
};

/* Strategies keep nothing of their own: lines of the last campaign. */
static struct text stopped_log;

/* Adds LINE; false where it is there: what is proposed again, because the campaign was stopped, is proposed alike. */
static inline bool stopped_note(const char *line)
{
	bool again = strstr(text_str(&stopped_log), line);

	if (!again)
		text_puts(&stopped_log, line);
	return !again;
}

static inline int stopped_answer(struct made_up_measurer *m, struct arena *a, const struct job_batch *b,
				 struct trial *results)
{
	(void)m;
	for (int i = 0; i < b->n; i++) {
		const char *steps = b->jobs[i].steps;

		made_up_time(a, &results[i], 100 + (double)(hash_bytes(steps, strlen(steps)).lo % 1000) / 10);
	}
	return 0;
}

static inline void stopped_hear(void *user, const struct tell *t)
{
	struct stopped_play *p = user;

	if (t->kind == TELL_PROGRESS)
		p->stop = p->stops;
}

/* How tuner_run() ended. */
static inline int stopped_run(struct stopped_play *p)
{
	const struct stopped_campaign *c = p->campaign;
	struct db *db = db_open(p->f->path, DB_WRITE);
	struct task_vec tasks = { 0 };
	const struct tuner_options o = {
		.source = c->source, .own_strategy = c->strategy, .measurer = &p->made_up.m, .threads = 1,
		.budget.trials = c->trials, .batch = c->batch, .seed = 3, .stop = &p->stop,
		.listener = { stopped_hear, p },
	};

	assert_non_null(db);
	p->stop = 0;
	c->add_tasks(p->f->a, &tasks);
	struct tuner *t = tuner_new(
		db, device_synthetic(p->f->a, "synthetic:l2:1(size=1MiB) core:1 pu:1 isa=avx2"), &tasks, &o);

	if (!t)
		fail_msg("%s", err_get());
	int rc = tuner_run(t);

	tuner_free(t);
	db_close(db);
	return rc;
}

/* The log of campaign C in a database NAME of its own, which took *RUNS runs. */
static inline char *stopped_play(struct fixture *f, const struct stopped_campaign *c, const char *name, bool stops,
				 int *runs)
{
	struct stopped_play p = { .made_up = { made_up_measurer(), .answer = stopped_answer }, .campaign = c, .f = f,
				  .stops = stops };

	f->path = arena_printf(f->a, "%s/%s.db", f->folder, name);
	for (*runs = 1; stopped_run(&p) == 1; *runs += 1)
		assert_true(*runs < 2 * c->trials);
	char *log = arena_strdup(f->a, text_str(&stopped_log));

	text_free(&stopped_log);
	stopped_log = (struct text){ 0 };
	return log;
}

#endif
