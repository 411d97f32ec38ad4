/* SPDX-License-Identifier: Apache-2.0 */
/* bench/versus.c - prepares the peers, lets them run in turns with ours, compares results. */
#include "bench/versus.h"

#include <math.h>

#include "te/eval.h"

struct match {
	const struct dag *d;
	struct peer_task task;
	void **handle;		/* of each peer; NULL where it cannot */
};

static void prepare(struct arena *a, const struct match *m, const char *why,
		    struct versus_peer *peer, int n)
{
	for (int i = 0; i < n; i++) {
		const struct peer *p = peer[i].peer;

		peer[i].why = p->missing ? p->missing : why;
		peer[i].version = p->missing ? NULL : p->version(a);
		if (!peer[i].why)
			m->handle[i] = p->prepare(a, &m->task, &peer[i].why);
		if (m->handle[i])
			peer[i].kernel = arena_strdup(a, p->kernel(m->handle[i]));
	}
}

static int run_all(struct arena *a, const struct match *m, const struct interleave *how,
		   struct contender ours, struct standing *standing, struct versus_peer *peer,
		   int n)
{
	struct contender *c = arena_many(a, struct contender, n + 1);
	struct standing *s = arena_many(a, struct standing, n + 1);
	int used = 1;

	c[0] = ours;
	for (int i = 0; i < n; i++)
		if (m->handle[i])
			c[used++] = (struct contender){ peer[i].peer->name, peer[i].peer->run,
							m->handle[i] };
	if (interleave(how, c, used, s) < 0)
		return -1;
	*standing = s[0];
	used = 1;
	for (int i = 0; i < n; i++)
		if (m->handle[i])
			peer[i].standing = s[used++];
	return 0;
}

static double difference(const float *theirs, const float *ours, int64_t n)
{
	double worst = 0, most = 0;

	for (int64_t i = 0; i < n; i++) {
		double d = fabs((double)theirs[i] - (double)ours[i]);

		if (!(d <= worst))	/* a NaN stays */
			worst = d;
		if (fabs((double)ours[i]) > most)
			most = fabs((double)ours[i]);
	}
	return most > 0 ? worst / most : worst;
}

static int compare(const struct match *m, struct versus_peer *peer, int n)
{
	const struct op *y = m->task.work->y.op;
	const float *ours = m->task.args[dag_arg(m->d, y)];
	struct arena *scratch = arena_new();
	float *theirs = arena_many(scratch, float, tensor_count(&y->tensor));
	int rc = 0;

	for (int i = 0; i < n && rc == 0; i++) {
		if (!m->handle[i])
			continue;
		rc = peer[i].peer->output(m->handle[i], theirs);
		peer[i].difference = difference(theirs, ours, tensor_count(&y->tensor));
	}
	arena_free(scratch);
	return rc;
}

int versus(struct arena *a, const struct dag *d, void *const *args, int threads,
	   const struct interleave *how, struct contender ours, struct standing *standing,
	   struct versus_peer *peer, int n, const char **work)
{
	const char *why = NULL;
	const struct work *w = recognize(a, d, &why);
	struct match m = { d, { d, w, args, threads }, arena_many(a, void *, n) };

	if (work)
		*work = w ? work_text(a, w) : "";
	prepare(a, &m, why, peer, n);
	int rc = run_all(a, &m, how, ours, standing, peer, n);

	if (rc == 0 && w)
		rc = compare(&m, peer, n);
	for (int i = 0; i < n; i++)
		if (m.handle[i])
			peer[i].peer->release(m.handle[i]);
	return rc;
}
