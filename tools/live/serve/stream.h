/* SPDX-License-Identifier: Apache-2.0 */
/* tools/live/serve/stream.h - events as they go to those who listen (text/event-stream of the HTML standard).
 *
 * In:   what is served, and what has happened.
 * Out:  for each listener what it has not got yet, as bytes.
 * Holds: nothing waits for a listener, and none has more in memory than one message: who is slow gets the newest
 *        state when it can take it. */
#ifndef HONE_TOOLS_LIVE_SERVE_STREAM_H
#define HONE_TOOLS_LIVE_SERVE_STREAM_H

#include "tools/live/serve/feed.h"

/* One listener. */
struct stream {
	struct stream *next;
	void *connection;	/* of the server's library */
	int fd;			/* its socket */
	bool waits;		/* for something to send: it is suspended */
	bool over;		/* it is gone */
	int64_t version, report_version;	/* of what it got last; 0: nothing yet */
	double sent;		/* when; seconds of clock_s() */
	struct text message;	/* on its way */
	size_t at;		/* bytes of it that are sent */
};

/* Whether S has something to get at NOW: more of a message, news of F, or a sign of life. */
bool stream_has(const struct stream *s, const struct feed *f, double now);
/* The next bytes, MOST at most, of a new message where the last is sent; 0: there are none. */
size_t stream_take(struct stream *s, struct feed *f, double now, char *out, size_t most);
/* An event as bytes: NAME, ID, and DATA, which is one line. */
void stream_event(struct text *out, const char *name, int64_t id, const char *data);

#endif
