/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/finals/finals.c - hone-finals as its parent sees it, and the records of what it found. */
#include "runtime/finals/finals.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/quantile.h"
#include "base/text.h"
#include "base/version.h"
#include "measure/process/device_lock.h"
#include "measure/timing/pin.h"
#include "measure/process/spawn.h"
#include "measure/timing/timing.h"
#include "search/campaign/contenders.h"

/* Between two looks at whether to stop. */
enum { LOOK_MS = 50 };

/* Twice what a round may take where all of the time is its own. Who is silent longer hangs. */
#define SILENCE_S (2 * FINALS_MOST_S)

/* The process. */
struct final_process {
	const struct finals_options *o;
	const struct finals_call *call;
	struct finals_stand stand;
	double seconds;		/* that they may take */
	struct arena *arena;
	struct device_lock *lock;
	struct pin *pin;
	pid_t pid;
	int in, out;		/* to it, from it */
	struct text heard;	/* behind the lines that were read */
};

enum final_end {
	FINAL_LINE,
	FINAL_OVER,	/* it ended */
	FINAL_STOPPED,	/* it is to be ended: by the user, or because of the message */
};

static bool is_stopped(const struct finals_options *o)
{
	return o->stop && *o->stop;
}

/* --- talking to it */

/* The next line that it prints, in A. LIMIT_S is what that may take; INFINITY: any time. */
static enum final_end hear(struct final_process *p, double limit_s, char **line)
{
	int64_t begin = clock_ns();

	for (;;) {
		const char *end = memchr(text_str(&p->heard), '\n', p->heard.n);
		struct pollfd fd = { .fd = p->out, .events = POLLIN };
		char part[4096];

		if (end) {
			struct text rest = { 0 };

			*line = arena_strndup(p->arena, p->heard.s, (size_t)(end - p->heard.s));
			text_puts(&rest, end + 1);
			text_free(&p->heard);
			p->heard = rest;
			return FINAL_LINE;
		}
		if (is_stopped(p->o))
			return FINAL_STOPPED;
		if (seconds_since(begin) > limit_s) {
			err_set("the model did not end within %.0f s", limit_s);
			return FINAL_STOPPED;
		}
		if (poll(&fd, 1, LOOK_MS) <= 0)
			continue;
		ssize_t n = read(p->out, part, sizeof(part));

		if (n > 0)
			text_putn(&p->heard, part, (size_t)n);
		else if (n == 0 || errno != EINTR)
			return FINAL_OVER;
	}
}

static void hang_up(const struct final_process *p)
{
	close(p->in);
	close(p->out);
}

static int make_pipes(int *in, int *out)
{
	if (pipe2(in, O_CLOEXEC) < 0)
		return err_set("cannot make a pipe: %s (ulimit -n)", strerror(errno));
	if (pipe2(out, O_CLOEXEC) == 0)
		return 0;
	close(in[0]);
	close(in[1]);
	return err_set("cannot make a pipe: %s (ulimit -n)", strerror(errno));
}

static int start(struct final_process *p)
{
	const struct finals_options *o = p->o;
	const char *path = spawn_find(p->arena, "hone-finals", "HONE_FINALS", NULL);
	int in[2], out[2];

	if (!path || make_pipes(in, out) < 0)
		return -1;
	const char *const argv[] = {
		path, arena_printf(p->arena, "%d", (int)getpid()), o->model, db_path(o->db),
		arena_printf(p->arena, "%d", o->threads), arena_printf(p->arena, "%.3f", p->seconds),
		o->target ? o->target->name : "", o->exact ? "exact" : "", NULL,
	};
	const int fds[] = { in[0], out[1], STDERR_FILENO };

	p->pid = spawn_group(argv, environ, fds, 3);
	close(in[0]);
	close(out[1]);
	p->in = in[1];
	p->out = out[0];
	if (p->pid > 0)
		return 0;
	hang_up(p);
	return -1;
}

