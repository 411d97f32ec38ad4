/* SPDX-License-Identifier: Apache-2.0 */
/* search/campaign/contenders.h - the few of a task that are so fast alone that only the model can say which
 * of them is best in it. */
#ifndef HONE_SEARCH_CAMPAIGN_CONTENDERS_H
#define HONE_SEARCH_CAMPAIGN_CONTENDERS_H

#include "search/best.h"

/* Of a task: what confirmation cannot tell apart is rarely more, and each costs the memory of a whole
 * model's weights. */
enum { CONTENDERS = 4 };

/* How far the slowest may be behind the fastest, alone. Kernels trade places inside a model by the
 * difference between warm caches and those that a model leaves behind; what is a twentieth slower
 * alone hardly wins there: chosen, not measured. */
#define CONTENDERS_WITHIN 1.05

struct best_vec VEC(struct best);

/* Those of T that fit WANT, confirmed with the C text of today, the fastest first, in A; none twice
 * by that text and toolchain. 0, or -1 and a message. */
int task_contenders(struct arena *a, struct db *db, const struct task *t, struct db_want want,
		    const struct target *target, struct best_vec *out);

#endif
