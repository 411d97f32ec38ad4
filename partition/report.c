/* SPDX-License-Identifier: Apache-2.0 */
/* partition/report.c - multiply-adds of calls, and sums. */
#include "partition/report.h"

#include "graph/task/cut.h"
#include "te/dag.h"

/* Multiply-adds of a call; 0 where it has no tensor expression. */
static double macs_of(struct arena *scratch, const struct graph *g, const struct offload_call *c)
{
	struct cut_group alone = { .function = g->functions.at[c->function], .members = &c->value,
				   .nmembers = 1 };
	struct cut_dag cut = cut_group(scratch, &alone);

	return cut.dag ? dag_flop(cut.dag) / 2 : 0;
}

struct cut_report cut_report_new(struct arena *a, const struct graph *from, const struct offload *cut,
				 const struct backend *backends, int n)
{
	double *macs = arena_many(a, double, cut->calls.n);
	struct cut_report r = { a, from, cut, backends, n, macs, 0 };
	struct arena *scratch = arena_new();

	for (int i = 0; i < cut->calls.n; i++) {
		macs[i] = macs_of(scratch, from, &cut->calls.at[i]);
		r.all_macs += macs[i];
		arena_reset(scratch);
	}
	arena_free(scratch);
	return r;
}

struct cut_share cut_share_of(const struct cut_report *r, int backend)
{
	const struct offload *cut = r->cut;
	struct cut_share s = { 0 };

	for (int i = 0; i < cut->calls.n; i++)
		if (cut->calls.at[i].backend == backend) {
			s.nodes++;
			s.macs += r->macs[i];
		}
	for (int i = 0; i < cut->regions.n; i++)
		s.regions += cut->regions.at[i].backend == backend;
	return s;
}
