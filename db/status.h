/* SPDX-License-Identifier: Apache-2.0 */
/* db/status.h - how a trial ended; the table is db/status.def. */
#ifndef HONE_DB_STATUS_H
#define HONE_DB_STATUS_H

#include <stdbool.h>

enum trial_status {
#define X(name, text, meaning) TRIAL_##name,
#include "db/status.def"
#undef X
	TRIAL_STATUS_COUNT
};

/* The first that a record can have. */
#define TRIAL_STORED_FIRST TRIAL_OK

const char *trial_status_name(enum trial_status s);
const char *trial_status_meaning(enum trial_status s);
/* False where NAME is no status. */
bool trial_status_parse(const char *name, enum trial_status *out);

#endif
