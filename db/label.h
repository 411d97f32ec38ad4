/* SPDX-License-Identifier: Apache-2.0 */
/* db/label.h - what people call campaigns, and what they note of them.
 *
 * A campaign is meant by its number, its name, or the beginning of its uid (LABEL_UID_LEAST digits or more). */
#ifndef HONE_DB_LABEL_H
#define HONE_DB_LABEL_H

#include "db/db.h"

enum { LABEL_UID_LEAST = 4, LABEL_NAME_MOST = 100, LABEL_NOTE_MOST = 10000 };

/* The campaign that TEXT means, in A, without its search state. -1 and a message where there is none, which names
 * some that there are, or several. */
int label_find(struct db *db, struct arena *a, const char *text, struct db_campaign *out);
/* Whether NAME can be one: no number, no white space at its ends, nothing that a terminal or a list of sides
 * (tools/compare/side.h) takes for its own. -1 and a message. */
int label_check(const char *name);
/* As above, and that no campaign but ID (0: at all) is called NAME. -1 and a message. */
int label_check_free(struct db *db, int64_t id, const char *name);
/* Calls campaign ID so, which no other campaign of the file is called; "" takes the name away. -1 and a message. */
int label_name(struct db *db, int64_t id, const char *name);
/* "" takes the note away. */
int label_note(struct db *db, int64_t id, const char *note);

#endif
