/* SPDX-License-Identifier: Apache-2.0 */
/* tools/live/view/summary.c - the lines above the table, as many as there is room for. */
#include <math.h>

#include "tools/live/view/view.h"

enum { BAR_WIDTH = 40, BAR_COLUMN = 11 };

static void draw_words(struct canvas *c, int row, const struct status *s, enum status_line line)
{
	struct text words = { 0 };

	text_puts(&words, line == STATUS_LINE_HEAD ? "" : "  ");
	status_print_line(&words, s, line);
	canvas_put_cut(c, row, 0, c->columns, line == STATUS_LINE_HEAD ? STYLE_STRONG : STYLE_PLAIN,
		       text_str(&words));
	text_free(&words);
}

static bool says(const struct status *s, enum status_line line)
{
	struct text words = { 0 };

	status_print_line(&words, s, line);
	bool any = words.n > 0;

	text_free(&words);
	return any;
}

/* The part of its budget that is spent; NAN without one. */
static double spent(const struct status *s)
{
	double trials = s->trials_budget ? (double)s->trials / (double)s->trials_budget : NAN;
	double time = s->minutes_budget > 0 ? s->seconds / (60 * s->minutes_budget) : NAN;

	return fmax(trials, time);	/* the one that is known, where one is not */
}

static void draw_left(struct canvas *c, int row, const struct status *s)
{
	int width = c->columns / 2 < BAR_WIDTH ? c->columns / 2 : BAR_WIDTH;
	double part = spent(s);
	struct text words = { 0 };

	canvas_put(c, row, 0, STYLE_PLAIN, "  budget   ");
	live_draw_bar(c, row, BAR_COLUMN, width, part);
	text_printf(&words, " %3.0f%%", 100 * fmin(part, 1));
	if (!isnan(s->left)) {
		text_puts(&words, ", about ");
		text_duration(&words, s->left);
		text_puts(&words, " left");
	}
	canvas_put_cut(c, row, BAR_COLUMN + width, c->columns, STYLE_PLAIN, text_str(&words));
	text_free(&words);
}

static void draw_device(struct canvas *c, int row, const struct status *s)
{
	double us = s->sittings.n ? s->sittings.at[s->sittings.n - 1].calibration.fixed_us : 0;
	double first = s->sittings.n ? s->sittings.at[0].calibration.fixed_us : 0;
	struct text words = { 0 };

	text_puts(&words, "  device   ");
	if (us > 0)
		text_printf(&words, "fixed kernel %.2f us", us);
	if (us > 0 && s->sittings.n > 1 && first > 0)
		text_printf(&words, " (%.2f at the first sitting)", first);
	if (!isnan(s->noise))
		text_printf(&words, "%snoise %.3f (p90 / p10 when it was probed)", us > 0 ? ", " : "", s->noise);
	canvas_put_cut(c, row, 0, c->columns, STYLE_PLAIN, text_str(&words));
	text_free(&words);
}

static bool knows_device(const struct status *s)
{
	return !isnan(s->noise) ||
	       (s->sittings.n && s->sittings.at[s->sittings.n - 1].calibration.fixed_us > 0);
}

static void draw_failures(struct canvas *c, int row, const struct status *s)
{
	struct text words = { 0 };
	const char *before = "  failed   ";

	for (int i = TRIAL_STORED_FIRST; i < TRIAL_STATUS_COUNT; i++) {
		int64_t n = 0;

		for (int k = 0; k < s->tasks.n && status_is_failure(i); k++)
			n += s->tasks.at[k].stats.trials[i];
		if (!n)
			continue;
		text_printf(&words, "%s%jd %s", before, (intmax_t)n, trial_status_name((enum trial_status)i));
		before = ", ";
	}
	canvas_put_cut(c, row, 0, c->columns, STYLE_BAD, text_str(&words));
	text_free(&words);
}

static bool knows_budget(const struct status *s)
{
	return !isnan(spent(s));
}

static bool knows_time(const struct status *s)
{
	return status_time_sum(s) > 0;
}

static bool has_failures(const struct status *s)
{
	return s->failed > 0;
}

/* In their order on the screen. */
static const struct summary_line {
	int sheds;		/* where rows are few, those of the greatest go; 0 stays */
	enum status_line words;	/* what it says, where there is nothing to draw it */
	bool (*has)(const struct status *s);
	void (*draw)(struct canvas *c, int row, const struct status *s);
} lines[] = {
	{ .words = STATUS_LINE_HEAD },
	{ .sheds = 1, .has = knows_budget, .draw = draw_left },
	{ .words = STATUS_LINE_PROGRESS },
	{ .sheds = 2, .words = STATUS_LINE_LATENCY },
	{ .sheds = 3, .words = STATUS_LINE_FINALS },
	{ .sheds = 8, .words = STATUS_LINE_SITTING },
	{ .sheds = 9, .has = knows_device, .draw = draw_device },
	{ .sheds = 7, .words = STATUS_LINE_MODEL },
	{ .sheds = 4, .has = knows_time, .draw = live_draw_phases },
	{ .sheds = 5, .has = knows_time, .draw = live_draw_legend },
	{ .sheds = 6, .has = has_failures, .draw = draw_failures },
};
enum { LINES = sizeof(lines) / sizeof(*lines) };

int live_draw_summary(struct canvas *c, int row, int room, const struct status *s)
{
	bool has[LINES];
	int n = 0;

	for (int i = 0; i < LINES; i++)
		n += has[i] = lines[i].draw ? lines[i].has(s) : says(s, lines[i].words);
	while (n > room) {
		int least = 0;

		for (int i = 0; i < LINES; i++)
			if (has[i] && lines[i].sheds > lines[least].sheds)
				least = i;
		if (!lines[least].sheds)
			break;
		has[least] = false;
		n--;
	}
	for (int i = 0; i < LINES; i++) {
		if (has[i] && lines[i].draw)
			lines[i].draw(c, row++, s);
		else if (has[i])
			draw_words(c, row++, s, lines[i].words);
	}
	return row;
}
