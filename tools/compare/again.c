/* SPDX-License-Identifier: Apache-2.0 */
/* tools/compare/again.c - both kernels of a task, built, verified and timed in turn on this machine. */
#include <string.h>

#include "base/err.h"
#include "measure/device/device.h"
#include "schedule/step_text.h"
#include "search/kernel_text.h"
#include "search/measurers/ask.h"
#include "te/text/text.h"
#include "tools/command.h"
#include "tools/compare/compare.h"

enum { SIDES = 2 };

static void add_note(struct arena *a, struct compare_row *row, const char *why)
{
	row->caveat = arena_printf(a, "%s%snot timed again: %s", row->caveat, *row->caveat ? ", " : "", why);
}

/* Why the kernels of ROW cannot be timed on D; NULL: they can. */
static const char *unfit(struct arena *a, const struct device *d, const struct compare_row *row)
{
	for (int i = 0; i < SIDES; i++) {
		const struct side_kernel *k = &row->side[i];

		if (strcmp(k->record.fingerprint, d->fingerprint) != 0)
			return "of another device";
		if (!*k->text)
			return "no kernel of hone's own";
		if (k->record.threads > d->threads)
			return arena_printf(a, "of more threads than the %d here", d->threads);
	}
	return NULL;
}

/* The C text of the kernel that record R of T says, in A. NULL and a message. */
static const char *source_of(struct arena *a, const struct task *t, const struct db_record *r,
			     const struct device *d)
{
	const struct target *target = target_of_toolchain(r->toolchain_text, d->own);
	struct state *s = target ? state_parse(a, t->dag, "record", r->steps) : NULL;
	const char *why = "its target is not known here", *source = NULL;

	if (s)
		source = state_source(a, s, target, &why);
	else if (target)
		why = err_get();
	if (!source)
		err_set("%s", why);
	return source;
}

static struct measurer *measurer_for(const struct compare_options *o, const struct device *d,
				     const struct db_record *r)
{
	const struct hardware_options h = {
		.cc = o->cc,
		.threads = r->threads,
		.cache = strcmp(r->cache, "cold") == 0 ? CACHE_COLD : CACHE_WARM,
		.device = d,
		.seed = 1,
		.listener = { command_hear, NULL },
	};

	return measurer_hardware(&h);
}

/* The samples of both that are of one round and count for both, N of them. */
static int pair(struct arena *a, const struct trial *x, const struct trial *y, double **first, double **second)
{
	int n = 0, most = x->n_samples < y->n_samples ? x->n_samples : y->n_samples;

	*first = arena_many(a, double, most + 1);
	*second = arena_many(a, double, most + 1);
	for (int i = 0; i < most; i++) {
		if ((x->counted && x->counted[i] != '1') || (y->counted && y->counted[i] != '1'))
			continue;
		(*first)[n] = x->samples[i];
		(*second)[n++] = y->samples[i];
	}
	return n;
}

/* Takes what C, timed in turn, says into ROW. */
static void judge(struct arena *a, const struct compare_options *o, const struct candidate c[SIDES],
		  struct compare_row *row)
{
	double *before, *now;

	for (int i = 0; i < SIDES; i++)
		if (c[i].trial.status != TRIAL_OK) {
			const char *text = c[i].trial.text ? c[i].trial.text : "";

			add_note(a, row, arena_printf(a, "%s: %s", trial_status_name(c[i].trial.status), text));
			return;
		}
	int n = pair(a, &c[0].trial, &c[1].trial, &before, &now);

	if (n < VERDICT_MIN_PAIRS) {
		add_note(a, row, arena_printf(a, "%d undisturbed pairs are too few", n));
		return;
	}
	row->with = compare_pairs(now, before, n, o->margin);
	row->again = row->calibrated = true;
	for (int i = 0; i < SIDES; i++)
		row->side[i].record.time_us = c[i].trial.time_us;
	row->caveat = "timed again, in turn";
}

/* What is built here is the same of both: so they were, too, unless compilers differ. */
static void settle_same(struct arena *a, struct compare_row *row)
{
	const char *x = row->side[0].record.toolchain_text, *y = row->side[1].record.toolchain_text;

	if (strcmp(x, y) == 0) {
		row->with = (struct comparison){ 1, 1, 1, row->with.pairs, VERDICT_SAME };
		row->again = row->calibrated = true;
		row->caveat = "the same kernel";
	} else {
		add_note(a, row, "one text, built by two compilers");
	}
}

/* 0; -1 and a message where nothing can be measured here. */
static int time_row(struct arena *a, const struct compare_options *o, const struct device *d,
		    struct compare_row *row)
{
	struct candidate c[SIDES] = { { 0 } };
	struct dag *dag = dag_parse(a, row->side[1].name, row->side[1].text);
	struct task *t = dag ? task_new(a, dag, row->side[1].name, 1) : NULL;

	for (int i = 0; t && i < SIDES; i++) {
		c[i].steps = row->side[i].record.steps;
		c[i].trial.source = source_of(a, t, &row->side[i].record, d);
	}
	if (!t || !c[0].trial.source || !c[1].trial.source) {
		add_note(a, row, err_get());
		return 0;
	}
	if (strcmp(c[0].trial.source, c[1].trial.source) == 0) {
		settle_same(a, row);
		return 0;
	}
	struct measurer *m = measurer_for(o, d, &row->side[1].record);

	if (!m)
		return -1;
	int rc = ask_and_wait(m, a, t, 0, c, SIDES, true);

	m->free(m);
	if (rc == 0)
		judge(a, o, c, row);
	else if (rc > 0)
		add_note(a, row, err_get());
	return rc < 0 ? -1 : 0;
}

int compare_again(struct arena *a, struct compare_table *t, bool all)
{
	struct device *d = device_describe(a, NULL);

	if (!d || device_load_or_probe(d, false) < 0)
		return -1;
	for (int i = 0; i < t->rows.n; i++) {
		struct compare_row *row = &t->rows.at[i];
		const char *why = unfit(a, d, row);

		if (!all && row->with.verdict != VERDICT_UNCLEAR)
			continue;
		if (why)
			add_note(a, row, why);
		else if (time_row(a, t->options, d, row) < 0)
			return -1;
	}
	compare_sum_up(a, t);
	return 0;
}
