/* SPDX-License-Identifier: Apache-2.0 */
/* tools/live/screen/terminfo.h - what the terminal on standard output can do, by its description; with ncurses alone. */
#ifndef HONE_TOOLS_LIVE_SCREEN_TERMINFO_H
#define HONE_TOOLS_LIVE_SCREEN_TERMINFO_H

#include <stdbool.h>

#include "base/text.h"

/* Whether it is described, and can place its cursor and clear itself: a dumb one cannot. */
bool terminfo_is_screen(void);
/* What leaves a full screen and gives cursor and keys back; behind the other. */
void terminfo_leave(struct text *out);

#endif
