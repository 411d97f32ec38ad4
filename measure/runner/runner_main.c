/* SPDX-License-Identifier: Apache-2.0 */
/* measure/runner/runner_main.c - hone-runner: runs kernels nobody trusts, one task long.
 *
 * In:   requests on descriptor 3 (measure/runner/protocol.h), a memory file on descriptor 4.
 * Out:  events on descriptor 3.
 * Holds: it does not outlive hone; a kernel can end it, and hone starts another. What a kernel has no
 *        use for it gives up first (measure/runner/sandbox.h). */
#include <fenv.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "measure/process/child.h"
#include "measure/runner/runner_task.h"
#include "measure/runner/runner_usage.h"
#include "measure/runner/sandbox.h"

/* A runner that has grown by this much is retired: kernels leak. */
#define GROWTH_LIMIT ((size_t)512 << 20)
/* The C library reserves this for each thread's heap and stack. */
#define THREAD_MEMORY ((size_t)192 << 20)

struct runner_process {
	struct runner_task task;
	size_t base_memory;		/* address space after the set-up */
	int base_threads;		/* threads that may stay behind */
	struct series *series;		/* REMEASURE_MAX of them */
	struct loaded_kernel kept[REMEASURE_MAX];
	int n_kept;
	struct event event;		/* the one being made */
};

static void send_event(struct event *e)
{
	size_t bytes = e->kind == EVENT_RESULT ? sizeof(*e) : EVENT_HEAD;

	if (send(RUNNER_SOCKET, e, bytes, MSG_NOSIGNAL) < 0)
		_exit(1);	/* hone is gone */
}

static void send_started(struct runner_process *r, int index)
{
	struct event e = { .kind = EVENT_STARTED, .index = index };

	r->task.index = index;
	send_event(&e);
}

static void send_result(struct runner_process *r, int index)
{
	struct event *e = &r->event;

	e->kind = EVENT_RESULT;
	e->index = index;
	send_event(e);
	fesetenv(FE_DFL_ENV);
	if (e->retire)
		_exit(0);
}

/* A kernel with threads of its own must not be unloaded under them: the process is given up. */
static void check_threads(struct runner_process *r, int index)
{
	struct event *e = &r->event;
	int extra = usage_threads_beyond(r->base_threads);

	if (extra <= 0)
		return;
	if (e->status == TRIAL_OK || e->status == TRIAL_LOST_RACE) {
		e->status = TRIAL_CRASH;
		snprintf(e->text, sizeof(e->text), "left %d %s running", extra,
			 extra == 1 ? "thread" : "threads");
	}
	e->retire = true;
	send_result(r, index);
}

static void check_growth(struct runner_process *r)
{
	r->event.retire |= usage_address_space() > r->base_memory + task_spare_bytes(&r->task) + GROWTH_LIMIT +
						     THREAD_MEMORY * (size_t)r->task.setup.threads;
}

static void unload(struct runner_process *r, struct loaded_kernel *k)
{
	r->task.current = k;
	r->task.stage = STAGE_UNLOAD;
	kernel_unload(&r->task, k);
	r->task.current = NULL;
}

static void put_series(struct event *e, const struct series *s, const struct sibling *sibling)
{
	struct timing_result r;

	e->cores = sibling ? sibling_known(sibling) : (struct cores_known){ 0 };
	series_end(s, &r);
	e->n_samples = s->n;
	memcpy(e->samples, s->us, sizeof(double) * (size_t)s->n);
	series_counted(s, e->counted);
	e->disturbed = r.disturbed;
	e->time_us = r.time_us;
	e->n_counters = 0;
	if (r.clock > 0)
		e->counters[e->n_counters++] = (struct counter){ COUNTER_FIXED, (int64_t)(e->cores.fixed_us * 1e3 / r.clock) };
}

static void put_counters(struct runner_process *r, struct loaded_kernel *k)
{
	struct runner_task *t = &r->task;

	if (!t->counters)
		t->counters = counters_new();
	if (counters_start(t->counters) < 0)
		return;
	timed_run(k->timed);
	struct event *e = &r->event;

	e->n_counters += counters_stop(t->counters, e->counters + e->n_counters, COUNTERS_MAX - e->n_counters);
}

