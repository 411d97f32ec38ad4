/* SPDX-License-Identifier: Apache-2.0 */
/* tools/live/serve/serve.h - `hone status --serve`: the report's page on a loopback address, which follows campaigns.
 *
 * Holds: nothing is reachable from another machine, and nothing without the token (tools/live/serve/door.h); nothing
 *        that is asked changes anything. */
#ifndef HONE_TOOLS_LIVE_SERVE_SERVE_H
#define HONE_TOOLS_LIVE_SERVE_SERVE_H

#include <signal.h>
#include <stdbool.h>

#include "tools/campaign/status.h"

struct live_serve {
	struct status_query query;
	int port;		/* 0: one that is free */
	bool ipv6;		/* on ::1, not 127.0.0.1 */
	const volatile sig_atomic_t *stop;	/* set by a signal: enough */
};

/* Prints the address, and serves until it is to stop. 0, or -1 and a message. */
int live_serve(const struct live_serve *s);

#endif
