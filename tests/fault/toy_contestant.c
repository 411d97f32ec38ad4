/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fault/toy_contestant.c - a contestant for the tests of the harness. An entry is what it
 * does, and behind a dash a letter that tells it from others.
 *
 * It doubles its input. What its threads do is in the file TOY_LOG, a line for each change, in the
 * order in which it happened: "NAME begin", "NAME end", "NAME spin", "NAME rest". */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "bench/contest/contestant.h"

/* How long an evaluation takes, and how long a worker spins behind the last one. */
enum { RUN_NS = 200000, SPIN_NS = 100000000 };
/* The evaluation in which those that fail do: after the check. */
enum { FAILS_AT = 3 };

struct toy {
	const struct contestant_task *task;
	int log;
	int runs;
	pthread_t worker;
	_Atomic int64_t until; /* the worker spins; INT64_MAX: always */
	_Atomic bool spinning, over;
};

static bool is(const struct toy *t, const char *kind)
{
	return strncmp(t->task->entry, kind, strlen(kind)) == 0;
}

static void note(const struct toy *t, const char *what)
{
	char line[64];
	int n = snprintf(line, sizeof(line), "%s %s\n", t->task->entry, what);

	if (t->log >= 0 && write(t->log, line, (size_t)n) != n)
		die("the log cannot be written");
}

/* As OpenMP's workers: looks for work for a while, then sleeps. */
static void *work(void *user)
{
	struct toy *t = user;

	while (!t->over) {
		if (clock_ns() >= t->until) {
			if (t->spinning) {
				note(t, "rest");
				t->spinning = false;
			}
			usleep(2000);
		}
	}
	return NULL;
}

static void wake_worker(struct toy *t)
{
	if (!is(t, "spins"))
		return;
	if (!t->spinning) {
		t->spinning = true;
		note(t, "spin");
	}
	t->until = is(t, "spins-on") ? INT64_MAX : clock_ns() + SPIN_NS;
}

static int run(void *handle)
{
	struct toy *t = handle;
	const float *x = t->task->args[0];
	float *y = t->task->args[1];
	int64_t end = clock_ns() + RUN_NS;

	note(t, "begin");
	t->runs++;
	if (t->runs >= FAILS_AT && is(t, "dies"))
		abort();
	if (t->runs >= FAILS_AT && is(t, "hangs"))
		pause();
	if (t->runs >= FAILS_AT && is(t, "fails"))
		return err_set("out of luck");
	if (t->runs >= FAILS_AT && is(t, "leaves"))
		exit(7);
	wake_worker(t);
	while (clock_ns() < end)
		;
	for (int64_t i = 0; i < tensor_count(&t->task->dag->ops.at[0]->tensor); i++)
		y[i] = 2 * x[i];
	if (is(t, "errs"))
		y[5] += 1;
	note(t, "end");
	return 0;
}

static void *prepare(struct arena *a, const struct contestant_task *task, const char **why)
{
	struct toy *t = arena_one(a, struct toy);
	const char *log = getenv("TOY_LOG");

	t->task = task;
	t->log = log ? open(log, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
	*why = "it does not want to";
	if (is(t, "refuses"))
		return NULL;
	if (is(t, "crashes")) {
		fputs("no memory left\n", stderr);
		abort();
	}
	if (is(t, "spins"))
		pthread_create(&t->worker, NULL, work, t);
	puts("what a library prints is no answer");
	fflush(stdout);
	return t;
}

static const char *version(struct arena *a)
{
	(void)a;
	return "toy 1";
}

static const char *kernel(void *handle)
{
	(void)handle;
	return "a loop";
}

static void release(void *handle)
{
	struct toy *t = handle;

	t->over = true;
	if (t->worker)
		pthread_join(t->worker, NULL);
	close(t->log);
}

static const struct contestant_entry entries[] = {
	{"works-a", "all"},  {"works-b", "all"}, {"works-c", "all"}, {"spins-a", "all"},
	{"spins-on", "all"}, {"errs", "all"},	 {"dies", "all"},    {"hangs", "all"},
	{"fails", "all"},    {"leaves", "all"},	 {"refuses", "all"}, {"crashes", "all"},
	{NULL, NULL},
};

const struct contestant contestant = {
	.name = "toy",
	.entries = entries,
	.version = version,
	.prepare = prepare,
	.run = run,
	.kernel = kernel,
	.release = release,
};
