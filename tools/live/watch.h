/* SPDX-License-Identifier: Apache-2.0 */
/* tools/live/watch.h - following campaigns: on a terminal as a full screen, else as blocks of text or lines of
 * JSON. */
#ifndef HONE_TOOLS_LIVE_WATCH_H
#define HONE_TOOLS_LIVE_WATCH_H

#include <signal.h>
#include <stdbool.h>

#include "tools/campaign/status.h"

struct live_watch {
	struct status_query query;
	bool json;		/* a line each time */
	bool until_done;	/* a full screen ends with the campaign, too */
	const volatile sig_atomic_t *stop;	/* set by a signal: enough */
};

/* From when a campaign is at work until none is, or a signal; a full screen also stays behind that, until its
 * user leaves. 0, or -1 and a message. */
int live_watch(const struct live_watch *w);

/* Seconds from one look to the next, of which the last took COST: no more than a tenth of the time is
 * looked, so that large files are not read all the time. */
double live_pause(double cost);
/* What V shows has changed since the same was asked of what it was before, but for how long ago it was seen. */
struct hash128 live_stamp(const struct status_vec *v);

#endif
