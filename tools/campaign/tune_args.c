/* SPDX-License-Identifier: Apache-2.0 */
/* tools/campaign/tune_args.c - options of `hone tune`, checked. */
#include "tools/campaign/tune_args.h"

#include <argp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "costmodel/model.h"
#include "db/label.h"
#include "target/vdla/target.h"
#include "tools/args/query.h"
#include "tools/args/targets.h"
#include "tools/source.h"

/* Candidates that are in memory at a time, with their sources. */
enum { MAX_BATCH = 4096 };

enum {
	KEY_MINUTES = 256, KEY_UNTIL, KEY_PLATEAU, KEY_GAIN, KEY_GFLOPS, KEY_NOTIFY, KEY_SEARCH, KEY_COST_MODEL, KEY_CC,
	KEY_SEED, KEY_CPUS, KEY_CACHE, KEY_FRESH, KEY_BATCH, KEY_REPLAY, KEY_NO_TRANSFER,
	KEY_EXACT, KEY_NAME, KEY_NOTE,
};

static const struct argp_option options[] = {
	{ "db", 'd', "FILE", 0, "database of records, made where missing (required)", 0 },
	{ "trials", 'n', "N", 0, "stop after N candidates in all (default 1000 where nothing else ends it)", 0 },
	{ "minutes", KEY_MINUTES, "M", 0, "stop after M minutes", 0 },
	{ "until", KEY_UNTIL, "HH:MM", 0, "stop at this time of day, or at 'YYYY-MM-DD HH:MM'", 0 },
	{ "plateau", KEY_PLATEAU, "N", 0, "a task is done after N trials in a row without gain", 0 },
	{ "gain", KEY_GAIN, "PERCENT", 0, "a task is done where 64 more trials are expected to make it faster by less (default: 0.1, "
	  "where no limit is given)", 0 },
	{ "gflops", KEY_GFLOPS, "N", 0, "a task is done where its best reaches N GFLOP/s", 0 },
	{ "threads", 't', "N", 0, "threads a kernel uses (default 1; virtual ones of a simulated device: 4)", 0 },
	{ "search", KEY_SEARCH, "STRATEGY", 0, "strategy: evolve (default), random, anneal, grid", 0 },
	{ "cost-model", KEY_COST_MODEL, "RANKER", 0,
	  "what ranks candidates: xgboost, which learns (default), analytic (default of simulated devices), nearest", 0 },
	{ "cc", KEY_CC, "COMPILER", 0, "gcc, clang, or a path (default clang, else gcc)", 0 },
	{ "seed", KEY_SEED, "N", 0, "of all random choices (default 1)", 0 },
	{ "cpus", KEY_CPUS, "LIST", 0, "cores to measure on, as 2-3 (default: the last ones)", 0 },
	{ "cache", KEY_CACHE, "warm|cold|cold-weights", 0, "state of the caches before a run, or of constants alone (default: warm; of a "
	  "model whose constants no cache holds, cold-weights)", 0 },
	{ "batch", KEY_BATCH, "N", 0, "candidates built and measured at a time (default 16)", 0 },
	{ "replay", KEY_REPLAY, "FILE", 0, "answer measurements from the records of FILE", 0 },
	{ "fresh", KEY_FRESH, NULL, 0, "begin a new campaign, also where one was interrupted", 0 },
	{ "notify", KEY_NOTIFY, "CMD", 0, "run CMD at the end, or where it gets no further", 0 },
	{ "exact", KEY_EXACT, NULL, 0,
	  "sums as they are written: no Winograd convolutions, whose roundings are others; such a campaign is one "
	  "of its own", 0 },
	{ "no-transfer", KEY_NO_TRANSFER, NULL, 0,
	  "learn nothing from records of other tasks; such a campaign is one of its own", 0 },
	{ "name", KEY_NAME, "NAME", 0,
	  "what the campaign is called; one that was interrupted goes on under its own name, and under no other; see hone "
	  "campaigns", 0 },
	{ "note", KEY_NOTE, "TEXT", 0, "what is to be remembered of it", 0 },
	{ "quiet", 'q', NULL, 0, "no progress", 0 },
	{ "json", 'j', NULL, 0, "progress and the end as JSON, an object a line, on standard output", 0 },
	{ 0 },
};

const struct word tune_words[] = {
	{ "HH:MM", NULL, false, NULL },
	{ "LIST", NULL, false, NULL },
	{ "CMD", NULL, false, NULL },
	{ "M", NULL, false, NULL },
	{ 0 },
};

