/* SPDX-License-Identifier: Apache-2.0 */
/* tools/run/run.c - `hone run`: a model with the kernels that were tuned for it. */
#include <argp.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/machine.h"
#include "base/quantile.h"
#include "graph/model.h"
#include "runtime/kept/module.h"
#include "runtime/values/rounding.h"
#include "tools/args/query.h"
#include "tools/command.h"
#include "tools/run/args.h"

/* A run on its way. */
struct runner_state {
	struct arena *arena;
	const struct run_args *args;
	int64_t begin;			/* clock_ns() of the command's start */
	struct opened model;
	struct session *session;
	struct value *inputs, *results;
	double bound;			/* that checks allow (rounding_bound()) */
	struct run_report report;
};

/* Beyond so much of the machine's memory a run ends with a message, rather than the machine. */
#define MEMORY_SHARE 0.75

static void limit_memory(void)
{
	double bytes = (double)machine_memory();
	struct rlimit limit;

	if (getrlimit(RLIMIT_DATA, &limit) < 0)
		return;
	if (limit.rlim_cur > (rlim_t)(bytes * MEMORY_SHARE))
		limit.rlim_cur = (rlim_t)(bytes * MEMORY_SHARE);
	setrlimit(RLIMIT_DATA, &limit);
}

static struct interp_limits limits_of(const struct run_args *args)
{
	struct interp_limits limits = interp_usual_limits;

	if (args->limit_s > 0)
		limits.loop_seconds = args->limit_s;
	if (limits.loop_seconds > limits.seconds)
		limits.seconds = limits.loop_seconds;
	return limits;
}

static int begin_session(struct runner_state *s)
{
	struct open_options options = model_options(&s->args->m);

	options.recall = true;
	options.offload = backends_request(&s->args->b);
	options.offload.fall_back = s->args->fall_back;
	if (open_model(s->arena, &options, &s->model) < 0)
		return -1;
	s->session = session_new(s->model.code, limits_of(s->args));
	return 0;
}

/* Runs that bring pages, caches and threads to life, where times are asked for. */
enum { WARM_RUNS = 2 };

static int run_once(struct runner_state *s)
{
	int n = graph_main(s->model.graph)->nresults;

	values_release(s->results, n);
	for (int i = 0; i < n; i++)
		s->results[i] = value_empty();
	return session_run(s->session, s->inputs, s->results);
}

static int time_runs(struct runner_state *s)
{
	int n = s->args->repeat;
	double *ms = arena_many(s->arena, double, n > 0 ? n : 1);

	if (s->args->profile || s->args->trace)
		session_watch(s->session, s->args->trace != NULL);
	for (int i = n > 1 ? -WARM_RUNS : 0; i < n; i++) {
		int64_t begin = clock_ns();

		if (run_once(s) < 0)
			return -1;
		if (i >= 0)
			ms[i] = ms_since(begin);
	}
	sort_figures(ms, n);
	s->report.ms = ms;
	s->report.runs = n;
	return 0;
}

static void add_check(struct runner_state *s, const char *with, const struct value *want)
{
	struct run_check *checks = arena_many(s->arena, struct run_check, s->report.n_checks + 1);
	int n = graph_main(s->model.graph)->nresults;

	for (int i = 0; i < s->report.n_checks; i++)
		checks[i] = s->report.checks[i];
	checks[s->report.n_checks++] = (struct run_check){
		with, results_agree(s->arena, s->results, want, n, s->bound) };
	s->report.checks = checks;
}

/* The model as it was read, in the interpreter: no pass and no kernel had a hand in it. A module has its graph behind
 * all passes, and no kernel has a hand in that. */
static int check_interpreter(struct runner_state *s)
{
	struct onnx_options options = { .dims = s->args->m.dims.at, .ndims = s->args->m.dims.n };
	const char *model = s->args->m.model;
	struct graph *g = module_is(model) ? module_graph(s->arena, model) : model_read(s->arena, model, &options);

	if (!g)
		return -1;
	struct model_task_vec none = { 0 };
	const struct model_code *code = model_code_new(s->arena, g, &none, NULL, NULL);
	struct session *plain = session_new(code, limits_of(s->args));
	int n = graph_main(g)->nresults;
	struct value *want = values_new(n);
	int rc = session_run(plain, s->inputs, want);

	if (rc == 0)
		add_check(s, "interpreter", want);
	values_release(want, n);
	free(want);
	session_free(plain);
	return rc < 0 ? err_prefix("the interpreter") : 0;
}

static int check_data(struct runner_state *s)
{
	int n = graph_main(s->model.graph)->nresults;
	struct value *want = values_new(n);
	int found = 1;

	for (int i = 0; i < n && found > 0; i++)
		found = run_expected(s->arena, s->args, graph_main(s->model.graph), i, s->results[i],
				     &want[i]);
	if (found > 0)
		add_check(s, s->args->data, want);
	values_release(want, n);
	free(want);
	return found < 0 ? -1 : 0;
}

static int check(struct runner_state *s)
{
	s->bound = rounding_bound(s->arena, s->model.code, limits_of(s->args), s->inputs);
	if (s->bound < 0 || (s->args->data && check_data(s) < 0))
		return -1;
	return check_interpreter(s);
}

static int run_model(struct runner_state *s)
{
	const struct run_args *args = s->args;

	if (begin_session(s) < 0)
		return -1;
	const struct function *main = graph_main(s->model.graph);

	s->inputs = values_new(main->nparams);
	s->results = values_new(main->nresults);
	if (run_inputs(s->arena, args, main, s->inputs) < 0 || run_once(s) < 0)
		return -1;
	s->report.start_ms = ms_since(s->begin);
	if (time_runs(s) < 0)
		return -1;
	if (args->trace && run_trace(args->trace, session_events(s->session)) < 0)
		return -1;
	if (args->check && check(s) < 0)
		return -1;
	return args->output ? run_write(args, main, s->results) : 0;
}

static void finish(struct runner_state *s)
{
	if (s->inputs)
		values_release(s->inputs, graph_main(s->model.graph)->nparams);
	if (s->results)
		values_release(s->results, graph_main(s->model.graph)->nresults);
	free(s->inputs);
	free(s->results);
	session_free(s->session);
	arena_free(s->arena);
}

static int run(int argc, char **argv)
{
	struct run_args args = { .repeat = 1 };
	struct runner_state s = { .args = &args, .begin = clock_ns() };
	int rc;

	run_parse(argc, argv, &args);
	limit_memory();
	s.arena = arena_new();
	if (run_model(&s) < 0) {
		rc = command_failed();
	} else {
		s.report.model = &s.model;
		s.report.session = s.session;
		s.report.results = s.results;
		run_print(s.arena, &args, &s.report);
		rc = run_agrees(&s.report) ? EXIT_OK : EXIT_FAILED;
	}
	finish(&s);
	return rc;
}

const struct command command_run = {
	.name = "run",
	.summary = "runs a model: tuned kernels where there are records, right everywhere",
	.argp = &run_argp,
	.words = run_words,
	.run = run,
};
