/* SPDX-License-Identifier: Apache-2.0 */
/* bench/suites/vdla.c - how near kernels for a VDLA come to what it can do, and what virtual threads give. */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/err.h"
#include "base/workdir.h"
#include "bench/suite.h"
#include "bench/vdla/table.h"
#include "measure/device/simulated.h"
#include "search/strategies/strategy.h"
#include "target/vdla/target.h"
#include "tools/args/query.h"
#include "tools/command.h"
#include "tools/json.h"
#include "tools/source.h"

enum { TRIALS = 500, MAX_SOURCES = 64 };

struct vdla_suite {
	struct vdla_plan plan;
	struct simulated_choice simulated;
	const char *db;		/* NULL: a temporary one */
	const char *sources[MAX_SOURCES];
	int n_sources;
	bool json;
	struct arena *arena;
	struct task_vec tasks;
};

static volatile sig_atomic_t stopped;

static const char doc[] =
	"Tunes SOURCEs (default vdla.tasks, the convolutions of ResNet-18 that such an accelerator computes) for a simulated "
	"accelerator, each with virtual threads and without, and holds the best kernels under their roofs. The roof is in "
	"cycles: products of 16x16 that the task has, a cycle each, or what it touches of inputs, constants and outputs over "
	"the memory port, whichever are more; 'of roof' is it over the cycles with virtual threads. 'products' and 'vectors' are the "
	"shares of these cycles in which the matrix unit computed a product, and in which vector instructions ran; the last four "
	"are where the compute unit's time went: busy, waiting for a load, for a store, without an instruction. 'ratio' is "
	"cycles without virtual threads over those with them. All is counted, so the same options give the same figures. A task that the database has as many trials of as are asked for is not tuned again.\v"
	"Examples:\n"
	"  hone bench --suite vdla --db vdla.db\n"
	"  hone bench --suite vdla --trials 100 conv2d:ic=64,h=28,w=28,oc=64,k=3,layout=nchw16c,dtype=i8\n";

enum { KEY_SEARCH = 256, KEY_SEED };

