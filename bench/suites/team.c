/* SPDX-License-Identifier: Apache-2.0 */
/* bench/suites/team.c - what it costs to go from one kernel to the next with several threads: a
 * barrier of the team that runs all of them, or a parallel region for each.
 *
 * Holds: the two are measured in turn, on the same kernels; the figures are of quiet rounds (the 10th
 * percentile) and of usual ones (the median). */
#include <stdio.h>

#include "base/clock.h"
#include "base/quantile.h"
#include "bench/suite.h"
#include "codegen/team.h"
#include "tools/args/query.h"
#include "tools/command.h"
#include "tools/json.h"

/* As many kernels as a large network has; rounds for a 10th percentile that others' work leaves alone. */
enum { STEPS = 200, ROUNDS = 1000, MOST_THREADS = 1024 };

struct team_args {
	int threads;
	bool json;
};

/* Microseconds a step, by round. */
struct step_times {
	double barrier[ROUNDS], region[ROUNDS];
};

static const char doc[] =
	"Times a chain of 200 kernels that do next to nothing, run by a team with a barrier behind each, "
	"as models are run, and with a parallel region of OpenMP for each.\v"
	"Example:\n  hone bench --suite team --threads 2\n";

static const struct argp_option options[] = {
	{ "threads", 't', "N", 0, "of the team (default 2)", 0 },
	{ "json", 'j', NULL, 0, "print the figures as JSON", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct team_args *args = state->input;

	switch (key) {
	case 't':
		args->threads = argp_int(state, "--threads", arg, 1, MOST_THREADS);
		return 0;
	case 'j':
		args->json = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{ &suite_argp, 0, NULL, 0 },
	{ 0 },
};
static const struct argp argp = { options, parse, NULL, doc, children, NULL, NULL };

/* --- a kernel that writes a number for each thread, on a line of the cache of its own */

static int32_t one_phase(void)
{
	return 1;
}

static void count(int32_t phase, void *const *args, void *workspace, int32_t thread, int32_t threads)
{
	(void)phase, (void)workspace, (void)threads;
	((int32_t *)args[0])[thread * (CALLABLE_ALIGN / (int)sizeof(int32_t))]++;
}

static const struct callable counting = { .phases = one_phase, .part = count };

static void run_chain(struct team *t, int thread, void *args)
{
	for (int i = 0; i < STEPS; i++) {
		callable_run(&counting, t, thread, args, NULL);
		team_wait(t, thread);
	}
}

/* --- rounds */

static double us_per_step(int64_t start)
{
	return us_since(start) / STEPS;
}

static void measure(int threads, void **args, struct step_times *out)
{
	for (int round = -1; round < ROUNDS; round++) {	/* the first is not counted */
		int64_t start = clock_ns();
		int at = round < 0 ? 0 : round;

		team_run(threads, run_chain, args);
		out->barrier[at] = us_per_step(start);
		start = clock_ns();
		for (int i = 0; i < STEPS; i++)
			callable_call(&counting, threads, args, NULL);
		out->region[at] = us_per_step(start);
	}
	sort_figures(out->barrier, ROUNDS);
	sort_figures(out->region, ROUNDS);
}

static void print_line(const char *name, const double *us)
{
	printf("%-8s %10.3f %10.3f\n", name, quantile(us, ROUNDS, 0.1), quantile(us, ROUNDS, 0.5));
}

static json_t *figures_json(const double *us)
{
	return json_pack("{s:f, s:f}", "p10_us", quantile(us, ROUNDS, 0.1), "median_us",
			 quantile(us, ROUNDS, 0.5));
}

static void print(const struct team_args *args, const struct step_times *t)
{
	if (args->json) {
		json_print(json_pack("{s:i, s:i, s:o, s:o}", "threads", args->threads, "steps",
				     STEPS, "barrier", figures_json(t->barrier), "region",
				     figures_json(t->region)));
		return;
	}
	printf("%d threads, %d kernels, microseconds a kernel\n%-8s %10s %10s\n", args->threads, STEPS,
	       "", "quiet", "median");
	print_line("barrier", t->barrier);
	print_line("region", t->region);
}

static int run(int argc, char **argv)
{
	struct team_args args = { .threads = 2 };
	struct arena *a = arena_new();

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	struct step_times *t = arena_one(a, struct step_times);
	void *numbers = arena_aligned(a, CALLABLE_ALIGN * (size_t)args.threads, CALLABLE_ALIGN);

	measure(args.threads, (void *[]){ numbers }, t);
	print(&args, t);
	arena_free(a);
	return EXIT_OK;
}

const struct command suite_team = {
	.name = "team",
	.summary = "from one kernel to the next with several threads: a barrier, or a parallel region",
	.argp = &argp,
	.run = run,
};
