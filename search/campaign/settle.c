/* SPDX-License-Identifier: Apache-2.0 */
/* search/campaign/settle.c - behind the last round: what the model runs has been measured again. */
#include "search/campaign/campaign.h"

/* One pass over the tasks. */
struct settling {
	int confirmed;	/* in all passes */
	int late;	/* in this one, left for lack of time */
	double keep_s;	/* of the time, for what comes behind */
};

/* Task I, which the model needs: a first batch where that is still to come, and its best confirmed. One
 * task at least gets that, so that each campaign comes further. 1 where there was something to do. */
static int settle_task(struct tuner *t, struct settling *s, int i)
{
	struct scheduled *at = &t->scheduler.at[i];
	bool untried = at->trials == 0 && !at->exhausted && !at->done;

	if (!untried && !tuner_unconfirmed(t, i))
		return 0;
	if (s->confirmed > 0 && tuner_time_left_s(t) <= s->keep_s) {
		s->late++;
		return 0;
	}
	if (untried && (tuner_round(t, i) < 0 || tuner_land(t) < 0))
		return -1;
	int rc = tuner_confirm(t, i);

	if (rc > 0)
		tuner_report(t, i, "confirm");
	s->confirmed += rc > 0;
	return rc < 0 ? -1 : (untried && at->trials > 0) || rc > 0;
}

static int settle_all(struct tuner *t, struct settling *s)
{
	int done = 0;

	s->late = 0;
	for (int i = 0; i < t->n && !tuner_stopped(t); i++) {
		int rc = t->scheduler.at[i].runs > 0 ? settle_task(t, s, i) : 0;

		if (rc < 0)
			return -1;
		done += rc;
	}
	return done;
}

/* Times that are confirmed are others than those of trials, some of which were lucky: so another
 * storage may be needed then, whose times are still those of trials. */
int tuner_confirm_all(struct tuner *t)
{
	struct settling s = { .keep_s = tuner_finals_least_s(t) };	/* they say more than the last few */
	int done;

	while ((done = settle_all(t, &s)) > 0)
		scheduler_weigh(&t->scheduler);
	if (done == 0 && s.late)
		listener_tell(&t->options.listener, TELL_WARNING,
			      "%d of %d tasks stay unconfirmed, for the time is over: the next "
			      "campaign confirms them", s.late, t->n);
	return done;
}