static const struct argp_option options[] = {
	{ "db", 'd', "FILE", 0, "keep the campaigns there, and go on from them (default: a temporary one)", 0 },
	{ "trials", 'n', "N", 0, "of a task, with virtual threads and without each (default 500)", 0 },
	{ "threads", 't', "N", 0, "virtual ones, at least 2 (default 4)", 0 },
	{ "search", KEY_SEARCH, "STRATEGY", 0, "strategy: evolve (default), random, anneal, grid", 0 },
	{ "seed", KEY_SEED, "N", 0, "of all random choices (default 1)", 0 },
	{ "json", 'j', NULL, 0, "JSON instead of a table", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct vdla_suite *s = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &s->simulated;
		return 0;
	case 'd':
		s->db = arg;
		return 0;
	case 'n':
		s->plan.trials = argp_number(state, "--trials", arg, 1);
		return 0;
	case 't':
		s->plan.threads = argp_int(state, "--threads", arg, 2, DEVICE_MAX_THREADS);
		return 0;
	case KEY_SEARCH:
		s->plan.strategy = arg;
		if (!strategy_find(arg))
			argp_error(state, "--search '%s': there is no such strategy; there are: %s", arg, strategy_names());
		return 0;
	case KEY_SEED:
		s->plan.seed = (uint64_t)argp_number(state, "--seed", arg, 0);
		return 0;
	case 'j':
		s->json = true;
		return 0;
	case ARGP_KEY_ARG:
		if (s->n_sources == MAX_SOURCES)
			argp_error(state, "more than %d sources", MAX_SOURCES);
		s->sources[s->n_sources++] = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = { { &simulated_argp, 0, NULL, 0 }, { &suite_argp, 0, NULL, 0 }, { 0 } };
static const struct argp argp = { options, parse, "[SOURCE...]", doc, children, NULL, NULL };

static void stop(int signal)
{
	(void)signal;
	if (stopped)
		_exit(EXIT_STOPPED);
	stopped = 1;
}

/* Many campaigns end here: only what disturbs them is told. */
static void hear(void *user, const struct tell *t)
{
	if (t->kind != TELL_NOTE)
		command_hear(user, t);
}

static int take_tasks(struct vdla_suite *s)
{
	if (s->n_sources == 0)
		s->sources[s->n_sources++] = "vdla.tasks";
	for (int i = 0; i < s->n_sources; i++) {
		struct task_vec tasks = { 0 };

		if (source_tasks(s->arena, s->sources[i], NULL, &tasks) < 0)
			return -1;
		for (int k = 0; k < tasks.n; k++)
			vec_push(s->arena, &s->tasks, tasks.at[k]);
	}
	return 0;
}

static int exit_status(const struct vdla_suite *s, const struct vdla_entry *entries, int rc)
{
	if (rc < 0)
		return command_failed();
	if (rc > 0) {
		fprintf(stderr, "hone: stopped; %s\n", s->db ? "the same command goes on"
							     : "what was counted is gone (--db keeps it)");
		return EXIT_STOPPED;
	}
	for (int i = 0; i < s->tasks.n; i++)
		if (!entries[i].by[VDLA_VIRTUAL].found || !entries[i].by[VDLA_ALONE].found)
			return EXIT_BARREN;
	return EXIT_OK;
}

/* What is done is printed in any case. */
static int play(struct vdla_suite *s)
{
	struct vdla_entry *entries = arena_many(s->arena, struct vdla_entry, s->tasks.n + 1);
	int rc = 0, n = 0;

	while (n < s->tasks.n && rc == 0) {
		fprintf(stderr, "%s\n", s->tasks.at[n]->name);
		rc = vdla_play(&s->plan, s->tasks.at[n], &entries[n]);
		n += rc == 0;
	}
	if (s->json)
		json_print(vdla_entries_json(&s->plan, entries, n));
	else if (n > 0)
		vdla_print_entries(&s->plan, entries, n);
	return exit_status(s, entries, rc);
}

static int play_in(struct vdla_suite *s, const char *path)
{
	s->plan.db = db_open(path, DB_WRITE);
	if (!s->plan.db)
		return command_failed();
	db_listen(s->plan.db, &s->plan.listener);
	int rc = take_tasks(s) < 0 ? command_failed() : play(s);

	db_close(s->plan.db);
	return rc;
}

static int play_anywhere(struct vdla_suite *s)
{
	struct workdir own;

	if (s->db)
		return play_in(s, s->db);
	if (workdir_open(s->arena, &own) < 0)
		return command_failed();
	int rc = play_in(s, arena_printf(s->arena, "%s/vdla.db", own.path));

	workdir_close(&own);
	return rc;
}

static int run(int argc, char **argv)
{
	struct vdla_suite s = {
		.plan = { .threads = VDLA_VIRTUAL_THREADS, .trials = TRIALS, .seed = 1, .stop = &stopped, .listener = { hear, NULL } },
	};

	argp_parse(&argp, argc, argv, 0, NULL, &s);
	s.arena = arena_new();
	s.plan.machine = s.simulated.given ? s.simulated.machine : vdla_machine_default;
	s.plan.device = device_simulated(s.arena, &s.plan.machine);
	command_catch(stop, SA_RESTART);
	int rc = play_anywhere(&s);

	arena_free(s.arena);
	return rc;
}

const struct command suite_vdla = {
	.name = "vdla",
	.summary = "kernels for a simulated accelerator under its roofs, with virtual threads and without",
	.argp = &argp,
	.exits = (const struct command_exit[]){
		{ EXIT_BARREN, "A task has no kernel." },
		{ EXIT_STOPPED, "Stopped; with --db, the same command goes on from there." },
		{ 0 },
	},
	.run = run,
};
