/* SPDX-License-Identifier: Apache-2.0 */
/* bench/suites/search_hardware.c - hone bench --suite search --hardware: real campaigns. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/workdir.h"
#include "bench/search/field_table.h"
#include "bench/suites/search.h"
#include "tools/command.h"
#include "tools/json.h"
#include "tools/source.h"

enum { SEEDS = 3, TRIALS = 128 };

static volatile sig_atomic_t stopped;

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

static void show_progress(const struct task *t, const struct strategy *s, int seed)
{
	fprintf(stderr, "%.60s: %s, seed %d\n", t->name, s->name, seed + 1);
}

/* Random search first, for the others are held against it. */
static void take_strategies(const struct search_args *args, struct field_plan *plan)
{
	int trials = args->plan.trials ? args->plan.trials : TRIALS;

	plan->strategy[0] = &strategy_random;
	plan->trials[0] = trials;
	plan->n = 1;
	for (int i = 0; i < args->plan.n && plan->n < FIELD_MAX_STRATEGIES; i++) {
		int own = args->plan.own_trials[i] ? args->plan.own_trials[i] : trials;
		int at = args->plan.strategy[i] == &strategy_random ? 0 : plan->n++;

		plan->strategy[at] = args->plan.strategy[i];
		plan->trials[at] = own;
	}
}

static int take_tasks(struct search_args *args)
{
	if (args->n_sources == 0)
		args->sources[args->n_sources++] = "judging.tasks";
	for (int i = 0; i < args->n_sources; i++) {
		struct task_vec tasks = { 0 };

		if (source_tasks(args->arena, args->sources[i], NULL, &tasks) < 0)
			return -1;
		for (int j = 0; j < tasks.n; j++)
			vec_push(args->arena, &args->tasks, tasks.at[j]);
	}
	return 0;
}

static int check_device(struct arena *a, struct field_plan *plan)
{
	struct device *device = device_describe(a, NULL);

	plan->device = device;
	if (!device)
		return -1;
	if (plan->threads > device->threads)
		return err_set("--threads %d is more than the %d cores this process may use",
			       plan->threads, device->threads);
	return device_load_or_probe(device, false);
}

/* 0; 1 where it was stopped; -1 and a message. What is done is printed in any case. */
static int compare_all(const struct search_args *args, const struct field_plan *plan)
{
	struct field_task *done = arena_many(args->arena, struct field_task, args->tasks.n + 1);
	int n = 0, rc = 0;

	while (n < args->tasks.n && rc == 0) {
		rc = field_play(args->arena, plan, args->tasks.at[n], &done[n]);
		if (rc != 0)
			break;
		done[n].role = role_of(&args->roles, done[n].task);
		if (!args->json)
			field_print(plan, &done[n]);
		n++;
	}
	if (args->json)
		json_print(field_json(plan, done, n));
	else if (n > 0)
		field_print_all(plan, done, n);
	return rc;
}

static int compare(struct search_args *args, struct field_plan *plan)
{
	if (take_tasks(args) < 0 || check_device(args->arena, plan) < 0)
		return command_failed();
	int rc = compare_all(args, plan);

	if (rc > 0)
		fprintf(stderr, "hone: stopped; %s\n",
			args->folder ? "the same command goes on"
				     : "what was measured is gone (--folder keeps it)");
	return rc < 0 ? command_failed() : rc ? EXIT_STOPPED : EXIT_OK;
}

static int open_folder(const struct search_args *args, struct workdir *own, const char **folder)
{
	if (!args->folder) {
		int rc = workdir_open(args->arena, own);

		*folder = own->path;
		return rc;
	}
	*folder = args->folder;
	if (mkdir(args->folder, 0777) < 0 && errno != EEXIST)
		return err_set("%s: cannot make the folder: %s", args->folder, strerror(errno));
	return 0;
}

int search_on_hardware(struct search_args *args)
{
	struct sigaction act = { .sa_handler = stop, .sa_flags = SA_RESTART };
	struct workdir own = { 0 };
	struct field_plan plan = {
		.seeds = args->plan.seeds ? args->plan.seeds : SEEDS,
		.threads = args->threads,
		.cc = args->cc,
		.stop = &stopped,
		.listener = { hear, NULL },
		.progress = show_progress,
	};

	take_strategies(args, &plan);
	if (open_folder(args, &own, &plan.folder) < 0)
		return command_failed();
	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	int rc = compare(args, &plan);

	if (!args->folder)
		workdir_close(&own);
	return rc;
}
