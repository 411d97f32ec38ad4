/* SPDX-License-Identifier: Apache-2.0 */
/* costmodel/features/features.c - the rows of a program, and the table of their columns. */
#include "costmodel/features/features.h"

#include <math.h>

#include "base/integer.h"
#include "costmodel/features/site.h"

/* Raise it when a column keeps its text but not its meaning. */
enum { FEATURES_VERSION = 3 };

enum scale { SCALE_RAW, SCALE_LOG };

struct info {
	const char *name, *unit, *meaning;
	enum scale scale;
};

static const struct info scalar[] = {
#define X(id, name, scale, unit, meaning) { name, unit, meaning, SCALE_##scale },
#include "costmodel/features/feature.def"
};

static const struct info per_access[] = {
#define ACCESS(id, name, scale, unit, meaning) { name, unit, meaning, SCALE_##scale },
#include "costmodel/features/feature.def"
};

static const struct info *info_of(int feature)
{
	if (feature < FEATURE_SCALARS)
		return &scalar[feature];
	return &per_access[(feature - FEATURE_SCALARS) % ACCESS_FEATURES];
}

/* By column: an access's five times. */
static const unsigned char scale_of[] = {
#define X(id, name, scale, unit, meaning) SCALE_##scale,
#include "costmodel/features/feature.def"
#define ACCESS(id, name, scale, unit, meaning) SCALE_##scale,
#include "costmodel/features/feature.def"
#define ACCESS(id, name, scale, unit, meaning) SCALE_##scale,
#include "costmodel/features/feature.def"
#define ACCESS(id, name, scale, unit, meaning) SCALE_##scale,
#include "costmodel/features/feature.def"
#define ACCESS(id, name, scale, unit, meaning) SCALE_##scale,
#include "costmodel/features/feature.def"
#define ACCESS(id, name, scale, unit, meaning) SCALE_##scale,
#include "costmodel/features/feature.def"
};

_Static_assert(sizeof(scale_of) == FEATURE_COUNT, "one list of access features for each access");

/* Takes the logarithms of N columns of all rows. Statements of a tile that is written out have most columns in common, and a
 * logarithm takes longer than all else here: where a row has what the row before had, it has the same one. */
static void compress(const struct feature_matrix *m, const int *n)
{
	float before[FEATURE_COUNT] = { 0 };	/* as the row before was */

	for (int r = 0; r < m->n_rows; r++) {
		float *row = m->rows + (ptrdiff_t)r * FEATURE_COUNT;
		const float *other = r > 0 ? row - FEATURE_COUNT : row;

		for (int i = 0; i < n[r]; i++) {
			float x = row[i];

			if (x != 0 && scale_of[i] == SCALE_LOG)
				row[i] = x == before[i] ? other[i] : log2f(1 + x);
			before[i] = x;
		}
		for (int i = n[r]; i < FEATURE_COUNT; i++)
			before[i] = 0;
	}
}

static double argument_bytes(const struct program *p)
{
	double sum = 0;

	for (int i = 0; i < p->args.n; i++)
		sum += (double)tensor_bytes(&p->args.at[i]->tensor);
	return sum;
}

bool features_of(struct arena *a, const struct program *p, const struct aim *d,
		 struct feature_matrix *out)
{
	struct site_vec sites = { 0 };

	if (!collect_sites(a, p, &sites))
		return false;
	out->n_rows = sites.n;
	out->rows = arena_many(a, float, sites.n * FEATURE_COUNT);
	for (int i = 0; i < sites.n; i++)
		site_finish(a, sites.at[i], d);
	for (int i = 0; i < sites.n; i++) {
		const struct site *s = sites.at[i];
		float *row = out->rows + (ptrdiff_t)i * FEATURE_COUNT;

		features_ops(s, row);
		features_loops(s, i ? sites.at[i - 1] : NULL, d, row);
		features_access(&sites, s, d, row);
		features_fit(s, d, row);
	}
	if (d->target->operands)
		features_units(&sites, d, out);
	else
		features_prior(&sites, d, argument_bytes(p), out);
	int *used = arena_many(a, int, sites.n);	/* most rows have few accesses: columns from here on are 0 */

	for (int i = 0; i < sites.n; i++)
		used[i] = FEATURE_OF_ACCESS((int)least(sites.at[i]->n_accesses, FEATURE_ACCESSES), READ);
	compress(out, used);
	return true;
}

double feature_value(const float *row, int feature)
{
	if (info_of(feature)->scale == SCALE_RAW)
		return row[feature];
	return exp2((double)row[feature]) - 1;
}

const char *feature_name(struct arena *a, int feature)
{
	if (feature < FEATURE_SCALARS)
		return scalar[feature].name;
	return arena_printf(a, "a%d.%s", (feature - FEATURE_SCALARS) / ACCESS_FEATURES,
			    info_of(feature)->name);
}

const char *feature_unit(int feature)
{
	return info_of(feature)->unit;
}

struct hash128 features_hash(void)
{
	struct hasher *h = hasher_new();

	hasher_int(h, FEATURES_VERSION);
	hasher_int(h, FEATURE_ACCESSES);
	for (int i = 0; i < FEATURE_SCALARS + ACCESS_FEATURES; i++) {
		hasher_str(h, info_of(i)->name);
		hasher_str(h, info_of(i)->unit);
		hasher_str(h, info_of(i)->meaning);
		hasher_int(h, info_of(i)->scale);
	}
	return hasher_end(h);
}

/* --- printing */

static void print_row(struct text *t, const float *row)
{
	struct arena *a = arena_new();
	const char *between = ": ";

	for (int i = 0; i < FEATURE_COUNT; i++) {
		if (row[i] == 0)
			continue;
		text_printf(t, "%s%s %.6g %s", between, feature_name(a, i), feature_value(row, i),
			    feature_unit(i));
		between = ", ";
	}
	text_puts(t, "\n");
	arena_free(a);
}

void features_print(struct text *t, const struct program *p, const struct feature_matrix *m)
{
	struct arena *a = arena_new();
	struct site_vec sites = { 0 };

	collect_sites(a, p, &sites);
	for (int i = 0; i < m->n_rows && i < sites.n; i++) {
		text_printf(t, "store %d: %s, in", i, sites.at[i]->store->buffer->tensor.name);
		for (int l = 0; l < sites.at[i]->n_loops; l++)
			text_printf(t, " %s", sites.at[i]->loops[l].nest->axis->name);
		print_row(t, m->rows + (ptrdiff_t)i * FEATURE_COUNT);
	}
	arena_free(a);
}
