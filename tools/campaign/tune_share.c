/* SPDX-License-Identifier: Apache-2.0 */
/* tools/campaign/tune_share.c - limits that two campaigns share. */
#include "tools/campaign/tune_share.h"

#include <math.h>

#include "base/clock.h"

struct tuner_options tune_share(struct tune_args *args, double share)
{
	const struct tuner_options whole = args->o;
	struct budget *b = &args->o.budget;
	int64_t now = clock_wall();

	args->o.scouts = true;
	args->o.name = args->o.note = NULL;
	args->o.finals = NULL;
	b->trials = (int64_t)ceil(share * (double)b->trials);
	b->minutes *= share;
	b->until = b->until ? now + (int64_t)(share * (double)(b->until - now)) : 0;
	b->gflops = 0;
	return whole;
}

void tune_rest(struct tune_args *args, struct tuner_options whole)
{
	const struct budget taken = args->o.budget;

	whole.cache = args->o.cache;
	if (whole.budget.minutes > 0)
		whole.budget.minutes -= fmin(args->spent_s / 60, taken.minutes);
	if (whole.budget.trials > 0)
		whole.budget.trials -= args->end.trials < taken.trials ? args->end.trials : taken.trials;
	args->o = whole;
}
