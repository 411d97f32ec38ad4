/* SPDX-License-Identifier: Apache-2.0 */
/* tools/live/screen/restore.h - gives a terminal back as it was, however the process ends.
 *
 * Holds: between begin and end what is written on stderr is kept, and is on stderr behind them; a signal
 *        that ends the process first has both done. */
#ifndef HONE_TOOLS_LIVE_SCREEN_RESTORE_H
#define HONE_TOOLS_LIVE_SCREEN_RESTORE_H

/* TO_PLAIN is what leaves the full screen: it is written as it is. Before the terminal is changed. */
void restore_begin(const char *to_plain);
/* The terminal is as it was: nothing is left to do but what stderr is owed. */
void restore_end(void);

#endif
