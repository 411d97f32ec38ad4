/* SPDX-License-Identifier: Apache-2.0 */
/* search/campaign/finish.c - which tasks are done, whether the campaign is, and what it says at its end. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/err.h"
#include "search/campaign/campaign.h"

static struct standing standing_of(const struct tuner *t)
{
	return (struct standing){ .trials = t->trials + tuner_on_the_way(t), .seconds = tuner_elapsed(t),
				  .now = clock_wall() };
}

double tuner_left_s(const struct tuner *t)
{
	struct standing s = standing_of(t);

	return budget_left_s(&t->options.budget, &s);
}

double tuner_time_left_s(const struct tuner *t)
{
	struct standing s = standing_of(t);

	return budget_time_left_s(&t->options.budget, &s);
}

double tuner_gflops(const struct tuner *t, int i)
{
	double us = t->scheduler.at[i].best_us;

	return us > 0 ? t->tuned[i].task->flop / us * 1e-3 : 0;
}

/* --- tasks */

/* The history knows earlier campaigns, too: what they tried in vain says nothing of this one. */
static int64_t since_gain(const struct tuned *u)
{
	int64_t since = u->problem.history->since_gain;

	return since < u->heard ? since : u->heard;
}

static enum cause cause_of(const struct tuner *t, int i)
{
	struct task_standing s = { since_gain(&t->tuned[i]), tuner_gflops(t, i), scheduler_gain(&t->scheduler, i) };
	enum cause c = budget_ends_task(&t->options.budget, &s);

	return c == CAUSE_NONE && t->scheduler.at[i].exhausted ? CAUSE_EXHAUSTED : c;
}

void tuner_settle(struct tuner *t, int i)
{
	struct tuned *u = &t->tuned[i];

	if (u->done != CAUSE_REFUSED)
		u->done = cause_of(t, i);
	t->scheduler.at[i].done = u->done != CAUSE_NONE;
}

static int count_done(const struct tuner *t, enum cause c)
{
	int n = 0;

	for (int i = 0; i < t->n; i++)
		n += t->tuned[i].done == c;
	return n;
}

/* --- the campaign */

bool tuner_stopped(const struct tuner *t)
{
	return t->options.stop && *t->options.stop;
}

bool tuner_confirms(const struct tuner *t)
{
	return t->measurer->confirms && !t->options.scouts;
}

bool tuner_unconfirmed(const struct tuner *t, int i)
{
	return tuner_confirms(t) && t->scheduler.at[i].runs > 0 &&
	       t->scheduler.at[i].best_us > 0 && !t->scheduler.at[i].confirmed;
}

/* Of the time, as things stand. */
static double reserve_s(const struct tuner *t, const struct standing *s)
{
	double left_s = budget_time_left_s(&t->options.budget, s);
	struct finals_work work = tuner_finals_work(t);
	int n = 0;

	if (isinf(left_s))
		return 0;
	for (int i = 0; i < t->n; i++)
		n += tuner_unconfirmed(t, i);
	return ending_reserve_s(&t->pace, s->seconds + left_s, n,
				t->options.finals ? &work : NULL);
}

bool tuner_is_over(struct tuner *t)
{
	struct standing s = standing_of(t);

	t->options.budget.reserve_s = reserve_s(t, &s);
	t->over = tuner_stopped(t) ? CAUSE_SIGNAL : budget_ends(&t->options.budget, &s);
	return t->over != CAUSE_NONE || (scheduler_next(&t->scheduler) < 0 && t->n_flights == 0);
}

static void tell_work(struct text *out, const struct tuner *t)
{
	text_printf(out, "%lld trials in ", (long long)t->trials);
	text_duration(out, tuner_elapsed(t));
}

static void tell_cause(struct tuner *t, struct text *all, enum cause c)
{
	const struct budget *b = &t->options.budget;
	struct text name = { 0 }, what = { 0 };
	int n = count_done(t, c);

	budget_print_cause(&name, b, c);
	text_printf(all, "%s%s", all->n ? ", " : "", text_str(&name));
	if (c == CAUSE_PLATEAU)
		text_printf(&what, "%d of %d tasks had no gain in %lld trials", n, t->n,
			    (long long)b->plateau);
	else if (c == CAUSE_GAIN)
		text_printf(&what, "%d of %d tasks are not expected to become faster by so much with %d more trials", n, t->n,
			    SCHEDULER_AHEAD);
	else if (c == CAUSE_TARGET)
		text_printf(&what, "the best of %d of %d tasks reach it", n, t->n);
	else if (c == CAUSE_EXHAUSTED)
		text_printf(&what, "%d of %d tasks have nothing left to try", n, t->n);
	else if (c == CAUSE_REFUSED)
		text_printf(&what, "%d of %d tasks are left out", n, t->n);
	else
		tell_work(&what, t);
	listener_tell(&t->options.listener, TELL_NOTE, "stopped by %s: %s", text_str(&name),
		      text_str(&what));
	text_free(&name);
	text_free(&what);
}

