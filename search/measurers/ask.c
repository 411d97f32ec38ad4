/* SPDX-License-Identifier: Apache-2.0 */
/* search/measurers/ask.c - candidates to jobs, results to trials. */
#include "search/measurers/ask.h"

#include "base/arena.h"

struct phases phases_minus(const struct phases *x, const struct phases *y)
{
	return (struct phases){
		.build = x->build - y->build,
		.run = x->run - y->run,
		.verify = x->verify - y->verify,
		.wait = x->wait - y->wait,
		.beside = x->beside - y->beside,
	};
}

int ask(struct measurer *m, const struct task *t, double incumbent_us, const struct candidate *c,
	int n, bool again)
{
	struct arena *a = arena_new();
	struct job *jobs = arena_many(a, struct job, n);

	for (int i = 0; i < n; i++)
		jobs[i] = (struct job){ c[i].steps, c[i].trial.source, c[i].trial.object };
	int rc = m->submit(m, &(struct job_batch){ t, incumbent_us, again, jobs, n });

	arena_free(a);
	return rc;
}

int hear_answer(struct measurer *m, struct arena *a, struct candidate *c, int n)
{
	struct trial *results = arena_many(a, struct trial, n);
	int rc = m->collect(m, a, results);

	for (int i = 0; i < n; i++) {
		results[i].source = c[i].trial.source;
		c[i].trial = results[i];
	}
	return rc;
}

int ask_and_wait(struct measurer *m, struct arena *a, const struct task *t, double incumbent_us,
		 struct candidate *c, int n, bool again)
{
	if (ask(m, t, incumbent_us, c, n, again) < 0)
		return -1;
	return hear_answer(m, a, c, n);
}