static const char doc[] =
	"Searches fast kernels for SOURCE: a model (*.onnx), an operator in text form (*.te), one "
	"of the library (see hone ops) or a list of operators (*.tasks).\vAn interrupted "
	"campaign goes on when the same command is given again. Of several limits the first one that is reached counts. Ctrl-C ends it after "
	"the batch in flight, and so do SIGTERM and SIGHUP (exit status 75). A campaign for a model ends inside "
	"it, where the best few kernels of each task compete. Of a limit of time so much is kept as that, and "
	"measuring the best again, should take; trials have half of it at least. Of a limit of time for kernels of several threads "
	"half goes to a campaign of one thread first, with whose kernels theirs begin (not with --no-transfer). Of what operators of several sums have "
	"half goes to their parts first, where these have no kernels (likewise). A task that got no "
	"kernel is named at the end, with the reason (exit status 5). HONE_DEBUG=DSPNFC in the environment prints DAG, "
	"steps, nest (P: behind each pass), features and C of each candidate.\n\n"
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
	return b->trials || b->minutes > 0 || b->until || b->plateau || b->gain > 0 || b->gflops > 0;
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
	case KEY_GAIN:
		b->gain = real(state, "--gain", arg) / 100;
		return true;
	case KEY_GFLOPS:
		b->gflops = real(state, "--gflops", arg);
		return true;
	default:
		return false;
	}
}

static bool parse_label(int key, const char *arg, struct argp_state *state, struct tuner_options *o)
{
	switch (key) {
	case KEY_NAME:
		if (label_check(arg) < 0)
			argp_error(state, "--name %s", err_get());
		o->name = arg;
		return true;
	case KEY_NOTE:
		if (label_check_note(arg) < 0)
			argp_error(state, "--note: %s", err_get());
		o->note = arg;
		return true;
	default:
		return false;
	}
}

/* What must be there, and what is where nobody says. */
static void complete(struct argp_state *state, struct tune_args *args)
{
	struct tuner_options *o = &args->o;

	if (!o->source)
		argp_error(state, "which SOURCE?");
	if (!args->db)
		argp_error(state, "which database? give --db FILE");
	if (args->replay && args->target)
		argp_error(state, "--target: a recording says for which its kernels are");
	if (args->simulated.given && (args->replay || args->target))
		argp_error(state, "--device: a simulated device has kernels of its own, and no recording answers");
	if (args->simulated.given && source_is_model(o->source))
		argp_error(state, "--device: its kernels of a model are those of regions, which "
			   "`hone partition %s --backend vdla=db=%s,trials=200` tunes", o->source, args->db);
	if (o->threads == 0)
		o->threads = args->simulated.given ? VDLA_VIRTUAL_THREADS : 1;
	if (!has_limit(&o->budget)) {
		o->budget.trials = BUDGET_TRIALS;
		o->budget.gain = BUDGET_GAIN;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct tune_args *args = state->input;
	struct tuner_options *o = &args->o;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->target;
		state->child_inputs[1] = &args->simulated;
		break;
	case 'd':
		args->db = arg;
		break;
	case 't':
		o->threads = argp_int(state, "--threads", arg, 1, DEVICE_MAX_THREADS);
		break;
	case 'q':
		args->quiet = true;
		break;
	case 'j':
		args->json = true;
		break;
	case KEY_SEARCH:
		o->strategy = arg;
		if (!strategy_find(arg))
			argp_error(state, "--search '%s': there is no such strategy; there are: %s", arg,
				   strategy_names());
		break;
	case KEY_COST_MODEL:
		o->cost_model = cost_model_find(arg);
		if (!o->cost_model)
			argp_error(state, "--cost-model '%s': there is no such model; there are: analytic, nearest, xgboost", arg);
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
		o->cache = argp_cache(state, arg);
		args->cache_known = true;
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
	case KEY_EXACT:
		o->exact = true;
		break;
	case ARGP_KEY_ARG:
		if (o->source)
			argp_error(state, "one SOURCE at a time");
		o->source = arg;
		break;
	case ARGP_KEY_END:
		complete(state, args);
		break;
	default:
		return parse_limit(key, arg, state, &o->budget) || parse_label(key, arg, state, o) ? 0 : ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp_child children[] = { { &target_argp, 0, NULL, 0 }, { &simulated_argp, 0, NULL, 0 }, { 0 } };
const struct argp tune_argp = { options, parse, "SOURCE", doc, children, NULL, NULL };

void tune_parse(int argc, char **argv, struct tune_args *args)
{
	argp_parse(&tune_argp, argc, argv, 0, NULL, args);
}
