/* SPDX-License-Identifier: Apache-2.0 */
/* search/campaign/scheduler.c - the gain to expect of a batch, from a task's history and from others'.
 *
 * Ansor's scheduler (Zheng et al. 2020, arXiv 2006.06762, section 6) mixes the decrease of late
 * with an optimistic one, bounded by what similar tasks reach. The same three sources are here,
 * tied together by a curve: what is above the floor falls as a power of the trials n,
 *
 *	best(n) = floor + gap,	gap ~ n^-p,	so	-d best / d log n = p * gap.
 *
 * That rate is guessed before anything is heard, and then measured. As it is one of log n, it need
 * not be measured often: a task that no batch improves fades by itself, and never to nothing.
 * What kin of a task came to since its last batch, that may gain, too: the next one begins with its schedules. */
#include "search/campaign/scheduler.h"

#include <math.h>

#include "base/err.h"
#include "base/integer.h"

/* Of each task of a model, before any gets more; and of a task until it has had so many trials, for two batches are proposed
 * before anything was heard of the first. Of eight convolutions, three seeds each, 64 trials, bests are 1.06 times as fast as
 * with batches of 16 (docs/performance.md, What evolution finds). */
enum { FIRST_BATCH = 8, EARLY_TRIALS = 32 };

/* Gains are compared over so many trials: about a batch. */
enum { AHEAD = 16 };

/* The p above, and how many trials its guess stands against. From tests/unit/search/test_scheduler.c's
 * curves, whose p is 0.3 to 1.2; half and twice of either change the outcome by less than 1%. */
#define EXPONENT 0.7
enum { GUESS_TRIALS = 64 };

/* In parts of the best, what an e-fold of the trials gains where nothing was heard: six operators from 256 trials to 1000, 0 to 0.05. */
#define USUAL_RATE 0.026

/* The odds, before the first trial, that a task has a valid schedule at all. */
#define VALID_ODDS 5.0

/* A change of task costs a reference run, which so small a difference is not worth. */
#define STAY 1.05

struct scheduler scheduler_new(struct arena *a, const struct task_vec *tasks, double peak,
			       struct weigher weigher)
{
	struct scheduler s = {
		.at = arena_many(a, struct scheduled, tasks->n),
		.n = tasks->n,
		.current = -1,
		.peak = peak,
		.weigher = weigher,
		.best_us = arena_many(a, double, tasks->n),
		.hope_us = arena_many(a, double, tasks->n),
		.runs = arena_many(a, double, tasks->n),
		.weight = arena_many(a, double, tasks->n),
	};

	for (int i = 0; i < s.n; i++)
		s.at[i] = (struct scheduled){ .task = tasks->at[i], .unheard = 1,
					      .runs = tasks->at[i]->weight,
					      .weight = tasks->at[i]->weight };
	return s;
}

/* A mean in which a trial counts the less the more came after it: half as much when they doubled.
 * Gains come in jumps, so a few batches alone say little. */
static void hear_rate(struct scheduled *t, int trials, double gained_us)
{
	double before = (double)t->trials, after = before + trials;
	double keep = (GUESS_TRIALS + before) / (GUESS_TRIALS + after);

	t->rate = keep * t->rate + (1 - keep) * gained_us / log(after / before);
	t->unheard *= keep;
}

void scheduler_relate(struct scheduler *s, int i, int kin)
{
	s->at[i].kin = kin;
}

void scheduler_bound(struct scheduler *s, int i, double us)
{
	s->at[i].least_us = us;
}

/* Are X and Y kin, or one? */
static bool shares_gains(const struct scheduled *x, const struct scheduled *y)
{
	return x == y || (x->kin && x->kin == y->kin);
}

/* The others that are kin of task I may come to BEST_US, too. */
static void tell_kin(struct scheduler *s, int i, double best_us)
{
	for (int j = 0; j < s->n; j++) {
		struct scheduled *t = &s->at[j];

		if (j != i && shares_gains(t, &s->at[i]) && (t->told_us <= 0 || best_us < t->told_us))
			t->told_us = best_us;
	}
}

void scheduler_heard(struct scheduler *s, int i, int trials, double best_us)
{
	struct scheduled *t = &s->at[i];
	bool faster = best_us > 0 && (t->best_us <= 0 || best_us < t->best_us);

	/* Before the first kernel there is nothing to gain from, nor n whose logarithm is one. */
	if (trials > 0 && t->trials > 0 && t->best_us > 0)
		hear_rate(t, trials, faster ? t->best_us - best_us : 0);
	if (faster) {
		t->best_us = best_us;
		tell_kin(s, i, best_us);
	}
	t->trials += trials;
	t->sent -= trials;
}

void scheduler_sent(struct scheduler *s, int i, int trials)
{
	s->at[i].sent += trials;
	s->at[i].told_us = 0;
	s->current = i;
}

static int64_t tried(const struct scheduled *t)
{
	return t->trials + t->sent;
}

