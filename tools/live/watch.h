/* SPDX-License-Identifier: Apache-2.0 */
/* tools/live/watch.h - following campaigns: on a terminal as a full screen, else as blocks of text or lines of
 * JSON. */
#ifndef HONE_TOOLS_LIVE_WATCH_H
#define HONE_TOOLS_LIVE_WATCH_H

#include <signal.h>
#include <stdbool.h>

#include "base/hash.h"
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
/* Whether what is followed is over: a campaign was seen at work, or has come and gone between two looks, and none
 * is any more. FIRST is the stamp of the first look. */
bool live_is_over(const struct status_vec *v, struct hash128 first, bool *begun);
/* Changes with what V shows, but not with how long ago something was. */
struct hash128 live_stamp(const struct status_vec *v);

#endif
