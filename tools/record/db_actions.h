/* SPDX-License-Identifier: Apache-2.0 */
/* tools/record/db_actions.h - the actions of `hone db`: each prints what came of it, and returns the exit status. */
#ifndef HONE_TOOLS_RECORD_DB_ACTIONS_H
#define HONE_TOOLS_RECORD_DB_ACTIONS_H

#include <stdbool.h>

#include "db/db.h"

struct db_command_options {
	const char *file;
	char **from;	/* what merge takes in */
	int n_from;
	bool json;
	struct db_prune prune;
};

/* DB is open as each needs it, by O->file; A is for what it reads. */
typedef int db_action(struct db *db, struct arena *a, const struct db_command_options *o);

db_action db_action_check, db_action_stats, db_action_merge, db_action_prune, db_action_upgrade;

#endif
