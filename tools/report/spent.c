/* SPDX-License-Identifier: Apache-2.0 */
/* tools/report/spent.c - what the trials of a task were spent on: algorithms, structures, sizes of tiles. */
#include "tools/report/data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantile.h"
#include "schedule/text/step_text.h"

enum {
	GROUPS_MOST = 12,	/* structures; what had fewer trials is one group together */
	SIZES_MOST = 12,	/* of a split, those that had most trials */
	SPLITS_MOST = 8,	/* those of most effect: others are hardly read, and a page is sent whole */
};

/* Which trials a group is of: those that FITS. */
struct group_look {
	const struct trial_table *table;
	double *us;		/* room for a time of each */
	bool (*fits)(const struct group_look *l, const struct trial_entry *e);
	const char *derivation;
	const char *listed;	/* of each structure: 1 where it is a group of its own */
	int structure;
	int split;
	int64_t size;
};

static struct report_group group_of(const struct group_look *l, const char *label)
{
	const struct trial_entry_vec *trials = &l->table->trials;
	struct report_group g = { .label = label };
	double *us = l->us;
	int n = 0;

	for (int i = 0; i < trials->n; i++) {
		const struct trial_entry *e = &trials->at[i];

		if (!l->fits(l, e))
			continue;
		g.trials++;
		g.failed += e->status != TRIAL_OK && e->status != TRIAL_LOST_RACE;
		if (e->us > 0)
			us[n++] = e->us;
	}
	sort_figures(us, n);
	g.best_us = n ? us[0] : NAN;
	g.median_us = n ? quantile(us, n, 0.5) : NAN;
	return g;
}

static int by_trials(const void *x, const void *y)
{
	const struct report_group *a = x, *b = y;

	if (a->trials != b->trials)
		return a->trials > b->trials ? -1 : 1;
	return strcmp(a->label, b->label);
}

/* --- algorithms */

static bool fits_derivation(const struct group_look *l, const struct trial_entry *e)
{
	return strcmp(l->table->structures.at[e->structure].derivation, l->derivation) == 0;
}

static bool has_label(const struct report_group_vec *v, const char *label)
{
	for (int i = 0; i < v->n; i++)
		if (strcmp(v->at[i].label, label) == 0)
			return true;
	return false;
}

static void add_derivations(struct arena *a, struct report_task *t, double *room, const char *of_best)
{
	for (int i = 0; i < t->trials.structures.n; i++) {
		struct group_look l = { .table = &t->trials, .us = room, .fits = fits_derivation,
					.derivation = t->trials.structures.at[i].derivation };

		if (has_label(&t->derivations, l.derivation))
			continue;
		struct report_group g = group_of(&l, l.derivation);

		g.of_best = of_best && strcmp(of_best, g.label) == 0;
		vec_push(a, &t->derivations, g);
	}
	if (t->derivations.n)
		qsort(t->derivations.at, (size_t)t->derivations.n, sizeof(*t->derivations.at),
		      by_trials);
}

/* --- structures */

static bool fits_structure(const struct group_look *l, const struct trial_entry *e)
{
	return e->structure == l->structure;
}

static bool fits_others(const struct group_look *l, const struct trial_entry *e)
{
	return !l->listed[e->structure];
}

struct ranked_structure {
	int structure;
	struct report_group group;
};

static int by_rank(const void *x, const void *y)
{
	const struct ranked_structure *a = x, *b = y;
	int order = by_trials(&a->group, &b->group);

	return order ? order : a->structure - b->structure;
}

static void add_structures(struct arena *a, struct report_task *t, double *room, int of_best)
{
	int n = t->trials.structures.n;
	struct ranked_structure *all = arena_many(a, struct ranked_structure, n + 1);
	char *listed = arena_many(a, char, n + 1);

	for (int i = 0; i < n; i++) {
		const struct trial_structure *s = &t->trials.structures.at[i];
		struct group_look l = { .table = &t->trials, .us = room, .fits = fits_structure, .structure = i };

		all[i].structure = i;
		all[i].group = group_of(&l, arena_printf(a, "%s: %s", s->derivation, s->label));
		all[i].group.of_best = i == of_best;
	}
	qsort(all, (size_t)n, sizeof(*all), by_rank);
	for (int i = 0; i < n; i++) {
		if (i >= GROUPS_MOST && !all[i].group.of_best)
			continue;
		listed[all[i].structure] = 1;
		vec_push(a, &t->structures, all[i].group);
	}
	struct group_look others = { .table = &t->trials, .us = room, .fits = fits_others, .listed = listed };
	int left = n - t->structures.n;

	if (left)
		vec_push(a, &t->structures, group_of(&others, arena_printf(a, "%d others", left)));
}

/* --- sizes of tiles */

static bool fits_size(const struct group_look *l, const struct trial_entry *e)
{
	return e->structure == l->structure && l->split < e->n_sizes &&
	       e->sizes[l->split] == l->size;
}

