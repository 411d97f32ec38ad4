/* SPDX-License-Identifier: Apache-2.0 */
/* tools/campaign/status_print.c - where a campaign stands, as text. */
#include <math.h>

#include "measure/device/calibration.h"
#include "tools/campaign/status.h"

/* A column of WIDTH; a dash where V is not known. */
static void print_cell(struct text *out, int width, int digits, double v, const char *unit)
{
	if (isnan(v))
		text_printf(out, " %*s", width, "-");
	else
		text_printf(out, " %*.*f%s", width - (int)strlen(unit), digits, v, unit);
}

static const char *plural(int64_t n)
{
	return n == 1 ? "" : "es";
}

static void print_state(struct text *out, const struct status *s)
{
	const struct db_campaign *c = &s->campaign;
	double age = (double)s->age;

	text_puts(out, campaign_state_name(c->state));
	if (s->alive) {
		text_puts(out, c->rounds ? ", last sign" : ", begun");
	} else if (c->state == CAMPAIGN_KILLED) {
		text_puts(out, ", last sign");
	} else {
		if (s->stopped_by)
			text_printf(out, " by %s", s->stopped_by);
		age = (double)(s->now - c->ended);
	}
	text_puts(out, " ");
	text_duration(out, age > 0 ? age : 0);
	text_puts(out, " ago");
	if (c->state == CAMPAIGN_KILLED)
		text_puts(out, "; the same command goes on with it");
}

static void print_progress(struct text *out, const struct status *s)
{
	/* Files of an older hone have no list of them. */
	int64_t batches = s->rounds.n ? s->rounds.n : s->campaign.rounds;

	text_printf(out, "trials   %lld", (long long)s->trials);
	if (s->trials_budget)
		text_printf(out, " of %lld", (long long)s->trials_budget);
	text_printf(out, " in %lld batch%s, %lld failed, %lld refused",
		    (long long)batches, plural(batches),
		    (long long)s->failed, (long long)s->refused);
	if (!isnan(s->seconds)) {
		text_puts(out, "; ");
		text_duration(out, s->seconds);
		if (s->minutes_budget > 0) {
			text_puts(out, " of ");
			text_duration(out, 60 * s->minutes_budget);
		}
	}
	if (!isnan(s->left)) {
		text_puts(out, ", about ");
		text_duration(out, s->left);
		text_puts(out, " left");
	}
	if (s->until)
		text_printf(out, ", until %s", s->until);
}

/* Who is at work, or was last, and whether the device was as fast as at first. */
static void print_sitting(struct text *out, const struct status *s)
{
	const char *what;

	if (!s->sittings.n)
		return;
	const struct db_sitting *first = s->sittings.at, *last = &first[s->sittings.n - 1];

	text_printf(out, "sitting  %d: process %lld on %s", s->sittings.n, (long long)last->pid,
		    last->host);
	double drift = calibration_drift(&first->calibration, &last->calibration, &what);

	if (fabs(drift) > CALIBRATION_DRIFT)
		text_printf(out, "; the device is %.0f%% %s than at the first (%s)",
			    100 * fabs(drift), drift > 0 ? "faster" : "slower", what);
}

static void print_latency(struct text *out, const struct status *s)
{
	if (isnan(s->latency_us))
		return;
	text_printf(out, "latency  %.3f ms, the sum of weight x best", s->latency_us * 1e-3);
	if (s->missing)
		text_printf(out, ", without %d task%s that no kernel was found for yet",
			    s->missing, s->missing > 1 ? "s" : "");
}

static void print_model(struct text *out, const struct status *s)
{
	const struct db_quality *q = &s->quality;

	if (!s->compared)
		return;
	text_puts(out, "model    recall");
	print_cell(out, 0, 2, q->recall, "");
	text_puts(out, ", rank correlation");
	print_cell(out, 0, 2, q->rank, "");
	text_puts(out, ", pairs in order");
	print_cell(out, 0, 0, 100 * q->accuracy, isnan(q->accuracy) ? "" : "%");
	text_printf(out, "; mean of the last %d batch%s that it ranked", s->compared,
		    plural(s->compared));
}

static void print_finals(struct text *out, const struct status *s)
{
	const struct finals_stand *f = &s->finals;

	if (f->state == FINALS_NONE)
		return;
	text_printf(out, "finals   %s", s->finals_killed ? "killed" : finals_state_name(f->state));
	if (f->lineups)
		text_printf(out, ": round %d of %d, %d lineup%s, %d kernel%s of %d task%s", f->round,
			    f->rounds, f->lineups, f->lineups > 1 ? "s" : "", f->kernels,
			    f->kernels > 1 ? "s" : "", f->tasks, f->tasks > 1 ? "s" : "");
	if (s->finals_s > 0) {
		text_puts(out, "; ");
		text_duration(out, s->finals_s);
	}
	if (s->finals_killed)
		text_puts(out, "; the same command holds them again");
}

const char *status_time_name(int kind)
{
	return kind < PHASE_COUNT ? round_phase_name((enum round_phase)kind)
	       : kind == STATUS_TIME_FINALS ? "finals" : "other";
}

