/* SPDX-License-Identifier: Apache-2.0 */
/* search/best.c - from a record back to its nest. */
#include "search/best.h"

#include "base/err.h"

int task_best(struct arena *a, struct db *db, const struct task *t, struct db_want want,
	      struct best *out)
{
	const char *why = "";

	want.task_key = t->key;
	int found = db_best(db, a, &want, &out->record);

	if (found != 1)
		return found;
	out->state = state_parse(a, t->dag, "record", out->record.steps);
	if (!out->state)
		return -1;
	out->program = lower(a, out->state, &why);
	if (!out->program)
		return err_set("record %jd of task %s does not lower: %s",
			       (intmax_t)out->record.id, t->key, why);
	return 1;
}
