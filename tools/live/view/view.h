/* SPDX-License-Identifier: Apache-2.0 */
/* tools/live/view/view.h - a campaign as a full screen.
 *
 * In:   how campaigns stand, what the user chose to see of it, and an empty canvas.
 * Out:  the canvas, drawn on; for a key what is chosen then.
 * Holds: the same input gives the same canvas, whatever its size: no clock is read, no terminal asked. Where
 *        rows or columns are few, what matters least is left out. */
#ifndef HONE_TOOLS_LIVE_VIEW_VIEW_H
#define HONE_TOOLS_LIVE_VIEW_VIEW_H

#include "tools/campaign/status.h"
#include "tools/live/view/canvas.h"

enum live_order {
#define X(name, head, width, sheds, meaning) ORDER_##name,
#include "tools/live/view/columns.def"
#undef X
	ORDER_COUNT
};

struct live_view {
	const char *db;
	int64_t campaign;	/* its id; 0: the newest at work, else the newest */
	enum live_order order;	/* of the table; ORDER_TASK: by name */
	bool sorted;		/* else as the campaign has them */
	bool backwards;
	int top;		/* the first row of the table that is in sight; drawing keeps it in bounds */
	int page;		/* rows in sight; drawing tells */
	bool paused;
	bool help;
};

enum live_key {
	LIVE_KEY_NONE,
	LIVE_KEY_UP,
	LIVE_KEY_DOWN,
	LIVE_KEY_PAGE_UP,
	LIVE_KEY_PAGE_DOWN,
	LIVE_KEY_FIRST,
	LIVE_KEY_LAST,
	LIVE_KEY_SORT,
	LIVE_KEY_BACKWARDS,
	LIVE_KEY_CAMPAIGN,
	LIVE_KEY_PAUSE,
	LIVE_KEY_HELP,
	LIVE_KEY_QUIT
};

/* What KEY does to V; QUIT is the caller's. */
void live_press(struct live_view *v, const struct status_vec *all, enum live_key key);
/* Draws ALL on C as V has it; A is for the time of the call. */
void live_draw(struct canvas *c, struct arena *a, const struct status_vec *all, struct live_view *v);

/* --- between the files that draw */

/* What there is to say of S from ROW on, as far as ROOM rows allow; the row behind. */
int live_draw_summary(struct canvas *c, int row, int room, const struct status *s);
/* The table of S's tasks in ROW and below, up to END. */
void live_draw_table(struct canvas *c, struct arena *a, const struct status *s, struct live_view *v,
		     int row, int end);
/* A bar of WIDTH in ROW from COLUMN on, of which PART (0..1) is full. */
void live_draw_bar(struct canvas *c, int row, int column, int width, double part);
/* What the time went to: a bar of initials, and what they are with their shares. */
void live_draw_phases(struct canvas *c, int row, const struct status *s);
void live_draw_legend(struct canvas *c, int row, const struct status *s);

#endif
