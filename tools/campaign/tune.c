/* SPDX-License-Identifier: Apache-2.0 */
/* tools/campaign/tune.c - hone tune: searches fast kernels for a model or an operator. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/heap.h"
#include "base/workdir.h"
#include "measure/device/simulated.h"
#include "measure/process/spawn.h"
#include "measure/runner/runner.h"
#include "runtime/finals/finals.h"
#include "search/campaign/debug.h"
#include "search/measurers/replay.h"
#include "search/measurers/simulated.h"
#include "search/campaign/tuner.h"
#include "tools/command.h"
#include "tools/campaign/progress.h"
#include "tools/source.h"
#include "tools/campaign/tune_args.h"
#include "tools/campaign/tune_json.h"
#include "tools/campaign/tune_model.h"
#include "tools/campaign/tune_parts.h"
#include "tools/campaign/tune_share.h"

/* What the handler of signals goes by. */
static volatile sig_atomic_t stopped, silent, children = -1;

static struct notice notice_of(const struct tune_args *args, const char *why)
{
	return (struct notice){ .why = why ? arena_strdup(args->arena, why) : NULL,
				.trials = tuner_trials(args->tuner),
				.best = tuner_summary(args->tuner, args->arena) };
}

static void notify_stuck(struct tune_args *args, const char *why)
{
	struct notice what = notice_of(args, why);

	what.event = "stuck";
	notify_send(&args->notify, &what);
}

static void hear(void *user, const struct tell *t)
{
	struct tune_args *args = user;

	if (t->kind == TELL_DUMP)
		fputs(t->line, stderr);
	if (args->json)
		tune_json_tell(t);
	if (t->kind == TELL_PROGRESS && !args->quiet && !args->json)
		progress_show(t->about, &args->last_line);
	if (tell_is_line(t) && !(args->quiet && t->kind == TELL_NOTE)) {
		progress_clear();
		command_hear(NULL, t);
	}
	if (t->kind == TELL_STUCK)
		notify_stuck(args, t->line);
}

static void tell_end(struct tune_args *args, int status)
{
	struct notice *what = &args->end;

	what->event = status == EXIT_STOPPED ? "stopped" : status == EXIT_FAILED ? "failed" : "done";
	if (status == EXIT_FAILED)
		what->why = err_get();
	notify_send(&args->notify, what);
	if (args->json)
		tune_json_end(what, status == EXIT_BARREN);
	notify_end(&args->notify);
}

/* Seconds that a batch gets to come to its orderly end: a reference may take minutes. */
enum { GRACE_S = 10 };

static void stop_now(void)
{
	spawn_kill_all(children);
	workdir_wipe();
	_exit(EXIT_STOPPED);
}

static void end_grace(int signal)
{
	(void)signal;
	stop_now();
}

static void stop(int signal)
{
	static const char line[] = "finishing the batch; Ctrl-C again stops at once\n";

	(void)signal;
	if (stopped)
		stop_now();
	stopped = 1;
	alarm(GRACE_S);
	if (!silent && write(STDERR_FILENO, line, sizeof(line) - 1) < 0)
		return;
}

static void catch_signals(const struct tune_args *args)
{
	const struct sigaction end = { .sa_handler = end_grace, .sa_flags = SA_RESTART };

	children = spawn_list();
	silent = args->quiet;
	command_catch(stop, SA_RESTART);
	sigaction(SIGALRM, &end, NULL);
}

static int hold_finals(void *user, const struct finals_call *call)
{
	const struct tune_args *args = user;
	const struct finals_options o = {
		.model = args->o.source, .db = args->finals_db, .target = args->target, .threads = args->o.threads,
		.exact = args->o.exact, .cpus = args->o.cpus, .stop = &stopped, .listener = args->o.listener,
	};

	return finals_hold(&o, call);
}

static int campaign(struct tune_args *args, struct db *db, const struct device *device,
		    const struct task_vec *tasks)
{
	bool held = false;

	args->o.held = &held;
	struct tuner *t = tuner_new(db, device, tasks, &args->o);

	if (!t)
		return held ? (command_failed(), EXIT_STOPPED) : command_failed();
	args->tuner = t;
	if (tuner_resumed(t) > 0 && !args->quiet)
		fprintf(stderr, "going on after %jd trials\n", (intmax_t)tuner_resumed(t));
	if (tuner_transferred(t) && !args->quiet)
		fprintf(stderr, "%s\n", tuner_transferred(t));
	int rc = tuner_run(t);

	int barren = tuner_barren(t);

	args->spent_s = tuner_elapsed(t);
	args->end = notice_of(args, tuner_stopped_by(t));
	tuner_free(t);
	if (rc < 0)
		return command_failed();
	return rc ? EXIT_STOPPED : barren ? EXIT_BARREN : EXIT_OK;
}

