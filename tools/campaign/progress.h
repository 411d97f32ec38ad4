/* SPDX-License-Identifier: Apache-2.0 */
/* tools/campaign/progress.h - where a campaign stands, on stderr: one live line on a terminal, else a line
 * every few seconds. */
#ifndef HONE_TOOLS_CAMPAIGN_PROGRESS_H
#define HONE_TOOLS_CAMPAIGN_PROGRESS_H

#include "search/campaign/tuner.h"

/* The line itself, in WIDTH columns (0: as long as it is): where they are few, less is said, and the
 * name is cut at its end. */
void progress_print(struct text *out, const struct progress *p, int width);

/* LAST is when the last plain line was printed, in seconds of the campaign. */
void progress_show(const struct progress *p, double *last);
/* Makes room for another line. */
void progress_clear(void);

#endif