double status_time(const struct status *s, int kind)
{
	return kind < PHASE_COUNT ? s->phases[kind]
	       : kind == STATUS_TIME_FINALS ? s->finals_s : s->other;
}

double status_time_sum(const struct status *s)
{
	double sum = 0;

	for (int k = 0; k < STATUS_TIME_COUNT; k++)
		sum += isnan(status_time(s, k)) ? 0 : status_time(s, k);
	return sum;
}

/* Only a model has finals. */
static bool has_column(const struct status *s, int column)
{
	return column != STATUS_TIME_FINALS || !isnan(s->finals_s);
}

/* Finals, one more column, are to fit into 80 characters, too. */
void status_print_phases(struct text *out, const struct status *s)
{
	int width = has_column(s, STATUS_TIME_FINALS) ? 7 : 8;
	double sum = status_time_sum(s);

	if (sum <= 0)
		return;
	text_puts(out, "\n  phase   ");
	for (int c = 0; c < STATUS_TIME_COUNT; c++)
		if (has_column(s, c))
			text_printf(out, " %*s", width, status_time_name(c));
	text_puts(out, "\n  seconds ");
	for (int c = 0; c < STATUS_TIME_COUNT; c++)
		if (has_column(s, c))
			print_cell(out, width, 1, status_time(s, c), "");
	text_puts(out, "\n  share   ");
	for (int c = 0; c < STATUS_TIME_COUNT; c++)
		if (has_column(s, c))
			print_cell(out, width, 1, 100 * status_time(s, c) / sum, "%");
	text_puts(out, "\n");
}

bool status_is_failure(int status)
{
	return status != TRIAL_OK && status != TRIAL_LOST_RACE;
}

/* "  (3 crash, 1 wrong)". */
static void print_failures(struct text *out, const struct db_task_stats *t)
{
	const char *before = "  (";

	for (int i = TRIAL_STORED_FIRST; i < TRIAL_STATUS_COUNT; i++) {
		if (!status_is_failure(i) || !t->trials[i])
			continue;
		text_printf(out, "%s%lld %s", before, (long long)t->trials[i],
			    trial_status_name((enum trial_status)i));
		before = ", ";
	}
	if (*before == ',')
		text_puts(out, ")");
}

/* What the words of print_failures() mean, of those that are there. */
static void print_meanings(struct text *out, const struct status *s)
{
	for (int i = TRIAL_STORED_FIRST; i < TRIAL_STATUS_COUNT; i++) {
		int64_t trials = 0;

		for (int j = 0; j < s->tasks.n && status_is_failure(i); j++)
			trials += s->tasks.at[j].stats.trials[i];
		if (trials)
			text_printf(out, "  %s: %s\n", trial_status_name((enum trial_status)i),
				    trial_status_meaning((enum trial_status)i));
	}
}

static void print_tasks(struct text *out, const struct status *s)
{
	if (s->tasks.n)
		text_printf(out, "\n  %7s %10s %8s %7s %6s  %s\n", "trials", "best us", "GFLOP/s",
			    "peak", "weight", "task (failures)");
	for (int i = 0; i < s->tasks.n; i++) {
		const struct status_task *t = &s->tasks.at[i];
		double best = t->stats.best_us;

		text_printf(out, "  %7lld", (long long)t->stats.n_trials);
		print_cell(out, 10, 2, best > 0 ? best : NAN, "");
		print_cell(out, 8, 1, t->gflops, "");
		print_cell(out, 7, 1, 100 * t->peak_share, "%");
		print_cell(out, 6, 0, t->weight, "");
		const char *caveat = db_task_caveat(&t->stats);

		text_printf(out, "  %s%s%s", t->stats.task.name, *caveat ? ", " : "", caveat);
		print_failures(out, &t->stats);
		text_puts(out, "\n");
	}
	print_meanings(out, s);
}

static void print_head(struct text *out, const struct status *s)
{
	const struct db_campaign *c = &s->campaign;

	text_printf(out, "%s (campaign %lld%s%s): ", c->source, (long long)c->id, c->name ? ", " : "",
		    c->name ? c->name : "");
	print_state(out, s);
}

void status_print_line(struct text *out, const struct status *s, enum status_line line)
{
	static void (*const lines[STATUS_LINE_COUNT])(struct text *out, const struct status *s) = {
		[STATUS_LINE_HEAD] = print_head,	 [STATUS_LINE_PROGRESS] = print_progress,
		[STATUS_LINE_SITTING] = print_sitting,	 [STATUS_LINE_FINALS] = print_finals,
		[STATUS_LINE_LATENCY] = print_latency,	 [STATUS_LINE_MODEL] = print_model,
	};

	lines[line](out, s);
}

void status_print(struct text *out, const struct status *s)
{
	print_head(out, s);
	text_puts(out, "\n");
	if (!s->full)
		return;
	for (int line = STATUS_LINE_PROGRESS; line < STATUS_LINE_COUNT; line++) {
		struct text words = { 0 };

		status_print_line(&words, s, (enum status_line)line);
		if (words.n)
			text_printf(out, "  %s\n", words.s);
		text_free(&words);
	}
	status_print_phases(out, s);
	print_tasks(out, s);
}