/* --- what a batch may gain */

/* Whether X and Y are of one operator, or a chain of the same, whatever joined them: conv2d+bias+relu, conv2d;
 * depthwise+bias>conv2d, depthwise>conv2d+add (graph/task/label.h). */
static bool is_similar(const struct task *x, const struct task *y)
{
	const char *p = x->op, *q = y->op;

	for (;;) {
		size_t n = strcspn(p, "+>");

		if (strcspn(q, "+>") != n || strncmp(p, q, n) != 0)
			return false;
		p += strcspn(p, ">");
		q += strcspn(q, ">");
		if (!*p || !*q)
			return *p == *q;
		p++;
		q++;
	}
}

/* The GFLOP/s of the fastest task that is similar to TASK; 0 where none has a kernel. */
static double fastest_similar(const struct scheduler *s, const struct task *task)
{
	double fastest = 0;

	for (int i = 0; i < s->n; i++) {
		const struct scheduled *t = &s->at[i];

		if (t->best_us > 0 && is_similar(t->task, task))
			fastest = fmax(fastest, t->task->flop / t->best_us * 1e-3);
	}
	return fastest;
}

/* The time that T may come down to. Its peak is too much to hope for, and what similar tasks
 * reach so far too little: it is put between them. 0 where there is nothing to tell it from. */
static double floor_us(const struct scheduler *s, const struct scheduled *t)
{
	double fastest = fastest_similar(s, t->task);

	if (fastest <= 0 || s->peak <= 0)
		return t->least_us;
	return fmax(t->least_us, t->task->flop * 1e-3 / sqrt(fastest * fmax(fastest, s->peak)));
}

/* Trials of T and its kin. */
static int64_t tried_by_kin(const struct scheduler *s, const struct scheduled *t)
{
	int64_t n = 0;

	for (int i = 0; i < s->n; i++)
		if (shares_gains(t, &s->at[i]))
			n += tried(&s->at[i]);
	return n;
}

/* What the next N trials of T gain at RATE, in its unit. */
static double rate_over_trials(const struct scheduler *s, const struct scheduled *t, double rate, double n)
{
	int64_t before = tried_by_kin(s, t);

	return rate * log1p(n / (double)(before > 0 ? before : 1));
}

/* The us that the next N trials of T, which has a kernel, may gain. */
static double gain_us(const struct scheduler *s, const struct scheduled *t, double n)
{
	double guess = EXPONENT * fmax(0, t->best_us - floor_us(s, t));

	return rate_over_trials(s, t, t->rate + t->unheard * guess, n);
}

/* What T gains, all of its kin may gain: that counts for the one of these that weighs most, so that trials are not spent on
 * the same thing twice. */
static double weight_of_gain(const struct scheduler *s, const struct scheduled *t)
{
	double sum = 0;

	for (int i = 0; i < s->n; i++) {
		const struct scheduled *x = &s->at[i];

		if (!shares_gains(t, x) || x->best_us <= 0)
			continue;
		if (x->weight > t->weight || (x->weight == t->weight && x < t))
			return t->weight;
		sum += x->weight;
	}
	return sum;
}

/* The us of the model that the next batch of T, which has a kernel, may gain: by what trials gained so far, or by what its
 * kin came to. */
static double batch_gain_us(const struct scheduler *s, const struct scheduled *t)
{
	double gain = weight_of_gain(s, t) * gain_us(s, t, AHEAD);

	return t->told_us > 0 ? fmax(gain, t->weight * (t->best_us - t->told_us)) : gain;
}

/* What T may come down to: where nothing was tried, all that the peak allows. */
static double hope_us(const struct scheduler *s, const struct scheduled *t)
{
	double floor = floor_us(s, t);

	if (t->best_us <= 0)
		return fmax(floor, s->peak > 0 ? t->task->flop * 1e-3 / s->peak : 0);
	return t->done || t->exhausted ? t->best_us
				       : fmin(t->best_us, fmax(floor, t->best_us - gain_us(s, t, SCHEDULER_AHEAD)));
}

/* By what was heard, and for the rest by what others gained, not by the floor: a kernel that is faster than similar ones, or than the peak allows by the
 * operations as written, has nothing to gain by that. */
double scheduler_gain(const struct scheduler *s, int i)
{
	const struct scheduled *t = &s->at[i];

	if (t->trials < GUESS_TRIALS || t->best_us <= 0)
		return 1;
	return rate_over_trials(s, t, t->rate / t->best_us + t->unheard * USUAL_RATE, SCHEDULER_AHEAD);
}

void scheduler_weigh(struct scheduler *s)
{
	for (int i = 0; s->weigher.weigh && i < s->n; i++) {
		s->best_us[i] = s->at[i].best_us;
		s->hope_us[i] = hope_us(s, &s->at[i]);
	}
	if (s->weigher.weigh)
		s->weigher.weigh(s->weigher.user, s->best_us, s->hope_us, s->runs, s->weight);
	for (int i = 0; s->weigher.weigh && i < s->n; i++) {
		s->at[i].runs = s->runs[i];
		s->at[i].weight = s->weight[i];
	}
}

