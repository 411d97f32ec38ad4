/* SPDX-License-Identifier: Apache-2.0 */
/* db/fault.c - what cannot be true of a record as it lies in the file, and who is told.
 *
 * A file may have been damaged, or changed by hand. What a record says is held against itself: the
 * steps against their hash, the time against the samples that it is taken from: one of them or their median.
 * One of an older hone yet does not say which samples were counted; its time must then lie between the least and
 * the greatest of them. Who changes all of these in keeping with each other is not found out. */
#include "db/record.h"

#include <math.h>
#include <string.h>

#include "base/quantile.h"

enum {
	STEPS_MOST = 1 << 20,	/* bytes; the longest ever sampled have 2000 */
	SAMPLES_MOST = 1 << 16,	/* the runner takes 256 */
	THREADS_MOST = 1 << 16,
};

/* A median is one sample or the mean of two: this is rounding, in parts of the time. */
#define ROUNDING 1e-12

static const char *steps_fault(struct arena *a, const struct db_record *r, const char *stored)
{
	size_t n = strlen(r->steps);
	char hash[HASH_TEXT];

	if (n > STEPS_MOST)
		return arena_printf(a, "its steps have %zu bytes, at most %d are read", n,
				    STEPS_MOST);
	hash_text(hash_bytes(r->steps, n), hash);
	return strcmp(hash, stored) == 0 ? NULL : "the hash of its steps is wrong";
}

static const char *samples_fault(const struct db_record *r, size_t bytes)
{
	if (bytes % sizeof(double) != 0)
		return "its list of samples is no array of doubles";
	if (r->n_samples > SAMPLES_MOST)
		return "its list of samples is too long";
	if (r->status == TRIAL_OK && bytes == 0)
		return "its list of samples is empty though the status is ok";
	for (int i = 0; i < r->n_samples; i++)
		if (!(r->samples[i] > 0 && r->samples[i] < 1e300))
			return "its list of samples has a value that is no time";
	return NULL;
}

/* The counted samples of R in A, sorted; all of them where it is not known which. */
static double *counted_samples(struct arena *a, const struct db_record *r, int *n)
{
	double *v = arena_many(a, double, r->n_samples);

	*n = 0;
	for (int i = 0; i < r->n_samples; i++)
		if (!r->counted || r->counted[i] == '1')
			v[(*n)++] = r->samples[i];
	sort_figures(v, *n);
	return v;
}

static bool is_near(double x, double y)
{
	return fabs(x - y) <= ROUNDING * y;
}

static bool is_among(const double *v, int n, double x)
{
	bool is = false;

	for (int i = 0; i < n; i++)
		is |= is_near(x, v[i]);
	return is;
}

static const char *time_fault(struct arena *a, const struct db_record *r)
{
	int n;

	if (r->status != TRIAL_OK)
		return NULL;
	if (!(r->time_us > 0 && isfinite(r->time_us)))
		return "its time is none";
	if (r->counted && (strlen(r->counted) != (size_t)r->n_samples ||
			   strspn(r->counted, "01") != (size_t)r->n_samples))
		return "it does not say which of its samples count";
	double *v = counted_samples(a, r, &n);

	if (n == 0)
		return "none of its samples counts";
	double middle = quantile(v, n, 0.5);

	if (r->counted ? is_near(r->time_us, middle) || is_among(v, n, r->time_us)
		       : r->time_us >= v[0] && r->time_us <= v[n - 1])
		return NULL;
	return r->counted ? arena_printf(a, "its time, %.6g us, is neither a sample that counts, %.6g to %.6g us, nor their "
					 "median, %.6g us", r->time_us, v[0], v[n - 1], middle)
			  : arena_printf(a, "its time, %.6g us, is not among its samples, %.6g to "
					 "%.6g us", r->time_us, v[0], v[n - 1]);
}

const char *record_fault(struct arena *a, const struct db_record *r, const char *hash,
			 const char *status, size_t samples_bytes)
{
	enum trial_status known;

	if (!trial_status_parse(status, &known))
		return arena_printf(a, "its status is '%.40s', which this hone does not know",
				    status);
	if (r->threads < 1 || r->threads > THREADS_MOST)
		return "its number of threads cannot be";
	const char *fault = steps_fault(a, r, hash);

	if (!fault)
		fault = samples_fault(r, samples_bytes);
	return fault ? fault : time_fault(a, r);
}

/* --- skipping */

void db_listen(struct db *db, const struct listener *to)
{
	db->listener = *to;
}

void db_skip(struct db *db, int64_t id, const char *why)
{
	for (int i = 0; i < db->n_told; i++)
		if (db->told[i] == id)
			return;
	if (db->n_told == SKIPS_TOLD)
		return;
	db->told[db->n_told++] = id;
	listener_tell(&db->listener, TELL_WARNING,
		      "%s: record %lld is skipped: %s (`hone db check %s` lists all such; tune the "
		      "task again where it is missed)",
		      db->path, (long long)id, why, db->path);
	if (db->n_told == SKIPS_TOLD)
		listener_tell(&db->listener, TELL_WARNING,
			      "%s: more records like this are skipped without a word", db->path);
}
