/* SPDX-License-Identifier: Apache-2.0 */
/* search/campaign/budget.c - limits of trials and of time, and what suffices for a task. */
#include "search/campaign/budget.h"

#include <math.h>
#include <string.h>
#include <time.h>

enum cause budget_ends(const struct budget *b, const struct standing *s)
{
	if (b->trials && s->trials >= b->trials)
		return CAUSE_TRIALS;
	if (b->minutes > 0 && s->seconds >= 60 * b->minutes - b->reserve_s)
		return CAUSE_MINUTES;
	if (b->until && (double)s->now >= (double)b->until - b->reserve_s)
		return CAUSE_UNTIL;
	return CAUSE_NONE;
}

enum cause budget_ends_task(const struct budget *b, const struct task_standing *s)
{
	if (b->gflops > 0 && s->gflops >= b->gflops)
		return CAUSE_TARGET;
	if (b->plateau && s->since_gain >= b->plateau)
		return CAUSE_PLATEAU;
	if (s->gain < b->gain)
		return CAUSE_GAIN;
	return CAUSE_NONE;
}

double budget_time_left_s(const struct budget *b, const struct standing *s)
{
	double left = INFINITY;

	if (b->minutes > 0)
		left = 60 * b->minutes - s->seconds;
	if (b->until)
		left = fmin(left, (double)(b->until - s->now));
	return fmax(left, 0);
}

double budget_left_s(const struct budget *b, const struct standing *s)
{
	double left = budget_time_left_s(b, s);

	if (b->trials && s->trials > 0)
		left = fmin(left, s->seconds * (double)(b->trials - s->trials) / (double)s->trials);
	return isfinite(left) ? fmax(left, 0) : -1;
}

/* --- moments */

static bool reads_as(const char *text, const char *format, struct tm *out)
{
	const char *end = strptime(text, format, out);

	out->tm_isdst = -1;	/* mktime finds out */
	return end && *end == '\0';
}

int64_t budget_moment(const char *text, int64_t now)
{
	time_t clock = now;
	struct tm day = { 0 }, today;

	if (reads_as(text, "%Y-%m-%d %H:%M", &day)) {
		int mday = day.tm_mday;
		time_t moment = mktime(&day);

		return day.tm_mday == mday ? moment : -1;	/* there is no 30 February */
	}
	localtime_r(&clock, &today);
	today.tm_sec = 0;
	if (!reads_as(text, "%H:%M", &today))
		return -1;
	struct tm tomorrow = today;
	time_t moment = mktime(&today);

	tomorrow.tm_mday++;
	return moment > clock ? moment : mktime(&tomorrow);
}

void budget_print_moment(struct text *out, int64_t moment)
{
	time_t clock = moment;
	struct tm local;
	char s[64];

	localtime_r(&clock, &local);
	strftime(s, sizeof(s), "%Y-%m-%d %H:%M", &local);
	text_puts(out, s);
}

/* --- causes */

void budget_print_cause(struct text *out, const struct budget *b, enum cause c)
{
	switch (c) {
	case CAUSE_TRIALS:
		text_printf(out, "--trials %lld", (long long)b->trials);
		break;
	case CAUSE_MINUTES:
		text_printf(out, "--minutes %g", b->minutes);
		break;
	case CAUSE_UNTIL:
		text_puts(out, "--until ");
		budget_print_moment(out, b->until);
		break;
	case CAUSE_PLATEAU:
		text_printf(out, "--plateau %lld", (long long)b->plateau);
		break;
	case CAUSE_TARGET:
		text_printf(out, "--gflops %g", b->gflops);
		break;
	case CAUSE_GAIN:
		text_printf(out, "--gain %g", 100 * b->gain);
		break;
	case CAUSE_EXHAUSTED:
		text_puts(out, "the end of the search space");
		break;
	case CAUSE_REFUSED:
		text_puts(out, "what cannot be measured");
		break;
	case CAUSE_SIGNAL:
		text_puts(out, "a signal");
		break;
	case CAUSE_NONE:
	case CAUSE_COUNT:
		break;
	}
}