/* A model that reads more CONSTANTS than the last cache holds finds none of a kernel's there: they were last read a whole run before. */
static void choose_cache(struct tune_args *args, const struct device *device, double constants)
{
	double held = (double)device_cache_bytes(device, device_last_cache(device));

	if (args->cache_known || held <= 0 || constants <= held)
		return;
	args->o.cache = CACHE_COLD_WEIGHTS;
	args->cache_known = true;
	listener_tell(&args->o.listener, TELL_NOTE,
		      "the model has %.0f MB of constants, and caches hold %.0f: kernels are timed with theirs flushed before each run "
		      "(--cache warm: with all in the caches)", constants * 1e-6, held * 1e-6);
}

static int find_tasks(struct arena *a, struct tune_args *args, const struct device *device,
		      struct task_vec *tasks)
{
	double constants;

	if (!source_is_model(args->o.source))
		return source_tasks(a, args->o.source, NULL, tasks);
	if (tune_model(a, args->o.source, device, args->o.threads, tasks, &args->o.weigher, &constants) < 0)
		return -1;
	if (!args->replay)
		choose_cache(args, device, constants);
	return 0;
}

/* So much of a campaign for chains goes to their parts, where these have no kernels: of four chains of a depthwise convolution and its projection 256 trials
 * found what takes 1.03 to 1.23 times as long as the parts apart (docs/performance.md, Chains in the plain layout). */
#define OF_PARTS 0.5

/* A campaign for the parts of TASKS, in the first part of what they have; the options are those of what is to follow then. */
static int tune_parts_first(struct arena *a, struct tune_args *args, struct db *db, const struct device *device, const struct task_vec *tasks)
{
	const struct db_want want = {
		.fingerprint = device->fingerprint, .target = device_mark(device), .cache = cache_state_name(args->o.cache),
		.threads = args->o.threads, .exact = args->o.exact,
	};
	struct task_vec parts = { 0 };

	if (tune_parts(a, db, want, tasks, &parts) < 0)
		return command_failed();
	if (parts.n == 0 || args->o.budget.trials == 1)
		return EXIT_OK;
	struct tuner_options whole = tune_share(args, OF_PARTS);

	listener_tell(&args->o.listener, TELL_NOTE,
		      "half of it goes to the parts of chains, of which there is no kernel yet and with which theirs begin (--no-transfer: none)");
	int rc = campaign(args, db, device, &parts);

	tune_rest(args, whole);
	return rc;
}

/* A campaign of all tasks, by the options as they stand. */
static int tune_all(struct arena *a, struct tune_args *args, struct db *db, const struct device *device)
{
	struct task_vec tasks = { 0 };
	int rc = EXIT_OK;

	args->o.began_ns = clock_ns();
	if (find_tasks(a, args, device, &tasks) < 0)
		return command_failed();
	if (!source_is_model(args->o.source) && !args->o.no_transfer)
		rc = tune_parts_first(a, args, db, device, &tasks);
	return rc == EXIT_OK || rc == EXIT_BARREN ? campaign(args, db, device, &tasks) : rc;
}

/* Of kernels of one thread more are tried in a time, for compilers have the other cores meanwhile; and what is fast with one
 * is, shared out anew, among the first of several (search/campaign/seeds.h). Of 4 minutes for resnet18 with two
 * threads half went to one: 1.71 times as fast as ONNX Runtime, and 1.56 without (docs/performance.md, Begun with one thread). */
#define SCOUTED 0.5

static bool has_scouts(const struct tune_args *args)
{
	const struct budget *b = &args->o.budget;

	return args->o.threads > 1 && !args->o.no_transfer && !b->trials && (b->minutes > 0 || b->until);
}

/* A campaign of one thread in the first part of the time; the options are those of what is to follow then. */
static int scout(struct arena *a, struct tune_args *args, struct db *db, const struct device *device)
{
	struct tuner_options whole = tune_share(args, SCOUTED);

	args->o.threads = 1;
	listener_tell(&args->o.listener, TELL_NOTE,
		      "half of the time goes to kernels of one thread, with which those of %d begin (--no-transfer: none)", whole.threads);
	int rc = tune_all(a, args, db, device);

	tune_rest(args, whole);
	return rc;
}