void tuner_tell_causes(struct tuner *t)
{
	struct text all = { 0 };

	for (enum cause c = CAUSE_TRIALS; c < CAUSE_COUNT; c++)
		if (t->over == CAUSE_NONE ? count_done(t, c) > 0 : t->over == c)
			tell_cause(t, &all, c);
	t->stopped_by = arena_strdup(t->arena, text_str(&all));
	text_free(&all);
}

/* Without a kernel nothing was ok; what else there was, by how it ended. */
static void print_counts(struct text *out, const int64_t counts[TRIAL_STATUS_COUNT])
{
	for (int i = TRIAL_STORED_FIRST; i < TRIAL_STATUS_COUNT; i++)
		if (counts[i])
			text_printf(out, "%s%lld %s", out->n ? ", " : "", (long long)counts[i],
				    trial_status_name((enum trial_status)i));
	if (!out->n)
		text_puts(out, "no trial was made");
}

static int tell_barren(struct tuner *t, const struct tuned *u)
{
	const struct refusal *most = refusals_most(&u->refusals);
	struct db_want want = tuner_want(t, u->task);
	struct text why = { 0 };
	int64_t counts[TRIAL_STATUS_COUNT];

	if (db_counts(t->db, &want, counts) < 0)
		return -1;
	print_counts(&why, counts);
	if (u->failure)
		text_printf(&why, " (%s)", u->failure);
	if (most)
		text_printf(&why, "; %lld samples were refused, %lld of them: %s",
			    (long long)u->refusals.total, (long long)most->n, most->why);
	listener_tell(&t->options.listener, TELL_WARNING, "%s has no kernel: %s", u->task->name,
		      text_str(&why));
	text_free(&why);
	return 0;
}

int tuner_tell_barren(struct tuner *t)
{
	for (int i = 0; i < t->n && !t->options.scouts; i++)
		if (t->scheduler.at[i].best_us <= 0 && t->scheduler.at[i].runs > 0 &&
		    tell_barren(t, &t->tuned[i]) < 0)
			return -1;
	return 0;
}

void tuner_tell_phases(struct tuner *t)
{
	const struct phases *m = &t->measurer->spent;
	double share = 100 / (t->search_s + t->learn_s + m->build + m->run + m->verify + m->wait +
			      t->finals_s + 1e-9);

	struct text finals = { 0 };

	if (t->finals_s > 0)
		text_printf(&finals, ", finals %.0f%%", share * t->finals_s);
	listener_tell(&t->options.listener, TELL_NOTE,
		      "time: search %.0f%%, learn %.0f%%, build %.0f%%, run %.0f%%, verify %.0f%%, "
		      "wait %.0f%%%s", share * t->search_s, share * t->learn_s, share * m->build,
		      share * m->run, share * m->verify, share * m->wait, text_str(&finals));
	text_free(&finals);
}

/* --- what was found */

static json_t *task_summary(const struct tuner *t, int i)
{
	const struct tuned *u = &t->tuned[i];

	return json_pack("{s:s, s:s, s:I, s:f, s:f, s:b, s:b}", "task", u->task->key, "name", u->task->name,
			 "trials", (json_int_t)u->trials, "best_us", t->scheduler.at[i].best_us,
			 "gflops", tuner_gflops(t, i), "confirmed", t->scheduler.at[i].confirmed, "estimate",
			 !t->measurer->confirms);
}

const char *tuner_summary(const struct tuner *t, struct arena *a)
{
	json_t *tasks = json_array();
	double latency_us = 0;

	for (int i = 0; i < t->n; i++) {
		json_array_append_new(tasks, task_summary(t, i));
		latency_us += t->scheduler.at[i].runs * t->scheduler.at[i].best_us;
	}
	json_t *root = json_pack("{s:f, s:o}", "latency_us", latency_us, "tasks", tasks);
	char *text = json_dumps(root, JSON_COMPACT);

	json_decref(root);
	if (!text)
		die("out of memory");
	const char *copy = arena_strdup(a, text);

	free(text);
	return copy;
}
