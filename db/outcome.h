/* SPDX-License-Identifier: Apache-2.0 */
/* db/outcome.h - what campaigns came to, each by its own records alone: whatever others found before, beside or since.
 * The cache state "model" is left out: times there are no match for those of kernels alone. */
#ifndef HONE_DB_OUTCOME_H
#define HONE_DB_OUTCOME_H

#include "db/db.h"

/* Of a task in a campaign. */
struct db_outcome {
	int64_t campaign;
	const char *task_key;
	int64_t trials, failed;
	double first_us;	/* of its first valid trial; 0: there is none */
	double best_us;		/* of the surest to be the best, as DB_SUREST has it; 0 */
	bool confirmed;		/* that one was, and is no estimate */
	bool estimate;		/* one of both is a guess */
};
struct db_outcome_vec VEC(struct db_outcome);

/* Those of CAMPAIGN, or of all where it is 0; by campaign, then by task, in the order of their ids. */
int db_outcomes(struct db *db, struct arena *a, int64_t campaign, struct db_outcome_vec *out);

#endif
