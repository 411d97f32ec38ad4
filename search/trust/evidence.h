/* SPDX-License-Identifier: Apache-2.0 */
/* search/trust/evidence.h - what a figure rests on, and whether it holds for the C text of today.
 *
 * A record keeps the hash of the text that was measured. Its steps, replayed, give that text again
 * as long as lowering and emitter do what they did; where they have changed since, the figure is
 * that of another kernel. */
#ifndef HONE_SEARCH_TRUST_EVIDENCE_H
#define HONE_SEARCH_TRUST_EVIDENCE_H

#include <jansson.h>

#include "db/db.h"

enum evidence {
	EVIDENCE_SAME,		/* the text that was measured */
	EVIDENCE_CHANGED,	/* another one: nobody measured this */
	EVIDENCE_UNKNOWN,	/* the record is of a hone that kept no hash */
};

/* SOURCE is what the steps of R give today (program_source()). */
enum evidence evidence_of(const struct db_record *r, const char *source);
/* The identity of SOURCE, as records keep it, in A: the same whatever its tensors are called. */
const char *evidence_hash(struct arena *a, const char *source);

/* Whether the figure of R was taken in a confirmation, here and of this text. */
bool evidence_confirmed(const struct db_record *r, enum evidence e);
/* What a reader must know before he bets on the figure, as "unconfirmed, text changed since it was
 * measured", in A; "" where there is nothing. */
const char *evidence_caveat(struct arena *a, const struct db_record *r, enum evidence e);
/* All that is known, as `evidence` of docs/json.md. */
json_t *evidence_json(const struct db_record *r, enum evidence e);

#endif
