/* SPDX-License-Identifier: Apache-2.0 */
/* bench/models/contestant.c - hone as a contestant that runs whole models, opened as `hone run`
 * opens them. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "bench/contest/referee/conversation.h"
#include "bench/models/setting.h"
#include "runtime/open.h"

struct model_player {
	struct opened model;
	struct session *session;
	const struct function *main;
	struct value *inputs;	/* in the task's arena */
	struct value *results;	/* of the latest run */
};

static const char *version(struct arena *a)
{
	(void)a;
	return "hone " PACKAGE_VERSION;
}

static void hear(void *user, const struct tell *t)
{
	(void)user;
	if (tell_is_line(t))
		fprintf(stderr, "%s\n", t->line);
}

static void forget_results(struct model_player *p)
{
	values_release(p->results, p->main->nresults);
	for (int i = 0; i < p->main->nresults; i++)
		p->results[i] = value_empty();
}

static void release(void *user)
{
	struct model_player *p = user;

	forget_results(p);
	session_free(p->session);
}

static int run(void *user)
{
	struct model_player *p = user;

	forget_results(p);
	return session_run(p->session, p->inputs, p->results);
}

static int read_inputs(struct arena *a, struct model_player *p, const char *dir,
		       const struct setting *s)
{
	if (s->ninputs != p->main->nparams)
		return err_set("%s has %d inputs, the setting %d", s->model, p->main->nparams,
			       s->ninputs);
	if (tensors_read(a, dir, "input", p->inputs, s->ninputs) < 0)
		return -1;
	for (int i = 0; i < s->ninputs; i++)
		if (open_argument(&p->main->bindings.at[i], p->inputs[i]) < 0)
			return -1;
	return 0;
}

/* "21 tasks: 20 record 1 guess". */
static const char *words(struct arena *a, const struct opened *m)
{
	const char *text = arena_printf(a, "%d task%s:", m->tasks->n, m->tasks->n == 1 ? "" : "s");

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

static int open_setting(struct arena *a, struct model_player *p, const struct setting *s,
			int threads)
{
	struct open_options options = {
		.model = s->model,
		.db = s->db,
		.threads = threads,
		.dims = s->dims,
		.ndims = s->ndims,
		.listener = {hear, NULL},
		.recall = true,
	};

	if (open_model(a, &options, &p->model) < 0)
		return -1;
	p->session = session_new(p->model.code, interp_usual_limits);
	p->main = graph_main(p->model.graph);
	p->inputs = arena_many(a, struct value, p->main->nparams);
	p->results = arena_many(a, struct value, p->main->nresults);
	return 0;
}

static int prepare(void *user, struct arena *a, const char *dir, const char *entry, int threads,
		   const char **text)
{
	struct model_player *p = user;
	struct setting s;

	(void)entry;
	if (setting_read(a, dir, &s) < 0)
		return -1;
	int64_t begin = clock_ns();

	if (open_setting(a, p, &s, threads) < 0)
		return -1;
	int64_t created = clock_ns();
	int rc = read_inputs(a, p, dir, &s);
	int64_t ready = clock_ns();

	if (rc < 0 || run(p) < 0) {
		release(p);
		return -1;
	}
	*text = arena_printf(a, "%jd %jd %s", (intmax_t)(created - begin),
			     (intmax_t)(clock_ns() - ready), words(a, &p->model));
	return 1;
}

static int check(void *user, const char *folder)
{
	struct model_player *p = user;

	if (run(p) < 0 || dir_make(folder) < 0)
		return -1;
	return tensors_write(folder, "output", p->results, p->main->nresults);
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
	struct model_player player = {0};

	return converse(&conversation, &player, argc, argv);
}