static int on_this_machine(struct arena *a, struct tune_args *args, struct db *db)
{
	struct device *device = device_describe(a, NULL);

	if (!device)
		return command_failed();
	if (args->target)
		device->target = args->target;
	if (args->o.threads > device->threads) {
		err_set("%d threads are more than the %d cores this process may use; give "
			"--threads %d", args->o.threads, device->threads, device->threads);
		return command_failed();
	}
	if (device_load_or_probe(device, false) < 0)
		return command_failed();
	if (source_is_model(args->o.source)) {
		args->finals_db = db;
		args->o.finals = hold_finals;
	}
	args->o.kept = kept_workloads_new();
	int rc = has_scouts(args) ? scout(a, args, db, device) : EXIT_OK;

	if (rc == EXIT_OK || rc == EXIT_BARREN)
		rc = tune_all(a, args, db, device);
	kept_workloads_free(args->o.kept);
	return rc;
}

/* Device, threads and cache state are those of the recording. */
static int on_recording(struct arena *a, struct tune_args *args, struct db *db)
{
	struct recording *r = recording_open(args->replay);
	struct task_vec tasks = { 0 };

	if (!r)
		return command_failed();
	db_listen(r->db, &args->o.listener);
	args->o.threads = r->want.threads;
	cache_state_parse(r->want.cache, &args->o.cache);
	args->o.measurer = measurer_replay(r, &cost_model_xgboost);
	listener_tell(&args->o.listener, TELL_NOTE,
		      "replay of %s: nothing is measured, and times beyond those recorded are "
		      "estimates (~)", args->replay);
	int rc = find_tasks(a, args, r->device, &tasks) < 0
			 ? command_failed() : campaign(args, db, r->device, &tasks);

	recording_close(r);
	return rc;
}

static int on_simulated(struct arena *a, struct tune_args *args, struct db *db)
{
	struct task_vec tasks = { 0 };
	struct device *device = device_simulated(a, &args->simulated.machine);

	args->o.began_ns = clock_ns();
	args->o.measurer = measurer_simulated(device, args->o.seed);
	if (!args->o.measurer || source_tasks(a, args->o.source, NULL, &tasks) < 0)
		return command_failed();
	return campaign(args, db, device, &tasks);
}

/* HONE_DEBUG names the stages of candidates to print. */
static int read_debug(struct tune_args *args)
{
	const char *letters = getenv("HONE_DEBUG");
	struct text known = { 0 };

	if (!letters || !*letters)
		return 0;
	args->o.debug = letters;
	if (debug_unknown(letters) == '\0')
		return 0;
	debug_list(&known);
	err_set("HONE_DEBUG=%s: '%c' names no stage; there are: %s", letters,
		debug_unknown(letters), text_str(&known));
	text_free(&known);
	return -1;
}

static void listen_to(struct tune_args *args)
{
	args->o.stop = &stopped;
	args->o.listener = (struct listener){ hear, args };
	args->o.user = args;
	args->notify.listener = args->o.listener;
	args->notify.source = args->o.source;
	args->notify.db = args->db;
}

static int run(int argc, char **argv)
{
	struct tune_args args = { .o = { .seed = 1 } };

	tune_parse(argc, argv, &args);
	if (read_debug(&args) < 0) {
		command_failed();
		return EXIT_USAGE;
	}
	heap_give_back();
	listen_to(&args);
	catch_signals(&args);
	args.arena = arena_new();
	struct db *db = db_open(args.db, DB_WRITE);

	if (db)
		db_listen(db, &args.o.listener);
	int rc = !db           ? command_failed()
		 : args.replay ? on_recording(args.arena, &args, db)
		 : args.simulated.given ? on_simulated(args.arena, &args, db)
			       : on_this_machine(args.arena, &args, db);

	db_close(db);
	tell_end(&args, rc);
	arena_free(args.arena);
	return rc;
}

const struct command command_tune = {
	.name = "tune",
	.summary = "search fast kernels for a model or an operator",
	.argp = &tune_argp,
	.words = tune_words,
	.exits = (const struct command_exit[]){
		{ EXIT_BARREN, "The campaign came to its end, and a task has no kernel; the messages say which, "
			       "and why." },
		{ EXIT_STOPPED, "Stopped, or the campaign is being worked on by another process, which the message "
				"names; the same command goes on from there." },
		{ 0 },
	},
	.run = run,
};