/* They are in STATE now. 0, or -1 and a message. */
static int stand(struct final_process *p, enum finals_state state)
{
	p->stand.state = state;
	return p->call->stand ? p->call->stand(p->call->tuner, &p->stand) : 0;
}

/* It has built what it runs: now it gets cores, and the device. */
static int answer(struct final_process *p, const char *line)
{
	struct finals_stand *s = &p->stand;

	if (sscanf(line, "ready %d %d %d", &s->tasks, &s->kernels, &s->lineups) != 3)
		return err_set("%s", strncmp(line, "failed ", 7) == 0 ? line + 7 : line);
	listener_tell(&p->o->listener, TELL_NOTE,
		      "finals: %d kernels of %d tasks compete in the running model, in %d lineup%s",
		      s->kernels, s->tasks, s->lineups, s->lineups > 1 ? "s" : "");
	s->rounds = FINALS_ROUNDS;
	if (stand(p, FINALS_PLAYING) < 0)
		return -1;
	if (!pin_process(p->arena, p->pin, p->pid, p->o->threads))
		return -1;
	device_lock_take(p->lock);
	return write(p->in, "\n", 1) == 1 ? 0 : err_set("it does not listen");
}

/* How it died, where it said nothing. */
static const char *story(struct arena *a, int status)
{
	const char *name = WIFSIGNALED(status) ? sigabbrev_np(WTERMSIG(status)) : NULL;

	return name ? arena_printf(a, "the model crashed by SIG%s", name)
		    : arena_printf(a, "hone-finals ended with status %d", WEXITSTATUS(status));
}

