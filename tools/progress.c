/* SPDX-License-Identifier: Apache-2.0 */
/* tools/progress.c - a line, drawn over or below the one before. */
#include "tools/progress.h"

#include <stdio.h>
#include <unistd.h>

/* Seconds between plain lines. */
#define PERIOD 5

static void print_line(const struct progress *p, const char *end)
{
	char left[32] = "";

	if (p->seconds_left >= 0)
		snprintf(left, sizeof(left), ", %.0f s left", p->seconds_left);
	fprintf(stderr, "%s %d/%d %.48s: trial %jd", p->phase, p->task_number, p->tasks,
		p->task->name, (intmax_t)p->trials);
	if (p->budget)
		fprintf(stderr, "/%jd", (intmax_t)p->budget);
	if (p->best_us > 0)
		fprintf(stderr, ", best %.1f GFLOP/s (%.0f%% of peak, %.4g us)", p->gflops,
			100 * p->peak_share, p->best_us);
	fprintf(stderr, ", %.1f trials/s%s, %jd failed%s", p->rate, left, (intmax_t)p->failed, end);
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
		print_line(p, ends ? "\n" : "");
	} else if (ends || p->seconds - *last >= PERIOD) {
		*last = p->seconds;
		print_line(p, "\n");
	}
	fflush(stderr);
}
