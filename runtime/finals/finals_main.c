/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/finals/finals_main.c - hone-finals: a model with several sets of kernels, in a process of its own.
 *
 * In:   MODEL, DB, THREADS, SECONDS, TARGET ("": the machine's own) and "exact" or "" as arguments.
 * Out:  on standard output "ready TASKS KERNELS LINEUPS", and behind an answer to that on standard
 *       input "round N" behind each, and the results as JSON; or "failed" and a message.
 * Holds: it does not outlive hone. No thread of its team is made before the answer, so that hone may
 *        bind it to cores in between, while compilers had all of them. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/quantile.h"
#include "measure/process/child.h"
#include "measure/timing/timing.h"
#include "runtime/finals/finals_play.h"

static json_t *contender_json(const struct final_task *t, int c, int rounds)
{
	json_t *us = json_array();

	for (int r = 0; r < rounds; r++)
		json_array_append_new(us, json_real(t->contenders[c].us[r]));
	return json_pack("{s:I, s:o}", "record", (json_int_t)t->records.at[c].record.id, "us", us);
}

static json_t *task_json(const struct final_task *t, int rounds)
{
	json_t *all = json_array();

	for (int c = 0; c < t->records.n; c++)
		json_array_append_new(all, contender_json(t, c, rounds));
	return json_pack("{s:i, s:i, s:o}", "winner", t->winner, "alone", t->alone, "contenders", all);
}

static void print_results(const struct model_finals *f)
{
	json_t *tasks = json_array();

	for (int i = 0; i < f->tasks.n; i++)
		json_array_append_new(tasks, task_json(&f->tasks.at[i], f->rounds));
	json_t *root = json_pack("{s:i, s:f, s:o}", "rounds", f->rounds, "model_us",
				 median(f->model_us, f->rounds), "tasks", tasks);
	char *text = json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(17));

	if (!text)
		die("out of memory");
	puts(text);
	free(text);
	json_decref(root);
}

/* What there is to say of records, whoever made the database has heard. */
static void hear(void *user, const struct tell *t)
{
	(void)user;
	(void)t;
}

static void print_round(const struct model_finals *f)
{
	printf("round %d\n", f->rounds);
	fflush(stdout);
}

static int play(struct model_finals *f, const struct open_options *o, double seconds)
{
	int kernels = 0;

	if (finals_open(f, o, seconds) < 0)
		return -1;
	for (int i = 0; i < f->tasks.n; i++)
		kernels += f->tasks.at[i].records.n;
	printf("ready %d %d %d\n", f->tasks.n, kernels, f->lineups);
	fflush(stdout);
	double began_s = clock_s();

	if (getchar() == EOF)
		return err_set("nobody answers");
	f->until_s += clock_s() - began_s;	/* others had the device */
	return finals_play(f, print_round);
}

int main(int argc, char **argv)
{
	struct model_finals f = { 0 };

	if (argc != 8) {
		fputs("hone-finals is started by hone, not by hand\n", stderr);
		return 2;
	}
	if (!child_begins(argv[1]))
		return 1;
	const struct target *target = *argv[6] ? target_choose(argv[6]) : NULL;

	if (*argv[6] && !target) {
		printf("failed %s\n", err_get());
		return 0;
	}
	const struct open_options o = { .model = argv[2], .db = argv[3], .target = target, .threads = atoi(argv[4]),
					.exact = *argv[7] != '\0',
					.listener = { hear, NULL } };
	int rc = play(&f, &o, strtod(argv[5], NULL));

	if (rc == 0)
		print_results(&f);
	else
		printf("failed %s\n", err_get());
	finals_close(&f);
	return 0;
}
