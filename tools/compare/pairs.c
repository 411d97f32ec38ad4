/* SPDX-License-Identifier: Apache-2.0 */
/* tools/compare/pairs.c - the best of each task on two sides, next to each other, and what has no other. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "measure/timing/counted.h"
#include "tools/compare/compare.h"

/* Of several devices the fastest. */
static const struct side_kernel *find(const struct compare_options *o, const struct side_kernel_vec *v,
				      const struct db_record *r)
{
	const struct side_kernel *best = NULL;

	for (int i = 0; i < v->n; i++)
		if (record_is_alike(&v->at[i].record, r, o->devices) &&
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

/* --- what one must know */

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
	const struct db_record *x = &row->side[BEFORE].record, *y = &row->side[NOW].record;
	struct text all = { 0 };

	add_caveat(&all, who(x->imported, y->imported), "imported");
	if (!row->same)
		add_caveat(&all, who(!x->final, !y->final), "unconfirmed");
	if (strcmp(x->fingerprint, y->fingerprint) != 0)
		text_printf(&all, "%sof different devices", all.n ? ", " : "");
	else if (!row->calibrated)
		text_printf(&all, "%snot calibrated", all.n ? ", " : "");
	if (row->same)
		text_printf(&all, "%sone and the same kernel", all.n ? ", " : "");
	if (!row->with.bounded)
		text_printf(&all, "%stoo few samples for an interval", all.n ? ", " : "");
	const char *caveat = arena_strdup(a, text_str(&all));

	text_free(&all);
	return caveat;
}

/* What both are of is one kernel. Differences are of the measuring, and say nothing of it. */
static bool is_same(const struct db_record *x, const struct db_record *y)
{
	return x->source_hash && y->source_hash && strcmp(x->source_hash, y->source_hash) == 0 &&
	       strcmp(x->toolchain_text, y->toolchain_text) == 0 && strcmp(x->fingerprint, y->fingerprint) == 0;
}

struct comparison comparison_of_one(int pairs)
{
	return (struct comparison){ .ratio = 1, .low = 1, .high = 1, .bounded = true, .p = 1, .pairs = pairs,
				    .verdict = VERDICT_SAME };
}

/* On one device the fixed kernel tells how fast it was; on two that is a part of the question. */
static struct compare_row row_of(struct arena *a, const struct compare_options *o,
				 const struct side_kernel *before, const struct side_kernel *now)
{
	const struct db_record *x = &before->record, *y = &now->record;
	struct compare_row row = { .side = { *before, *now }, .again_note = "",
				   .calibrated = fixed_us(x) > 0 && fixed_us(y) > 0 &&
						 strcmp(x->fingerprint, y->fingerprint) == 0 };
	int n, m;
	const double *theirs = samples_of(a, x, row.calibrated ? 1 / fixed_us(x) : 1, &n);
	const double *ours = samples_of(a, y, row.calibrated ? 1 / fixed_us(y) : 1, &m);

	row.same = is_same(x, y);
	row.sound = row.same || (x->final && y->final);
	row.with = row.same ? comparison_of_one(n < m ? n : m) : compare_apart(ours, m, theirs, n, o->margin);
	row.caveat = caveat_of(a, &row);
	return row;
}

/* --- what has no other */

static bool has_alike(const struct compare_options *o, const struct side_kernel_vec *v, const struct db_record *r)
{
	return find(o, v, r) != NULL;
}

/* What the OTHER side has of the task of R instead; "": nothing. */
static const char *why_alone(struct arena *a, const struct compare_options *o, const struct side_found *other,
			     const struct db_record *r)
{
	const struct side_kernel *held = find(o, &other->withheld, r);

	if (held)
		return held->record.estimate ? "an estimate there" : held->record.imported ? "imported there"
											   : "measured there";
	for (int i = 0; i < other->kernels.n; i++) {
		const struct db_record *x = &other->kernels.at[i].record;

		if (strcmp(x->task_key, r->task_key) != 0)
			continue;
		if (strcmp(x->fingerprint, r->fingerprint) != 0 && !o->devices)
			return arena_printf(a, "device %.8s there", x->fingerprint);
		if (x->threads != r->threads)
			return arena_printf(a, "%d thread%s there", x->threads, x->threads > 1 ? "s" : "");
		return arena_printf(a, "%s there", x->cache);
	}
	return "";
}

static const char *why_withheld(const struct db_record *r)
{
	return r->estimate ? "an estimate: nothing was measured"
	       : r->imported ? "imported: #imported=yes compares it" : "measured here: #imported=no compares it";
}

static void list_alone(struct arena *a, struct compare_table *t, const struct side_found found[SIDES], int side)
{
	const struct side_found *own = &found[side], *other = &found[!side];

	for (int i = 0; i < own->kernels.n; i++) {
		const struct side_kernel *k = &own->kernels.at[i];

		if (!has_alike(t->options, &other->kernels, &k->record))
			vec_push(a, &t->alone[side], (struct compare_alone){
				*k, false, why_alone(a, t->options, other, &k->record) });
	}
	for (int i = 0; i < own->withheld.n; i++) {
		const struct side_kernel *k = &own->withheld.at[i];

		vec_push(a, &t->alone[side], (struct compare_alone){ *k, true, why_withheld(&k->record) });
	}
}

/* --- all of it */

static int kernels_by_name(const struct side_kernel *a, const struct side_kernel *b)
{
	int c = strcmp(a->name, b->name);

	c = c ? c : strcmp(a->record.task_key, b->record.task_key);
	c = c ? c : a->record.threads - b->record.threads;
	c = c ? c : strcmp(b->record.cache, a->record.cache);
	return c ? c : strcmp(a->record.fingerprint, b->record.fingerprint);
}

static int rows_by_name(const void *x, const void *y)
{
	const struct compare_row *a = x, *b = y;

	return kernels_by_name(&a->side[NOW], &b->side[NOW]);
}

static int alone_by_name(const void *x, const void *y)
{
	const struct compare_alone *a = x, *b = y;

	return kernels_by_name(&a->kernel, &b->kernel);
}

static void join(struct arena *a, const struct side_found found[SIDES], struct compare_table *out)
{
	const struct compare_options *o = out->options;
	const struct side_kernel_vec *now = &found[NOW].kernels;

	for (int i = 0; i < now->n; i++) {
		const struct side_kernel *e = find(o, &found[BEFORE].kernels, &now->at[i].record);

		/* of several devices of the second side the fastest, too */
		if (e && find(o, now, &now->at[i].record) == &now->at[i])
			vec_push(a, &out->rows, row_of(a, o, e, &now->at[i]));
	}
	if (out->rows.n)
		qsort(out->rows.at, (size_t)out->rows.n, sizeof(*out->rows.at), rows_by_name);
	for (int side = 0; side < SIDES; side++) {
		struct compare_alone_vec *v = &out->alone[side];

		list_alone(a, out, found, side);
		if (v->n)
			qsort(v->at, (size_t)v->n, sizeof(*v->at), alone_by_name);
	}
}

static int nothing_in_common(struct arena *a, const struct compare_table *t)
{
	const struct compare_options *o = t->options;
	const char *most = "";
	int withheld = 0;

	for (int side = 0; side < SIDES; side++)
		for (int i = 0; i < t->alone[side].n; i++) {
			const struct compare_alone *one = &t->alone[side].at[i];

			withheld += one->withheld;
			if (!one->withheld && *one->why && !*most)
				most = arena_printf(a, "; for example %s is alone in %s: %s", one->kernel.name,
						    o->side[side].name, one->why);
		}
	if (withheld)
		most = arena_printf(a, "%s; %d more are imported or estimates (imported=yes behind # takes what is "
				    "imported)", most, withheld);
	return err_set("%s and %s have no kernel of one task in common, with the same threads, "
		       "cache state and device%s%s", o->side[BEFORE].name, o->side[NOW].name,
		       o->devices ? "" : " (--devices: also of different ones)", most);
}

int compare_read(struct arena *a, const struct compare_options *o, struct compare_table *out)
{
	struct side_found found[SIDES];

	*out = (struct compare_table){ .options = o };
	for (int i = 0; i < SIDES; i++)
		if (side_read(a, &o->side[i], &found[i]) < 0)
			return -1;
	join(a, found, out);
	/* the newest campaigns' occurrences count for both */
	out->weights = found[NOW].weights.n ? found[NOW].weights : found[BEFORE].weights;
	return out->rows.n ? 0 : nothing_in_common(a, out);
}