static enum trial_status verify(struct runner_process *r, struct loaded_kernel *k,
				enum runner_stage stage)
{
	int64_t start = clock_ns();
	enum trial_status s = kernel_verify(&r->task, k, stage, r->event.text);

	r->event.verify_ms += ms_since(start);
	return s;
}

static enum trial_status load(struct runner_process *r, struct loaded_kernel *k, const struct request *q)
{
	r->task.limit_us = q->limit_us;
	return kernel_load(&r->task, k, q->path, q->symbol, r->task.setup.memory, r->event.text);
}

static enum trial_status verify_on(struct runner_process *r, struct loaded_kernel *k, enum input_set set,
				   enum runner_stage stage)
{
	enum trial_status s = kernel_bind(&r->task, k, set, r->event.text);

	return s == TRIAL_OK ? verify(r, k, stage) : s;
}

static enum trial_status load_verified(struct runner_process *r, struct loaded_kernel *k,
				       const struct request *q)
{
	enum trial_status s = load(r, k, q);

	/* The random inputs last: they are what the kernel is timed on. */
	for (int set = INPUT_SETS - 1; set >= 0 && s == TRIAL_OK; set--)
		s = verify_on(r, k, set, STAGE_VERIFY);
	return s;
}

/* On the inputs that it is timed on a kernel is verified before, on all others behind that: who loses the race needs no
 * more, and that it still is right then shows there. */
static enum trial_status measure(struct runner_process *r, struct loaded_kernel *k,
				 const struct request *q)
{
	struct series *s = &r->series[0];
	enum trial_status status = load(r, k, q);

	if (status == TRIAL_OK)
		status = verify_on(r, k, INPUTS_RANDOM, STAGE_VERIFY);
	if (status != TRIAL_OK)
		return status;
	r->task.stage = STAGE_TIME;
	bool survived = timing_measure(s, &r->task.timing, k->timed, q->limit_us);

	put_series(&r->event, s, r->task.timing.sibling);
	if (!survived) {
		snprintf(r->event.text, PROTOCOL_TEXT, "%.4g us after %d %s, the limit is %.4g us",
			 r->event.time_us, s->n, s->n == 1 ? "sample" : "samples",
			 q->limit_us);
		return TRIAL_LOST_RACE;
	}
	put_counters(r, k);
	for (int set = INPUT_SETS - 1; set >= 0 && status == TRIAL_OK; set--)
		if (set != INPUTS_RANDOM)
			status = verify_on(r, k, set, STAGE_REVERIFY);
	return status;
}

/* A kernel may have so much beyond the arguments and its packed constants, its workspace included.
 * The limit is the soft one: it grows with the number of KERNELS that are loaded at once. */
static void limit_memory(const struct runner_process *r, int kernels)
{
#if defined(__SANITIZE_ADDRESS__)	/* whose shadow takes more than any limit */
	(void)r;
	(void)kernels;
#else
	size_t constants = 0, workspaces = 0;

	for (int i = 0; i < r->task.n_inputs; i++)
		if (r->task.setup.args[i].role == ARG_CONST)
			constants += r->task.image[INPUTS_RANDOM].data[i].inner;
	for (int i = 0; i < r->n_kept; i++)
		workspaces += r->kept[i].workspace.inner;
	usage_limit_address_space(r->base_memory + r->task.setup.memory +
				  THREAD_MEMORY * (size_t)r->task.setup.threads + workspaces +
				  2 * constants * (size_t)kernels);
#endif
}

static void serve_measure(struct runner_process *r, const struct request *q)
{
	struct loaded_kernel k = { 0 };
	int64_t start = clock_ns();

	send_started(r, 0);
	r->event.status = measure(r, &k, q);
	r->event.run_ms = ms_since(start);
	check_threads(r, 0);
	unload(r, &k);
	check_growth(r);
	send_result(r, 0);
}