/* The chance that the next trials find the first valid schedule after N failures. Where each trial
 * is valid with some unknown probability, uniform, N failures have probability 1 / (N + 1) and M
 * more after them (N + 1) / (N + M + 1) (Laplace's rule of succession); and perhaps there is none.
 * It falls as 1/N^2, faster than the gains of tasks that go on gaining: attempts stay bounded. */
static double first_chance(int64_t trials)
{
	double n = (double)trials;
	double possible = VALID_ODDS / (VALID_ODDS + n + 1);

	return possible * AHEAD / (n + AHEAD + 1);
}

/* What a task without a kernel counts for: without it the model does not run at all, so as much as
 * any other does. */
static double heaviest(const struct scheduler *s)
{
	double most = 0;

	for (int i = 0; i < s->n; i++)
		most = fmax(most, s->at[i].weight * s->at[i].best_us);
	return most > 0 ? most : 1;
}

static bool is_closed(const struct scheduled *t)
{
	return t->exhausted || t->done || t->weight <= 0;
}

int scheduler_next(const struct scheduler *s)
{
	double first_gain = heaviest(s), most = 0;
	int next = -1;

	for (int i = 0; i < s->n; i++)
		if (!is_closed(&s->at[i]) && tried(&s->at[i]) == 0)
			return i;
	for (int i = 0; i < s->n; i++) {
		const struct scheduled *t = &s->at[i];

		if (is_closed(t))
			continue;
		double gain = t->best_us > 0 ? batch_gain_us(s, t)
					     : first_gain * first_chance(tried(t));

		if (i == s->current)
			gain *= STAY;
		if (next < 0 || gain > most) {
			next = i;
			most = gain;
		}
	}
	return next;
}

/* The first rounds are small, and the first of a model's tasks takes no more than half of the budget, so that every task has a
 * kernel however soon the campaign ends. */
int scheduler_batch(const struct scheduler *s, int i, int full, int64_t left)
{
	bool first = s->n > 1 && tried(&s->at[i]) == 0;
	int64_t size = tried(&s->at[i]) < EARLY_TRIALS ? least(full, FIRST_BATCH) : full;
	int64_t budget = left;

	if (left < 0)
		return (int)size;
	for (int j = 0; j < s->n; j++)
		budget += tried(&s->at[j]);
	if (first)
		size = least(size, (budget + 2 * s->n - 1) / (2 * s->n));
	return (int)least(size, left);
}

/* --- between two runs */

json_t *scheduler_save(const struct scheduler *s)
{
	json_t *tasks = json_object();
	json_t *root = json_pack("{s:o}", "tasks", tasks);

	for (int i = 0; i < s->n; i++) {
		const struct scheduled *t = &s->at[i];
		json_t *entry = json_pack("{s:I, s:f, s:f, s:f, s:f, s:b}", "trials",
					  (json_int_t)t->trials, "best_us", t->best_us, "rate",
					  t->rate, "unheard", t->unheard, "told_us", t->told_us, "exhausted",
					  (int)t->exhausted);

		if (json_object_set_new(tasks, t->task->key, entry) < 0)
			die("out of memory");
	}
	if (s->current >= 0)
		json_object_set_new(root, "current", json_string(s->at[s->current].task->key));
	return root;
}

static bool load_task(struct scheduled *t, const json_t *entry)
{
	json_int_t trials;
	int exhausted;
	struct scheduled new = *t;

	/* jansson only reads from it, but does not say so */
	if (json_unpack((json_t *)entry, "{s:I, s:F, s:F, s:F, s?F, s:b}", "trials", &trials, "best_us",
			&new.best_us, "rate", &new.rate, "unheard", &new.unheard, "told_us", &new.told_us, "exhausted",
			&exhausted) < 0)
		return false;
	new.trials = trials;
	new.exhausted = exhausted;
	if (trials < 0 || new.best_us < 0 || new.rate < 0 || new.told_us < 0 || new.unheard <= 0 || new.unheard > 1)
		return false;
	*t = new;
	return true;
}

int scheduler_load(struct scheduler *s, const json_t *saved)
{
	const json_t *tasks = json_object_get(saved, "tasks");
	const char *current = json_string_value(json_object_get(saved, "current"));

	if (!json_is_object(tasks))
		return err_set("the saved histories of the tasks cannot be read");
	s->current = -1;
	for (int i = 0; i < s->n; i++) {
		const char *key = s->at[i].task->key;
		const json_t *entry = json_object_get(tasks, key);

		if (entry && !load_task(&s->at[i], entry))
			return err_set("the saved history of task %s is damaged", key);
		if (current && strcmp(current, key) == 0)
			s->current = i;
	}
	return 0;
}
