/* SPDX-License-Identifier: Apache-2.0 */
/* tools/live/view/bars.c - how far it is, and what the time went to. */
#include <math.h>
#include <string.h>

#include "tools/live/view/view.h"

#define BLOCK_FULL 0x2588
#define BLOCK_LIGHT 0x2591

void live_draw_bar(struct canvas *c, int row, int column, int width, double part)
{
	int full = (int)lround(fmin(fmax(part, 0), 1) * width);

	for (int i = 0; i < width; i++) {
		uint32_t code = c->utf8 ? i < full ? BLOCK_FULL : BLOCK_LIGHT : i < full ? '#' : '.';

		canvas_set(c, row, column + i, i < full ? STYLE_GOOD : STYLE_FAINT, code);
	}
}

/* Each kind of time has an initial of its own. */
static uint32_t initial(int kind)
{
	return (uint32_t)(unsigned char)status_time_name(kind)[0];
}

void live_draw_phases(struct canvas *c, int row, const struct status *s)
{
	double sum = status_time_sum(s), before = 0;
	int at = canvas_put(c, row, 0, STYLE_PLAIN, "  time     ");
	int width = c->columns - at - 1, from = 0;

	for (int k = 0; k < STATUS_TIME_COUNT; k++) {
		double seconds = status_time(s, k);

		before += isnan(seconds) ? 0 : seconds;
		int end = (int)lround(before / sum * width);

		for (; from < end; from++)
			canvas_set(c, row, at + from, (enum canvas_style)(STYLE_PART + k), initial(k));
	}
}

void live_draw_legend(struct canvas *c, int row, const struct status *s)
{
	double sum = status_time_sum(s);
	int at = 11;	/* below the bar */

	for (int k = 0; k < STATUS_TIME_COUNT; k++) {
		double share = status_time(s, k) / sum;
		struct text words = { 0 };

		if (!(share >= 0.005))
			continue;	/* 0% in words, and hardly there in the bar */
		text_printf(&words, "%s %.0f%%", status_time_name(k), 100 * share);
		bool fits = at + (int)words.n < c->columns;

		if (fits)
			at = canvas_printf(c, row, at, STYLE_PLAIN, "%s  ", words.s);
		text_free(&words);
		if (!fits)
			break;
	}
}