static void serve_add(struct runner_process *r, const struct request *q)
{
	struct loaded_kernel *k = &r->kept[r->n_kept];

	limit_memory(r, r->n_kept + 1);
	send_started(r, 0);
	r->event.status = load_verified(r, k, q);
	check_threads(r, 0);
	if (r->event.status == TRIAL_OK)
		r->n_kept++;
	else
		unload(r, k);
	send_result(r, 0);
}

/* Rounds that were disturbed are made up for, up to so many times those that were asked for. Chosen, not measured. */
enum { ROUNDS_MOST = 3 };

/* The I-th of the kernels that take turns is to run: its name is what a fault will be told by. */
static struct loaded_kernel *turn_of(struct runner_process *r, int i)
{
	send_started(r, i);
	r->task.current = &r->kept[i];
	r->task.stage = STAGE_TIME;
	return &r->kept[i];
}

static void take_rounds(struct runner_process *r, int rounds)
{
	int most = ROUNDS_MOST * rounds < SAMPLES_MAX ? ROUNDS_MOST * rounds : SAMPLES_MAX;

	for (int i = 0; i < r->n_kept; i++)
		series_begin(&r->series[i], &r->task.timing, turn_of(r, i)->timed);
	for (int round = 0; round < most && series_good(r->series, r->n_kept) < rounds; round++)
		for (int i = 0; i < r->n_kept; i++) {
			turn_of(r, i);
			series_warm(&r->series[i], &r->task.timing);	/* the others have taken the caches */
			series_add(&r->series[i], &r->task.timing);
		}
	for (int i = 0; i < r->n_kept; i++)
		series_look(&r->series[i]);
	series_join(r->series, r->n_kept);
}

static void serve_rounds(struct runner_process *r, const struct request *q)
{
	int64_t start = clock_ns();

	take_rounds(r, q->rounds);
	double each_ms = ms_since(start) / (r->n_kept ? r->n_kept : 1);

	for (int i = 0; i < r->n_kept; i++) {
		struct event *e = &r->event;

		memset(e, 0, sizeof(*e));
		send_started(r, i);
		put_series(e, &r->series[i], r->task.timing.sibling);
		e->status = verify(r, &r->kept[i], STAGE_REVERIFY);
		e->run_ms = each_ms + e->verify_ms;
		check_threads(r, i);
		send_result(r, i);
	}
	while (r->n_kept > 0)
		unload(r, &r->kept[--r->n_kept]);
	limit_memory(r, 1);
}

static void serve_setup(struct runner_process *r, const struct setup *setup)
{
	send_started(r, 0);
	r->event.status = task_setup(&r->task, setup, r->event.text) ? TRIAL_OK : TRIAL_CRASH;
	close(RUNNER_MEMORY);
	r->base_memory = usage_address_space();
	r->base_threads = usage_threads();
	limit_memory(r, 1);
	send_result(r, 0);
}

static void serve(struct runner_process *r, const void *message)
{
	enum request_kind kind;

	memcpy(&kind, message, sizeof(kind));
	memset(&r->event, 0, sizeof(r->event));
	switch (kind) {
	case REQUEST_SETUP:
		serve_setup(r, message);
		break;
	case REQUEST_MEASURE:
		serve_measure(r, message);
		break;
	case REQUEST_ADD:
		serve_add(r, message);
		break;
	case REQUEST_ROUNDS:
		serve_rounds(r, message);
		break;
	}
}

int main(int argc, char **argv)
{
	static struct runner_process r;
	union {
		struct setup setup;
		struct request request;
	} message;

	if (argc != 2) {
		fputs("hone-runner is started by hone, not by hand\n", stderr);
		return 2;
	}
	if (!child_begins(argv[1]))
		return 1;
	usage_limit_stack();
	r.series = calloc(REMEASURE_MAX, sizeof(*r.series));
	if (!r.series)
		return 1;
	fault_install(&r.task, RUNNER_SOCKET);
	sandbox_enter();
	while (recv(RUNNER_SOCKET, &message, sizeof(message), 0) > 0)
		serve(&r, &message);
	return 0;
}
