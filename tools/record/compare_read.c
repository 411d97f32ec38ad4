/* SPDX-License-Identifier: Apache-2.0 */
/* tools/record/compare_read.c - the best of each task in two files, side by side. */
#include "tools/record/compare.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "measure/timing/counted.h"
#include "tools/command.h"

struct compare_reading {
	struct arena *a;
	const struct compare_options *options;
	struct compare_entry_vec *out;
};

static bool alike(const struct compare_options *o, const struct db_record *x,
		  const struct db_record *y)
{
	return strcmp(x->task_key, y->task_key) == 0 && x->threads == y->threads &&
	       strcmp(x->cache, y->cache) == 0 &&
	       (o->devices || strcmp(x->fingerprint, y->fingerprint) == 0);
}

static const struct compare_entry *find(const struct compare_options *o,
					const struct compare_entry_vec *v,
					const struct db_record *r)
{
	for (int i = 0; i < v->n; i++)
		if (alike(o, &v->at[i].record, r))
			return &v->at[i];
	return NULL;
}

/* The surest come first: of those alike the first one stays. */
static int take(void *user, const struct db_record *r)
{
	const struct compare_reading *g = user;
	struct compare_entry e;

	if (find(g->options, g->out, r))
		return 0;
	e = (struct compare_entry){ .record = db_record_copy(g->a, r) };
	vec_push(g->a, g->out, e);
	return 0;
}

static int name_all(struct arena *a, struct db *db, struct compare_entry_vec *v)
{
	for (int i = 0; i < v->n; i++) {
		struct db_task t;
		int found = db_find_task(db, a, v->at[i].record.task_key, &t);

		if (found < 0)
			return -1;
		v->at[i].name = found ? t.name : v->at[i].record.task_key;
	}
	return 0;
}

static int read_file(struct arena *a, const struct compare_options *o, const char *path,
		     struct compare_entry_vec *out)
{
	const struct db_want want = { .threads = o->threads, .measured = true };
	struct compare_reading g = { a, o, out };
	struct db *db = db_open(path, DB_READ);

	if (!db)
		return -1;
	db_listen(db, &(struct listener){ command_hear, NULL });
	int rc = db_each_standing(db, &want, DB_SUREST, take, &g) < 0 ? -1 : name_all(a, db, out);

	db_close(db);
	return rc;
}

/* --- side by side */

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

static const char *caveat_of(struct arena *a, const struct compare_row *row)
{
	bool trial[2] = { !row->side[0].record.final, !row->side[1].record.final };
	const char *who = trial[0] && trial[1] ? "both" : trial[0] ? "the first" : "the second";
	const char *all = trial[0] || trial[1] ? arena_printf(a, "%s unconfirmed", who) : "";

	if (strcmp(row->side[0].record.fingerprint, row->side[1].record.fingerprint) != 0)
		return arena_printf(a, "%s%sof different devices", all, *all ? ", " : "");
	return row->calibrated ? all : arena_printf(a, "%s%snot calibrated", all, *all ? ", " : "");
}

/* On one device the fixed kernel tells how fast it was; on two that is a part of the question. */
static struct compare_row row_of(struct arena *a, const struct compare_options *o,
				 const struct compare_entry *before, const struct compare_entry *now)
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

static int by_name(const void *x, const void *y)
{
	const struct compare_row *a = x, *b = y;
	int c = strcmp(a->side[1].name, b->side[1].name);

	if (c == 0)
		c = strcmp(a->side[1].record.task_key, b->side[1].record.task_key);
	return c ? c : a->side[1].record.threads - b->side[1].record.threads;
}

/* Rows of what both have, and how many the second has alone. */
static void join(struct arena *a, const struct compare_options *o,
		 const struct compare_entry_vec *before, const struct compare_entry_vec *now,
		 struct compare_table *out)
{
	for (int i = 0; i < now->n; i++) {
		const struct compare_entry *e = find(o, before, &now->at[i].record);

		if (e)
			vec_push(a, &out->rows, row_of(a, o, e, &now->at[i]));
	}
	out->alone[0] = before->n - out->rows.n;
	out->alone[1] = now->n - out->rows.n;
}

int compare_read(struct arena *a, const struct compare_options *o, struct compare_table *out)
{
	struct compare_entry_vec v[2] = { { 0 } };

	*out = (struct compare_table){ 0 };
	for (int i = 0; i < 2; i++)
		if (read_file(a, o, o->path[i], &v[i]) < 0)
			return -1;
	join(a, o, &v[0], &v[1], out);
	if (out->rows.n == 0)
		return err_set("%s and %s have no kernel of one task in common, with the same threads, "
			       "cache state and device%s", o->path[0], o->path[1],
			       o->devices ? "" : " (--devices: also of different ones)");
	qsort(out->rows.at, (size_t)out->rows.n, sizeof(*out->rows.at), by_name);
	struct comparison *all = arena_many(a, struct comparison, out->rows.n);

	for (int i = 0; i < out->rows.n; i++) {
		all[i] = out->rows.at[i].with;
		out->slower += all[i].verdict == VERDICT_SLOWER;
	}
	out->mean = compare_mean(all, out->rows.n, o->margin);
	return 0;
}
