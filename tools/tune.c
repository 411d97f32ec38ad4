/* SPDX-License-Identifier: Apache-2.0 */
/* tools/tune.c - hone tune: searches fast kernels for a model or an operator. */
#include <argp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/workdir.h"
#include "measure/spawn.h"
#include "search/debug.h"
#include "search/replay.h"
#include "search/tuner.h"
#include "tools/command.h"
#include "tools/notify.h"
#include "tools/progress.h"
#include "tools/query.h"
#include "tools/source.h"

/* What the handler of signals goes by. */
static volatile sig_atomic_t stopped, silent, children = -1;

/* Candidates that are in memory at a time, with their sources. */
enum { MAX_BATCH = 4096 };

struct tune_args {
	struct tuner_options o;
	const char *db;
	const char *replay;	/* NULL: this machine */
	struct notify notify;
	struct notice end;	/* what is told at the end */
	struct arena *arena;
	struct tuner *tuner;
	bool quiet;
	double last_line;	/* seconds at which the last plain line was printed */
};

enum {
	KEY_MINUTES = 256, KEY_UNTIL, KEY_PLATEAU, KEY_TARGET, KEY_NOTIFY, KEY_SEARCH, KEY_CC,
	KEY_SEED, KEY_CPUS, KEY_CACHE, KEY_FRESH, KEY_BATCH, KEY_REPLAY, KEY_NO_TRANSFER,
};

static const struct argp_option options[] = {
	{ "db", 'd', "FILE", 0, "database of records, made where missing (required)", 0 },
	{ "trials", 'n', "N", 0, "stop after N candidates in all (default 1000 where nothing else ends it)", 0 },
	{ "minutes", KEY_MINUTES, "M", 0, "stop after M minutes", 0 },
	{ "until", KEY_UNTIL, "HH:MM", 0, "stop at this time of day, or at 'YYYY-MM-DD HH:MM'", 0 },
	{ "plateau", KEY_PLATEAU, "N", 0, "a task is done after N trials in a row without gain", 0 },
	{ "target", KEY_TARGET, "GFLOPS", 0, "a task is done where its best reaches this", 0 },
	{ "threads", 't', "N", 0, "threads a kernel uses (default 1)", 0 },
	{ "search", KEY_SEARCH, "NAME", 0, "strategy: evolve (default), random, anneal, grid", 0 },
	{ "cc", KEY_CC, "COMPILER", 0, "gcc, clang, or a path (default clang, else gcc)", 0 },
	{ "seed", KEY_SEED, "N", 0, "of all random choices (default 1)", 0 },
	{ "cpus", KEY_CPUS, "LIST", 0, "cores to measure on, as 2-3 (default: the last ones)", 0 },
	{ "cache", KEY_CACHE, "warm|cold", 0, "state of the caches before a run (default warm)",
	  0 },
	{ "batch", KEY_BATCH, "N", 0, "candidates built and measured at a time (default 16)", 0 },
	{ "replay", KEY_REPLAY, "FILE", 0, "answer measurements from the records of FILE", 0 },
	{ "fresh", KEY_FRESH, NULL, 0, "begin a new campaign, also where one was interrupted", 0 },
	{ "notify", KEY_NOTIFY, "CMD", 0, "run CMD at the end, or where it gets no further", 0 },
	{ "no-transfer", KEY_NO_TRANSFER, NULL, 0,
	  "learn nothing from records of other tasks; such a campaign is one of its own", 0 },
	{ "quiet", 'q', NULL, 0, "no progress", 0 },
	{ 0 },
};

static const char doc[] =
	"Searches fast kernels for SOURCE: a model (*.onnx), an operator in text form (*.te), one "
	"of the library (see hone ops) or a list of operators (*.tasks).\vAn interrupted "
	"campaign goes on when the same command is given again. Of several limits the first one that is reached counts. Ctrl-C ends it after "
	"the batch in flight, and so do SIGTERM and SIGHUP (exit status 75). A task that got no kernel is named at the end, with the "
	"reason (exit status 5). HONE_DEBUG=DSNFC in the environment prints DAG, "
	"steps, nest, features and C of each candidate.\n\n"
	"CMD runs in the background by /bin/sh, with HONE_EVENT (done, stopped, stuck, failed), "
	"HONE_WHY, HONE_SOURCE, HONE_DB, HONE_TRIALS and HONE_BEST (JSON) in its environment.\n\n"
	"Example:\n  hone tune matmul:m=512,n=512,k=512 --db tune.db --trials 200\n"
	"  hone tune mobilenet_v2.onnx --db tune.db --minutes 30 --threads 2\n"
	"  hone tune mobilenet_v2.onnx --db tune.db --until 07:00 --plateau 400\n";

