/* SPDX-License-Identifier: Apache-2.0 */
/* tools/campaign/progress.c - a line, drawn over or below the one before. */
#include "tools/campaign/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Seconds between plain lines. */
#define PERIOD 5

/* What a terminal has that does not say, and what a name keeps however narrow it is. */
enum { USUAL_WIDTH = 80, NAME_LEAST = 12 };

/* How much is said of a campaign, from all to what matters most. */
enum detail {
	DETAIL_ALL,
	DETAIL_NO_RATE,
	DETAIL_NO_PEAK,
	DETAIL_NO_FAILED,
	DETAIL_NO_BEST,
	DETAIL_COUNT,
	DETAIL_LEAST = DETAIL_COUNT - 1
};

static void put_best(struct text *out, const struct progress *p, enum detail detail)
{
	if (p->best_us <= 0 || detail >= DETAIL_NO_BEST)
		return;
	text_printf(out, ", best %s%.1f GFLOP/s", p->estimate ? "~" : "", p->gflops);
	if (detail < DETAIL_NO_PEAK)
		text_printf(out, " (%.0f%% of peak, %.4g us)", 100 * p->peak_share, p->best_us);
}

/* All that stands behind the name. */
static void put_state(struct text *out, const struct progress *p, enum detail detail)
{
	text_printf(out, ": trial %jd", (intmax_t)p->trials);
	if (p->budget)
		text_printf(out, "/%jd", (intmax_t)p->budget);
	put_best(out, p, detail);
	if (detail < DETAIL_NO_RATE)
		text_printf(out, ", %.1f trials/s", p->rate);
	if (p->seconds_left >= 0) {
		text_puts(out, ", ");
		text_duration(out, p->seconds_left);
		text_puts(out, " left");
	}
	if (detail < DETAIL_NO_FAILED)
		text_printf(out, ", %jd failed", (intmax_t)p->failed);
}

/* NAME in ROOM columns, cut at its end. */
static void put_name(struct text *out, const char *name, int room)
{
	int n = (int)strlen(name);

	if (n <= room)
		text_puts(out, name);
	else
		text_printf(out, "%.*s...", room > 3 ? room - 3 : 0, name);
}

void progress_print(struct text *out, const struct progress *p, int width)
{
	struct text head = { 0 };
	int name = (int)strlen(p->task->name);
	int least = name < NAME_LEAST ? name : NAME_LEAST;

	text_printf(&head, "%s %d/%d ", p->phase, p->task_number, p->tasks);
	for (enum detail detail = DETAIL_ALL; detail < DETAIL_COUNT; detail++) {
		struct text state = { 0 };

		put_state(&state, p, detail);
		int room = width > 0 ? width - (int)(head.n + state.n) : name;

		if (room >= least || detail == DETAIL_LEAST) {
			text_puts(out, text_str(&head));
			put_name(out, p->task->name, room > least ? room : least);
			text_puts(out, text_str(&state));
			detail = DETAIL_LEAST;
		}
		text_free(&state);
	}
	text_free(&head);
}

/* Columns of the terminal; the last stays free, for some begin a new line behind it. */
static int columns(void)
{
	struct winsize size;
	const char *told = getenv("COLUMNS");

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return size.ws_col - 1;
	return (told && atoi(told) > 0 ? atoi(told) : USUAL_WIDTH) - 1;
}

static void print_line(const struct progress *p, int width, const char *end)
{
	struct text line = { 0 };

	progress_print(&line, p, width);
	fprintf(stderr, "%s%s", text_str(&line), end);
	text_free(&line);
}

void progress_clear(void)
{
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
}

void progress_show(const struct progress *p, double *last)
{
	bool ends = strcmp(p->phase, "confirm") == 0;

	if (isatty(STDERR_FILENO)) {
		progress_clear();
		print_line(p, columns(), ends ? "\n" : "");
	} else if (ends || p->seconds - *last >= PERIOD) {
		*last = p->seconds;
		print_line(p, 0, "\n");
	}
	fflush(stderr);
}
