/* SPDX-License-Identifier: Apache-2.0 */
/* db/import.c - records that a log from elsewhere tells of.
 *
 * They are marked: what a search and a person go by stands above them, and no campaign counts or learns
 * from them. They keep the number by which records supersede each other, so that a log that comes
 * back is known to be the same. */
#include "db/import.h"

#include "base/clock.h"
#include "db/record.h"

static const char what[] = "importing records";

/* That record m tells of the very measurement that row records tells of, whoever tells it. */
#define SAME_MEASUREMENT                                                                           \
	"m.task = records.task AND m.device = records.device"                                      \
	" AND m.toolchain = records.toolchain AND m.threads = records.threads"                     \
	" AND m.steps_hash = records.steps_hash AND m.seq = records.seq"                           \
	" AND m.created = records.created AND m.trial = records.trial AND m.final = records.final" \
	" AND m.estimate = records.estimate AND m.status = records.status"                         \
	" AND m.cache = records.cache AND m.time_us IS records.time_us"                            \
	" AND m.samples = records.samples"

int records_drop_hearsay(struct db *db, const char *doing, int64_t *n)
{
	if (sql_run(db, doing,
		    "DELETE FROM main.records WHERE imported = 1 AND EXISTS (SELECT 1"
		    " FROM main.records m WHERE m.imported = 0 AND " SAME_MEASUREMENT ")",
		    "") < 0)
		return -1;
	*n = sqlite3_changes(db->sql);
	return 0;
}

/* Of those behind row LAST, what was known before. */
static int drop_known(struct db *db, int64_t last, int64_t *n)
{
	if (sql_run(db, what,
		    "DELETE FROM records WHERE id > ? AND EXISTS (SELECT 1 FROM records m"
		    " WHERE m.id < records.id AND " SAME_MEASUREMENT ")",
		    "i", last) < 0)
		return -1;
	*n = sqlite3_changes(db->sql);
	return 0;
}

/* The device of R; what is known of it here is not told anew by a log. */
static int64_t device_of(struct db *db, const struct db_import *r)
{
	int64_t id = 0;

	if (sql_run(db, what,
		    "INSERT INTO devices (fingerprint, description, created) VALUES (?, ?, ?)"
		    " ON CONFLICT DO NOTHING",
		    "tti", r->record.fingerprint, r->description, clock_wall()) < 0 ||
	    sql_int(db, what, &id, "SELECT id FROM devices WHERE fingerprint = ?", "t",
		    r->record.fingerprint) < 0)
		return -1;
	return id;
}

static int insert(struct db *db, const struct db_import *r)
{
	struct db_record row = r->record;

	row.imported = true;
	row.device = device_of(db, r);
	if (row.device < 0)
		return -1;
	row.toolchain = db_toolchain(db, row.toolchain_text);
	if (row.toolchain < 0)
		return -1;
	row.task = db_task(db, &r->task);
	return row.task < 0 ? -1 : record_insert(db, what, 0, &row);
}

static int import_all(struct db *db, const struct db_import *records, int n, int64_t *added)
{
	int64_t last, known;
	int rc = db_last_record(db, &last);

	for (int i = 0; i < n && rc >= 0; i++)
		rc = insert(db, &records[i]);
	if (rc < 0 || drop_known(db, last, &known) < 0)
		return -1;
	*added = n - known;
	return 0;
}

int db_import(struct db *db, const struct db_import *records, int n, int64_t *added)
{
	*added = 0;
	if (sql_begin(db, what) < 0)
		return -1;
	return sql_end(db, what, import_all(db, records, n, added));
}

const char *db_import_fault(struct arena *a, const struct db_record *r, const char *steps_hash)
{
	if (r->seq < 1)
		return "its seq is less than 1";
	if (r->final && r->others < -1)
		return "it was measured in turn with less than none";
	if (r->status != TRIAL_OK && r->time_us > 0)
		return "it has a time though its status is not ok";
	return record_fault(a, r, steps_hash, trial_status_name(r->status),
			    (size_t)r->n_samples * sizeof(double));
}
