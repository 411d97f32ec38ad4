/* SPDX-License-Identifier: Apache-2.0 */
/* search/campaign/admit.c - a cost estimate, held against what a machine has. */
#include "search/campaign/admit.h"

#include "base/err.h"
#include "te/index/domain.h"

/* Sketching and lowering take time with the square of the ops. The deepest group that the reader of
 * models makes has some tens. */
enum { OPS_MAX = 64 };
/* As long as hone waits for a reference (measure/runner/runner.h). */
#define REFERENCE_MAX_S 300.0
#define GIB ((double)(1 << 30))

static double work_of(const struct op *op)
{
	double points = (double)tensor_count(&op->tensor) * op_terms(op);

	return points * (1 + op_flop(op));
}

struct task_cost task_cost(const struct task *t)
{
	const struct dag *d = t->dag;
	struct task_cost c = { .arguments = dag_bytes(d) };

	for (int i = 0; i < d->ops.n; i++) {
		const struct op *op = d->ops.at[i];

		if (op->kind != OP_COMPUTE)
			continue;
		c.ops++;
		c.work += work_of(op);
		c.temporaries += op->output ? 0 : (double)tensor_bytes(&op->tensor);
	}
	c.reference_s = c.work / ADMIT_RATE;
	return c;
}

int task_admit(const struct task *t, double memory)
{
	struct task_cost c = task_cost(t);
	/* Arguments are held twice: as a candidate gets them, and as they must be. */
	double needs = 2 * c.arguments + c.temporaries;

	if (c.ops > OPS_MAX)
		return err_set("%s: is made of %d operations; at most %d are tuned as one kernel: "
			       "cut it into several tasks", t->name, c.ops, OPS_MAX);
	if (c.reference_s > REFERENCE_MAX_S)
		return err_set("%s: takes %.3g operations, so the reference that candidates are held "
			       "against would take about %.3g s at %.3g GFLOP/s, and at most %g s are "
			       "allowed: make the operator smaller", t->name, c.work, c.reference_s,
			       ADMIT_RATE * 1e-9, REFERENCE_MAX_S);
	if (needs > memory)
		return err_set("%s: needs %.3g GiB (arguments of %.3g GiB, twice, and %.3g GiB for "
			       "what lies between them), and this machine has %.3g GiB: make the "
			       "operator smaller", t->name, needs / GIB, c.arguments / GIB,
			       c.temporaries / GIB, memory / GIB);
	return 0;
}
