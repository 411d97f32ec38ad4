/* SPDX-License-Identifier: Apache-2.0 */
/* tools/campaign/notify.h - a command of the user's that hears what becomes of a campaign.
 *
 * In:   a shell command; events.
 * Out:  the command runs beside hone, with the event in its environment.
 * Holds: it never holds up the campaign, and its failure is no more than a warning. */
#ifndef HONE_TOOLS_CAMPAIGN_NOTIFY_H
#define HONE_TOOLS_CAMPAIGN_NOTIFY_H

#include <stdint.h>
#include <sys/types.h>

#include "base/tell.h"

enum { NOTIFY_RUNNING = 8 };

struct notify {
	const char *command;	/* NULL: nobody is told */
	const char *source, *db;
	struct listener listener;
	pid_t running[NOTIFY_RUNNING];	/* 0: free */
};

struct notice {
	const char *event;	/* "done", "stopped", "stuck", "failed" */
	const char *why;
	int64_t trials;
	const char *best;	/* JSON */
};

/* Starts the command. */
void notify_send(struct notify *n, const struct notice *what);
/* Waits, for a bounded time, for those that still run. */
void notify_end(struct notify *n);

#endif
