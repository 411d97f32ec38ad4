/* SPDX-License-Identifier: Apache-2.0 */
/* search/measurers/pipeline.c - two threads, a ring of batches, and what they tell. */
#include "search/measurers/pipeline.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"

/* A line that was told by a stage, and not yet passed on. */
struct pipeline_line {
	struct pipeline_line *next;
	enum tell_kind kind;
	char text[];
};

/* Batches are numbered as they come: TAKEN <= ran <= built <= put, and a stage that is at work has the
 * next of its number. */
struct pipeline {
	struct pipeline_stages stages;
	struct listener to, own;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	pthread_t owner, builder, runner;
	void *ring[PIPELINE_MOST];
	int64_t put, built, ran, taken;
	bool building, running, awaited, beside, ends;
	double ran_s;
	int64_t run_began_ns;
	struct pipeline_line *lines;	/* the oldest first */
};

/* --- who may go on; the mutex is held */

static bool may_build(const struct pipeline *p)
{
	bool runs = p->running || (p->awaited && p->ran == p->taken && p->ran < p->built);

	return p->built < p->put && (p->beside || !runs);
}

static bool may_run(const struct pipeline *p)
{
	bool next = p->awaited && p->ran == p->taken;	/* nothing runs that nobody waits for yet */

	return p->ran < p->built && (p->beside || (next && !p->building));
}

/* --- stages */

static void *build_all_that_comes(void *user)
{
	struct pipeline *p = user;

	pthread_mutex_lock(&p->mutex);
	for (;;) {
		while (!p->ends && !may_build(p))
			pthread_cond_wait(&p->changed, &p->mutex);
		if (p->ends)
			break;
		p->building = true;
		pthread_mutex_unlock(&p->mutex);
		p->stages.build(p->stages.user, p->ring[p->built % PIPELINE_MOST]);
		pthread_mutex_lock(&p->mutex);
		p->building = false;
		p->built++;
		pthread_cond_broadcast(&p->changed);
	}
	pthread_mutex_unlock(&p->mutex);
	return NULL;
}

static void *run_all_that_comes(void *user)
{
	struct pipeline *p = user;

	pthread_mutex_lock(&p->mutex);
	for (;;) {
		while (!p->ends && !may_run(p))
			pthread_cond_wait(&p->changed, &p->mutex);
		if (p->ends)
			break;
		p->running = true;
		p->run_began_ns = clock_ns();
		pthread_mutex_unlock(&p->mutex);
		p->stages.run(p->stages.user, p->ring[p->ran % PIPELINE_MOST]);
		pthread_mutex_lock(&p->mutex);
		p->running = false;
		p->ran_s += seconds_since(p->run_began_ns);
		p->ran++;
		pthread_cond_broadcast(&p->changed);
	}
	pthread_mutex_unlock(&p->mutex);
	return NULL;
}

/* --- lines */

static void keep_line(void *user, const struct tell *t)
{
	struct pipeline *p = user;
	size_t n = strlen(t->line) + 1;	/* stages tell lines */

	if (pthread_equal(pthread_self(), p->owner)) {
		listener_send(&p->to, t);
		return;
	}
	struct pipeline_line *new = malloc(sizeof(*new) + n), **at = &p->lines;

	if (!new)
		die("out of memory for a message");
	*new = (struct pipeline_line){ .kind = t->kind };
	memcpy(new->text, t->line, n);
	pthread_mutex_lock(&p->mutex);
	while (*at)
		at = &(*at)->next;
	*at = new;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->mutex);
}

/* The mutex is held, but not while the owner hears. */
static void pass_on(struct pipeline *p)
{
	while (p->lines) {
		struct pipeline_line *line = p->lines;

		p->lines = line->next;
		pthread_mutex_unlock(&p->mutex);
		listener_tell(&p->to, line->kind, "%s", line->text);
		free(line);
		pthread_mutex_lock(&p->mutex);
	}
}

/* --- the owner */

/* Signals are for the owner's thread: what they interrupt is there. */
static void start(pthread_t *thread, void *(*main)(void *), struct pipeline *p)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (pthread_create(thread, NULL, main, p) != 0)
		die("cannot start a thread");
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

struct pipeline *pipeline_new(const struct pipeline_stages *s, const struct listener *to)
{
	struct pipeline *p = calloc(1, sizeof(*p));

	if (!p)
		die("out of memory for a pipeline");
	p->stages = *s;
	p->to = *to;
	p->own = (struct listener){ keep_line, p };
	p->owner = pthread_self();
	pthread_mutex_init(&p->mutex, NULL);
	pthread_cond_init(&p->changed, NULL);
	start(&p->builder, build_all_that_comes, p);
	start(&p->runner, run_all_that_comes, p);
	return p;
}

void pipeline_free(struct pipeline *p)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->mutex);
	p->ends = true;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->mutex);
	pthread_join(p->builder, NULL);
	pthread_join(p->runner, NULL);
	pthread_mutex_lock(&p->mutex);
	pass_on(p);
	pthread_mutex_unlock(&p->mutex);
	for (; p->taken < p->put; p->taken++)
		p->stages.drop(p->stages.user, p->ring[p->taken % PIPELINE_MOST]);
	pthread_cond_destroy(&p->changed);
	pthread_mutex_destroy(&p->mutex);
	free(p);
}

const struct listener *pipeline_listener(const struct pipeline *p)
{
	return &p->own;
}

void pipeline_set_beside(struct pipeline *p, bool beside)
{
	pthread_mutex_lock(&p->mutex);
	p->beside = beside;
	pthread_mutex_unlock(&p->mutex);
}

void pipeline_put(struct pipeline *p, void *batch)
{
	pthread_mutex_lock(&p->mutex);
	if (p->put - p->taken == PIPELINE_MOST)
		die("more than %d batches in a pipeline", PIPELINE_MOST);
	p->ring[p->put++ % PIPELINE_MOST] = batch;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->mutex);
}

void *pipeline_take(struct pipeline *p)
{
	pthread_mutex_lock(&p->mutex);
	p->awaited = true;
	pthread_cond_broadcast(&p->changed);
	for (pass_on(p); p->ran == p->taken; pass_on(p))
		pthread_cond_wait(&p->changed, &p->mutex);
	p->awaited = false;
	void *batch = p->ring[p->taken++ % PIPELINE_MOST];

	pthread_mutex_unlock(&p->mutex);
	return batch;
}

bool pipeline_runs(struct pipeline *p)
{
	pthread_mutex_lock(&p->mutex);
	bool runs = p->running || (p->beside && p->ran < p->built);

	pthread_mutex_unlock(&p->mutex);
	return runs;
}

double pipeline_ran_s(struct pipeline *p)
{
	pthread_mutex_lock(&p->mutex);
	double s = p->ran_s + (p->running ? seconds_since(p->run_began_ns) : 0);

	pthread_mutex_unlock(&p->mutex);
	return s;
}
