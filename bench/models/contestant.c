/* SPDX-License-Identifier: Apache-2.0 */
/* bench/models/contestant.c - hone as a contestant that runs whole models, opened as `hone run` opens
 * them. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/file.h"
#include "bench/contest/conversation.h"
#include "bench/models/setting.h"
#include "runtime/open.h"

struct ours {
	struct opened model;
	const struct function *main;
	struct value *inputs;	/* in the task's arena */
	struct value *results;	/* of the latest run */
};

static const char *version(struct arena *a)
{
	(void)a;
	return "hone " PACKAGE_VERSION;
}

static void hear(void *user, enum tell_kind kind, const char *line)
{
	(void)user;
	(void)kind;
	fprintf(stderr, "%s\n", line);
}

static void forget_results(struct ours *o)
{
	values_release(o->results, o->main->nresults);
	for (int i = 0; i < o->main->nresults; i++)
		o->results[i] = value_empty();
}

static void release(void *user)
{
	struct ours *o = user;

	forget_results(o);
	open_end(&o->model);
}

static int run(void *user)
{
	struct ours *o = user;

	forget_results(o);
	return session_run(o->model.session, o->inputs, o->results);
}

static int read_inputs(struct arena *a, struct ours *o, const char *dir, const struct setting *s)
{
	if (s->ninputs != o->main->nparams)
		return err_set("%s has %d inputs, the setting %d", s->model, o->main->nparams,
			       s->ninputs);
	if (tensors_read(a, dir, "input", o->inputs, s->ninputs) < 0)
		return -1;
	for (int i = 0; i < s->ninputs; i++) {
		const struct type *want = o->main->bindings.at[i].type;
		const struct type *given = value_type(a, o->inputs[i]);

		if (!type_fits(given, want))
			return err_set("input '%s' is %s, the model wants %s", s->inputs[i],
				       type_string(a, given), type_string(a, want));
	}
	return 0;
}

/* "21 tasks: 20 record, 1 guess". */
static const char *words(struct arena *a, const struct opened *m)
{
	const char *text = arena_printf(a, "%d tasks:", m->tasks->n);

	for (int o = 0; o <= CHOICE_NONE; o++) {
		int n = 0;

		for (int i = 0; i < m->tasks->n; i++)
			n += m->choices[i].origin == (enum choice_origin)o;
		if (n > 0)
			text = arena_printf(a, "%s %d %s", text, n,
					    choice_origin_name((enum choice_origin)o));
	}
	return text;
}

static int open_setting(struct arena *a, struct ours *o, const struct setting *s, int threads)
{
	struct open_options options = {
		.model = s->model,
		.db = s->db,
		.threads = threads,
		.dims = s->dims,
		.ndims = s->ndims,
		.limits = interp_usual_limits,
		.listener = {hear, NULL},
	};

	if (open_model(a, &options, &o->model) < 0)
		return -1;
	o->main = graph_main(o->model.graph);
	o->inputs = arena_many(a, struct value, o->main->nparams);
	o->results = arena_many(a, struct value, o->main->nresults);
	return 0;
}

static int prepare(void *user, struct arena *a, const char *dir, const char *entry, int threads,
		   const char **text)
{
	struct ours *o = user;
	struct setting s;

	(void)entry;
	if (setting_read(a, dir, &s) < 0)
		return -1;
	int64_t begin = clock_ns();

	if (open_setting(a, o, &s, threads) < 0)
		return -1;
	int64_t created = clock_ns();
	int rc = read_inputs(a, o, dir, &s);
	int64_t ready = clock_ns();

	if (rc < 0 || run(o) < 0) {
		release(o);
		return -1;
	}
	*text = arena_printf(a, "%jd %jd %s", (intmax_t)(created - begin),
			     (intmax_t)(clock_ns() - ready), words(a, &o->model));
	return 1;
}

static int check(void *user, const char *folder)
{
	struct ours *o = user;

	if (run(o) < 0 || dir_make(folder) < 0)
		return -1;
	return tensors_write(folder, "output", o->results, o->main->nresults);
}

static const struct contestant_entry entries[] = {
	{"model", "weights packed before; inputs and outputs in the model's layouts; a session's run"},
	{NULL, NULL},
};

static const struct conversation conversation = {
	.entries = entries,
	.version = version,
	.prepare = prepare,
	.check = check,
	.run = run,
	.release = release,
};

int main(int argc, char **argv)
{
	struct ours ours = {0};

	return converse(&conversation, &ours, argc, argv);
}
