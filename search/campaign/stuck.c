/* SPDX-License-Identifier: Apache-2.0 */
/* search/campaign/stuck.c - notices that a campaign goes on without getting anywhere. */
#include "base/arena.h"
#include "search/campaign/campaign.h"

/* Of a batch many may fail, but of four batches not all: then it is the compiler, the runner or the
 * machine. */
enum { BARREN_TRIALS = 4 * TUNER_BATCH };

/* A build or a backup is over by then. */
enum { DISTURBED_S = 600 };

/* The last trial of B where it failed, else NULL. */
static const struct trial *count(struct tuner *t, const struct batch *b)
{
	const struct trial *failed = NULL;

	for (int i = 0; i < b->n; i++) {
		const struct trial *trial = &b->at[i].trial;
		bool ran = trial->status == TRIAL_OK || trial->status == TRIAL_LOST_RACE;

		t->barren = ran ? 0 : t->barren + 1;
		failed = ran ? NULL : trial;
	}
	return failed;
}

static const char *why_stuck(struct tuner *t, const struct batch *b)
{
	const struct trial *failed = count(t, b);

	if (failed && t->barren >= BARREN_TRIALS)
		return arena_printf(t->scratch,
				    "none of the last %lld trials ran; the last is %s: %s",
				    (long long)t->barren, trial_status_name(failed->status),
				    failed->text ? failed->text : "");
	if (t->measurer->disturbed_s >= DISTURBED_S)
		return arena_printf(t->scratch, "others have used the device for %.0f minutes",
				    t->measurer->disturbed_s / 60);
	return NULL;
}

void tuner_watch(struct tuner *t, const struct batch *b)
{
	const char *why = why_stuck(t, b);

	if (why && !t->stuck)
		listener_tell(&t->options.listener, TELL_STUCK, "%s", why);
	t->stuck = why != NULL;	/* told once, until it goes on */
}
