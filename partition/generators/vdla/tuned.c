/* SPDX-License-Identifier: Apache-2.0 */
/* partition/generators/vdla/tuned.c - a campaign for each kernel. */
#include "partition/generators/vdla/tuned.h"

#include "base/err.h"
#include "db/db.h"
#include "measure/device/simulated.h"
#include "search/best.h"
#include "search/campaign/tuner.h"
#include "search/measurers/simulated.h"
#include "target/vdla/target.h"

enum { SEED = 1 };	/* the same options and database give the same kernels */

static struct db_want want_of(const struct device *d, const struct task *t)
{
	return (struct db_want){ .task_key = t->key, .fingerprint = d->fingerprint, .target = device_mark(d),
				 .threads = VDLA_VIRTUAL_THREADS, .measured = true };
}

static int trials_of(struct db *db, const struct db_want *want, int64_t *out)
{
	int64_t counts[TRIAL_STATUS_COUNT];
	int rc = db_counts(db, want, counts);

	*out = 0;
	for (int i = TRIAL_STORED_FIRST; i < TRIAL_STATUS_COUNT && rc == 0; i++)
		*out += counts[i];
	return rc;
}

static int tune(struct db *db, const struct device *d, const struct task *t, int trials)
{
	const struct tuner_options o = { .source = t->name, .measurer = measurer_simulated(d, SEED),
					 .threads = VDLA_VIRTUAL_THREADS, .budget = { .trials = trials }, .seed = SEED };

	return o.measurer ? tuner_run_task(db, d, t, &o) : -1;
}

int vdla_tuned_version(struct arena *a, const struct vdla_options *o, const char **out)
{
	int64_t last = 0;

	*out = "";
	if (!*o->db)
		return 0;
	struct db *db = db_open(o->db, o->trials ? DB_WRITE : DB_READ);
	int rc = db ? db_last_record(db, &last) : -1;

	db_close(db);
	*out = arena_printf(a, ", %d trials, record %lld", o->trials, (long long)last);
	return rc;
}

int vdla_tuned(struct arena *a, const struct task *t, const struct vdla_options *o, const struct program **out)
{
	const struct device *d = device_simulated(a, &o->machine);
	struct db *db = db_open(o->db, o->trials ? DB_WRITE : DB_READ);
	struct db_want want = want_of(d, t);
	struct best best;
	int64_t trials;
	int rc = db ? trials_of(db, &want, &trials) : -1;

	if (rc == 0 && trials < o->trials)
		rc = tune(db, d, t, o->trials);
	int found = rc < 0 ? -1 : task_best(a, db, t, want, d->target, &best);

	db_close(db);
	*out = found > 0 ? best.program : NULL;
	return found < 0 ? -1 : 0;
}
