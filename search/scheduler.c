/* SPDX-License-Identifier: Apache-2.0 */
/* search/scheduler.c - shares of the budget. */
#include "search/scheduler.h"

/* So much of the budget is dealt out evenly: a small task has a space to search, too. */
#define EVEN_SHARE 0.3

void scheduler_begin(struct scheduled *s, int n, const struct task_vec *tasks)
{
	double total = 0;

	for (int i = 0; i < n; i++)
		total += tasks->at[i]->weight * tasks->at[i]->flop;
	for (int i = 0; i < n; i++) {
		const struct task *t = tasks->at[i];
		double work = total > 0 ? t->weight * t->flop / total : 1.0 / n;

		s[i] = (struct scheduled){
			.task = t, .share = EVEN_SHARE / n + (1 - EVEN_SHARE) * work
		};
	}
}

int scheduler_next(const struct scheduled *s, int n)
{
	int longest = -1;

	for (int i = 0; i < n; i++)
		if (!s[i].exhausted && s[i].spent <= 0)
			return i;
	for (int i = 0; i < n; i++)
		if (!s[i].exhausted && s[i].spent < s[i].share)
			return i;
	for (int i = 0; i < n; i++) {
		double time = s[i].task->weight * s[i].best_us / (1 + s[i].spent);

		if (!s[i].exhausted &&
		    (longest < 0 ||
		     time > s[longest].task->weight * s[longest].best_us / (1 + s[longest].spent)))
			longest = i;
	}
	return longest;
}
