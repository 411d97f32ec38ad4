/* SPDX-License-Identifier: Apache-2.0 */
/* measure/runner/remeasure.c - several kernels measured in turn, round by round. */
#include "measure/runner/runner_inside.h"

/* Loads the trials still OPEN; those that fail are closed. Their number, SLOTS says which; 0 where
 * the process died, so that all have to be loaded again, or where none is left. */
static int add_open(struct arena *a, struct runner *r, struct trial *trials, bool *open, int n,
		    int *slots)
{
	int kept = 0;

	for (int i = 0; i < n; i++) {
		struct request q = { .kind = REQUEST_ADD };
		struct event e = { 0 };
		const char *text;

		if (!open[i])
			continue;
		runner_name(&q, &trials[i]);
		enum trial_status s = dialog_ask(a, &r->process, r->workload->setup, &q, sizeof(q),
						 r->options.limit_s, &e, &text);

		if (s == TRIAL_OK) {
			slots[kept++] = i;
			continue;
		}
		runner_take(a, &trials[i], s, text, &e, false);
		open[i] = false;
		if (r->process.pid == 0)
			return 0;
	}
	return kept;
}

/* One request ROUNDS over the KEPT kernels; what got a result, or ended the process, is closed. */
static void take_rounds(struct arena *a, struct runner *r, struct trial *trials, bool *open,
			const int *slots, int kept, int rounds)
{
	struct request q = { .kind = REQUEST_ROUNDS, .rounds = rounds };

	process_send(&r->process, &q, sizeof(q));
	for (int heard = 0; heard < kept && r->process.pid != 0; heard++) {
		struct event e = { 0 };
		const char *text;
		enum trial_status s = dialog_hear(a, &r->process, r->workload->setup,
						  r->options.limit_s, &e, &text);
		bool answered = s == TRIAL_OK;
		int i = slots[e.index < kept ? e.index : 0];

		if (answered && e.status != TRIAL_OK)
			text = arena_strdup(a, e.text);
		runner_take(a, &trials[i], answered ? e.status : s, text, &e, answered);
		open[i] = false;
	}
}

int remeasure(struct arena *a, struct runner *r, struct trial *trials, int n, int rounds)
{
	bool open[REMEASURE_MAX] = { false };
	int slots[REMEASURE_MAX], left;

	if (n > REMEASURE_MAX)
		n = REMEASURE_MAX;
	for (int i = 0; i < n; i++)
		open[i] = trials[i].object != NULL;
	do {
		if (runner_ensure(r) != 0)
			return -1;
		int kept = add_open(a, r, trials, open, n, slots);

		if (kept > 0)
			take_rounds(a, r, trials, open, slots, kept,
				    rounds < SAMPLES_MAX ? rounds : SAMPLES_MAX);
		left = 0;
		for (int i = 0; i < n; i++)
			left += open[i];
	} while (left > 0);
	return 0;
}
