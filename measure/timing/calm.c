/* SPDX-License-Identifier: Apache-2.0 */
/* measure/timing/calm.c - looks at who uses the cores, and pauses. */
#include "measure/timing/calm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/err.h"

/* Ticks are 10 ms: in less time a share of a tenth is not told from nothing. */
#define LEAST_WINDOW_S 0.2
/* Pauses double up to this: a build of somebody else's takes seconds to minutes. */
#define LONGEST_STEP_S 5.0
/* Who disturbs for longer than that may do so for hours. */
#define EPISODE_S 60.0
/* Waiting must not become what a campaign does. */
#define WAITED_SHARE 0.2
/* A pause is told when it has lasted so long: at every start there is a short one, for what has just
 * ended (a build, hone's own start) is in the first look. */
#define QUIET_S 3.0
/* Messages are so far apart, at least: two lines for each pause of a busy day are too many. */
#define TOLD_S 60.0
/* The user's wish to stop is seen so soon. */
enum { NAP_MS = 50 };

struct calm {
	struct listener listener;
	const volatile sig_atomic_t *stop;	/* may be NULL */
	struct arena *scratch;
	char *cpus;		/* that `last` is of; NULL: there is none */
	struct usage last;
	int64_t at_ns;		/* of `last` */
	int64_t began_ns, busy_ns, told_ns;	/* when made, disturbed, told; 0: never, not */
	double waited_s, episode_s;	/* in all, and since it is disturbed */
};

/* --- the decision */

struct disturbance calm_compare(const struct usage *from, const struct usage *to)
{
	double total = to->cores.total - from->cores.total;
	double idle = to->cores.idle - from->cores.idle;
	double steal = to->cores.steal - from->cores.steal;
	double taken = total - idle - steal - (to->ours - from->ours);

	if (total <= 0)
		return (struct disturbance){ 0 };
	return (struct disturbance){ .stolen = fmin(fmax(steal / total, 0), 1),
				     .taken = fmin(fmax(taken / total, 0), 1) };
}

bool calm_is_disturbed(const struct disturbance *d)
{
	return d->stolen > CALM_SHARE || d->taken > CALM_SHARE;
}

/* --- looking */

struct calm *calm_new(const struct listener *listener, const volatile sig_atomic_t *stop)
{
	struct calm *c = calloc(1, sizeof(*c));

	if (!c)
		die("out of memory");
	c->listener = *listener;
	c->stop = stop;
	c->scratch = arena_new();
	c->began_ns = clock_ns();
	return c;
}

void calm_free(struct calm *c)
{
	if (!c)
		return;
	arena_free(c->scratch);
	free(c->cpus);
	free(c);
}

double calm_disturbed_s(const struct calm *c)
{
	return c->busy_ns ? seconds_since(c->busy_ns) : 0;
}

static void look(struct calm *c, pid_t pid)
{
	arena_reset(c->scratch);
	c->last = (struct usage){ cpu_time_now(c->scratch, c->cpus),
				  cpu_time_of(c->scratch, pid) };
	c->at_ns = clock_ns();
}

/* What happened since the last look. */
static bool look_again(struct calm *c, pid_t pid, struct disturbance *d)
{
	struct usage before = c->last;

	look(c, pid);
	*d = calm_compare(&before, &c->last);
	return calm_is_disturbed(d);
}

/* --- pausing */

static double least(double x, double y)
{
	return x < y ? x : y;
}

/* Seconds that may still be waited now. */
static double allowance(const struct calm *c)
{
	return least(EPISODE_S - c->episode_s,
		     WAITED_SHARE * seconds_since(c->began_ns) - c->waited_s);
}

/* False where it was ended: whoever wants to stop does not want to wait. */
static bool nap(const struct calm *c, double seconds)
{
	int64_t start = clock_ns();

	while (seconds_since(start) < seconds && !(c->stop && *c->stop))
		nanosleep(&(struct timespec){ .tv_nsec = NAP_MS * 1000000 }, NULL);
	return !(c->stop && *c->stop);
}

static bool may_tell(struct calm *c)
{
	bool may = !c->told_ns || seconds_since(c->told_ns) > TOLD_S;

	if (may)
		c->told_ns = clock_ns();
	return may;
}

static void tell_pause(const struct calm *c, const struct disturbance *d)
{
	bool stolen = d->stolen > d->taken;

	listener_tell(&c->listener, TELL_NOTE,
		      "%s take%s %.0f%% of core %s, which would make kernels look slow: measuring pauses "
		      "until that is over, for %.0f s at most",
		      stolen ? "a hypervisor" : "other programs", stolen ? "s" : "",
		      100 * (stolen ? d->stolen : d->taken), c->cpus, allowance(c));
}

static void pause_for(struct calm *c, double seconds, bool *going)
{
	int64_t start = clock_ns();

	*going = nap(c, seconds);
	c->waited_s += seconds_since(start);
	c->episode_s += seconds_since(start);
}

/* Pauses until the cores are quiet. */
static void wait_for_calm(struct calm *c, pid_t pid, struct disturbance d)
{
	bool told = false, busy = true, going = true;
	double step = LEAST_WINDOW_S, before = c->waited_s;

	while (busy && going && allowance(c) >= LEAST_WINDOW_S) {
		if (!told && c->waited_s - before >= QUIET_S && may_tell(c)) {
			tell_pause(c, &d);
			told = true;
		}
		pause_for(c, least(step, allowance(c)), &going);
		busy = look_again(c, pid, &d);
		step = least(2 * step, LONGEST_STEP_S);
	}
	if (told)
		listener_tell(&c->listener, TELL_NOTE, "measuring goes on after %.0f s: %s",
			      c->waited_s - before,
			      busy ? "it is as busy as before" : "it is quiet");
	if (!busy)
		c->busy_ns = 0;
}

/* Other cores: there is nothing to compare with. */
static bool has_moved(struct calm *c, const char *cpus)
{
	if (c->cpus && strcmp(c->cpus, cpus) == 0)
		return false;
	free(c->cpus);
	c->cpus = strdup(cpus);
	if (!c->cpus)
		die("out of memory");
	return true;
}

void calm_begin(struct calm *c, const char *cpus, pid_t pid)
{
	has_moved(c, cpus);
	look(c, pid);
}

double calm_wait(struct calm *c, const char *cpus, pid_t pid)
{
	double before = c->waited_s;
	struct disturbance d;

	if (has_moved(c, cpus)) {
		look(c, pid);
		return 0;
	}
	if (seconds_since(c->at_ns) < LEAST_WINDOW_S)
		return 0;
	if (!look_again(c, pid, &d)) {
		c->busy_ns = 0;
		return 0;
	}
	if (!c->busy_ns) {
		c->busy_ns = clock_ns();
		c->episode_s = 0;
	}
	wait_for_calm(c, pid, d);
	return c->waited_s - before;
}