static int by_size(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;

	return (a > b) - (a < b);
}

/* The different sizes of split K of STRUCTURE, in order; how many. */
static int sizes_tried(struct arena *a, const struct trial_table *t, int structure, int k, int64_t **out)
{
	int64_t *all = arena_many(a, int64_t, t->trials.n + 1);
	int n = 0, kept = 0;

	for (int i = 0; i < t->trials.n; i++) {
		const struct trial_entry *e = &t->trials.at[i];

		if (e->structure == structure && k < e->n_sizes)
			all[n++] = e->sizes[k];
	}
	qsort(all, (size_t)n, sizeof(*all), by_size);
	for (int i = 0; i < n; i++)
		if (!kept || all[i] != all[kept - 1])
			all[kept++] = all[i];
	*out = all;
	return kept;
}

/* The SIZES_MOST that had most trials of all, still in their order. */
static void keep_most_tried(struct arena *a, struct report_group_vec *v)
{
	struct report_group *sorted = arena_many(a, struct report_group, v->n);
	int kept = 0;

	memcpy(sorted, v->at, sizeof(*sorted) * (size_t)v->n);
	qsort(sorted, (size_t)v->n, sizeof(*sorted), by_trials);
	for (int i = 0; i < v->n; i++)
		if (v->at[i].of_best || by_trials(&v->at[i], &sorted[SIZES_MOST - 1]) <= 0)
			v->at[kept++] = v->at[i];
	v->n = kept;
}

static double effect_of(const struct report_group_vec *sizes)
{
	double least = INFINITY, most = 0;

	for (int i = 0; i < sizes->n; i++) {
		least = fmin(least, sizes->at[i].best_us);	/* which pass over NAN */
		most = fmax(most, sizes->at[i].best_us);
	}
	return most > 0 ? most / least : 1;
}

/* Split K; its sizes, among them the BEST kernel's. */
static struct report_split split_of(struct arena *a, const struct report_task *t, struct group_look *l,
				    const char *label, int64_t best)
{
	struct report_split split = { .label = label };
	int64_t *sizes;
	int n = sizes_tried(a, &t->trials, l->structure, l->split, &sizes);

	for (int i = 0; i < n; i++) {
		l->size = sizes[i];
		struct report_group g = group_of(l, arena_printf(a, "%jd", (intmax_t)sizes[i]));

		g.of_best = sizes[i] == best;
		vec_push(a, &split.sizes, g);
	}
	split.effect = effect_of(&split.sizes);
	if (n > SIZES_MOST) {
		split.label = arena_printf(a, "%s (%d most tried of %d sizes)", label, SIZES_MOST, n);
		keep_most_tried(a, &split.sizes);
	}
	return split;
}

static int by_effect(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return (a < b) - (a > b);
}

static void keep_most_effective(struct arena *a, struct report_split_vec *v)
{
	double *effects = arena_many(a, double, v->n + 1);
	int kept = 0;

	for (int i = 0; i < v->n; i++)
		effects[i] = v->at[i].effect;
	qsort(effects, (size_t)v->n, sizeof(*effects), by_effect);
	for (int i = 0; i < v->n && kept < SPLITS_MOST; i++)
		if (v->n <= SPLITS_MOST || v->at[i].effect >= effects[SPLITS_MOST - 1])
			v->at[kept++] = v->at[i];
	v->n = kept;
}

/* Of a structure; the best kernel has N_BEST sizes. */
static void add_splits(struct arena *a, struct report_task *t, double *room, int structure,
		       const int64_t *best, int n_best)
{
	struct text names = { 0 };
	const char **labels;

	state_print(&names, t->row.best.state);
	int n = trial_splits(a, text_str(&names), &labels);

	text_free(&names);
	for (int k = 0; k < n && k < n_best; k++) {
		struct group_look l = { .table = &t->trials, .us = room, .fits = fits_size,
					.structure = structure, .split = k };
		struct report_split split = split_of(a, t, &l, labels[k], best[k]);

		if (split.sizes.n > 1)
			vec_push(a, &t->splits, split);
	}
	t->n_splits = t->splits.n;
	keep_most_effective(a, &t->splits);
}

void report_task_spent(const struct report_data *r, struct report_task *t)
{
	double *room = arena_many(r->arena, double, t->trials.trials.n + 1);
	const int64_t *sizes;
	int n_sizes, best = -1;

	if (t->row.found)
		best = trial_structure_find(r->arena, &t->trials, t->row.best.record.steps, &sizes, &n_sizes);
	add_derivations(r->arena, t, room, best < 0 ? NULL : t->trials.structures.at[best].derivation);
	add_structures(r->arena, t, room, best);
	if (best >= 0)
		add_splits(r->arena, t, room, best, sizes, n_sizes);
}
