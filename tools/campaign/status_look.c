/* SPDX-License-Identifier: Apache-2.0 */
/* tools/campaign/status_look.c - how campaigns of a file stand now.
 *
 * Holds: the database is opened for reading, and for the time of a look alone, so that the campaign
 * never waits and its log never grows for it. */
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "tools/campaign/status.h"

/* The newest campaign of the query's source, or all, in the order of their age. */
static int choose(const struct status_query *q, const struct db_campaign_vec *all, struct arena *a,
		  struct status_vec *out)
{
	const struct db_campaign *newest = NULL;

	for (int i = 0; i < all->n; i++) {
		if (q->source && strcmp(all->at[i].source, q->source) != 0)
			continue;
		newest = &all->at[i];
		if (!q->source)
			vec_push(a, out, status_brief(newest));
	}
	if (!q->source || (!newest && q->waits))
		return 0;
	if (!newest)
		return err_set("%s has no campaign for '%s': name it as it was given to hone tune, "
			       "or see all with hone status --db %s",
			       q->db, q->source, q->db);
	vec_push(a, out, status_brief(newest));
	return 0;
}

static int look(struct db *db, struct arena *a, const struct status_query *q, struct status_vec *out)
{
	struct db_campaign_vec all;

	if (db_campaigns(db, a, &all) < 0 || choose(q, &all, a, out) < 0)
		return -1;
	for (int i = 0; i < out->n; i++) {
		bool full = out->at[i].alive || i == out->n - 1;

		if (full && status_read(db, a, &out->at[i]) < 0)
			return -1;
	}
	return 0;
}

int status_look(const struct status_query *q, struct arena *a, struct status_vec *out)
{
	*out = (struct status_vec){ 0 };
	if (q->waits && access(q->db, F_OK) != 0)
		return 0;
	struct db *db = db_open(q->db, DB_READ);
	int rc = db ? look(db, a, q, out) : -1;

	db_close(db);
	return rc;
}

bool status_any_alive(const struct status_vec *v)
{
	for (int i = 0; i < v->n; i++)
		if (v->at[i].alive)
			return true;
	return false;
}
