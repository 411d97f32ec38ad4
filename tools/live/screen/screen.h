/* SPDX-License-Identifier: Apache-2.0 */
/* tools/live/screen/screen.h - `hone status --watch` on a terminal: the full screen, by ncurses.
 *
 * Holds: the terminal is as it was when any of these returns or the process ends, by a signal, too; what was
 *        written on stderr meanwhile is there then. */
#ifndef HONE_TOOLS_LIVE_SCREEN_SCREEN_H
#define HONE_TOOLS_LIVE_SCREEN_SCREEN_H

#include "tools/live/watch.h"

/* Whether standard input and output are a terminal that a full screen can be drawn on. */
bool screen_is_possible(void);
/* Why it is not in this build: what to install; NULL: it is. */
const char *screen_absent(void);
/* Shows W's campaigns until the user has seen enough; 0, or -1 and a message. */
int screen_watch(const struct live_watch *w);

#endif
