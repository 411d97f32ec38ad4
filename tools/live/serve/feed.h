/* SPDX-License-Identifier: Apache-2.0 */
/* tools/live/serve/feed.h - what is served, as it is now: where campaigns stand, the page of the report, its figures.
 *
 * Holds: the file is read when somebody asks or listens, and a report is made only when the file has changed and
 *        the last one is some seconds old. */
#ifndef HONE_TOOLS_LIVE_SERVE_FEED_H
#define HONE_TOOLS_LIVE_SERVE_FEED_H

#include "base/hash.h"
#include "tools/campaign/status.h"

/* Bytes that outlive the next look: they are given with a reference, and given back. */
struct feed_text {
	char *s;
	size_t n;
	int references;
};

struct feed {
	struct status_query query;
	struct hash128 file, campaigns;	/* stamps of the file, and of what it says of campaigns */
	int64_t version;	/* of what STATUS says; a greater one has changed; 0: never read */
	int64_t report_version;	/* what the page and its figures may be of; follows VERSION, some seconds behind */
	int64_t page_version, figures_version;	/* what they are of; 0: not made yet */
	double next, next_report;	/* the earliest next look and report; seconds of clock_s() */
	char campaign[24];	/* the number of the newest of a source that was asked for; "": all */
	bool alive;		/* some campaign is at work */
	char nonce[33];		/* of the page's scripts */
	struct feed_text *status, *page, *figures;	/* NULL: not made yet */
};

/* Looks where it is time to; *CHANGED: VERSION or REPORT_VERSION is another. -1 and a message: what was
 * known before is still there. */
int feed_look(struct feed *f, bool *changed);
/* Each with a reference; NULL and a message. */
struct feed_text *feed_status(struct feed *f);
struct feed_text *feed_page(struct feed *f);
struct feed_text *feed_figures(struct feed *f);
void feed_text_release(struct feed_text *t);
/* Forgets all. */
void feed_end(struct feed *f);

#endif