static double real(struct argp_state *state, const char *option, const char *arg)
{
	char *end;
	double v = strtod(arg, &end);

	if (*end || end == arg || !(v > 0) || !isfinite(v))
		argp_error(state, "%s '%s': give a number above 0", option, arg);
	return v;
}

static int64_t moment(struct argp_state *state, const char *arg)
{
	int64_t now = clock_wall(), at = budget_moment(arg, now);

	if (at < 0)
		argp_error(state, "--until '%s': write it as HH:MM or 'YYYY-MM-DD HH:MM'", arg);
	if (at <= now)
		argp_error(state, "--until '%s': that moment is over", arg);
	return at;
}

static bool has_limit(const struct budget *b)
{
	return b->trials || b->minutes > 0 || b->until || b->plateau || b->target > 0;
}

/* True where KEY is one of a limit. */
static bool parse_limit(int key, const char *arg, struct argp_state *state, struct budget *b)
{
	switch (key) {
	case 'n':
		b->trials = argp_number(state, "--trials", arg, 1);
		return true;
	case KEY_MINUTES:
		b->minutes = real(state, "--minutes", arg);
		return true;
	case KEY_UNTIL:
		b->until = moment(state, arg);
		return true;
	case KEY_PLATEAU:
		b->plateau = argp_number(state, "--plateau", arg, 1);
		return true;
	case KEY_TARGET:
		b->target = real(state, "--target", arg);
		return true;
	default:
		return false;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct tune_args *args = state->input;
	struct tuner_options *o = &args->o;

	switch (key) {
	case 'd':
		args->db = arg;
		break;
	case 't':
		o->threads = argp_int(state, "--threads", arg, 1, MAX_THREADS);
		break;
	case 'q':
		args->quiet = true;
		break;
	case KEY_SEARCH:
		o->strategy = arg;
		if (!strategy_find(arg))
			argp_error(state, "--search '%s': there is no such strategy; there are: %s", arg,
				   strategy_names());
		break;
	case KEY_CC:
		o->cc = arg;
		break;
	case KEY_SEED:
		o->seed = (uint64_t)argp_number(state, "--seed", arg, 0);
		break;
	case KEY_CPUS:
		o->cpus = arg;
		break;
	case KEY_CACHE:
		argp_cache(state, arg);
		o->cache = *arg == 'c' ? CACHE_COLD : CACHE_WARM;
		break;
	case KEY_BATCH:
		o->batch = argp_int(state, "--batch", arg, 1, MAX_BATCH);
		break;
	case KEY_REPLAY:
		args->replay = arg;
		break;
	case KEY_NOTIFY:
		args->notify.command = arg;
		break;
	case KEY_FRESH:
		o->fresh = true;
		break;
	case KEY_NO_TRANSFER:
		o->no_transfer = true;
		break;
	case ARGP_KEY_ARG:
		if (o->source)
			argp_error(state, "one SOURCE at a time");
		o->source = arg;
		break;
	case ARGP_KEY_END:
		if (!o->source)
			argp_error(state, "which SOURCE?");
		if (!args->db)
			argp_error(state, "which database? give --db FILE");
		if (!has_limit(&o->budget))
			o->budget.trials = BUDGET_TRIALS;
		break;
	default:
		return parse_limit(key, arg, state, &o->budget) ? 0 : ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp argp = { options, parse, "SOURCE", doc, NULL, NULL, NULL };

static void report(void *user, const struct progress *p)
{
	struct tune_args *args = user;

	if (!args->quiet)
		progress_show(p, &args->last_line);
}

static void hear(void *user, enum tell_kind kind, const char *line)
{
	const struct tune_args *args = user;

	if (args->quiet && kind == TELL_NOTE)
		return;
	progress_clear();
	command_hear(NULL, kind, line);
}

static struct notice notice_of(const struct tune_args *args, const char *why)
{
	return (struct notice){ .why = why ? arena_strdup(args->arena, why) : NULL,
				.trials = tuner_trials(args->tuner),
				.best = tuner_summary(args->tuner, args->arena) };
}

static void tell_stuck(void *user, const char *why)
{
	struct tune_args *args = user;
	struct notice what = notice_of(args, why);

	what.event = "stuck";
	notify_send(&args->notify, &what);
}

static void tell_end(struct tune_args *args, int status)
{
	struct notice *what = &args->end;

	what->event = status == EXIT_STOPPED ? "stopped" : status == EXIT_FAILED ? "failed" : "done";
	if (status == EXIT_FAILED)
		what->why = err_get();
	notify_send(&args->notify, what);
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

	args->end = notice_of(args, tuner_stopped_by(t));
	tuner_free(t);
	if (rc < 0)
		return command_failed();
	return rc ? EXIT_STOPPED : barren ? EXIT_BARREN : EXIT_OK;
}

static int on_this_machine(struct arena *a, struct tune_args *args, struct db *db,
			   const struct task_vec *tasks)
{
	struct device *device = device_describe(a, NULL);

	if (!device)
		return command_failed();
	if (args->o.threads > device->threads) {
		err_set("%d threads are more than the %d cores this process may use; give "
			"--threads %d", args->o.threads, device->threads, device->threads);
		return command_failed();
	}
	if (device_load_or_probe(device, false) < 0)
		return command_failed();
	return campaign(args, db, device, tasks);
}

/* Device, threads and cache state are those of the recording. */
static int on_recording(struct tune_args *args, struct db *db, const struct task_vec *tasks)
{
	struct recording *r = recording_open(args->replay);

	if (!r)
		return command_failed();
	db_listen(r->db, &args->o.listener);
	args->o.threads = r->want.threads;
	args->o.cache = strcmp(r->want.cache, "cold") == 0 ? CACHE_COLD : CACHE_WARM;
	args->o.measurer = measurer_replay(r, &cost_model_xgboost);
	listener_tell(&args->o.listener, TELL_NOTE,
		      "replay of %s: nothing is measured, and times beyond those recorded are "
		      "estimates (~)", args->replay);
	int rc = campaign(args, db, r->device, tasks);

	recording_close(r);
	return rc;
}

static int tune(struct arena *a, struct tune_args *args, struct db *db)
{
	struct task_vec tasks = { 0 };

	if (source_tasks(a, args->o.source, &tasks) < 0)
		return command_failed();
	return args->replay ? on_recording(args, db, &tasks) : on_this_machine(a, args, db, &tasks);
}

static void print_dump(void *user, const char *text)
{
	(void)user;
	fputs(text, stderr);
}

/* HONE_DEBUG names the stages of candidates to print. */
static int read_debug(struct tune_args *args)
{
	const char *letters = getenv("HONE_DEBUG");
	struct text known = { 0 };

	if (!letters || !*letters)
		return 0;
	args->o.debug = letters;
	args->o.dump = print_dump;
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
	args->o.progress = report;
	args->o.stuck = tell_stuck;
	args->o.listener = (struct listener){ hear, args };
	args->o.user = args;
	args->notify.listener = args->o.listener;
	args->notify.source = args->o.source;
	args->notify.db = args->db;
}

static int run(int argc, char **argv)
{
	struct tune_args args = { .o = { .threads = 1, .seed = 1 } };

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	if (read_debug(&args) < 0) {
		command_failed();
		return EXIT_USAGE;
	}
	listen_to(&args);
	catch_signals(&args);
	args.arena = arena_new();
	struct db *db = db_open(args.db, DB_WRITE);

	if (db)
		db_listen(db, &args.o.listener);
	int rc = db ? tune(args.arena, &args, db) : command_failed();

	db_close(db);
	tell_end(&args, rc);
	arena_free(args.arena);
	return rc;
}

const struct command command_tune = {
	.name = "tune",
	.summary = "search fast kernels for a model or an operator",
	.run = run,
};