/* Its status, where it ends by itself. */
static int reap(struct final_process *p)
{
	int status = 0;

	hang_up(p);
	while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

/* Rounds go by, until it prints another line. */
static enum final_end look_on(struct final_process *p, char **line)
{
	enum final_end end;

	while ((end = hear(p, SILENCE_S, line)) == FINAL_LINE &&
	       sscanf(*line, "round %d", &p->stand.round) == 1)
		if (stand(p, FINALS_PLAYING) < 0)
			return FINAL_STOPPED;
	return end;
}

/* The results, 1 and *JSON; 0 where it was stopped; -1 and a message. */
static int ask(struct final_process *p, json_t **json)
{
	char *line;
	/* Compilers have limits of their own. */
	enum final_end end = hear(p, INFINITY, &line);

	if (end == FINAL_LINE && answer(p, line) < 0)
		end = FINAL_STOPPED;
	else if (end == FINAL_LINE)
		end = look_on(p, &line);
	device_lock_release(p->lock);
	if (end == FINAL_STOPPED) {
		hang_up(p);
		spawn_kill(p->pid);
		return is_stopped(p->o) ? 0 : -1;
	}
	int status = reap(p);

	if (end == FINAL_OVER)
		return err_set("%s", story(p->arena, status));
	*json = json_loads(line, 0, NULL);
	return *json ? 1 : err_set("%s", strncmp(line, "failed ", 7) == 0 ? line + 7 : line);
}

/* --- records */

static const double *read_figures(struct arena *a, const json_t *json, int *n)
{
	*n = (int)json_array_size(json);
	double *us = arena_many(a, double, *n + 1);

	for (int i = 0; i < *n; i++)
		us[i] = json_number_value(json_array_get(json, (size_t)i));
	return us;
}

/* The contender that JSON describes, of so many: its record alone becomes one in the model. */
static int read_record(const struct finals_options *o, struct arena *a, const json_t *json,
		       int contenders, struct db_record *r)
{
	int64_t id = json_integer_value(json_object_get(json, "record"));
	int n, found = db_find_record(o->db, a, id, r);
	const double *us = read_figures(a, json_object_get(json, "us"), &n);

	if (found < 0)
		return -1;
	if (found == 0 || n == 0)
		return err_set("record %jd, which competed in the model, is gone", (intmax_t)id);
	char *counted = arena_many(a, char, n + 1);

	memset(counted, '1', (size_t)n);
	r->final = true;
	r->others = contenders - 1;
	r->hone = version_stamp();
	r->samples = us;
	r->n_samples = n;
	r->counted = counted;
	r->time_us = median(arena_memdup(a, us, (size_t)n * sizeof(*us)), n);
	r->ratio = 0;
	r->counters = NULL;
	r->cache = cache_state_name(CACHE_MODEL);
	r->build_ms = r->run_ms = 0;
	r->created = 0;
	return 0;
}

/* Those of a task, the winner last. */
static int read_task(const struct finals_options *o, struct arena *a, const json_t *json,
		     struct db_record_vec *out, int *changed)
{
	const json_t *all = json_object_get(json, "contenders"), *one;
	size_t winner = (size_t)json_integer_value(json_object_get(json, "winner")), i;
	struct db_record last = { 0 };

	json_array_foreach(all, i, one) {
		struct db_record r;

		if (read_record(o, a, one, (int)json_array_size(all), &r) < 0)
			return -1;
		if (i == winner)
			last = r;
		else
			vec_push(a, out, r);
	}
	if (!last.steps)
		return err_set("hone-finals names no winner");
	vec_push(a, out, last);
	*changed += (json_int_t)winner != json_integer_value(json_object_get(json, "alone"));
	return 0;
}

static int save(struct final_process *p, const json_t *json)
{
	const struct finals_options *o = p->o;
	struct arena *a = p->arena;
	const json_t *tasks = json_object_get(json, "tasks"), *one;
	struct db_record_vec records = { 0 };
	int changed = 0;
	size_t i;

	json_array_foreach(tasks, i, one)
		if (read_task(o, a, one, &records, &changed) < 0)
			return -1;
	if (db_append(o->db, &(struct db_batch){ .campaign = p->call->campaign, .records = records.at,
						 .n = records.n }) < 0)
		return -1;
	listener_tell(&o->listener, TELL_NOTE,
		      "finals: %d of %d tasks get another kernel than the fastest alone; a run takes "
		      "%.4g ms, over %d rounds", changed, (int)json_array_size(tasks),
		      json_number_value(json_object_get(json, "model_us")) * 1e-3,
		      (int)json_integer_value(json_object_get(json, "rounds")));
	return 0;
}

/* Plays, and saves what came of it, as finals_hold(). */
static int hold(struct final_process *p)
{
	json_t *json = NULL;

	listener_tell(&p->o->listener, TELL_NOTE, "finals: the best few kernels of each task are "
		      "built, to compete inside the model");
	if (stand(p, FINALS_BUILDING) < 0)
		return -1;
	int rc = !p->pin || start(p) < 0 ? -1 : ask(p, &json);

	if (rc < 0)
		listener_tell(&p->o->listener, TELL_WARNING,
			      "no finals inside the model: %s; the fastest alone stand for it",
			      err_get());
	int saved = rc > 0 ? save(p, json) : 0;

	json_decref(json);
	if (saved < 0 ||
	    stand(p, rc > 0 ? FINALS_HELD : rc == 0 ? FINALS_STOPPED : FINALS_FAILED) < 0)
		return -1;
	return rc == 0;
}

static int leave_out(struct final_process *p)
{
	listener_tell(&p->o->listener, TELL_NOTE,
		      "finals are left out: %.0f s are left of the budget, and they take about %.0f s "
		      "at least; the fastest alone stand for the model", p->seconds,
		      finals_cost_s(&p->call->work, 1, FINALS_LEAST_ROUNDS));
	return stand(p, FINALS_LEFT_OUT);
}

int finals_hold(const struct finals_options *o, const struct finals_call *call)
{
	struct final_process p = { .o = o, .call = call, .arena = arena_new(), .pin = pin_new(o->cpus),
				   .seconds = fmin(call->seconds, FINALS_MOST_S),
				   .lock = device_lock_new(&o->listener) };
	bool fits = finals_lineups(&call->work, p.seconds, CONTENDERS) > 0;
	int rc = fits ? hold(&p) : leave_out(&p);

	text_free(&p.heard);
	device_lock_free(p.lock);
	pin_free(p.pin);
	arena_free(p.arena);
	return rc;
}
