/* SPDX-License-Identifier: Apache-2.0 */
/* tools/compare/pairs.c - the best of each task on two sides, next to each other. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "measure/timing/counted.h"
#include "tools/compare/compare.h"

static bool alike(const struct compare_options *o, const struct db_record *x, const struct db_record *y)
{
	return strcmp(x->task_key, y->task_key) == 0 && x->threads == y->threads &&
	       strcmp(x->cache, y->cache) == 0 &&
	       (o->devices || strcmp(x->fingerprint, y->fingerprint) == 0);
}

/* Of several devices the fastest. */
static const struct side_kernel *find(const struct compare_options *o, const struct side_kernel_vec *v,
				      const struct db_record *r)
{
	const struct side_kernel *best = NULL;

	for (int i = 0; i < v->n; i++)
		if (alike(o, &v->at[i].record, r) &&
		    (!best || v->at[i].record.time_us < best->record.time_us))
			best = &v->at[i];
	return best;
}

/* The samples of R times SCALE; its time alone where there are none. */
static double *samples_of(struct arena *a, const struct db_record *r, double scale, int *n)
{
	double *us = samples_counted(a, r->samples, r->counted, r->n_samples, scale, n);

	if (*n == 0)
		us[(*n)++] = r->time_us * scale;
	return us;
}

/* What the fixed kernel took beside R's; 0: not known. */
static double fixed_us(const struct db_record *r)
{
	return r->ratio > 0 ? r->time_us / r->ratio : 0;
}

/* Of which of the two X holds: "", "the first", "the second", "both". */
static const char *who(bool first, bool second)
{
	return first && second ? "both" : first ? "the first" : second ? "the second" : "";
}

static void add_caveat(struct text *all, const char *whose, const char *what)
{
	if (*whose)
		text_printf(all, "%s%s %s", all->n ? ", " : "", whose, what);
}

static const char *caveat_of(struct arena *a, const struct compare_row *row)
{
	const struct db_record *x = &row->side[0].record, *y = &row->side[1].record;
	bool devices = strcmp(x->fingerprint, y->fingerprint) != 0;
	struct text all = { 0 };

	add_caveat(&all, who(x->imported, y->imported), "imported");
	add_caveat(&all, who(!x->final && !x->imported, !y->final && !y->imported), "unconfirmed");
	if (devices)
		text_printf(&all, "%sof different devices", all.n ? ", " : "");
	else if (!row->calibrated)
		text_printf(&all, "%snot calibrated", all.n ? ", " : "");
	const char *caveat = arena_strdup(a, text_str(&all));

	text_free(&all);
	return caveat;
}

/* On one device the fixed kernel tells how fast it was; on two that is a part of the question. */
static struct compare_row row_of(struct arena *a, const struct compare_options *o,
				 const struct side_kernel *before, const struct side_kernel *now)
{
	const struct db_record *x = &before->record, *y = &now->record;
	struct compare_row row = { .side = { *before, *now },
				   .calibrated = fixed_us(x) > 0 && fixed_us(y) > 0 &&
						 strcmp(x->fingerprint, y->fingerprint) == 0 };
	int n, m;
	const double *theirs = samples_of(a, x, row.calibrated ? 1 / fixed_us(x) : 1, &n);
	const double *ours = samples_of(a, y, row.calibrated ? 1 / fixed_us(y) : 1, &m);

	row.with = compare_apart(ours, m, theirs, n, o->margin);
	row.caveat = caveat_of(a, &row);
	return row;
}

static int kernels_by_name(const void *x, const void *y)
{
	const struct side_kernel *a = x, *b = y;
	int c = strcmp(a->name, b->name);

	if (c == 0)
		c = strcmp(a->record.task_key, b->record.task_key);
	return c ? c : a->record.threads - b->record.threads;
}

static int rows_by_name(const void *x, const void *y)
{
	const struct compare_row *a = x, *b = y;

	return kernels_by_name(&a->side[1], &b->side[1]);
}

/* Rows of what both have, and what either has alone. */
static void join(struct arena *a, const struct side_kernel_vec v[2], struct compare_table *out)
{
	const struct compare_options *o = out->options;

	for (int i = 0; i < v[1].n; i++) {
		const struct side_kernel *e = find(o, &v[0], &v[1].at[i].record);

		/* of several devices of the second side the fastest, too */
		if (e && find(o, &v[1], &v[1].at[i].record) == &v[1].at[i])
			vec_push(a, &out->rows, row_of(a, o, e, &v[1].at[i]));
	}
	for (int side = 0; side < 2; side++) {
		for (int i = 0; i < v[side].n; i++)
			if (!find(o, &v[!side], &v[side].at[i].record))
				vec_push(a, &out->alone[side], v[side].at[i]);
		if (out->alone[side].n)
			qsort(out->alone[side].at, (size_t)out->alone[side].n, sizeof(*out->alone[side].at),
			      kernels_by_name);
	}
}

void compare_sum_up(struct arena *a, struct compare_table *t)
{
	struct comparison *all = arena_many(a, struct comparison, t->rows.n);

	t->slower = 0;
	for (int i = 0; i < t->rows.n; i++) {
		all[i] = t->rows.at[i].with;
		t->slower += all[i].verdict == VERDICT_SLOWER;
	}
	t->mean = compare_mean(all, t->rows.n, t->options->margin);
}

int compare_read(struct arena *a, const struct compare_options *o, struct compare_table *out)
{
	struct side_kernel_vec v[2] = { { 0 } };

	*out = (struct compare_table){ .options = o };
	for (int i = 0; i < 2; i++)
		if (side_read(a, &o->side[i], &v[i]) < 0)
			return -1;
	join(a, v, out);
	if (out->rows.n == 0)
		return err_set("%s and %s have no kernel of one task in common, with the same threads, "
			       "cache state and device%s", o->side[0].name, o->side[1].name,
			       o->devices ? "" : " (--devices: also of different ones)");
	qsort(out->rows.at, (size_t)out->rows.n, sizeof(*out->rows.at), rows_by_name);
	compare_sum_up(a, out);
	return 0;
}
