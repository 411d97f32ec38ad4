/* SPDX-License-Identifier: Apache-2.0 */
/* graph/eval/clock.c - the time that a run, or a loop in it, may take. */
#include "base/clock.h"
#include "base/err.h"
#include "graph/eval/interp.h"

int interp_clock(const struct interp *x)
{
	if (clock_s() > x->until)
		return err_set("stopped after %g s: a loop that does not end? (hone run takes "
			       "--limit)", x->allowed);
	return 0;
}

struct interp_time interp_hurry(struct interp *x, double seconds)
{
	struct interp_time before = { x->until, x->allowed };
	double until = clock_s() + seconds;

	if (until < x->until) {
		x->until = until;
		x->allowed = seconds;
	}
	return before;
}

void interp_relax(struct interp *x, struct interp_time before)
{
	x->until = before.until;
	x->allowed = before.allowed;
}

void interp_again(struct interp *x)
{
	x->rng = rng_seed(0);
	x->until = clock_s() + x->limits.seconds;
	x->allowed = x->limits.seconds;
}
